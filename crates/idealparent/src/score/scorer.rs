//! Scoring families: the one thing a search asks of data, CPD and score.

/// Gives a family its score.
///
/// The score of a family does not depend on how a search got there: the same child and parents give
/// the same number to the last bit, whichever thread asks.
pub trait Scorer: Sync {
    /// Number of variables.
    fn width(&self) -> usize;

    /// Score of `child` with `parents` (ascending), penalty included; `None` if the family cannot be
    /// fitted (collinear parents, too few instances).
    fn score(&self, child: usize, parents: &[usize]) -> Option<f64>;

    /// As [`Scorer::score`], and how many densities had to be fitted for it; with a cache the second
    /// call for a family is free and counts for nothing.
    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        (self.score(child, parents), 1)
    }
}

/// Numbers of families scored, as the paper's Table 1 counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluations {
    /// For add and replace moves: the paper's column *eval*.
    pub add_replace: u64,
    /// For all moves.
    pub all: u64,
}

impl Evaluations {
    /// Counts `number` more families scored for an add or replace move.
    pub fn add_replace(&mut self, number: usize) {
        self.add_replace += number as u64;
        self.all += number as u64;
    }

    /// Counts `number` more families scored for a delete or reverse move.
    pub fn other(&mut self, number: usize) {
        self.all += number as u64;
    }
}
