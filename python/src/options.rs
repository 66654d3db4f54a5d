//! Options by the words of the command line.

use std::path::PathBuf;

use idealparent::LearnOptions;
use idealparent::data;
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
    /// Files in the place of some of the lists, by name: mistakes are told with their lines.
    pub files: Vec<(String, PathBuf)>,
    pub seed: u64,
}

impl Asked {
    /// The options before it is known whether they fit together.
    pub fn unchecked(self) -> PyResult<LearnOptions> {
        let mut options = LearnOptions::default();
        for (word, value) in &self.words {
            options.set(word, value).or_raise()?;
        }
        let mut known = Knowledge {
            require: self.require,
            forbid: self.forbid,
            tiers: self.tiers,
            max_parents: options.knowledge.max_parents,
            origins: Default::default(),
        };
        for (name, path) in &self.files {
            match name.as_str() {
                "tiers" => {
                    let list = data::read_tiers(path).or_raise()?;
                    (known.tiers, known.origins.tiers) = (list.tiers, list.origin);
                }
                "forbid" => {
                    let list = data::read_edges(path).or_raise()?;
                    (known.forbid, known.origins.forbid) = (list.edges, list.origin);
                }
                _ => {
                    let list = data::read_edges(path).or_raise()?;
                    (known.require, known.origins.require) = (list.edges, list.origin);
                }
            }
        }
        options.knowledge = known;
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
