//! Requests to stop (Ctrl-C).

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether the program was asked to stop.
pub fn is_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// Installs the handler: the first signal stops the run cleanly, a second one ends the program at
/// once.
pub fn listen() {
    static ONCE: Once = Once::new();
    // Without a handler a signal just ends the program, so failing to install it is not an error.
    ONCE.call_once(|| drop(ctrlc::set_handler(on_signal)));
}

fn on_signal() {
    if STOPPED.swap(true, Ordering::Relaxed) {
        std::process::exit(130);
    }
}
