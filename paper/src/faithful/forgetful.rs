//! Families fitted from scratch whenever they are scored for a move.

use std::sync::atomic::{AtomicU64, Ordering};

use idealparent::score::{FamilyScorer, Scorer};

/// A scorer that remembers nothing, to measure what searches cost without a cache of families.
///
/// The numbers are those of the scorer inside.
pub struct Forgetful<'a> {
    inner: &'a FamilyScorer<'a>,
    rejected: AtomicU64,
}

impl<'a> Forgetful<'a> {
    /// Scores as `inner` does.
    pub fn new(inner: &'a FamilyScorer<'a>) -> Self {
        Forgetful {
            inner,
            rejected: AtomicU64::new(0),
        }
    }

    /// How many families scored for a move could not be fitted.
    pub fn rejected(&self) -> u64 {
        self.inner.rejected() + self.rejected.load(Ordering::Relaxed)
    }

    /// Fits a family once more with every density that its child may have; how many could be fitted.
    fn fit_again(&self, child: usize, parents: &[usize]) -> usize {
        let fit = |&&model: &&usize| {
            let nested = |smaller: &[usize]| self.inner.fit(model, child, smaller);
            let model = &self.inner.models()[model];
            model.fit(self.inner.family(child, parents), &nested);
        };
        let models = self.inner.allowed(child).iter();
        models.clone().for_each(|model| fit(&model));
        models
            .filter(|&&model| self.inner.fit(model, child, parents).is_some())
            .count()
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
        let (score, fresh) = self.inner.score_counted(child, parents);
        if fresh > 0 || parents.is_empty() {
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
