//! Which entries of a table are missing.

use std::collections::BTreeMap;

use super::Column;

/// Rows in which the same variables are missing. Computations that depend only on which variables
/// are missing are done once per pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Variables without a value, ascending.
    pub unobserved: Vec<usize>,
    /// The rows in which exactly these variables are missing.
    pub rows: Vec<usize>,
}

/// The missing entries of a table's active columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holes {
    /// The patterns, ordered by their unobserved variables.
    pub patterns: Vec<Pattern>,
    /// Number of missing entries.
    pub count: usize,
}

impl Holes {
    /// Groups rows by their missing entries, considering only the variables for which `counts`
    /// returns `true`.
    pub fn new(columns: &[Column], counts: impl Fn(usize) -> bool) -> Self {
        let variables: Vec<usize> = (0..columns.len()).filter(|&v| counts(v)).collect();
        let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        let mut count = 0;
        for row in 0..columns.first().map_or(0, |column| column.len()) {
            let is_hole = |&v: &usize| columns[v][row].is_nan();
            let unobserved: Vec<usize> = variables.iter().copied().filter(is_hole).collect();
            count += unobserved.len();
            patterns.entry(unobserved).or_default().push(row);
        }
        let pattern = |(unobserved, rows)| Pattern { unobserved, rows };
        Holes {
            patterns: patterns.into_iter().map(pattern).collect(),
            count,
        }
    }

    /// Every row with its missing variables, in the order of the patterns.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &[usize])> {
        self.patterns.iter().flat_map(|pattern| {
            let of_row = |&row: &usize| (row, &pattern.unobserved[..]);
            pattern.rows.iter().map(of_row)
        })
    }
}
