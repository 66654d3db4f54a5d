//! Fits families from scratch whenever they are scored for a move.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use idealparent::score::{FamilyScorer, Scorer};

/// A scorer without a cache of families, to measure the cost of an uncached search.
///
/// The scores are those of the wrapped scorer.
pub struct Forgetful<'a> {
    inner: &'a FamilyScorer<'a>,
    /// Parents of each child's families that were scored before.
    seen: Vec<Mutex<HashSet<Vec<usize>>>>,
    /// Number of repeated requests for families that cannot be fitted.
    rejected: AtomicU64,
}

impl<'a> Forgetful<'a> {
    /// Returns the scores of `inner`.
    pub fn new(inner: &'a FamilyScorer<'a>) -> Self {
        Forgetful {
            inner,
            seen: (0..inner.width()).map(|_| Mutex::default()).collect(),
            rejected: AtomicU64::new(0),
        }
    }

    /// Number of families scored for a move that could not be fitted.
    pub fn rejected(&self) -> u64 {
        self.inner.rejected() + self.rejected.load(Ordering::Relaxed)
    }

    /// Repeats the fit of a family with every density that can be fitted; returns the number of
    /// fits.
    fn fit_again(&self, child: usize, parents: &[usize]) -> usize {
        let mut fitted = 0;
        for &model in self.inner.allowed(child) {
            if self.inner.fit(model, child, parents).is_some() {
                let nested = |smaller: &[usize]| self.inner.fit(model, child, smaller);
                self.inner.models()[model].fit(self.inner.family(child, parents), &nested);
                fitted += 1;
            }
        }
        fitted
    }
}

impl Scorer for Forgetful<'_> {
    fn width(&self) -> usize {
        self.inner.width()
    }

    fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
        self.inner.score(child, parents)
    }

    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        let mut seen = self.seen[child].lock().expect("no scorer panics");
        let is_new = seen.insert(parents.to_vec());
        drop(seen);
        let (score, fresh) = self.inner.score_counted(child, parents);
        if is_new || parents.is_empty() {
            return (score, fresh);
        }
        let fitted = self.fit_again(child, parents);
        if score.is_none() {
            self.rejected.fetch_add(1, Ordering::Relaxed);
        }
        (score, fitted)
    }

    fn weakest(&self, child: usize, parents: &[usize], most: usize) -> Vec<usize> {
        self.inner.weakest(child, parents, most)
    }
}
