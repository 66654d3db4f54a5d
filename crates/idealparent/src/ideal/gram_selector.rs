//! Ranking of candidates for linear families from the Gram matrix, all candidates in one sweep.
//!
//! Let `L L'` be the Cholesky factorisation of the parents' correlations and `W = L^-1 R_U,:`. For
//! every candidate z, `v_z = 1 - |W_z|^2` is the share of its variance that the parents do not
//! explain, and `c_z = y.z = r_xz - W_x.W_z` is its product with the ideal parent. `C1` and `C2`
//! depend on `c_z^2`. Adding z reduces the child's residual by exactly `c_z^2 / v_z`.
//!
//! If parent p is dropped, these quantities become `c_z + b_x b_z / P_pp` and `v_z + b_z^2 / P_pp`,
//! where `b` is the weight of p in the prediction of x or z, and `P` is the inverse of the parents'
//! correlations.

use std::cell::{Cell, OnceCell};

use super::Measure;
use super::measure::{c1_from, c2_from};
use super::selector::{Budget, Candidate, Query, Ranking, Selector, Survey, TIE, sort_with_ties};
use super::top::Top;
use crate::family::{Blocks, GramFamily};
use crate::kernel::{BLOCK, Block, Keys, SlotTerms};
use crate::numerics::{COLLINEAR, NEARLY_COLLINEAR, Orthogonal};
use crate::score::{GramScorer, Likelihood, Objective, Scorer};

/// If a candidate leaves less than this share of the residual, the difference has lost too many
/// digits, and the candidate's own regression is computed.
const TINY_SHARE: f64 = 1e-4;

/// The criterion by which candidates are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The exact change in score.
    Exact,
    /// A measure of similarity to the ideal parent.
    By(Measure),
}

/// Ranks candidates of linear families from second moments.
///
/// ```
/// use idealparent::Measure;
/// use idealparent::extend::{Budget, Gram, GramScorer, GramSelector};
/// use idealparent::extend::{Query, ScoreOptions, Selector};
///
/// let wave = |rate: f64| (0..30).map(|t| (rate * f64::from(t)).sin()).collect::<Vec<f64>>();
/// let gram = Gram::new(&[wave(1.0).into(), wave(2.0).into(), wave(1.01).into()]);
/// let scorer = GramScorer::new(&gram, 3, &ScoreOptions::default())?;
/// let selector = GramSelector::ideal(&scorer, Measure::C2, Budget::Top(1));
/// let rankings = selector.rank(&Query {
///     child: 0,
///     parents: &[],
///     slots: &[None],
///     wanted: 1,
///     excluded: &Default::default(),
///     closes_cycle: None,
///     least_gain: 0.0,
/// });
/// assert_eq!(rankings[0].candidates[0].parent, 2);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GramSelector<'a> {
    scorer: &'a GramScorer<'a>,
    order: Order,
    budget: Budget,
}

impl<'a> GramSelector<'a> {
    /// Greedy search: every candidate is scored, and ranked by its exact change in score.
    pub fn greedy(scorer: &'a GramScorer<'a>) -> Self {
        GramSelector {
            scorer,
            order: Order::Exact,
            budget: Budget::Scored,
        }
    }

    /// Ideal parent search: the candidates most similar to the ideal parent are scored, as many as
    /// the budget allows. Without a limit this is greedy search, whatever the measure.
    pub fn ideal(scorer: &'a GramScorer<'a>, measure: Measure, budget: Budget) -> Self {
        let limited = match budget {
            Budget::All | Budget::Scored => false,
            Budget::Top(k) => k < scorer.width(),
            Budget::Auto => true,
        };
        if !limited {
            return GramSelector::greedy(scorer);
        }
        GramSelector {
            scorer,
            order: Order::By(measure),
            budget,
        }
    }

