//! The library's errors as Python's.

use idealparent::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};

/// Results of the library with errors of Python.
pub trait OrRaise<T> {
    /// The value, or the error as an exception.
    fn or_raise(self) -> Result<T, PyErr>;
}

impl<T> OrRaise<T> for idealparent::Result<T> {
    fn or_raise(self) -> Result<T, PyErr> {
        self.map_err(|error| match &error {
            Error::Io { .. } => PyOSError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        })
    }
}
