//! Upper bounds of the scores of many families at once, for searches that prove their result.

use super::{Bge, GramScorer, Objective, Prices, log_likelihood};
use crate::family::{Blocks, Gram};
use crate::numerics::COLLINEAR;

/// Upper bounds of the scores of a family, and of the larger families that are built from it.
///
/// Returned by [`Scorer::ceilings`](super::Scorer::ceilings).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// Bound for the family itself; minus infinity if it cannot be fitted.
    pub own: f64,
    /// Bound for the larger families; minus infinity if none of them can be fitted.
    pub beyond: f64,
}

impl Ceiling {
    /// Nothing is known about the scores.
    pub const UNKNOWN: Ceiling = Ceiling {
        own: f64::INFINITY,
        beyond: f64::INFINITY,
    };

    /// No family can be fitted.
    pub const NONE: Ceiling = Ceiling {
        own: f64::NEG_INFINITY,
        beyond: f64::NEG_INFINITY,
    };
}

/// A column that the columns before it explain up to this share of its variance adds nothing but
/// rounding errors.
const DEPENDENT: f64 = 1e-13;

/// Rounding error of a residual, relative to the smallest pivot of the factorisation.
const ROUNDING: f64 = 1e-14;

/// One Cholesky factorisation of a child's candidates, row by row. The columns come in a fixed
/// order, so every prefix of them is a family, and a residual never rises from one to the next.
struct Chain<'a> {
    scorer: &'a GramScorer<'a>,
    child: usize,
    /// Number of columns that every family has.
    base: usize,
    /// Rows of the factor, one after the other; columns that depend on those before them are left
    /// out.
    rows: Vec<f64>,
    /// The variables of the rows.
    columns: Vec<usize>,
    /// `L^-1` times the correlations with the child.
    projected: Vec<f64>,
    /// Unexplained share of the child's variance, and the smallest pivot.
    all: Residual,
    /// The same for the columns that every family has.
    at_base: Residual,
}

/// A residual with its accuracy.
#[derive(Clone, Copy)]
struct Residual {
    share: f64,
    pivot: f64,
}

impl Residual {
    /// After a further column, given its pivot and the square of its projection.
    fn with(self, pivot: f64, explained: f64) -> Self {
        Residual {
            share: self.share - explained,
            pivot: self.pivot.min(pivot),
        }
    }

    /// Lower bound of the residual.
    fn least(self) -> f64 {
        (self.share - ROUNDING / self.pivot).max(0.0)
    }
}

/// What a further column does to the families of a chain.
struct Link {
    /// Pivot given the columns that every family has; given all columns before it.
    pivots: [f64; 2],
    /// Residual of the base and this column.
    residual: Residual,
}

impl<'a> Chain<'a> {
    /// A chain of the columns that every family has; `further` more are to follow.
    fn new(scorer: &'a GramScorer<'a>, child: usize, parents: &[usize], further: usize) -> Self {
        let length = parents.len() + further;
        let whole = Residual {
            share: 1.0 + scorer.ridge(child),
            pivot: 1.0,
        };
        let mut chain = Chain {
            scorer,
            child,
            base: 0,
            rows: Vec::with_capacity(length * (length + 1) / 2),
            columns: Vec::with_capacity(length),
            projected: Vec::with_capacity(length),
            all: whole,
            at_base: whole,
        };
        for &p in parents {
            chain.push(p);
        }
        chain.base = chain.columns.len();
        chain.at_base = chain.all;
        chain
    }

    /// Appends a column.
    fn push(&mut self, column: usize) -> Link {
        let correlations = self.scorer.gram().row(column);
        let start = self.rows.len();
        let mut pivot = 1.0 + self.scorer.ridge(column);
        let mut target = correlations[self.child];
        let mut at_base = (pivot, target);
        let mut other = 0;
        for (t, &known) in self.columns.iter().enumerate() {
            if t == self.base {
                at_base = (pivot, target);
            }
            let (before, row) = self.rows.split_at(start);
            let product: f64 = row.iter().zip(&before[other..]).map(|(a, b)| a * b).sum();
            let entry = (correlations[known] - product) / before[other + t];
            pivot -= entry * entry;
            target -= entry * self.projected[t];
            self.rows.push(entry);
            other += t + 1;
        }
        if self.base >= self.columns.len() {
            at_base = (pivot, target);
        }
        let before = self.at_base;
        if pivot > DEPENDENT {
            let root = pivot.sqrt();
            self.projected.push(target / root);
            self.rows.push(root);
            self.columns.push(column);
            self.all = self.all.with(pivot, target * target / pivot);
        } else {
            self.rows.truncate(start);
        }
        let (own_pivot, own_target) = at_base;
        let residual = if own_pivot > DEPENDENT {
            before.with(own_pivot, own_target * own_target / own_pivot)
        } else {
            before
        };
        Link {
            pivots: [own_pivot, pivot],
            residual,
        }
    }
}

