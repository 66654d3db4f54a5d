//! Upper bounds of the scores of many families at once, for searches that prove their result.

use std::ops::Range;

use super::{Bge, GramScorer, Likelihood, Objective, Prices};
use crate::family::{Blocks, Gram};

/// Upper bounds of the scores of a family, and of the larger families that are built from it.
///
/// Listed by [`Ceilings`].
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

/// Upper bounds of the scores of one child's families, on a walk through its sets of candidates.
///
/// The walk begins at the required parents, with all candidates open. Each step adds an open
/// candidate, and leaves open only those before it.
///
/// Returned by [`Scorer::ceilings`](super::Scorer::ceilings).
pub trait Ceilings: Send {
    /// Adds the open candidate at this place.
    fn add(&mut self, place: usize);

    /// Takes the last step back.
    fn back(&mut self);

    /// Appends a bound for every open candidate: for the family of the current parents and this
    /// candidate, and for the larger families that also have candidates before it, but no others.
    fn list(&mut self, bounds: &mut Vec<Ceiling>);

    /// Memory in bytes that the walk takes; 0 if that is not worth counting.
    fn bytes(&self) -> usize {
        0
    }
}

/// Bounds for scores about which nothing is known, except how many parents a family can have.
pub(super) struct Unknown {
    /// Number of open candidates after every step.
    open: Vec<usize>,
    /// Number of required parents.
    required: usize,
    /// Largest number of parents of a family that can be fitted.
    most: usize,
}

impl Unknown {
    /// For a child with some required parents and other candidates.
    pub(super) fn new(required: usize, candidates: usize) -> Self {
        Unknown {
            open: vec![candidates],
            required,
            most: usize::MAX,
        }
    }

    /// No family with more parents can be fitted.
    pub(super) fn with_at_most(self, most: usize) -> Self {
        Unknown { most, ..self }
    }
}

impl Ceilings for Unknown {
    fn add(&mut self, place: usize) {
        self.open.push(place);
    }

    fn back(&mut self) {
        self.open.pop();
    }

    fn list(&mut self, bounds: &mut Vec<Ceiling>) {
        let open = self.open.last().copied().unwrap_or(0);
        // With one of the open candidates.
        let parents = self.required + self.open.len();
        let bound = |is_possible: bool| match is_possible {
            true => f64::INFINITY,
            false => f64::NEG_INFINITY,
        };
        bounds.extend((0..open).map(|place| Ceiling {
            own: bound(parents <= self.most),
            beyond: bound(parents < self.most && place > 0),
        }));
    }
}

/// A column that the columns before it explain up to this share of its variance is skipped: its
/// covariances are rounding errors.
const DEPENDENT: f64 = 1e-13;

/// Rounding error of a residual, relative to the smallest pivot of the factorisation.
const ROUNDING: f64 = 1e-14;

/// Length that a skipped column may take from the residual, below which its family is certain to be
/// collinear: at 1 it would leave as much as the least share.
const COLLINEAR_LOSS: f64 = 0.5;

/// Rounding error of what orthogonalisation leaves of a column, as a length, relative to the square
/// root of the smallest pivot.
const VECTOR_ROUNDING: f64 = 1e-14;

/// A residual with its accuracy.
#[derive(Clone, Copy)]
struct Residual {
    /// Unexplained share of the child's variance.
    share: f64,
    /// The smallest pivot.
    pivot: f64,
    /// By how much skipped columns may shorten the residual, as a length.
    skipped: f64,
}

impl Residual {
    /// After a further column, given its pivot and its covariance with the child.
    fn with(self, pivot: f64, target: f64) -> Self {
        Residual {
            share: self.share - target * target / pivot,
            pivot: self.pivot.min(pivot),
            skipped: self.skipped,
        }
    }

