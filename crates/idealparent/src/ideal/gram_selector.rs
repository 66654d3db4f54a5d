//! Ranking of candidates for linear families from the Gram matrix, all candidates in one sweep.
//!
//! With the parents' correlations factored as `L L'`, `W = L^-1 R_U,:` gives for every candidate z at once
//! what the parents leave over of it, `v_z = 1 - |W_z|^2`, and what it shares with the ideal parent,
//! `c_z = y.z = r_xz - W_x.W_z`. Then `C1`, `C2` see `c_z^2`, and `c_z^2 / v_z` is by how much the residual
//! of the child falls when z is added: the exact change. With parent p dropped the same quantities are
//! `c_z + b_x b_z / P_pp` and `v_z + b_z^2 / P_pp`, with `b` the weight of p when predicting x or z.

use fixedbitset::FixedBitSet;

use super::Measure;
use super::selector::{Candidate, Query, Ranking, Selector, TIE, sort_with_ties};
use super::top::Top;
use crate::fit::{COLLINEAR, GramFamily};
use crate::score::{GramScorer, Objective, Scorer, enough_instances, relative, residual_for};

/// Candidates per sweep block: the k + 2 working rows stay in the first-level cache.
const BLOCK: usize = 512;

/// By what the candidates are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// By the exact change in score.
    Exact,
    /// By a measure, which is then only an estimate.
    By(Measure),
}

/// Ranks candidates of linear families from second moments.
#[derive(Clone, Debug)]
pub struct GramSelector<'a> {
    scorer: &'a GramScorer<'a>,
    order: Order,
    quota: usize,
}

impl<'a> GramSelector<'a> {
    /// Greedy: every candidate is scored, so the ranking is by exact change in score.
    pub fn greedy(scorer: &'a GramScorer<'a>) -> Self {
        GramSelector {
            scorer,
            order: Order::Exact,
            quota: usize::MAX,
        }
    }

    /// Ideal parent: the `k` candidates most similar to the ideal parent are scored. With no limit this is
    /// greedy, whatever the measure.
    pub fn ideal(scorer: &'a GramScorer<'a>, measure: Measure, k: usize) -> Self {
        if k >= scorer.width() {
            return GramSelector::greedy(scorer);
        }
        GramSelector {
            scorer,
            order: Order::By(measure),
            quota: k,
        }
    }

    fn slot(&self, family: &GramFamily, replaced: Option<usize>, query: &Query) -> Slot<'_> {
        let parents = &family.parents;
        let index = replaced.map(|p| parents.binary_search(&p).expect("replaces a parent"));
        let base = index.map_or(family.residual, |i| match self.order {
            // The paper's replacement profile: the dropped parent's term is added back, no more.
            Order::By(Measure::C1 | Measure::C2) => family.residual + family.weights[i].powi(2),
            _ => family.residual_without(i),
        });
        let k_new = parents.len() + usize::from(index.is_none());
        let mut slot = Slot {
            scorer: self.scorer,
            order: self.order,
            index,
            base,
            residual: family.residual,
            current: self.scorer.family_score(family),
            k_new,
            log_det: 0.0,
            top: Top::new(1, f64::NEG_INFINITY, 0.0),
        };
        let m = self.scorer.gram().instances();
        let (threshold, tolerance) = match (self.order, self.scorer.objective()) {
            (Order::Exact, Objective::Penalised(prices)) => {
                let price = if index.is_none() {
                    prices.total(1, 1)
                } else {
                    0.0
                };
                let wanted = relative(m, family.residual) + price;
                (base - residual_for(m, wanted), 2.1 * TIE / m)
            }
            (Order::Exact, Objective::Bge(_)) => (0.0, TIE),
            (Order::By(_), _) => (-1.0, 2.1 * TIE / m),
        };
        if let Objective::Bge(bge) = self.scorer.objective() {
            let dropped = |i: usize| family.precision[i].ln() - bge.log_scale(parents[i]);
            let scales: f64 = parents.iter().map(|&p| bge.log_scale(p)).sum();
            slot.log_det = family.factor.log_det() + scales + index.map_or(0.0, dropped);
        }
        let supported = enough_instances(m, k_new);
        let threshold = if supported { threshold } else { f64::INFINITY };
        slot.top = Top::new(query.wanted, threshold, tolerance);
        slot
    }
}

impl Selector for GramSelector<'_> {
    fn rank(&self, query: &Query) -> Vec<Ranking> {
        let empty = |&replaced: &Option<usize>| Ranking {
            replaced,
            candidates: Vec::new(),
            complete: true,
            evaluated: 0,
        };
        let Some(family) = self.scorer.family(query.child, query.parents) else {
            return query.slots.iter().map(empty).collect();
        };
        let mut slots: Vec<Slot> = query
            .slots
            .iter()
            .map(|&replaced| self.slot(&family, replaced, query))
            .collect();
        sweep(self.scorer, &family, query, &mut slots);
        let n = self.scorer.width();
        let considered = match self.order {
            Order::Exact => n - parents_or_excluded(query.excluded, query.parents),
            Order::By(_) => 0,
        };
        let finish = |(slot, &replaced): (Slot, &Option<usize>)| slot.ranking(replaced, considered);
        slots.into_iter().zip(query.slots).map(finish).collect()
    }

    fn quota(&self) -> usize {
        self.quota
    }
}

