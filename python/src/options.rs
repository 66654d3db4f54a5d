//! Options by the words of the command line.

use idealparent::LearnOptions;
use idealparent::graph::Knowledge;
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Names of two variables.
type Pair = (String, String);

/// What was asked for: words with their values, and lists.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    /// `(word, value)`, as on the command line.
    pub words: Vec<Pair>,
    pub require: Vec<Pair>,
    pub forbid: Vec<Pair>,
    pub tiers: Vec<Vec<String>>,
    pub start: Vec<Pair>,
    pub seed: u64,
}

impl Asked {
    /// The options before it is known whether they fit together.
    pub fn unchecked(self) -> PyResult<LearnOptions> {
        let mut options = LearnOptions::default();
        for (word, value) in &self.words {
            options.set(word, value).or_raise()?;
        }
        options.knowledge = Knowledge {
            require: self.require,
            forbid: self.forbid,
            tiers: self.tiers,
            max_parents: options.knowledge.max_parents,
            origins: Default::default(),
        };
        options.start = self.start;
        options.seed = self.seed;
        Ok(options)
    }

    /// The options.
    pub fn options(self) -> PyResult<LearnOptions> {
        let options = self.unchecked()?;
        options.check().or_raise()?;
        Ok(options)
    }
}
