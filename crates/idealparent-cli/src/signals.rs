//! Signals that ask the program to stop: SIGINT (Ctrl-C), SIGHUP (closed terminal) and SIGTERM.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::temporary;

/// The first signal received; 0 if there was none.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// Whether the first signal stops the run gracefully, with the results so far written.
static IS_GRACEFUL: AtomicBool = AtomicBool::new(false);

/// The exit code after a signal, 128 plus its number; `None` if no signal was received.
pub fn code() -> Option<u8> {
    match FIRST.load(Ordering::Relaxed) {
        0 => None,
        signal => u8::try_from(128 + signal).ok(),
    }
}

/// Installs handlers that remove temporary files when a signal ends the program.
///
/// Signals that were ignored when the program started, as with `nohup`, stay ignored.
pub fn clean_up() {
    static ONCE: Once = Once::new();
    // If no handler can be installed, a signal just ends the program, which is acceptable.
    ONCE.call_once(|| drop(install()));
}

/// From now on the first signal stops the run gracefully; a second one ends the program at once.
pub fn listen() {
    IS_GRACEFUL.store(true, Ordering::Relaxed);
    clean_up();
}

fn on_signal(signal: i32) {
    let first = FIRST.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    if first.is_err() || !IS_GRACEFUL.load(Ordering::Relaxed) {
        temporary::exit(128 + signal);
    }
}

#[cfg(unix)]
fn install() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let handled: Vec<i32> = wanted.filter(|&signal| !is_ignored(signal)).collect();
    let mut signals = signal_hook::iterator::Signals::new(handled)?;
    let listener = std::thread::Builder::new().name("signals".to_string());
    listener.spawn(move || signals.forever().for_each(on_signal))?;
    Ok(())
}

/// Whether the program currently ignores a signal.
#[cfg(unix)]
#[allow(unsafe_code)]
fn is_ignored(signal: i32) -> bool {
    let mut current = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null new action, `sigaction` changes nothing and only writes the current
    // action, for which all zeros are also a valid value. No safe interface can query the action
    // without setting one.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), current.as_mut_ptr()) == 0
            && current.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
fn install() -> Result<(), ctrlc::Error> {
    const INTERRUPT: i32 = 2;
    ctrlc::set_handler(|| on_signal(INTERRUPT))
}
