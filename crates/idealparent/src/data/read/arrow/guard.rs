//! Keeps panics of the decoders from reaching the user.
//!
//! The decoders of Parquet and Arrow check most, but not all, of what a damaged file may hold, and
//! panic at the rest. To a user that is a bad file like any other.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use arrow_schema::ArrowError;

thread_local! {
    /// Whether this thread is decoding, so that a panic of its is expected.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; a panic in it becomes an error, and prints nothing.
pub(super) fn guarded<T>(decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    silence();
    let before = DECODING.replace(true);
    // What the decoder leaves half done is dropped with it.
    let outcome = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(before);
    outcome.unwrap_or_else(|_| Err(ArrowError::ParseError("it contradicts itself".to_string())))
}

/// Once per process: a panic on a thread that is decoding is not reported.
fn silence() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !DECODING.get() {
                report(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
        let error = guarded::<()>(|| panic!("not shown")).unwrap_err();
        assert!(error.to_string().contains("contradicts"), "{error}");
        assert!(!DECODING.get());
    }
}
