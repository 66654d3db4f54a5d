//! Names of variables, found by name as fast as by number.

use std::collections::HashMap;

/// Names that differ from each other, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    list: Vec<String>,
    index: HashMap<String, usize>,
}

impl Names {
    /// These names; one that occurs twice is handed back.
    pub(super) fn new(list: Vec<String>) -> Result<Self, String> {
        let mut index = HashMap::with_capacity(list.len());
        for (i, name) in list.iter().enumerate() {
            if index.insert(name.clone(), i).is_some() {
                return Err(name.clone());
            }
        }
        Ok(Names { list, index })
    }

    /// The names in their order.
    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// The number of a name.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}
