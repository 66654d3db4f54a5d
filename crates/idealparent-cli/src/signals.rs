//! Requests to stop: Ctrl-C, a terminal that closes, a request to terminate.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::temporary;

/// The signal that came first; 0 where none did.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// Whether a run stops in good order at the first signal.
static IS_HEEDED: AtomicBool = AtomicBool::new(false);

/// Once a signal asked for the end: the code to exit with, 128 and the signal's number.
pub fn code() -> Option<u8> {
    match FIRST.load(Ordering::Relaxed) {
        0 => None,
        signal => u8::try_from(128 + signal).ok(),
    }
}

/// From now on a signal ends the program without leaving temporary files behind.
///
/// Signals that whoever started the program had it ignore, as `nohup` does, stay ignored.
pub fn clean_up() {
    static ONCE: Once = Once::new();
    // Without a handler a signal ends the program, which is no reason not to run.
    ONCE.call_once(|| drop(install()));
}

/// From now on a signal stops the run in good order; a second one ends the program at once.
pub fn listen() {
    IS_HEEDED.store(true, Ordering::Relaxed);
    clean_up();
}

fn came(signal: i32) {
    let first = FIRST.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    if first.is_err() || !IS_HEEDED.load(Ordering::Relaxed) {
        temporary::exit(128 + signal);
    }
}

#[cfg(unix)]
fn install() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let heeded: Vec<i32> = wanted.filter(|&signal| !is_ignored(signal)).collect();
    let mut signals = signal_hook::iterator::Signals::new(heeded)?;
    let listener = std::thread::Builder::new().name("signals".to_string());
    listener.spawn(move || signals.forever().for_each(came))?;
    Ok(())
}

/// Whether a signal has no effect on the program now.
#[cfg(unix)]
#[allow(unsafe_code)]
fn is_ignored(signal: i32) -> bool {
    let mut present = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action `sigaction` changes nothing and only fills in the present one,
    // of which all zeros are a valid value too. No safe interface asks without setting.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), present.as_mut_ptr()) == 0
            && present.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
fn install() -> Result<(), ctrlc::Error> {
    const INTERRUPT: i32 = 2;
    ctrlc::set_handler(|| came(INTERRUPT))
}
