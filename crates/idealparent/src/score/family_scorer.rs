//! Families of any kinds of densities, fitted from the data and remembered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::memo::{Key, Memo};
use super::{Prices, Scorer, log_likelihood};
use crate::cpd::{Cpd, LinearCpd};
use crate::family::{Blocks, FamilyData, FamilyFit, FamilyModel, GramFamily, Profiles};

/// Scores a family by the best of several kinds of densities.
///
/// A fit depends on child and parents alone, not on the search's path, so that it can be remembered
/// and the result does not depend on which thread asked first.
pub struct FamilyScorer<'a> {
    data: &'a Profiles<'a>,
    models: Vec<Box<dyn FamilyModel>>,
    /// Which of them each child may have.
    allowed: Vec<Vec<usize>>,
    prices: Prices,
    memo: Memo,
    rejected: AtomicU64,
}

impl<'a> FamilyScorer<'a> {
    /// A scorer over data; at least one kind of density.
    pub fn new(data: &'a Profiles<'a>, models: Vec<Box<dyn FamilyModel>>, prices: Prices) -> Self {
        assert!(!models.is_empty(), "a family needs a density");
        FamilyScorer {
            data,
            allowed: vec![(0..models.len()).collect(); data.width()],
            models,
            prices,
            memo: Memo::new(data.width()),
            rejected: AtomicU64::new(0),
        }
    }

    /// Restricts a child to some of the models.
    pub fn restrict(&mut self, child: usize, models: Vec<usize>) {
        self.allowed[child] = models;
    }

    /// The models that a child may have.
    pub fn allowed(&self, child: usize) -> &[usize] {
        &self.allowed[child]
    }

    /// A family on the data.
    pub fn family<'b>(&'b self, child: usize, parents: &'b [usize]) -> FamilyData<'b> {
        FamilyData {
            data: self.data,
            child,
            parents,
        }
    }

    /// The data.
    pub fn data(&self) -> &'a Profiles<'a> {
        self.data
    }

    /// The kinds of densities.
    pub fn models(&self) -> &[Box<dyn FamilyModel>] {
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
        let key = Key::family(parents).model(model);
        if let Some(known) = self.memo.fit(child, key) {
            return known;
        }
        // Fitted outside the lock; should two threads fit the same family, they get the same
        // numbers.
        let columns = self.family(child, parents).blocks().columns();
        let fit = if self.data.gram().supports(child, columns) {
            let nested = |smaller: &[usize]| self.fit(model, child, smaller);
            self.models[model]
                .fit(self.family(child, parents), &nested)
                .filter(|fit| fit.residual.is_finite())
                .map(Arc::new)
        } else {
            None
        };
        self.memo.remember(child, key, fit.clone());
        fit
    }

    /// The best density of a family with its score: (model, score).
    pub fn best(&self, child: usize, parents: &[usize]) -> Option<(usize, f64)> {
        let m = self.data.rows(child).total();
        let variance = self.data.gram().variance(child);
        if variance == 0.0 {
            // A constant takes no part in the likelihood.
            return Some((0, 0.0));
        }
        if parents.is_empty() {
            let score = log_likelihood(m, variance, 1.0) - self.prices.total(2, 0);
            return Some((0, score));
        }
        let mut best: Option<(usize, f64)> = None;
        for &model in &self.allowed[child] {
            if let Some(fit) = self.fit(model, child, parents) {
                let likelihood = log_likelihood(m, variance, fit.residual);
                let score = likelihood - self.price(model, &self.family(child, parents).blocks());
                if best.is_none_or(|(_, known)| score > known) {
                    best = Some((model, score));
                }
            }
        }
        best
    }

    /// What a model's family is charged whose parents, at least one, bring these columns.
    pub fn price(&self, model: usize, blocks: &Blocks) -> f64 {
        let parameters = self.models[model].parameters(blocks);
        self.prices.total(parameters, blocks.parents())
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
        Some(self.models[model].cpd(self.family(child, parents), &fit))
    }
}

