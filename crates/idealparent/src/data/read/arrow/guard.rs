//! Keeps panics of the decoders from ending the program.
//!
//! The decoders of Parquet and Arrow check most, but not all, of what a damaged file may hold, and
//! panic at the rest. To a user that is a bad file like any other.
//!
//! What is printed at a panic is decided by the process's panic hook, which belongs to the program
//! and not to a library inside it. A program that reports panics asks [`is_decoding`].

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

use arrow_schema::ArrowError;

thread_local! {
    /// Whether this thread is decoding, so that a panic of its is expected.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a decoder, whose panics are caught.
pub(in crate::data::read) fn is_decoding() -> bool {
    DECODING.get()
}

/// Runs a decoder; a panic in it becomes an error.
pub(super) fn guarded<T>(decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    let before = DECODING.replace(true);
    // What the decoder leaves half done is dropped with it.
    let outcome = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(before);
    outcome.unwrap_or_else(|_| Err(ArrowError::ParseError("it contradicts itself".to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
        let error = guarded::<()>(|| panic!("expected")).unwrap_err();
        assert!(error.to_string().contains("contradicts"), "{error}");
        assert!(!is_decoding());
    }

    #[test]
    fn a_hook_can_tell() {
        assert!(guarded(|| Ok(is_decoding())).unwrap());
        let inner = || guarded::<()>(|| panic!("expected"));
        let still = guarded(|| Ok((inner().is_err(), is_decoding()))).unwrap();
        assert_eq!(still, (true, true));
    }
}
