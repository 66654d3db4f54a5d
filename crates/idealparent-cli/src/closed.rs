//! Whether standard output was closed when the program began.
//!
//! Before `main` the standard library opens `/dev/null` in place of what is closed, so that results
//! would vanish without a word, and afterwards nothing tells that from a `/dev/null` of the user's.
//! So it is looked at earlier, in a function that the loader calls.

#[cfg(unix)]
pub use early::is_stdout_closed;

#[cfg(not(unix))]
pub fn is_stdout_closed() -> bool {
    false
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod early {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Whether nobody can get what is printed.
    pub fn is_stdout_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }

    extern "C" fn look() {
        // SAFETY: asking for a descriptor's flags changes nothing, whether it is open or not.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        CLOSED.store(flags == -1, Ordering::Relaxed);
    }

    // SAFETY: the section holds functions of this signature; this one needs nothing of the runtime.
    #[used]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    #[cfg_attr(
        target_vendor = "apple",
        unsafe(link_section = "__DATA,__mod_init_func")
    )]
    static LOOK: extern "C" fn() = look;
}