impl Scorer for FamilyScorer<'_> {
    fn width(&self) -> usize {
        self.data.width()
    }

    fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
        if let Some(known) = self.memo.counted(child, Key::family(parents)) {
            return known;
        }
        self.best(child, parents).map(|(_, score)| score)
    }

    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        let key = Key::family(parents);
        if let Some(known) = self.memo.counted(child, key) {
            return (known, 0);
        }
        let score = self.best(child, parents).map(|(_, score)| score);
        if !self.memo.count(child, key, score) {
            return (score, 0);
        }
        if score.is_none() {
            self.rejected.fetch_add(1, Ordering::Relaxed);
        }
        if parents.is_empty() {
            // Nothing is fitted for a root.
            return (score, 0);
        }
        let models = self.allowed[child].iter();
        let fitted = models.filter(|&&model| self.fit(model, child, parents).is_some());
        (score, fitted.count())
    }

    fn weakest(&self, child: usize, parents: &[usize], most: usize) -> Vec<usize> {
        // What the linear fit loses says enough about the others.
        let gram = self.data.gram();
        let linear = GramFamily::new(gram, child, parents, |_| 0.0);
        let (Some(linear), true) = (linear, most < parents.len()) else {
            return parents.to_vec();
        };
        let order = linear.by_loss().into_iter();
        order.take(most).map(|i| parents[i]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpd::CpdKind;
    use crate::data::Column;
    use crate::family::Gram;

    /// Columns of waves, no two alike.
    fn columns(n: usize, m: usize) -> Vec<Column> {
        let wave =
            |v: usize, t: usize| ((t * (v + 2)) as f64 * 0.37 + (t * t % (7 + v)) as f64).sin();
        let column = |v| (0..m).map(|t| wave(v, t)).collect();
        (0..n).map(column).collect()
    }

    /// Fits that were forgotten come back the same, and a family is counted once whatever was
    /// forgotten.
    #[test]
    fn forgetting_changes_nothing() {
        let columns = columns(7, 30);
        let gram = Gram::new(&columns);
        let data = Profiles::new(&columns, &gram);
        let models = || {
            vec![
                CpdKind::Linear.model(false, false),
                CpdKind::sigmoid().model(false, false),
            ]
        };
        let all = FamilyScorer::new(&data, models(), Prices::default());
        let mut little = FamilyScorer::new(&data, models(), Prices::default());
        little.memo.keep(3);
        for round in 0..2 {
            for child in 0..7 {
                for set in 0..1 << 6 {
                    let others = (0..7).filter(|&p| p != child);
                    let parents: Vec<usize> = others
                        .enumerate()
                        .filter(|(i, _)| set >> i & 1 == 1)
                        .map(|(_, p)| p)
                        .collect();
                    let (score, fitted) = little.score_counted(child, &parents);
                    assert_eq!((score, fitted), all.score_counted(child, &parents));
                    let expected = if round == 0 && set > 0 { 2 } else { 0 };
                    assert_eq!(fitted, expected, "{child} {parents:?}");
                    assert!(score.is_some());
                    for model in 0..2 {
                        let fit = little.fit(model, child, &parents);
                        assert_eq!(fit, all.fit(model, child, &parents));
                    }
                }
            }
        }
        assert!(little.memo.len() <= 6 && all.memo.len() > 800);
    }

    /// A family with too few instances is refused, and nothing is counted as fitted for it.
    #[test]
    fn refused_families_are_not_counted_as_fits() {
        let columns = columns(7, 6);
        let gram = Gram::new(&columns);
        let data = Profiles::new(&columns, &gram);
        let models = vec![CpdKind::sigmoid().model(false, false)];
        let scorer = FamilyScorer::new(&data, models, Prices::default());
        assert_eq!(scorer.score_counted(0, &[1, 2, 3, 4]), (None, 0));
        assert_eq!(scorer.rejected(), 1);
        assert_eq!(scorer.score_counted(0, &[1]).1, 1);
        assert_eq!(scorer.score_counted(0, &[1]).1, 0);
    }
}
