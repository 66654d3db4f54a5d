//! Scoring families: the one thing a search asks of data, CPD and score.

use std::ops::{AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// Gives a family its score.
///
/// The score of a family does not depend on how a search got there: the same child and parents give
/// the same number to the last bit, whichever thread asks.
pub trait Scorer: Sync {
    /// Number of variables.
    fn width(&self) -> usize;

    /// Score of `child` with `parents` (ascending), penalty included; `None` if the family cannot
    /// be fitted (collinear parents, too few instances).
    fn score(&self, child: usize, parents: &[usize]) -> Option<f64>;

    /// As [`Scorer::score`], and how many densities had to be fitted for it; with a cache the
    /// second call for a family is free and counts for nothing.
    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        (self.score(child, parents), 1)
    }

    /// Scores without some of the parents in turn, up to rounding: `(parent, score)`; and how many
    /// densities had to be fitted. Where that takes fits, the `most` parents are tried whose loss
    /// is likely to cost least.
    fn scores_without(
        &self,
        child: usize,
        parents: &[usize],
        most: usize,
    ) -> (Vec<(usize, f64)>, usize) {
        let mut fitted = 0;
        let mut scores = Vec::new();
        for p in self.weakest(child, parents, most) {
            let family: Vec<usize> = parents.iter().copied().filter(|&q| q != p).collect();
            let (score, fresh) = self.score_counted(child, &family);
            fitted += fresh;
            scores.extend(score.map(|score| (p, score)));
        }
        (scores, fitted)
    }

    /// The parents whose loss is likely to cost least; all of them, where there is no telling.
    fn weakest(&self, _child: usize, parents: &[usize], _most: usize) -> Vec<usize> {
        parents.to_vec()
    }
}

/// Numbers of families scored, as the paper's Table 1 counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

impl Sub for Evaluations {
    type Output = Evaluations;

    fn sub(self, other: Evaluations) -> Evaluations {
        Evaluations {
            add_replace: self.add_replace.saturating_sub(other.add_replace),
            all: self.all.saturating_sub(other.all),
        }
    }
}

impl AddAssign for Evaluations {
    fn add_assign(&mut self, other: Evaluations) {
        self.add_replace += other.add_replace;
        self.all += other.all;
    }
}
