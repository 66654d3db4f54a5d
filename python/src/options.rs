//! Conversion of options given as on the command line.

use idealparent::LearnOptions;
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Names of two variables.
type Pair = (String, String);

/// Options from Python: names with values, and lists.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    /// Option names and values, as on the command line.
    pub words: Vec<Pair>,
    pub require: Vec<Pair>,
    pub forbid: Vec<Pair>,
    pub tiers: Vec<Vec<String>>,
    pub start: Vec<Pair>,
    /// Options and file names, for lists given as files. Errors in these contain line numbers.
    pub files: Vec<Pair>,
    pub seed: u64,
}

impl Asked {
    /// The options, without the check that they are compatible with each other.
    pub fn unchecked(self) -> PyResult<LearnOptions> {
        let mut options = LearnOptions::default();
        for (word, value) in &self.words {
            options.set(word, value).or_raise()?;
        }
        options.require = self.require.into();
        options.forbid = self.forbid.into();
        options.tiers = self.tiers.into();
        for (name, path) in &self.files {
            options.set(name, path).or_raise()?;
        }
        options.start = self.start;
        options.seed = self.seed;
        Ok(options)
    }

    /// The options, checked.
    pub fn options(self) -> PyResult<LearnOptions> {
        let options = self.unchecked()?;
        options.check().or_raise()?;
        Ok(options)
    }
}
