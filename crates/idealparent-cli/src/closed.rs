//! Whether standard output was closed when the program began.
//!
//! The standard library opens `/dev/null` in place of a closed standard descriptor, so that results
//! would be lost silently. It does so for reading and writing, whereas a shell's `>/dev/null` opens
//! it for writing only. This difference tells the two cases apart.

/// Whether standard output was closed when the program began.
#[cfg(unix)]
#[allow(unsafe_code)]
pub fn is_stdout_closed() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;

    // SAFETY: reading a descriptor's flags changes nothing, whether it is open or not.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFL) };
    if flags == -1 {
        return true;
    }
    let device = |file: std::fs::File| file.metadata().map(|about| about.rdev()).ok();
    let own = std::io::stdout().as_fd().try_clone_to_owned();
    let own = own.ok().and_then(|own| device(own.into()));
    let null = std::fs::File::open("/dev/null").ok().and_then(device);
    flags & libc::O_ACCMODE == libc::O_RDWR && own.is_some() && own == null
}

/// Whether standard output was closed when the program began.
#[cfg(not(unix))]
pub fn is_stdout_closed() -> bool {
    false
}
