//! Conversion of the library's errors to Python exceptions.

use idealparent::{Error, Message, OptionStyle};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Conversion of the library's results to Python's.
pub trait OrRaise<T> {
    /// The value, or the error as a Python exception.
    fn or_raise(self) -> Result<T, PyErr>;
}

impl<T> OrRaise<T> for idealparent::Result<T> {
    fn or_raise(self) -> Result<T, PyErr> {
        self.map_err(|error| {
            let text = error.render(OptionStyle::Python);
            match &error {
                Error::Io { source, .. } => Python::attach(|py| {
                    let errors = py.import("idealparent._errors");
                    let raised = errors.and_then(|module| {
                        let class = module.call_method1("of_file", (source.raw_os_error(),))?;
                        Ok(PyErr::from_type(class.cast_into::<PyType>()?, (text,)))
                    });
                    raised.unwrap_or_else(|error| error)
                }),
                _ => PyValueError::new_err(text),
            }
        })
    }
}

/// Notes as text, with options written as in Python.
pub fn rendered(notes: &[Message]) -> Vec<String> {
    let line = |note: &Message| note.render(OptionStyle::Python);
    notes.iter().map(line).collect()
}