/// See [`Scorer::ceilings`](super::Scorer::ceilings).
pub(super) fn ceilings(
    scorer: &GramScorer,
    child: usize,
    parents: &[usize],
    further: &[usize],
) -> Vec<Ceiling> {
    let gram = scorer.gram();
    if gram.variance(child) == 0.0 {
        return vec![Ceiling::UNKNOWN; further.len()];
    }
    let base = gram.blocks(parents);
    let mut chain = Chain::new(scorer, child, parents, further.len());
    let mut ladder = match scorer.objective() {
        Objective::Penalised(prices) => Ladder::Penalised(prices),
        Objective::Bge(bge) => Ladder::Bge(BgeLadder::new(bge, &chain, further.len())),
    };
    let mut narrowest = usize::MAX;
    let mut bounds = Vec::with_capacity(further.len());
    for &column in further {
        let link = chain.push(column);
        let own = base.with(gram.columns(column));
        let beyond = (narrowest < usize::MAX).then(|| own.with(narrowest));
        narrowest = narrowest.min(gram.columns(column));
        let supported = |blocks: &Blocks| gram.supports(child, blocks.columns());
        let bound = if !supported(&own) {
            Ceiling::NONE
        } else {
            let beyond = beyond.filter(supported);
            ladder.rung(gram, &chain, column, &link, (&own, beyond.as_ref()))
        };
        bounds.push(bound);
    }
    bounds
}

/// Turns residuals into bounds of scores.
enum Ladder<'a> {
    Penalised(&'a Prices),
    Bge(BgeLadder<'a>),
}

impl Ladder<'_> {
    fn rung(
        &mut self,
        gram: &Gram,
        chain: &Chain,
        column: usize,
        link: &Link,
        (own, beyond): (&Blocks, Option<&Blocks>),
    ) -> Ceiling {
        match self {
            Ladder::Penalised(prices) => {
                if link.pivots[0] < 1e-3 * COLLINEAR {
                    // Nor can any larger family be fitted.
                    return Ceiling::NONE;
                }
                let (m, variance) = (gram.rows(chain.child).total(), gram.variance(chain.child));
                let bound = |residual: Residual, blocks: &Blocks| {
                    log_likelihood(m, variance, residual.least()) - prices.family(blocks, 2)
                };
                Ceiling {
                    own: bound(link.residual, own),
                    beyond: beyond.map_or(f64::NEG_INFINITY, |blocks| bound(chain.all, blocks)),
                }
            }
            Ladder::Bge(ladder) => ladder.rung(chain, column, link, own, beyond.is_some()),
        }
    }
}

/// Bounds of the BGe score.
///
/// `log |R_U|` is a sum over the parents in the order of the chain, each term the logarithm of a
/// parent's pivot given the parents before it. Given all columns before it the pivot is smaller, so
/// a sum of these bounds the determinant from below. The residual is bounded by that of the chain.
struct BgeLadder<'a> {
    bge: &'a Bge,
    /// `log |R|` of the columns that every family has.
    log_det: f64,
    /// Logarithms of the pivots of the further columns, sorted.
    pivots: Vec<f64>,
    /// Number of further columns that can still be added after the first.
    longest: usize,
}

impl<'a> BgeLadder<'a> {
    fn new(bge: &'a Bge, chain: &Chain, longest: usize) -> Self {
        let roots = (0..chain.columns.len()).map(|t| chain.rows[(t + 1) * (t + 2) / 2 - 1]);
        let dets: f64 = roots.map(|root| 2.0 * root.ln()).sum();
        let scales: f64 = chain.columns.iter().map(|&c| bge.log_scale(c)).sum();
        BgeLadder {
            bge,
            log_det: dets + scales,
            pivots: Vec::with_capacity(longest),
            longest,
        }
    }

    fn rung(
        &mut self,
        chain: &Chain,
        column: usize,
        link: &Link,
        own: &Blocks,
        has_larger: bool,
    ) -> Ceiling {
        let bge = self.bge;
        let least = bge.ridge(column);
        // A pivot is never smaller than the prior's term on the diagonal.
        let [own_pivot, pivot] = link.pivots.map(|pivot| {
            let lowered = (pivot - ROUNDING / chain.all.pivot).max(least);
            lowered.ln() + bge.log_scale(column)
        });
        let k = own.parents();
        let residual = |r: Residual| bge.log_residual(chain.child, r.least());
        let own = bge.family(k, self.log_det + own_pivot, residual(link.residual));
        let mut beyond = f64::NEG_INFINITY;
        if has_larger {
            let all = residual(chain.all);
            let mut log_det = self.log_det + pivot;
            for (more, further) in self.pivots.iter().take(self.longest).enumerate() {
                log_det += further;
                beyond = beyond.max(bge.family(k + more + 1, log_det, all));
            }
        }
        let place = self.pivots.partition_point(|&known| known < pivot);
        self.pivots.insert(place, pivot);
        Ceiling { own, beyond }
    }
}