    fn slot<'s>(
        &'s self,
        family: &'s GramFamily,
        replaced: Option<usize>,
        query: &Query,
    ) -> Slot<'s> {
        let place = |p: usize| family.parents.binary_search(&p);
        let index = replaced.map(|p| place(p).expect("the replaced variable is a parent"));
        let base = index.map_or(family.residual, |i| match self.order {
            // The paper's replacement profile: the dropped parent's term is added back, and the
            // other weights stay fixed.
            Order::By(Measure::C1 | Measure::C2) => family.residual + family.weights[i].powi(2),
            _ => family.residual_without(i),
        });
        // The sweep compares single columns: a candidate adds one, and a replaced parent's are
        // removed.
        let blocks = self.scorer.blocks_without(family, index).with(1);
        let mut slot = Slot {
            scorer: self.scorer,
            order: self.order,
            index,
            base,
            residual: family.residual,
            current: self.scorer.family_score(family),
            price: self.price(family, &blocks),
            likelihood: Likelihood::of(self.scorer.gram(), family.child),
            parents: blocks.parents(),
            log_det: 0.0,
            orthogonal: OnceCell::new(),
            family,
            top: Top::new(1, f64::NEG_INFINITY, 0.0),
        };
        let likelihood = slot.likelihood;
        let m = likelihood.instances;
        let (threshold, tolerance) = match (self.order, self.scorer.objective()) {
            (Order::Exact | Order::By(Measure::Tangent), Objective::Penalised(_)) => {
                let wanted = likelihood.relative(family.residual) + slot.price + query.least_gain;
                (-likelihood.residual_for(wanted), 2.1 * TIE / m)
            }
            (Order::Exact, Objective::Bge(_)) => (query.least_gain, TIE),
            (Order::By(_), _) => (-1.0, 2.1 * TIE / m),
        };
        if let Objective::Bge(bge) = self.scorer.objective() {
            slot.log_det = bge.log_det_parents(family, index);
        }
        let gram = self.scorer.gram();
        let supported = gram.supports(family.child, blocks.columns());
        let threshold = if supported { threshold } else { f64::INFINITY };
        slot.top = Top::new(query.wanted, threshold, tolerance);
        slot
    }

    /// Increase of the family's penalty when its parents' columns change to `blocks`.
    fn price(&self, family: &GramFamily, blocks: &Blocks) -> f64 {
        let Objective::Penalised(prices) = self.scorer.objective() else {
            return 0.0;
        };
        prices.change(&family.blocks, blocks)
    }

    fn rank_family(&self, family: &GramFamily, query: &Query) -> Vec<Ranking> {
        let mut slots: Vec<Slot> = query
            .slots
            .iter()
            .map(|&replaced| self.slot(family, replaced, query))
            .collect();
        sweep(self.scorer, family, query, &mut slots);
        let finish = |(slot, &replaced): (Slot, &Option<usize>)| slot.ranking(replaced);
        slots.into_iter().zip(query.slots).map(finish).collect()
    }
}

impl Selector for GramSelector<'_> {
    fn rank(&self, query: &Query) -> Vec<Ranking> {
        let Some(family) = self.scorer.family(query.child, query.parents) else {
            return query.slots.iter().copied().map(Ranking::empty).collect();
        };
        self.rank_family(&family, query)
    }

    fn survey(&self, query: &Query) -> Option<Survey> {
        if !self.is_exact() {
            return None;
        }
        let Some(family) = self.scorer.family(query.child, query.parents) else {
            return Some(Survey {
                score: None,
                without: Vec::new(),
                ranking: Ranking::empty(query.slots[0]),
            });
        };
        Some(Survey {
            score: Some(self.scorer.family_score(&family)),
            without: self.scorer.family_scores_without(&family),
            ranking: self.rank_family(&family, query).pop()?,
        })
    }

    fn budget(&self) -> Budget {
        self.budget
    }

    fn is_exact(&self) -> bool {
        match (self.order, self.scorer.objective()) {
            (Order::Exact, _) => true,
            (Order::By(measure), Objective::Penalised(_)) => measure == Measure::Tangent,
            (Order::By(_), Objective::Bge(_)) => false,
        }
    }
}

