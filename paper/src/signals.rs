//! Requests to stop: Ctrl-C, a request to terminate.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether the program was asked to stop.
pub fn is_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// From now on a signal stops the run in good order; a second one ends the program at once.
pub fn listen() {
    static ONCE: Once = Once::new();
    // Without a handler a signal ends the program, which is no reason not to run.
    ONCE.call_once(|| drop(ctrlc::set_handler(came)));
}

fn came() {
    if STOPPED.swap(true, Ordering::Relaxed) {
        std::process::exit(130);
    }
}
