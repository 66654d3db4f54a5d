//! Names of variables with an index for lookup.

use std::collections::HashMap;

/// An ordered list of unique names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    list: Vec<String>,
    index: HashMap<String, usize>,
}

impl Names {
    /// Returns the first repeated name as the error.
    pub(super) fn new(list: Vec<String>) -> Result<Self, String> {
        let mut index = HashMap::with_capacity(list.len());
        for (i, name) in list.iter().enumerate() {
            if index.insert(name.clone(), i).is_some() {
                return Err(name.clone());
            }
        }
        Ok(Names { list, index })
    }

    /// The names, in order.
    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// The position of a name in the list.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}
