//! Linear families fitted from the data, one by one: the baseline of the paper's speed-ups.

use std::collections::HashMap;
use std::sync::Mutex;

use super::{Prices, Scorer, enough_instances, log_likelihood};
use crate::fit::{least_squares, mean_and_variance};

/// Fits every family from the data; a family asked for again comes from a cache.
pub struct ResolvingScorer<'a> {
    columns: &'a [Vec<f64>],
    variances: Vec<f64>,
    prices: Prices,
    /// One map per child, so that threads scoring different children do not wait for each other.
    cache: Vec<Mutex<HashMap<Vec<usize>, Option<f64>>>>,
}

impl<'a> ResolvingScorer<'a> {
    /// A scorer over complete columns.
    pub fn new(columns: &'a [Vec<f64>], prices: Prices) -> Self {
        ResolvingScorer {
            columns,
            variances: columns.iter().map(|c| mean_and_variance(c).1).collect(),
            prices,
            cache: columns.iter().map(|_| Mutex::default()).collect(),
        }
    }

    fn fit(&self, child: usize, parents: &[usize]) -> Option<f64> {
        let m = self.columns[child].len() as f64;
        if self.variances[child] == 0.0 {
            // A constant takes no part in the likelihood.
            return Some(0.0);
        }
        if !enough_instances(m, parents.len()) {
            return None;
        }
        let columns: Vec<&[f64]> = parents
            .iter()
            .map(|&p| self.columns[p].as_slice())
            .collect();
        let fit = least_squares(&self.columns[child], &columns)?;
        let variance = self.variances[child];
        let k = parents.len();
        let residual = fit.sse / (m * variance);
        Some(log_likelihood(m, variance, residual) - self.prices.total(k + 2, k))
    }
}

impl Scorer for ResolvingScorer<'_> {
    fn width(&self) -> usize {
        self.columns.len()
    }

    fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
        self.score_counted(child, parents).0
    }

    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        let cache = || self.cache[child].lock().expect("no scorer panics");
        if let Some(&known) = cache().get(parents) {
            return (known, 0);
        }
        // Fitted outside the lock; should two threads fit the same family, they get the same number.
        let score = self.fit(child, parents);
        let fresh = cache().insert(parents.to_vec(), score).is_none();
        (score, usize::from(fresh))
    }
}
