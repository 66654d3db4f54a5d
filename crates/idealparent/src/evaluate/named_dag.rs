//! Structures with named variables, so that structures from different sources can be compared.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::graph::{Dag, names_along};
use crate::network::{Network, Structure};

/// Named variables and a directed acyclic graph over them.
///
/// ```
/// use idealparent::{NamedDag, compare};
///
/// let truth = NamedDag::from_pairs("truth.csv", &[("A", "B"), ("B", "C")])?;
/// let found = NamedDag::from_pairs("found.csv", &[("A", "B")])?;
/// assert_eq!(truth.dag().edge_count(), 2);
/// assert_eq!(compare(&found, &truth)?.skeleton.recall, 0.5);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NamedDag {
    names: Vec<String>,
    dag: Dag,
    /// Which variables are hidden; `None` if unknown.
    hidden: Option<Vec<bool>>,
}

impl NamedDag {
    /// Creates a structure; `names[i]` is the name of variable `i` of `dag`.
    ///
    /// # Panics
    /// If the numbers of names and variables differ.
    pub fn new(names: Vec<String>, dag: Dag) -> Self {
        assert_eq!(names.len(), dag.len(), "one name per variable");
        NamedDag {
            names,
            dag,
            hidden: None,
        }
    }

    /// Marks these variables as hidden, and all others as observed.
    pub fn with_hidden(mut self, hidden: &[String]) -> Self {
        let is_hidden = |name: &String| hidden.contains(name);
        self.hidden = Some(self.names.iter().map(is_hidden).collect());
        self
    }

    /// The structure of a network.
    ///
    /// # Panics
    /// As [`Network::dag`]: if the families form a cycle.
    pub fn of_network(network: &Network) -> Self {
        let names = network.variables.iter().map(|v| v.name.clone());
        let mut structure = NamedDag::new(names.collect(), network.dag());
        structure.hidden = Some(network.variables.iter().map(|v| v.hidden).collect());
        structure
    }

    /// The graph of a structure; `place` names its file in messages.
    ///
    /// # Panics
    /// If the structure lists its variables and its edges contain another variable or form a cycle.
    /// The reader of network files rejects both.
    pub fn of_structure(structure: &Structure, place: &str) -> Result<Self> {
        let (names, edges) = (&structure.variables, &structure.edges);
        if names.is_empty() {
            return NamedDag::from_pairs(place, edges);
        }
        let index: HashMap<&String, usize> = names.iter().zip(0..).collect();
        let edges = edges.iter().map(|(from, to)| (index[from], index[to]));
        let dag = Dag::from_edges(names.len(), edges).expect("the reader refuses cycles");
        Ok(NamedDag::new(names.clone(), dag).with_hidden(&structure.hidden))
    }

    /// Creates a structure from `(from, to)` pairs of names; its variables are the names that
    /// occur.
    ///
    /// Duplicate pairs count once. If the pairs form a cycle, returns an [`Error::Network`] that
    /// shows the cycle and names `place`, the file that the pairs were read from.
    pub fn from_pairs<S: AsRef<str>>(place: &str, pairs: &[(S, S)]) -> Result<Self> {
        let mut names: Vec<String> = Vec::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        let mut edges = Vec::with_capacity(pairs.len());
        for (from, to) in pairs {
            let [from, to] = [from.as_ref(), to.as_ref()].map(|name| {
                *index.entry(name).or_insert_with(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                })
            });
            edges.push((from, to));
        }
        let dag = Dag::or_cycle(names.len(), edges).map_err(|cycle| {
            let problem = format!(
                "the edges form a cycle: {} (a Bayesian network must be acyclic; remove one of these edges)",
                names_along(&cycle, &names)
            );
            Error::network(place, problem)
        })?;
        Ok(NamedDag {
            names,
            dag,
            hidden: None,
        })
    }

    /// The names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Which variables are hidden; `None` if unknown, as for pairs of names.
    pub fn hidden(&self) -> Option<&[bool]> {
        self.hidden.as_deref()
    }

    /// The graph over the indices of [`names`](NamedDag::names).
    pub fn dag(&self) -> &Dag {
        &self.dag
    }
}

/// Parses a structure written as `a>b b>c`.
#[cfg(test)]
pub(super) fn pairs(text: &str) -> NamedDag {
    let pairs: Vec<(&str, &str)> = text
        .split_whitespace()
        .map(|edge| edge.split_once('>').unwrap())
        .collect();
    NamedDag::from_pairs("test", &pairs).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_a_structure() {
        let s = NamedDag::from_pairs("ref.tsv", &[("b", "a"), ("a", "c"), ("b", "a")]).unwrap();
        assert_eq!(s.names(), ["b", "a", "c"]);
        assert_eq!(s.dag().edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn the_error_shows_the_cycle() {
        let pairs = [("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "y")];
        let text = NamedDag::from_pairs("ref.tsv", &pairs)
            .unwrap_err()
            .to_string();
        assert!(
            text.starts_with("ref.tsv: the edges form a cycle: a -> b -> c -> a ("),
            "{text}"
        );
        let text = NamedDag::from_pairs("r", &[("p", "p")])
            .unwrap_err()
            .to_string();
        assert!(text.contains("p -> p ("), "{text}");
    }
}
