//! Conversion of options given as on the command line.

use idealparent::{LearnOptions, ReadOptions};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::OrRaise;

/// Options of learning from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    /// Names and values, as on the command line.
    pub words: Vec<(String, String)>,
    /// Names and values of options that are lists: of pairs of names, or of tiers.
    pub lists: Vec<(String, Vec<Vec<String>>)>,
}

impl Asked {
    /// The options, without the check that they are compatible with each other.
    pub fn unchecked(self) -> PyResult<LearnOptions> {
        let mut options = LearnOptions::default();
        for (name, word) in &self.words {
            options.set(name, word).or_raise()?;
        }
        for (name, list) in &self.lists {
            let spec = LearnOptions::spec(name).or_raise()?;
            spec.restore(&mut options, &json!(list)).or_raise()?;
        }
        Ok(options)
    }

    /// The options, checked.
    pub fn options(self) -> PyResult<LearnOptions> {
        let options = self.unchecked()?;
        options.check().or_raise()?;
        Ok(options)
    }
}

/// Options for reading a table: names with values as on the command line, and lists of names.
pub fn read_options(
    words: &[(String, String)],
    lists: &[(String, Vec<String>)],
) -> PyResult<ReadOptions> {
    let mut options = ReadOptions::default();
    for (name, word) in words {
        options.set(name, word).or_raise()?;
    }
    for (name, list) in lists {
        let spec = ReadOptions::spec(name).or_raise()?;
        spec.restore(&mut options, &json!(list)).or_raise()?;
    }
    Ok(options)
}