fn parents_or_excluded(excluded: &FixedBitSet, parents: &[usize]) -> usize {
    let free = parents.iter().filter(|&&p| !excluded.contains(p)).count();
    excluded.count_ones(..) + free
}

/// One ranking in the making.
struct Slot<'a> {
    scorer: &'a GramScorer<'a>,
    order: Order,
    /// Position of the replaced parent in the family.
    index: Option<usize>,
    /// Squared length of the ideal profile the candidates are compared with.
    base: f64,
    /// Residual of the current family.
    residual: f64,
    /// Score of the current family.
    current: f64,
    /// Number of parents after the move.
    k_new: usize,
    /// BGe: log determinant of the parents that stay.
    log_det: f64,
    top: Top,
}

impl Slot<'_> {
    /// Offers the candidates `from..` of one block.
    fn offer(
        &mut self,
        from: usize,
        shared: &[f64],
        left: &[f64],
        keys: &mut [f64],
        query: &Query,
    ) {
        match (self.order, self.scorer.objective()) {
            (Order::Exact, Objective::Bge(bge)) => {
                let diagonal = |z: usize| 1.0 + bge.ridge(z);
                for (i, key) in keys.iter_mut().enumerate() {
                    let z = from + i;
                    *key = if left[i] >= COLLINEAR * diagonal(z) {
                        self.bge_gain(bge, z, shared[i], left[i])
                    } else {
                        f64::NEG_INFINITY
                    };
                }
            }
            (Order::Exact | Order::By(Measure::Tangent), _) => {
                let inputs = shared.iter().zip(left);
                for (key, (&c, &v)) in keys.iter_mut().zip(inputs) {
                    let fall = c * c / v;
                    *key = if v >= COLLINEAR {
                        fall
                    } else {
                        f64::NEG_INFINITY
                    };
                }
            }
            (Order::By(Measure::C1 | Measure::C2), _) => {
                // Collinear candidates are left out here too: nothing could be gained from scoring them.
                let inputs = shared.iter().zip(left);
                for (key, (&c, &v)) in keys.iter_mut().zip(inputs) {
                    *key = if v >= COLLINEAR {
                        c * c
                    } else {
                        f64::NEG_INFINITY
                    };
                }
            }
        }
        for (i, &key) in keys.iter().enumerate() {
            if key > self.top.threshold() {
                let z = from + i;
                if !query.excluded.contains(z) && query.parents.binary_search(&z).is_err() {
                    self.top.offer(key, z as u32);
                }
            }
        }
    }

    fn bge_gain(&self, bge: &crate::score::Bge, z: usize, shared: f64, left: f64) -> f64 {
        let log_det = self.log_det + left.ln() + bge.log_scale(z);
        let residual = (self.base - shared * shared / left).max(f64::MIN_POSITIVE);
        bge.family(self.k_new, log_det, residual.ln()) - self.current
    }

    /// Turns kept keys into candidates with estimates and exact gains.
    fn ranking(self, replaced: Option<usize>, evaluated: usize) -> Ranking {
        let Slot {
            scorer,
            order,
            base,
            residual,
            index,
            ..
        } = self;
        let m = scorer.gram().instances();
        let price = match scorer.objective() {
            Objective::Penalised(prices) if index.is_none() => prices.total(1, 1),
            _ => 0.0,
        };
        let (kept, complete) = self.top.finish();
        let exact = |key: f64| relative(m, (base - key).max(0.0)) - relative(m, residual);
        let candidate = |&(key, z): &(f64, u32)| {
            let (estimate, gain) = match (order, scorer.objective()) {
                (Order::Exact, Objective::Bge(_)) => (key, key),
                (Order::By(Measure::Tangent), Objective::Bge(_)) => (exact(key), f64::NAN),
                (Order::Exact | Order::By(Measure::Tangent), _) => (exact(key), exact(key) - price),
                (Order::By(Measure::C2), _) => (c2_from(m, key, base, residual), f64::NAN),
                (Order::By(Measure::C1), _) => (c1_from(m, key, base, residual), f64::NAN),
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
            candidates,
            complete,
            evaluated,
        }
    }
}

/// C2 of an ideal profile with squared length `profile`, where the family's residual is `residual`.
fn c2_from(m: f64, key: f64, profile: f64, residual: f64) -> f64 {
    -0.5 * m * ((-key / profile).ln_1p() + (profile / residual).ln())
}

