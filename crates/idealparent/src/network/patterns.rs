//! Rows that lack the same values: what depends on who is unobserved is worked out once for all of them.

use std::collections::BTreeMap;

use super::Network;

/// Unobserved variables, ascending, and the rows that lack these and no others.
pub(super) type Patterns = BTreeMap<Vec<usize>, Vec<usize>>;

impl Network {
    /// Groups rows by which variables have no value there.
    ///
    /// Inactive variables say nothing about others and are looked at only where one is the `target`.
    pub(super) fn patterns(&self, columns: &[Vec<f64>], target: Option<usize>) -> Patterns {
        let counts = |v: &usize| !self.families[*v].inactive || Some(*v) == target;
        let variables: Vec<usize> = (0..self.len()).filter(counts).collect();
        let rows = columns.first().map_or(0, Vec::len);
        let mut patterns = Patterns::new();
        let mut pattern = Vec::new();
        for row in 0..rows {
            pattern.clear();
            pattern.extend(variables.iter().filter(|&&v| columns[v][row].is_nan()));
            match patterns.get_mut(&pattern) {
                Some(members) => members.push(row),
                None => {
                    patterns.insert(pattern.clone(), vec![row]);
                }
            }
        }
        patterns
    }
}
