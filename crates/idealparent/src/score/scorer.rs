//! The interface through which a search scores families.

use std::ops::{AddAssign, Sub};

use serde::{Deserialize, Serialize};

use super::Ceilings;
use super::ceiling::Unknown;

/// Scores families.
///
/// A family's score depends on child and parents alone. The same child and parents give the same
/// number to the last bit, whatever the search did before and whichever thread asks.
///
/// ```
/// use idealparent::extend::Scorer;
///
/// /// Rewards the edges of a chain, and penalises all others.
/// struct Chain;
///
/// impl Scorer for Chain {
///     fn width(&self) -> usize {
///         4
///     }
///
///     fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
///         let value = |&parent: &usize| if parent + 1 == child { 1.0 } else { -1.0 };
///         Some(parents.iter().map(value).sum())
///     }
/// }
///
/// assert_eq!(Chain.score(2, &[1]), Some(1.0));
/// assert_eq!(Chain.scores_without(2, &[0, 1], 2).0, [(0, 1.0), (1, -1.0)]);
/// ```
pub trait Scorer: Sync {
    /// Number of variables.
    fn width(&self) -> usize;

    /// Score of `child` with `parents` (ascending), penalty included; `None` if the family cannot
    /// be fitted (collinear parents, too few instances).
    fn score(&self, child: usize, parents: &[usize]) -> Option<f64>;

    /// As [`Scorer::score`], with the number of densities fitted for it. With a cache, the second
    /// call for a family fits nothing and returns 0.
    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        (self.score(child, parents), 1)
    }

    /// Scores of the family without one parent, as pairs `(parent, score)`, up to rounding; and the
    /// number of densities fitted. If fits are needed, only the `most` parents are tried that are
    /// likely to lower the score least.
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

    /// Up to `most` parents whose removal is likely to lower the score least. The default returns
    /// all parents.
    fn weakest(&self, _child: usize, parents: &[usize], _most: usize) -> Vec<usize> {
        parents.to_vec()
    }

    /// Upper bounds of the scores of a child's families that have the required parents and others
    /// among the candidates.
    ///
    /// An exact search skips families whose bounds show that they cannot be part of the best
    /// network. The default knows no bounds.
    fn ceilings<'s>(
        &'s self,
        _child: usize,
        required: &[usize],
        candidates: &[usize],
    ) -> Box<dyn Ceilings + 's> {
        Box::new(Unknown::new(required.len(), candidates.len()))
    }

    /// Memory in bytes of a cache that grows with the families scored; an exact search ends before
    /// that exceeds what is free. The default has no cache.
    fn cache_bytes(&self) -> usize {
        0
    }
}

/// Numbers of families scored, as the paper's Table 1 counts them.
///
/// Part of `Learned`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
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