/// C1 likewise.
fn c1_from(m: f64, key: f64, profile: f64, residual: f64) -> f64 {
    0.5 * m * (key - (profile - residual)) / residual
}

/// Goes over all candidates once, block by block, and offers them to every slot.
fn sweep(scorer: &GramScorer, family: &GramFamily, query: &Query, slots: &mut [Slot]) {
    let arch = pulp::Arch::new();
    let n = scorer.width();
    let k = family.parents.len();
    let mut rows = vec![0.0; k * BLOCK];
    let mut blocks = Blocks::default();
    for from in (0..n).step_by(BLOCK) {
        let width = BLOCK.min(n - from);
        arch.dispatch(|| {
            project(scorer, family, from, width, &mut rows, &mut blocks);
            for slot in slots.iter_mut() {
                blocks.for_slot(scorer, family, slot, from, width, &rows);
                let Blocks {
                    slot_c,
                    slot_v,
                    keys,
                    ..
                } = &mut blocks;
                slot.offer(
                    from,
                    &slot_c[..width],
                    &slot_v[..width],
                    &mut keys[..width],
                    query,
                );
            }
        });
    }
}

/// Working rows of one block.
struct Blocks {
    /// `y.z` and what is left of z, for the whole family.
    c: Vec<f64>,
    v: Vec<f64>,
    /// The same for the slot at hand.
    slot_c: Vec<f64>,
    slot_v: Vec<f64>,
    keys: Vec<f64>,
}

impl Default for Blocks {
    fn default() -> Self {
        let row = || vec![0.0; BLOCK];
        Blocks {
            c: row(),
            v: row(),
            slot_c: row(),
            slot_v: row(),
            keys: row(),
        }
    }
}

/// Fills `rows` with W and `blocks` with c and v for the candidates `from..from + width`.
#[inline(always)]
fn project(
    scorer: &GramScorer,
    family: &GramFamily,
    from: usize,
    width: usize,
    rows: &mut [f64],
    blocks: &mut Blocks,
) {
    let gram = scorer.gram();
    let columns = from..from + width;
    let (c, v) = (&mut blocks.c[..width], &mut blocks.v[..width]);
    c.copy_from_slice(&gram.row(family.child)[columns.clone()]);
    for (i, left) in v.iter_mut().enumerate() {
        *left = 1.0 + scorer.ridge(from + i);
    }
    for (i, &parent) in family.parents.iter().enumerate() {
        let (before, row) = rows.split_at_mut(i * BLOCK);
        let row = &mut row[..width];
        row.copy_from_slice(&gram.row(parent)[columns.clone()]);
        if columns.contains(&parent) {
            row[parent - from] += scorer.ridge(parent);
        }
        for (j, earlier) in before.chunks_exact(BLOCK).enumerate() {
            let factor = family.factor.lower(i, j);
            for (w, e) in row.iter_mut().zip(earlier) {
                *w -= factor * e;
            }
        }
        let (scale, own) = (1.0 / family.factor.lower(i, i), family.projected[i]);
        for ((w, c), v) in row.iter_mut().zip(c.iter_mut()).zip(v.iter_mut()) {
            *w *= scale;
            *c -= own * *w;
            *v -= *w * *w;
        }
    }
}

impl Blocks {
    /// Fills the slot's rows: for a replacement the dropped parent's share is given back.
    #[inline(always)]
    fn for_slot(
        &mut self,
        scorer: &GramScorer,
        family: &GramFamily,
        slot: &mut Slot,
        from: usize,
        width: usize,
        rows: &[f64],
    ) {
        let (c, v) = (&self.c[..width], &self.v[..width]);
        let (slot_c, slot_v) = (&mut self.slot_c[..width], &mut self.slot_v[..width]);
        let Some(p) = slot.index else {
            slot_c.copy_from_slice(c);
            slot_v.copy_from_slice(v);
            return;
        };
        let k = family.parents.len();
        // Weight of the dropped parent when predicting each candidate: row p of L'^-1 W.
        let weight = &mut self.keys[..width];
        weight.fill(0.0);
        for t in p..k {
            let factor = family.inverse_lower[t * k + p];
            for (b, w) in weight.iter_mut().zip(&rows[t * BLOCK..]) {
                *b += factor * w;
            }
        }
        let (own, precision) = (family.weights[p], family.precision[p]);
        let given_back = own / precision;
        for i in 0..width {
            slot_c[i] = c[i] + given_back * weight[i];
            slot_v[i] = v[i] + weight[i] * weight[i] / precision;
        }
        if matches!(slot.order, Order::By(Measure::C1 | Measure::C2)) {
            // The paper freezes the other parents: the ideal profile gets back own * u_p, no more.
            let dropped = &scorer.gram().row(family.parents[p])[from..from + width];
            for i in 0..width {
                slot_c[i] = c[i] + own * dropped[i];
            }
        }
    }
}