    /// After a column that is skipped. The columns before it leave a vector of the length `left` of
    /// it, and in a family that can be fitted, the other parents leave at least the share `least`.
    ///
    /// With other parents than those before it, a skipped column may explain something. Its weight
    /// in such a family is at most `1 / sqrt(least)`, the length of the child being 1. So what it has
    /// of other directions than the columns before it shortens the residual by at most
    /// `left / sqrt(least)`.
    fn without(self, left: f64, least: f64) -> Self {
        Residual {
            skipped: self.skipped + left / least.sqrt(),
            ..self
        }
    }

    /// Rounding error of a length that orthogonalisation leaves.
    fn vector_rounding(self) -> f64 {
        VECTOR_ROUNDING / self.pivot.sqrt()
    }

    /// Lower bound of the residual.
    fn least(self) -> f64 {
        let share = (self.share - ROUNDING / self.pivot).max(0.0);
        (share.sqrt() - self.skipped).max(0.0).powi(2)
    }
}

/// What the open candidates can still explain, given the current parents.
struct Level {
    /// Covariances of the open candidates given the parents: the rows of the lower triangle.
    covariances: Vec<f64>,
    /// Covariances with the child given the parents.
    targets: Vec<f64>,
    residual: Residual,
    blocks: Blocks,
    /// The parents.
    parents: Vec<usize>,
    /// `log |R|` of the parents in the units of the data, for BGe.
    log_det: f64,
}

/// Bounds for linear families. A family's residual is at least that of a larger family.
///
/// The candidates before an open one form a chain, so a single factorisation of the covariances
/// gives the residuals of all of them: with the first candidate, with the first two, and so on.
pub(super) struct LinearCeilings<'a> {
    scorer: &'a GramScorer<'a>,
    child: usize,
    candidates: Vec<usize>,
    levels: Vec<Level>,
    /// The factor, row by row, and its product with the targets.
    factor: Vec<f64>,
    projected: Vec<f64>,
    /// Logarithms of pivots, for BGe.
    pivots: Vec<f64>,
}

/// Start of a row of a triangle.
fn row(i: usize) -> usize {
    i * (i + 1) / 2
}

impl<'a> LinearCeilings<'a> {
    pub(super) fn new(
        scorer: &'a GramScorer<'a>,
        child: usize,
        required: &[usize],
        candidates: &[usize],
    ) -> Self {
        let gram = scorer.gram();
        // The required parents come last, so that they are added like others.
        let all: Vec<usize> = candidates.iter().chain(required).copied().collect();
        let mut covariances = Vec::with_capacity(row(all.len()));
        for (i, &column) in all.iter().enumerate() {
            let correlations = gram.row(column);
            covariances.extend(all[..i].iter().map(|&other| correlations[other]));
            covariances.push(1.0 + scorer.ridge(column));
        }
        let first = Level {
            covariances,
            targets: all.iter().map(|&v| gram.correlation(v, child)).collect(),
            residual: Residual {
                share: 1.0 + scorer.ridge(child),
                pivot: 1.0,
                skipped: 0.0,
            },
            blocks: Blocks::single(0),
            parents: Vec::new(),
            log_det: 0.0,
        };
        let mut ceilings = LinearCeilings {
            scorer,
            child,
            candidates: all,
            levels: vec![first],
            factor: Vec::new(),
            projected: Vec::new(),
            pivots: Vec::new(),
        };
        for place in (candidates.len()..candidates.len() + required.len()).rev() {
            ceilings.add(place);
        }
        ceilings
    }

    fn level(&self) -> &Level {
        self.levels
            .last()
            .expect("a walk does not go back beyond its start")
    }

