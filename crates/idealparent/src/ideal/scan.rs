//! Comparing all candidates with an ideal profile at once, as blocked matrix products.
//!
//! Every measure compares a distorted candidate `w = z * g'` with a profile `y` (section 5). What the comparison
//! needs are `y.w`, `|w|^2` and, for the tangent measure, the products of `w` with an orthonormal basis of what
//! the current fit can already imitate: sums over instances of `z` or `z^2` times vectors that do not depend on
//! the candidate.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::Measure;
use crate::cpd::{FactorKind, Link};
use crate::fit::{COLLINEAR, Gram, GramFamily, Profiles};
use crate::kernel::{Block, Keys, dot};
use crate::score::{VARIANCE_FLOOR, relative};

/// Candidates per block: fixed, so that the result does not depend on the number of threads.
const BLOCK: usize = 128;

/// What of a candidate is compared.
#[derive(Clone, Debug)]
pub enum Scanned {
    /// Its centred profile.
    Profile,
    /// Its raw profile, for densities that need positive weights: a candidate that would get a negative one
    /// is of no use.
    Positive,
    /// `h(spread * z)` of its centred profile z.
    Linked {
        /// h.
        link: Arc<dyn Link>,
        /// Deviation of the link's argument; its sign matters to links that are not symmetric.
        spread: f64,
    },
    /// `h(a z)` of its raw profile, `a = e^log_rate` over the candidate's geometric mean.
    Saturated {
        /// Which h.
        kind: FactorKind,
        /// Logarithm of a.
        log_rate: f64,
    },
}

impl PartialEq for Scanned {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Scanned::Profile, Scanned::Profile) | (Scanned::Positive, Scanned::Positive) => true,
            (
                Scanned::Linked { link, spread },
                Scanned::Linked {
                    link: other,
                    spread: wide,
                },
            ) => link.word() == other.word() && spread == wide,
            (
                Scanned::Saturated { kind, log_rate },
                Scanned::Saturated {
                    kind: other,
                    log_rate: rate,
                },
            ) => kind == other && log_rate == rate,
            _ => false,
        }
    }
}

/// How the fall of a squared length becomes a log-likelihood.
#[derive(Clone, Copy, Debug)]
enum Estimate {
    /// The residual itself falls.
    Residual,
    /// Eq. 9 (Proposition 3.3 for the identity link): the profile's length falls, and is compared with the residual.
    C2 { residual: f64 },
    /// Eq. 8 (Proposition 3.2): likewise, the variance frozen.
    C1 { residual: f64 },
}

/// One comparison of all candidates with a profile.
#[derive(Clone, Debug)]
pub struct Scan {
    scanned: Scanned,
    /// `g' * y` and `g' * q` for every basis vector q.
    left: Vec<Vec<f64>>,
    /// `g'^2`.
    squares: Vec<f64>,
    /// `|y * g'|^2 / M`, or of the residual.
    length: f64,
    estimate: Estimate,
    clamped: f64,
    /// Instead of all that: the linear family whose moments say by how much its residual falls.
    moments: Option<GramFamily>,
}

impl Scan {
    /// The exact residual of a linear family with each candidate added, from second moments. Where a family is
    /// nearly linear, or so far from it that its slopes vanish, this says more than its tangent.
    pub fn linear(family: GramFamily) -> Self {
        Scan {
            scanned: Scanned::Profile,
            left: Vec::new(),
            squares: Vec::new(),
            length: family.residual,
            estimate: Estimate::Residual,
            clamped: 0.0,
            moments: Some(family),
        }
    }

    /// The tangent measure: `z * slope`, projected off 1 and `basis`, compared with the residual. The basis is the
    /// Jacobian of the current prediction in its parameters; at the optimum the residual is orthogonal to it.
    pub fn tangent(residual: Vec<f64>, slope: Vec<f64>, mut basis: Vec<Vec<f64>>) -> Self {
        basis.insert(0, vec![1.0; residual.len()]);
        Scan::regression(residual, slope, basis, Scanned::Profile)
    }

