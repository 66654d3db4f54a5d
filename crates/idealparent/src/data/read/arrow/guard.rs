//! Turns panics of the Parquet and Arrow decoders into errors.
//!
//! The decoders return an error for most damaged files, but panic on some. For the user, both are
//! simply bad files.
//!
//! The panic hook, which decides what a panic prints, belongs to the program and not to a library.
//! A hook can call [`is_decoding`] to stay silent about these panics.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

use arrow_schema::ArrowError;

thread_local! {
    /// Whether this thread is decoding, which may cause a panic.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a decoder, whose panics are caught.
pub(in crate::data::read) fn is_decoding() -> bool {
    DECODING.get()
}

/// Runs a decoder; a panic in it becomes an error.
pub(super) fn guarded<T>(decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    let before = DECODING.replace(true);
    // Unwind-safe: whatever the decoder leaves incomplete is dropped with the closure.
    let outcome = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(before);
    outcome.unwrap_or_else(|_| Err(ArrowError::ParseError("inconsistent data".to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
        let error = guarded::<()>(|| panic!("expected")).unwrap_err();
        assert!(error.to_string().contains("inconsistent"), "{error}");
        assert!(!is_decoding());
    }

    #[test]
    fn is_decoding_holds_inside_nested_decoders() {
        assert!(guarded(|| Ok(is_decoding())).unwrap());
        let inner = || guarded::<()>(|| panic!("expected"));
        let still = guarded(|| Ok((inner().is_err(), is_decoding()))).unwrap();
        assert_eq!(still, (true, true));
    }
}
