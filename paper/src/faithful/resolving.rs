//! Fits linear families from the data one by one: the baseline of the paper's speed-ups.

use std::collections::HashMap;
use std::sync::Mutex;

use idealparent::data::Completed;
use idealparent::family::{Blocks, enough_instances, fit_linear};
use idealparent::numerics::mean_and_variance;
use idealparent::score::{Likelihood, Prices, Scorer};

/// Fits every family from the data. Repeated requests are answered from a cache, unless the scorer
/// is [forgetful](ResolvingScorer::forgetful).
pub struct ResolvingScorer<'a> {
    data: &'a Completed<'a>,
    variances: Vec<f64>,
    prices: Prices,
    /// One map per child, so that threads scoring different children do not wait for each other.
    cache: Vec<Mutex<HashMap<Vec<usize>, Option<f64>>>>,
    forgets: bool,
}

impl<'a> ResolvingScorer<'a> {
    /// Creates a scorer for complete or incomplete data.
    pub fn new(data: &'a Completed<'a>, prices: Prices) -> Self {
        let m = data.instances() as f64;
        let variance = |v: usize| mean_and_variance(&data.means()[v]).1 + data.covariance(v, v) / m;
        ResolvingScorer {
            data,
            variances: (0..data.width()).map(variance).collect(),
            prices,
            cache: (0..data.width()).map(|_| Mutex::default()).collect(),
            forgets: false,
        }
    }

    /// Sets whether a family is fitted every time it is scored for a move.
    pub fn forgetful(mut self, forgets: bool) -> Self {
        self.forgets = forgets;
        self
    }

    fn fit(&self, child: usize, parents: &[usize]) -> Option<f64> {
        let m = self.data.instances() as f64;
        if self.variances[child] == 0.0 {
            // A constant does not contribute to the likelihood.
            return Some(0.0);
        }
        let uncertain = self.data.variances(child).iter();
        let missing = uncertain.filter(|&&variance| variance > 0.0).count();
        if !enough_instances(m - missing as f64, parents.len()) {
            return None;
        }
        let fit = fit_linear(self.data, child, parents)?;
        let k = parents.len();
        let likelihood = Likelihood {
            instances: m,
            floor: self.data.variance_floor(),
        };
        let reached = likelihood.family(self.variances[child], fit.residual);
        Some(reached - self.prices.family(&Blocks::single(k), 2))
    }
}

impl Scorer for ResolvingScorer<'_> {
    fn width(&self) -> usize {
        self.data.width()
    }

    fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
        let known = self.cache[child].lock().expect("no scorer panics");
        if let Some(&known) = known.get(parents) {
            return known;
        }
        drop(known);
        self.score_counted(child, parents).0
    }

    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        let cache = || self.cache[child].lock().expect("no scorer panics");
        if let (Some(&known), false) = (cache().get(parents), self.forgets) {
            return (known, 0);
        }
        // Fitted outside the lock. Two threads that fit the same family get the same number.
        let score = self.fit(child, parents);
        let fresh = cache().insert(parents.to_vec(), score).is_none();
        (score, usize::from(fresh || self.forgets))
    }
}