    /// The residual regressed on `scanned * slope` after both are projected off `basis`.
    pub fn regression(
        mut residual: Vec<f64>,
        slope: Vec<f64>,
        basis: Vec<Vec<f64>>,
        scanned: Scanned,
    ) -> Self {
        let length = dot(&residual, &residual) / residual.len() as f64;
        let basis = orthonormal(basis);
        // Where a bound on the weights binds, the residual is not orthogonal to the Jacobian.
        for q in &basis {
            project_off(&mut residual, q);
        }
        let times_slope = |mut column: Vec<f64>| {
            for (value, s) in column.iter_mut().zip(&slope) {
                *value *= s;
            }
            column
        };
        let columns = std::iter::once(residual).chain(basis);
        Scan {
            scanned,
            left: columns.map(times_slope).collect(),
            squares: slope.iter().map(|s| s * s).collect(),
            length,
            estimate: Estimate::Residual,
            clamped: 0.0,
            moments: None,
        }
    }

    /// The paper's distorted measures, Eq. 8 and 9: profile `y` with slopes g', where the current family leaves
    /// the share `residual` of the child's variance.
    pub fn distorted(
        y: Vec<f64>,
        slope: Vec<f64>,
        residual: f64,
        measure: Measure,
        scanned: Scanned,
    ) -> Self {
        let m = y.len() as f64;
        let pairs = || y.iter().zip(&slope);
        let numerator: Vec<f64> = pairs().map(|(y, g)| y * g * g).collect();
        let estimate = match measure {
            Measure::C1 => Estimate::C1 { residual },
            _ => Estimate::C2 { residual },
        };
        Scan {
            scanned,
            left: vec![numerator],
            length: pairs().map(|(y, g)| (y * g) * (y * g)).sum::<f64>() / m,
            squares: slope.iter().map(|s| s * s).collect(),
            estimate,
            clamped: 0.0,
            moments: None,
        }
    }

    /// Notes which share of the profile was outside the image of the link.
    pub fn with_clamped(mut self, share: f64) -> Self {
        self.clamped = share;
        self
    }

    /// Share of the profile that had to be clamped into the link's image (footnote 1).
    pub fn clamped(&self) -> f64 {
        self.clamped
    }

    /// Estimated log-likelihood, as in [`relative`], where the squared length falls by `fall * M`.
    fn value(&self, m: f64, fall: f64) -> f64 {
        let left = (self.length - fall).max(0.0);
        match self.estimate {
            Estimate::Residual => relative(m, left),
            Estimate::C2 { residual } => {
                let ratio = left.max(VARIANCE_FLOOR) / residual.max(VARIANCE_FLOOR);
                relative(m, residual) - 0.5 * m * ratio.ln()
            }
            Estimate::C1 { residual } => {
                let change = fall - (self.length - residual);
                relative(m, residual) + 0.5 * m * change / residual.max(VARIANCE_FLOOR)
            }
        }
    }
}

/// For every job the estimated log-likelihood with each variable as a further parent, the best of its scans;
/// minus infinity where a variable adds nothing new.
pub fn scan_candidates(data: &Profiles, jobs: &[Vec<Scan>]) -> Vec<Vec<f64>> {
    let n = data.width();
    let groups = Groups::new(data.instances(), jobs);
    let blocks: Vec<Vec<f64>> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| groups.block(data, jobs, block * BLOCK..((block + 1) * BLOCK).min(n)))
        .collect();
    let mut all = vec![vec![f64::NEG_INFINITY; n]; jobs.len()];
    for (index, block) in blocks.iter().enumerate() {
        let width = BLOCK.min(n - index * BLOCK);
        for (job, values) in all.iter_mut().zip(block.chunks(width)) {
            job[index * BLOCK..][..width].copy_from_slice(values);
        }
    }
    all
}

/// The scans of all jobs that look at the same thing, their vectors side by side.
struct Group {
    scanned: Scanned,
    /// (job, scan) of each.
    members: Vec<(usize, usize)>,
    left: Vec<f64>,
    squares: Vec<f64>,
}

struct Groups {
    instances: usize,
    groups: Vec<Group>,
}

impl Groups {
    fn new(instances: usize, jobs: &[Vec<Scan>]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (j, scans) in jobs.iter().enumerate() {
            for (s, scan) in scans.iter().enumerate() {
                if scan.moments.is_some() {
                    continue;
                }
                let known = groups.iter().position(|g| g.scanned == scan.scanned);
                let at = known.unwrap_or_else(|| {
                    groups.push(Group {
                        scanned: scan.scanned.clone(),
                        members: Vec::new(),
                        left: Vec::new(),
                        squares: Vec::new(),
                    });
                    groups.len() - 1
                });
                let group = &mut groups[at];
                group.members.push((j, s));
                for column in &scan.left {
                    group.left.extend_from_slice(column);
                }
                group.squares.extend_from_slice(&scan.squares);
            }
        }
        Groups { instances, groups }
    }

