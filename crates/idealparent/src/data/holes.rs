//! Which entries are missing.

use std::collections::BTreeMap;

use super::Column;

/// Rows that lack the same values: what depends on who is unobserved is worked out once for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Variables without a value, ascending.
    pub unobserved: Vec<usize>,
    /// The rows that lack these and no others.
    pub rows: Vec<usize>,
}

/// The missing entries of a table's active columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holes {
    /// Ordered by what is unobserved.
    pub patterns: Vec<Pattern>,
    /// Number of missing entries.
    pub count: usize,
}

impl Holes {
    /// Groups rows by which of some variables have no value there.
    pub fn new(columns: &[Column], counts: impl Fn(usize) -> bool) -> Self {
        let variables: Vec<usize> = (0..columns.len()).filter(|&v| counts(v)).collect();
        let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        let mut pattern = Vec::new();
        let mut count = 0;
        for row in 0..columns.first().map_or(0, |column| column.len()) {
            pattern.clear();
            pattern.extend(variables.iter().filter(|&&v| columns[v][row].is_nan()));
            count += pattern.len();
            match patterns.get_mut(&pattern) {
                Some(members) => members.push(row),
                None => {
                    patterns.insert(pattern.clone(), vec![row]);
                }
            }
        }
        let pattern = |(unobserved, rows)| Pattern { unobserved, rows };
        Holes {
            patterns: patterns.into_iter().map(pattern).collect(),
            count,
        }
    }
}