/// The ranking of one slot, under construction.
struct Slot<'a> {
    scorer: &'a GramScorer<'a>,
    order: Order,
    /// Position of the replaced parent in the family.
    index: Option<usize>,
    /// Squared length of the ideal profile that candidates are compared with.
    base: f64,
    /// Residual of the current family.
    residual: f64,
    /// Score of the current family.
    current: f64,
    /// Increase of the family's penalty.
    price: f64,
    /// Likelihoods of the child's families.
    likelihood: Likelihood,
    /// Number of parents after the move.
    parents: usize,
    family: &'a GramFamily,
    /// For BGe: log determinant of the remaining parents.
    log_det: f64,
    /// The regression without the replaced parent, from vectors; computed when first needed.
    orthogonal: OnceCell<Option<Orthogonal>>,
    top: Top,
}

impl Slot<'_> {
    /// Whether candidates are ranked by the unexplained share of the child's variance.
    fn is_by_residual(&self) -> bool {
        match (self.order, self.scorer.objective()) {
            (Order::Exact, Objective::Penalised(_)) => true,
            (Order::By(measure), _) => measure == Measure::Tangent,
            (Order::Exact, Objective::Bge(_)) => false,
        }
    }

    /// The keys that the sweep computes for this slot.
    fn keys(&self) -> Keys {
        if self.is_by_residual() {
            return Keys::Left(self.base);
        }
        match self.order {
            Order::Exact => Keys::None,
            Order::By(_) => Keys::Square,
        }
    }

    /// Correction terms of a block of candidates for dropping the replaced parent; `None` if no
    /// parent is replaced.
    fn terms<'b>(&self, inverse: &'b [Vec<f64>], dropped: &'b [f64]) -> Option<SlotTerms<'b>> {
        let index = self.index?;
        let frozen = matches!(self.order, Order::By(Measure::C1 | Measure::C2));
        Some(SlotTerms {
            inverse: &inverse[index],
            index,
            own: self.family.weights[index],
            precision: self.family.precision[index],
            frozen: frozen.then_some(dropped),
        })
    }

    /// The least `v` of a candidate, and the key of candidates with less.
    ///
    /// A candidate that is nearly collinear with the parents is compared by its own regression. So
    /// its key is infinite.
    fn least(&self) -> (f64, f64) {
        if self.can_be_sure() {
            (NEARLY_COLLINEAR, f64::INFINITY)
        } else {
            (self.scorer.gram().least_share(), f64::NEG_INFINITY)
        }
    }

    /// Whether a regression of its own gives a more accurate key.
    fn can_be_sure(&self) -> bool {
        self.is_by_residual() && self.scorer.gram().has_vectors()
    }

    /// Offers the candidates of one block, the first of which is `from`.
    fn offer(&mut self, from: usize, c: &[f64], v: &[f64], keys: &[f64], query: &Query) {
        if let (Order::Exact, Objective::Bge(bge)) = (self.order, self.scorer.objective()) {
            for i in 0..c.len() {
                let z = from + i;
                if v[i] >= COLLINEAR * (1.0 + bge.ridge(z)) {
                    let key = self.bge_gain(bge, z, c[i], v[i]);
                    self.offer_one(key, z, query);
                }
            }
            return;
        }
        // Most candidates are below the threshold, so they are skipped in chunks.
        for (chunk, keys) in keys.chunks(16).enumerate() {
            let threshold = self.top.threshold();
            if keys.iter().fold(false, |any, &key| any | (key > threshold)) {
                for (i, &key) in keys.iter().enumerate() {
                    self.offer_one(key, from + chunk * 16 + i, query);
                }
            }
        }
    }

    fn offer_one(&mut self, key: f64, z: usize, query: &Query) {
        if key > self.top.threshold()
            && z != query.child
            && !query.excluded.contains(z)
            && query.parents.binary_search(&z).is_err()
        {
            let is_unsure = self.can_be_sure() && key > -TINY_SHARE * self.base;
            let key = if is_unsure { self.accurate_key(z) } else { key };
            if key > self.top.threshold() {
                self.top.offer(key, z as u32);
            }
        }
    }

    /// Minus the residual that a candidate leaves, computed from vectors; minus infinity if it is
    /// collinear with the parents.
    fn accurate_key(&self, z: usize) -> f64 {
        let gram = self.scorer.gram();
        let orthogonal = match (self.index, &self.family.orthogonal) {
            (None, Some(orthogonal)) => Some(&**orthogonal),
            _ => self
                .orthogonal
                .get_or_init(|| self.without_replaced())
                .as_ref(),
        };
        let left = orthogonal.and_then(|orthogonal| {
            orthogonal.residual_with(gram.vector(z), self.scorer.ridge(z), gram.least_share())
        });
        left.map_or(f64::NEG_INFINITY, |left| -left)
    }

    /// The regression without the replaced parent, from vectors.
    fn without_replaced(&self) -> Option<Orthogonal> {
        let mut parents = self.family.parents.clone();
        if let Some(index) = self.index {
            parents.remove(index);
        }
        let gram = self.scorer.gram();
        gram.orthogonal(self.family.child, &parents, |v| self.scorer.ridge(v))
    }

    fn bge_gain(&self, bge: &crate::score::Bge, z: usize, shared: f64, left: f64) -> f64 {
        let log_det = self.log_det + left.ln() + bge.log_scale(z);
        let residual = self.base - shared * shared / left;
        bge.family(
            self.parents,
            log_det,
            bge.log_residual(self.family.child, residual),
        ) - self.current
    }

    /// Converts the keys kept to candidates with estimates and, where known, exact gains.
    fn ranking(self, replaced: Option<usize>) -> Ranking {
        let Slot {
            scorer,
            order,
            base,
            residual,
            likelihood,
            price,
            ..
        } = self;
        let (kept, complete) = self.top.finish();
        let change = |left: f64| likelihood.relative(left) - likelihood.relative(residual);
        let exact = |key: f64| change((-key).max(0.0));
        let candidate = |&(key, z): &(f64, u32)| {
            let (estimate, gain) = match (order, scorer.objective()) {
                (Order::Exact, Objective::Bge(_)) => (key, key),
                (Order::By(Measure::Tangent), Objective::Bge(_)) => (exact(key), f64::NAN),
                (Order::Exact | Order::By(Measure::Tangent), _) => {
                    let gain = exact(key) - price;
                    (gain, gain)
                }
                (Order::By(Measure::C2), _) => {
                    (c2_from(likelihood, key, base, residual) - price, f64::NAN)
                }
                (Order::By(Measure::C1), _) => {
                    (c1_from(likelihood, key, base, residual) - price, f64::NAN)
                }
            };
            Candidate {
                parent: z as usize,
                estimate,
                gain,
            }
        };
        let mut candidates: Vec<Candidate> = kept.iter().map(candidate).collect();
        sort_with_ties(&mut candidates, |c| c.estimate);
        Ranking {
            replaced,
            base: change(base) - price,
            candidates,
            complete,
        }
    }
}