    /// Best estimates of a block of candidates, job by job.
    fn block(
        &self,
        data: &Profiles,
        jobs: &[Vec<Scan>],
        columns: std::ops::Range<usize>,
    ) -> Vec<f64> {
        let m = self.instances;
        let width = columns.len();
        let mut best = vec![f64::NEG_INFINITY; jobs.len() * width];
        for (j, scans) in jobs.iter().enumerate() {
            for scan in scans {
                let Some(family) = &scan.moments else {
                    continue;
                };
                let falls = linear_falls(data.gram(), family, columns.clone());
                for (t, fall) in falls.into_iter().enumerate() {
                    if fall > f64::NEG_INFINITY {
                        let value = &mut best[j * width + t];
                        *value = value.max(scan.value(m as f64, fall));
                    }
                }
            }
        }
        for group in &self.groups {
            let mut linked = None;
            let made = match group.scanned {
                Scanned::Profile => None,
                Scanned::Linked { ref link, spread } => {
                    linked = Some(data.linked(link.as_ref(), spread));
                    None
                }
                Scanned::Positive => Some(data.raw_block(columns.clone())),
                Scanned::Saturated { kind, log_rate } => {
                    Some(data.saturated(columns.clone(), kind, log_rate))
                }
            };
            let (values, squares) = match (&made, &linked) {
                (Some((values, squares)), _) => (values.as_slice(), squares.as_slice()),
                (_, Some(whole)) => whole.block(columns.clone()),
                (None, None) => data.block(columns.clone()),
            };
            let products = product(&group.left, values, m, width);
            let lengths = product(&group.squares, squares, m, width);
            let rows = group.left.len() / m;
            let mut row = 0;
            for (index, &(j, s)) in group.members.iter().enumerate() {
                let scan = &jobs[j][s];
                let basis = scan.left.len() - 1;
                for t in 0..width {
                    let own = &products[t * rows + row..t * rows + row + 1 + basis];
                    let length = lengths[t * group.members.len() + index];
                    let left = length - own[1..].iter().map(|b| b * b).sum::<f64>();
                    // Also false for NaN.
                    let usable = group.scanned != Scanned::Positive || own[0] > 0.0;
                    if usable && left > COLLINEAR * length {
                        let fall = own[0] * own[0] / left / m as f64;
                        let value = &mut best[j * width + t];
                        *value = value.max(scan.value(m as f64, fall));
                    }
                }
                row += 1 + basis;
            }
        }
        best
    }
}

/// By how much the residual share of a linear family falls with each candidate added.
fn linear_falls(gram: &Gram, family: &GramFamily, columns: std::ops::Range<usize>) -> Vec<f64> {
    let parents = family.parents.iter();
    let parents: Vec<&[f64]> = parents.map(|&p| &gram.row(p)[columns.clone()]).collect();
    let mut block = Block::new(parents.len());
    let child = &gram.row(family.child)[columns];
    let (lower, projected) = (family.factor.rows(), &family.projected);
    block.project(child, &parents, |_| 1.0, lower, projected);
    let (_, _, falls) = block.slot(None, Keys::Fall, COLLINEAR);
    falls.to_vec()
}

/// `left' right`, both stored column by column with m rows; the result's columns belong to those of `right`.
fn product(left: &[f64], right: &[f64], m: usize, width: usize) -> Vec<f64> {
    let rows = left.len() / m;
    let mut out = vec![0.0; rows * width];
    matmul(
        MatMut::from_column_major_slice_mut(&mut out, rows, width),
        Accum::Replace,
        MatRef::from_column_major_slice(left, m, rows).transpose(),
        MatRef::from_column_major_slice(right, m, width),
        1.0,
        Par::Seq,
    );
    out
}

/// An orthonormal basis of the columns' span; what the earlier ones nearly span is left out.
fn orthonormal(columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(columns.len());
    for mut column in columns {
        let length = dot(&column, &column).sqrt();
        // Twice is enough.
        for _ in 0..2 {
            for q in &basis {
                project_off(&mut column, q);
            }
        }
        let left = dot(&column, &column).sqrt();
        if left > 1e-8 * length {
            for value in &mut column {
                *value /= left;
            }
            basis.push(column);
        }
    }
    basis
}

/// Takes the part along a unit vector away.
fn project_off(column: &mut [f64], unit: &[f64]) {
    let share = dot(column, unit);
    for (value, q) in column.iter_mut().zip(unit) {
        *value -= share * q;
    }
}
