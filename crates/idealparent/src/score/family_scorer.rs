//! Scores of families of any kinds of densities, fitted from the data and cached.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ceiling::Unknown;
use super::memo::{Key, Memo};
use super::{Ceilings, Likelihood, Prices, Scorer};
use crate::cpd::{Cpd, LinearCpd};
use crate::family::{Blocks, FamilyData, FamilyFit, FamilyModel, GramFamily, Profiles};

/// Scores a family by the best of several kinds of densities.
///
/// A fit depends on child and parents alone, not on the path of the search. It can therefore be
/// cached, and the result does not depend on the order in which threads ask.
///
/// ```
/// use idealparent::extend::{FamilyScorer, Gram, Prices, Profiles};
/// use idealparent::{Column, CpdKind};
///
/// // The child is a step of the parent, which a sigmoid fits better than a line.
/// let parent: Vec<f64> = (0..30).map(|t| f64::from(t) - 14.5).collect();
/// let child = parent.iter().map(|u| u.tanh() + 0.1 * (5.0 * u).sin()).collect::<Vec<f64>>();
/// let columns = [Column::from(parent), Column::from(child)];
/// let (gram, prices) = (Gram::new(&columns), Prices::new(1.0, 0.0));
/// let profiles = Profiles::new(&columns, &gram);
/// let models = [CpdKind::Linear, CpdKind::sigmoid()].map(|kind| kind.model(false, false));
/// let scorer = FamilyScorer::new(&profiles, models.into(), prices);
/// assert_eq!(scorer.cpd(1, &[0]).unwrap().kind(), "sigmoid");
/// ```
pub struct FamilyScorer<'a> {
    data: &'a Profiles<'a>,
    models: Vec<Box<dyn FamilyModel>>,
    /// Indices of the models allowed for each child.
    allowed: Vec<Vec<usize>>,
    prices: Prices,
    memo: Memo,
    rejected: AtomicU64,
}

impl<'a> FamilyScorer<'a> {
    /// Creates a scorer.
    ///
    /// # Panics
    ///
    /// If `models` is empty.
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

    /// Changes the prices. Fits stay in the cache, and families count as not yet scored.
    pub fn set_prices(&mut self, prices: Prices) {
        self.prices = prices;
        self.memo.forget_counted();
        *self.rejected.get_mut() = 0;
    }

    /// Restricts a child to some of the models.
    pub fn restrict(&mut self, child: usize, models: Vec<usize>) {
        self.allowed[child] = models;
    }

    /// Restricts all children to some of the models. Fits stay in the cache, and families count as
    /// not yet scored.
    pub fn restrict_all(&mut self, models: Vec<usize>) {
        self.allowed.fill(models);
        self.memo.forget_counted();
        *self.rejected.get_mut() = 0;
    }

    /// Indices of the models allowed for a child.
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

    /// Number of families, scored for a move, that could not be fitted by any density.
    pub fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    /// A model's fit of a family. Without parents, the child's mean is fitted.
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
        // Fitted outside the lock. If two threads fit the same family, they get the same numbers.
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

    /// The best model of a family and its score; `None` if no model can be fitted.
    pub fn best(&self, child: usize, parents: &[usize]) -> Option<(usize, f64)> {
        let likelihood = Likelihood::of(self.data.gram(), child);
        let variance = self.data.gram().variance(child);
        if variance == 0.0 {
            // A constant does not contribute to the likelihood.
            return Some((0, 0.0));
        }
        if parents.is_empty() {
            let score =
                likelihood.family(variance, 1.0) - self.prices.family(&Blocks::single(0), 2);
            return Some((0, score));
        }
        let mut best: Option<(usize, f64)> = None;
        for &model in &self.allowed[child] {
            if let Some(fit) = self.fit(model, child, parents) {
                let reached = likelihood.family(variance, fit.residual);
                let score = reached - self.price(model, &self.family(child, parents).blocks());
                if best.is_none_or(|(_, known)| score > known) {
                    best = Some((model, score));
                }
            }
        }
        best
    }

    /// Price of a model's family whose parents, at least one, have these columns.
    pub fn price(&self, model: usize, blocks: &Blocks) -> f64 {
        let parameters = self.models[model].parameters(blocks);
        self.prices.family(blocks, parameters - blocks.columns())
    }

    /// The best density of a family in the units of the data, at full precision.
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
            // A root needs no fit.
            return (score, 0);
        }
        let models = self.allowed[child].iter();
        let fitted = models.filter(|&&model| self.fit(model, child, parents).is_some());
        (score, fitted.count())
    }

    fn ceilings<'s>(
        &'s self,
        child: usize,
        required: &[usize],
        candidates: &[usize],
    ) -> Box<dyn Ceilings + 's> {
        // The columns of the smallest family with each number of parents.
        let gram = self.data.gram();
        let of = |parents: &[usize]| parents.iter().map(|&p| gram.columns(p)).collect::<Vec<_>>();
        let (fixed, mut further) = (of(required), of(candidates));
        further.sort_unstable();
        let mut columns: usize = fixed.iter().sum();
        let mut most = required.len();
        for width in further {
            columns += width;
            most += usize::from(gram.supports(child, columns));
        }
        let bounds = Unknown::new(required.len(), candidates.len());
        // A constant has a score with any parents.
        match gram.variance(child) > 0.0 {
            true => Box::new(bounds.with_at_most(most)),
            false => Box::new(bounds),
        }
    }

    fn cache_bytes(&self) -> usize {
        self.memo.bytes()
    }

    fn weakest(&self, child: usize, parents: &[usize], most: usize) -> Vec<usize> {
        // The loss of the linear fit is a good enough estimate for other densities.
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

    /// Different wave-like columns.
    fn columns(n: usize, m: usize) -> Vec<Column> {
        let wave =
            |v: usize, t: usize| ((t * (v + 2)) as f64 * 0.37 + (t * t % (7 + v)) as f64).sin();
        let column = |v| (0..m).map(|t| wave(v, t)).collect();
        (0..n).map(column).collect()
    }

    /// Dropped fits are recomputed with the same result, and a family is counted only once even if
    /// its fits were dropped.
    #[test]
    fn cache_size_does_not_change_scores_or_counts() {
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

    /// A family with too few instances has no score, and no fit is counted for it.
    #[test]
    fn rejected_families_are_not_counted_as_fits() {
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