    /// Factorises the covariances of one more candidate. Returns its pivot given all candidates
    /// before it, and its covariance with the child given these.
    fn factorise(&mut self, i: usize) -> (f64, f64) {
        let level = self.levels.last().expect("a level");
        let own = &level.covariances[row(i)..row(i + 1)];
        let (mut pivot, mut target) = (own[i], level.targets[i]);
        self.factor.truncate(row(i));
        for (j, &covariance) in own[..i].iter().enumerate() {
            let (before, current) = self.factor.split_at(row(i));
            let other = &before[row(j)..row(j + 1)];
            let product: f64 = current.iter().zip(other).map(|(a, b)| a * b).sum();
            // A dependent column has no root, and takes no part.
            let entry = if other[j] > 0.0 {
                (covariance - product) / other[j]
            } else {
                0.0
            };
            pivot -= entry * entry;
            target -= entry * self.projected[j];
            self.factor.push(entry);
        }
        let root = if pivot > DEPENDENT { pivot.sqrt() } else { 0.0 };
        self.factor.push(root);
        self.projected.truncate(i);
        self.projected
            .push(if root > 0.0 { target / root } else { 0.0 });
        (pivot, target)
    }
}

impl LinearCeilings<'_> {
    /// The residual after the candidate at this place is skipped, whose pivot given the parents and
    /// the candidates `before` is tiny.
    fn skip(&self, residual: Residual, place: usize, before: Range<usize>, pivot: f64) -> Residual {
        let (gram, column) = (self.scorer.gram(), self.candidates[place]);
        let mut others = self.level().parents.clone();
        // Columns that were skipped have no root.
        let has_root = |i: &usize| self.factor[row(i + 1) - 1] > 0.0;
        others.extend(before.filter(has_root).map(|i| self.candidates[i]));
        others.sort_unstable();
        let orthogonal = gram.orthogonal(column, &others, |_| 0.0);
        let left = match orthogonal {
            Some(orthogonal) => {
                let square = orthogonal.regression.residual + self.scorer.ridge(column);
                square.sqrt() + residual.vector_rounding()
            }
            // There are only moments, or parents that depend on each other.
            None => (pivot.max(0.0) + ROUNDING / residual.pivot).sqrt(),
        };
        residual.without(left, gram.least_share())
    }
}

impl Ceilings for LinearCeilings<'_> {
    fn bytes(&self) -> usize {
        let levels = self.levels.iter();
        let level = |level: &Level| level.covariances.capacity() + level.targets.capacity();
        8 * (levels.map(level).sum::<usize>() + self.factor.capacity())
    }

    fn add(&mut self, place: usize) {
        let column = self.candidates[place];
        let level = self.level();
        let own = &level.covariances[row(place)..row(place + 1)];
        let (pivot, target) = (own[place], level.targets[place]);
        let mut covariances = level.covariances[..row(place)].to_vec();
        let mut targets = level.targets[..place].to_vec();
        if pivot > DEPENDENT {
            for i in 0..place {
                let weight = own[i] / pivot;
                let others = covariances[row(i)..row(i + 1)].iter_mut();
                others
                    .zip(own)
                    .for_each(|(entry, own)| *entry -= weight * own);
                targets[i] -= weight * target;
            }
        }
        let log_det = match self.scorer.objective() {
            Objective::Penalised(_) => 0.0,
            Objective::Bge(bge) => {
                let least = bge.ridge(column);
                level.log_det + pivot.max(least).ln() + bge.log_scale(column)
            }
        };
        let residual = match pivot > DEPENDENT {
            true => level.residual.with(pivot, target),
            false => self.skip(level.residual, place, 0..0, pivot),
        };
        let mut parents = level.parents.clone();
        parents.push(column);
        let next = Level {
            covariances,
            targets,
            residual,
            parents,
            blocks: level.blocks.with(self.scorer.gram().columns(column)),
            log_det,
        };
        self.levels.push(next);
    }

    fn back(&mut self) {
        self.levels.pop();
    }

    fn list(&mut self, bounds: &mut Vec<Ceiling>) {
        let (scorer, child) = (self.scorer, self.child);
        let gram = scorer.gram();
        let mut all = self.level().residual;
        let mut narrowest = usize::MAX;
        self.pivots.clear();
        for i in 0..self.level().targets.len() {
            let column = self.candidates[i];
            let chained = self.factorise(i);
            all = match chained.0 > DEPENDENT {
                true => all.with(chained.0, chained.1),
                false => self.skip(all, i, 0..i, chained.0),
            };
            let level = self.level();
            let pivot = level.covariances[row(i + 1) - 1];
            let own = level.blocks.with(gram.columns(column));
            let beyond = (narrowest < usize::MAX).then(|| own.with(narrowest));
            narrowest = narrowest.min(gram.columns(column));
            let is_supported = |blocks: &Blocks| gram.supports(child, blocks.columns());
            let own_residual = match pivot > DEPENDENT {
                true => level.residual.with(pivot, level.targets[i]),
                false => self.skip(level.residual, i, 0..0, pivot),
            };
            let link = Link {
                column,
                pivots: [pivot, chained.0],
                own: own_residual,
                all,
                beyond: beyond.filter(is_supported),
            };
            // If the parents leave too little of this column, they do so in all larger families.
            let lost = own_residual.skipped - level.residual.skipped;
            let is_collinear = pivot <= DEPENDENT && lost < COLLINEAR_LOSS;
            let bound = match scorer.objective() {
                _ if is_collinear || !is_supported(&own) => Ceiling::NONE,
                Objective::Penalised(prices) => penalised(gram, prices, child, &link, &own),
                Objective::Bge(bge) => {
                    let log_det = level.log_det;
                    bge_bound(bge, child, &link, own.parents(), log_det, &mut self.pivots)
                }
            };
            bounds.push(bound);
        }
    }
}

