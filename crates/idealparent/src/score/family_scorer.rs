//! Families of any kinds of densities, fitted from the data and remembered.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::{Prices, Scorer, enough_instances, relative};
use crate::cpd::{Cpd, CpdModel, FamilyFit, LinearCpd};
use crate::fit::Profiles;

/// Scores a family by the best of several kinds of densities.
///
/// A fit depends on child and parents alone, not on the search's path, so that it can be remembered and the
/// result does not depend on which thread asked first.
pub struct FamilyScorer<'a> {
    data: &'a Profiles<'a>,
    models: Vec<Box<dyn CpdModel>>,
    /// Which of them each child may have.
    allowed: Vec<Vec<usize>>,
    prices: Prices,
    /// One map per child, so that threads scoring different children do not wait for each other.
    cache: Vec<Mutex<HashMap<Box<[u32]>, Entry>>>,
    rejected: AtomicU64,
}

/// What is known of a family: a fit per model, `None` inside where it was refused.
#[derive(Clone, Debug)]
struct Entry {
    fits: Vec<Option<Option<Arc<FamilyFit>>>>,
    /// Whether the family was scored for a move, and so is counted.
    counted: bool,
}

impl<'a> FamilyScorer<'a> {
    /// A scorer over complete data; at least one kind of density.
    pub fn new(data: &'a Profiles<'a>, models: Vec<Box<dyn CpdModel>>, prices: Prices) -> Self {
        assert!(!models.is_empty(), "a family needs a density");
        FamilyScorer {
            data,
            allowed: vec![(0..models.len()).collect(); data.width()],
            models,
            prices,
            cache: (0..data.width()).map(|_| Mutex::default()).collect(),
            rejected: AtomicU64::new(0),
        }
    }

    /// Restricts a child to some of the models.
    pub fn restrict(&mut self, child: usize, models: Vec<usize>) {
        self.allowed[child] = models;
    }

    /// The data.
    pub fn data(&self) -> &'a Profiles<'a> {
        self.data
    }

    /// The kinds of densities.
    pub fn models(&self) -> &[Box<dyn CpdModel>] {
        &self.models
    }

    /// How many families scored for a move could not be fitted by any density.
    pub fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    /// A model's fit of a family; without parents the child's mean.
    pub fn fit(&self, model: usize, child: usize, parents: &[usize]) -> Option<Arc<FamilyFit>> {
        if parents.is_empty() {
            return Some(Arc::new(FamilyFit {
                residual: 1.0,
                ..FamilyFit::default()
            }));
        }
        let key: Box<[u32]> = parents.iter().map(|&p| p as u32).collect();
        let known = self
            .lock(child)
            .get(&key)
            .and_then(|entry| entry.fits[model].clone());
        if let Some(known) = known {
            return known;
        }
        // Fitted outside the lock; should two threads fit the same family, they get the same numbers.
        let m = self.data.instances() as f64;
        let fit = if enough_instances(m, parents.len()) {
            let nested = |smaller: &[usize]| self.fit(model, child, smaller);
            self.models[model]
                .fit(self.data, child, parents, &nested)
                .filter(|fit| fit.residual.is_finite())
                .map(Arc::new)
        } else {
            None
        };
        let mut cache = self.lock(child);
        let entry = cache.entry(key).or_insert_with(|| self.empty());
        entry.fits[model] = Some(fit.clone());
        fit
    }

    /// The best density of a family with its score: (model, score).
    pub fn best(&self, child: usize, parents: &[usize]) -> Option<(usize, f64)> {
        let m = self.data.instances() as f64;
        let variance = self.data.gram().variance(child);
        if variance == 0.0 {
            // A constant takes no part in the likelihood.
            return Some((0, 0.0));
        }
        let base = -0.5 * m * (2.0 * std::f64::consts::PI * variance).ln();
        if parents.is_empty() {
            return Some((0, base + relative(m, 1.0) - self.prices.total(2, 0)));
        }
        let mut best: Option<(usize, f64)> = None;
        for &model in &self.allowed[child] {
            if let Some(fit) = self.fit(model, child, parents) {
                let score = base + relative(m, fit.residual) - self.price(model, parents.len());
                if best.is_none_or(|(_, known)| score > known) {
                    best = Some((model, score));
                }
            }
        }
        best
    }

    /// What a model's family of `parents >= 1` parents is charged.
    pub fn price(&self, model: usize, parents: usize) -> f64 {
        let parameters = self.models[model].parameters(parents);
        self.prices.total(parameters, parents)
    }

    /// The best density of a family in the data's own units, at full precision.
    pub fn cpd(&self, child: usize, parents: &[usize]) -> Option<Cpd> {
        let (model, _) = self.best(child, parents)?;
        if parents.is_empty() {
            let gram = self.data.gram();
            let root = LinearCpd::root(gram.mean(child), gram.variance(child));
            return Some(Cpd::Linear(root));
        }
        let fit = self.fit(model, child, parents)?;
        Some(self.models[model].cpd(self.data, child, parents, &fit))
    }

    fn lock(&self, child: usize) -> std::sync::MutexGuard<'_, HashMap<Box<[u32]>, Entry>> {
        self.cache[child].lock().expect("no scorer panics")
    }

    fn empty(&self) -> Entry {
        Entry {
            fits: vec![None; self.models.len()],
            counted: false,
        }
    }
}

impl Scorer for FamilyScorer<'_> {
    fn width(&self) -> usize {
        self.data.width()
    }

    fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
        self.best(child, parents).map(|(_, score)| score)
    }

    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        let score = self.score(child, parents);
        let key: Box<[u32]> = parents.iter().map(|&p| p as u32).collect();
        let mut cache = self.lock(child);
        let entry = cache.entry(key).or_insert_with(|| self.empty());
        if std::mem::replace(&mut entry.counted, true) {
            return (score, 0);
        }
        if score.is_none() {
            self.rejected.fetch_add(1, Ordering::Relaxed);
        }
        (score, self.allowed[child].len())
    }
}