thread_local! {
    /// Working rows, reused to avoid an allocation for every family.
    static SCRATCH: Cell<Block> = Cell::default();
}

/// Goes over all candidates once, block by block, and offers them to every slot.
fn sweep(scorer: &GramScorer, family: &GramFamily, query: &Query, slots: &mut [Slot]) {
    let gram = scorer.gram();
    let n = scorer.width();
    let k = family.parents.len();
    let inverse: Vec<Vec<f64>> = (0..k)
        .map(|i| (i..k).map(|t| family.inverse_lower[t * k + i]).collect())
        .collect();
    let products = family.left.as_ref().map(|left| gram.products(left));
    let mut block = SCRATCH.take();
    block.prepare(k);
    for from in (0..n).step_by(BLOCK) {
        let columns = from..(from + BLOCK).min(n);
        let own = |i: usize| 1.0 + scorer.ridge(from + i);
        let child = &gram.row(family.child)[columns.clone()];
        let parents: Vec<&[f64]> = family
            .parents
            .iter()
            .map(|&p| &gram.row(p)[columns.clone()])
            .collect();
        block.project(
            child,
            &parents,
            own,
            family.factor.rows(),
            &family.projected,
        );
        if let Some(products) = &products {
            block.set_products(&products[columns.clone()]);
        }
        for slot in slots.iter_mut() {
            let dropped = slot.index.map_or(child, |i| parents[i]);
            let terms = slot.terms(&inverse, dropped);
            let (c, v, keys) = block.slot(terms, slot.keys(), slot.least());
            slot.offer(from, c, v, keys, query);
        }
    }
    SCRATCH.set(block);
}