/// The effect of an additional column on the families of a chain.
struct Link {
    column: usize,
    /// Pivot given the current parents, and pivot given also all candidates before it.
    pivots: [f64; 2],
    /// Residual with this column, and residual with all candidates before it as well.
    own: Residual,
    all: Residual,
    /// The columns of the smallest of the larger families, if any can be fitted.
    beyond: Option<Blocks>,
}

/// Bounds of a penalised likelihood.
fn penalised(gram: &Gram, prices: &Prices, child: usize, link: &Link, own: &Blocks) -> Ceiling {
    let (likelihood, variance) = (Likelihood::of(gram, child), gram.variance(child));
    let bound = |residual: Residual, blocks: &Blocks| {
        likelihood.family(variance, residual.least()) - prices.family(blocks, 2)
    };
    let beyond = link.beyond.as_ref();
    Ceiling {
        own: bound(link.own, own),
        beyond: beyond.map_or(f64::NEG_INFINITY, |blocks| bound(link.all, blocks)),
    }
}

/// Bounds of the BGe score. `log_det` is `log |R|` of the current parents, and `pivots` has the
/// logarithms of the pivots of the candidates before this one, sorted.
///
/// `log |R_U|` is a sum over the parents in the order of the chain, each term the logarithm of a
/// parent's pivot given the parents before it. Given all columns before it the pivot is smaller, so
/// a sum of these bounds the determinant from below. The residual is bounded by that of the chain.
fn bge_bound(
    bge: &Bge,
    child: usize,
    link: &Link,
    k: usize,
    log_det: f64,
    pivots: &mut Vec<f64>,
) -> Ceiling {
    // A pivot is never smaller than the prior's term on the diagonal.
    let least = bge.ridge(link.column);
    let [own_pivot, pivot] = link.pivots.map(|pivot| {
        let lowered = (pivot - ROUNDING / link.all.pivot).max(least);
        lowered.ln() + bge.log_scale(link.column)
    });
    let residual = |r: Residual| bge.log_residual(child, r.least());
    let own = bge.family(k, log_det + own_pivot, residual(link.own));
    let mut beyond = f64::NEG_INFINITY;
    if link.beyond.is_some() {
        let all = residual(link.all);
        let mut log_det = log_det + pivot;
        for (more, further) in pivots.iter().enumerate() {
            log_det += further;
            beyond = beyond.max(bge.family(k + more + 1, log_det, all));
        }
    }
    let place = pivots.partition_point(|&known| known < pivot);
    pivots.insert(place, pivot);
    Ceiling { own, beyond }
}
