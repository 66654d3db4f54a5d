//! Scans of many jobs at once, one tile of candidates after the other.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use super::{Estimate, Known, Scan};
use crate::family::{CandidateForm, Gram, GramFamily, Profiles, SingleParent};
use crate::kernel::{Block, Keys};
use crate::numerics::{UNRESOLVED, multiply};
use crate::score::Likelihood;

/// Number of jobs whose vectors are multiplied at once. Fixed, so that results do not depend on the
/// number of threads.
const CHUNK: usize = 16;

/// Estimates, for every job, the log-likelihood with each variable as a further parent. This is the
/// best estimate of the job's scans, or minus infinity if the variable adds nothing new.
pub fn scan_candidates(data: &Profiles, jobs: &[Vec<Scan>]) -> Vec<Vec<f64>> {
    prepare(jobs);
    let chunks: Vec<&[Vec<Scan>]> = jobs.chunks(CHUNK).collect();
    let groups: Vec<Vec<Group>> = chunks.par_iter().map(|jobs| Group::all(jobs)).collect();
    // Ordered by tile, so that neighbouring pieces read the same candidates.
    let pieces: Vec<(usize, usize)> = (0..data.tiles())
        .flat_map(|tile| (0..chunks.len()).map(move |chunk| (tile, chunk)))
        .collect();
    let estimates: Vec<Vec<f64>> = pieces
        .par_iter()
        .map(|&(tile, chunk)| tile_estimates(data, chunks[chunk], &groups[chunk], tile))
        .collect();
    let mut all = vec![vec![f64::NEG_INFINITY; data.width()]; jobs.len()];
    for (&(tile, chunk), values) in pieces.iter().zip(&estimates) {
        let columns = data.tile_range(tile);
        let jobs = &mut all[chunk * CHUNK..];
        for (job, values) in jobs.iter_mut().zip(values.chunks(columns.len())) {
            job[columns.clone()].copy_from_slice(values);
        }
    }
    all
}

/// Computes the residuals of single parents for all children at once, before the tiles read them.
fn prepare(jobs: &[Vec<Scan>]) {
    let mut links: Vec<(&Arc<SingleParent>, Vec<usize>)> = Vec::new();
    for scan in jobs.iter().flatten() {
        let Some(Known::Single(single, child)) = &scan.known else {
            continue;
        };
        match links
            .iter_mut()
            .find(|(known, _)| Arc::ptr_eq(known, single))
        {
            Some((_, children)) => children.push(*child),
            None => links.push((single, vec![*child])),
        }
    }
    for (single, children) in links {
        single.prepare(children);
    }
}

/// Scans of several jobs that use the same form of the candidates, with their vectors side by side.
struct Group {
    form: CandidateForm,
    /// `(job, scan)` of each member.
    members: Vec<(usize, usize)>,
    left: Vec<f64>,
    squares: Vec<f64>,
}

impl Group {
    /// Groups the scans of these jobs by form; scans without products are left out.
    fn all(jobs: &[Vec<Scan>]) -> Vec<Self> {
        let mut groups: Vec<Group> = Vec::new();
        for (j, scans) in jobs.iter().enumerate() {
            for (s, scan) in scans.iter().enumerate() {
                if scan.known.is_some() {
                    continue;
                }
                let known = groups.iter().position(|g| g.form == scan.form);
                let at = known.unwrap_or_else(|| {
                    groups.push(Group {
                        form: scan.form,
                        members: Vec::new(),
                        left: Vec::new(),
                        squares: Vec::new(),
                    });
                    groups.len() - 1
                });
                let group = &mut groups[at];
                group.members.push((j, s));
                for column in scan.left.iter() {
                    group.left.extend_from_slice(column);
                }
                group.squares.extend_from_slice(&scan.squares);
            }
        }
        groups
    }
}

/// Best estimates for the candidates of a tile, job by job.
fn tile_estimates(data: &Profiles, jobs: &[Vec<Scan>], groups: &[Group], tile: usize) -> Vec<f64> {
    let rows = data.instances();
    let columns = data.tile_range(tile);
    let width = columns.len();
    let mut best: Vec<Best> = (0..jobs.len()).map(|_| Best::new(width)).collect();
    for (scans, best) in jobs.iter().zip(&mut best) {
        for scan in scans {
            match &scan.known {
                Some(Known::Linear(family)) => {
                    let falls = linear_falls(data.gram(), family, columns.clone());
                    best.offer(scan, falls.into_iter());
                }
                Some(Known::Single(single, child)) => {
                    let left = &single.left(*child)[columns.clone()];
                    let falls = left.iter().map(|&left| 1.0 - f64::from(left));
                    best.offer(scan, falls);
                }
                None => {}
            }
        }
    }
    for group in groups {
        let mut means = Vec::new();
        let made = match group.form {
            CandidateForm::Profile => None,
            CandidateForm::Positive => Some(data.raw_tile(tile)),
            CandidateForm::Saturated { kind, log_rate } => {
                let (values, squares, centres) = data.saturated_tile(tile, kind, log_rate);
                means = centres;
                Some((values, squares))
            }
        };
        let (values, squares) = match &made {
            None => data.tile(tile),
            Some((values, squares)) => (values.as_slice(), squares.as_slice()),
        };
        let products = product(values, &group.left, rows);
        let lengths = product(squares, &group.squares, rows);
        let mut products = products.chunks(width);
        for (&(j, s), lengths) in group.members.iter().zip(lengths.chunks(width)) {
            let scan = &jobs[j][s];
            let mut next = || products.next().expect("a product for every vector");
            let shared = next();
            if let Some(split) = &scan.split {
                let (own, sums) = (next(), next());
                let residual = |t: usize| {
                    let products = [shared[t], own[t], sums[t]];
                    split.residual(scan.likelihood.instances, means[t], products, lengths[t])
                };
                best[j].offer_residuals((0..width).map(residual));
                continue;
            }
            let mut left = lengths.to_vec();
            for basis in products.by_ref().take(scan.left.len() - 1) {
                for (left, b) in left.iter_mut().zip(basis) {
                    *left -= b * b;
                }
            }
            let fall = |t: usize| {
                // Also false for NaN.
                if left[t] > UNRESOLVED * lengths[t] {
                    shared[t] * shared[t] / (left[t] * scan.likelihood.instances)
                } else {
                    f64::NEG_INFINITY
                }
            };
            best[j].offer(scan, (0..width).map(fall));
        }
    }
    best.into_iter()
        .zip(jobs)
        .flat_map(|(best, scans)| {
            let likelihood = scans.first().map(|scan| scan.likelihood);
            best.finish(likelihood.unwrap_or(Likelihood::of_complete(0.0)))
        })
        .collect()
}

/// The best estimates of a job so far, one per candidate.
struct Best {
    /// Smallest residual share; infinite if there is none.
    residual: Vec<f64>,
    /// Largest log-likelihood of the estimates that are not residuals.
    value: Vec<f64>,
}

impl Best {
    fn new(width: usize) -> Self {
        Best {
            residual: vec![f64::INFINITY; width],
            value: vec![f64::NEG_INFINITY; width],
        }
    }

    fn offer(&mut self, scan: &Scan, falls: impl Iterator<Item = f64>) {
        let likelihood = scan.likelihood;
        match scan.estimate {
            Estimate::Residual => {
                self.offer_residuals(falls.map(|fall| scan.length - fall));
            }
            Estimate::Distorted { residual, gain } => {
                for (value, fall) in self.value.iter_mut().zip(falls) {
                    if (scan.length - fall).is_finite() {
                        let gain = gain(likelihood, fall, scan.length, residual);
                        *value = value.max(likelihood.relative(residual) + gain);
                    }
                }
            }
        }
    }

    /// Offers residual shares. Rounding may make them negative; values that are not finite are
    /// ignored.
    fn offer_residuals(&mut self, residuals: impl Iterator<Item = f64>) {
        for (least, residual) in self.residual.iter_mut().zip(residuals) {
            if residual.is_finite() {
                *least = least.min(residual.max(0.0));
            }
        }
    }

    fn finish(self, likelihood: Likelihood) -> impl Iterator<Item = f64> {
        let pairs = self.residual.into_iter().zip(self.value);
        pairs.map(move |(residual, value)| {
            if residual.is_finite() {
                value.max(likelihood.relative(residual))
            } else {
                value
            }
        })
    }
}

/// Reduction of a linear family's residual share by each candidate.
fn linear_falls(gram: &Gram, family: &GramFamily, columns: std::ops::Range<usize>) -> Vec<f64> {
    let parents = family.parents.iter();
    let parents: Vec<&[f64]> = parents.map(|&p| &gram.row(p)[columns.clone()]).collect();
    let mut block = Block::default();
    block.prepare(parents.len());
    let child = &gram.row(family.child)[columns];
    let (lower, projected) = (family.factor.rows(), &family.projected);
    block.project(child, &parents, |_| 1.0, lower, projected);
    let (_, _, falls) = block.slot(None, Keys::Fall, (UNRESOLVED, f64::NEG_INFINITY));
    falls.to_vec()
}

/// Products of a tile's variables with vectors of `m` values, one column per vector.
fn product(tile: &[f64], vectors: &[f64], m: usize) -> Vec<f64> {
    let (rows, columns) = (tile.len() / m, vectors.len() / m);
    let mut out = vec![0.0; rows * columns];
    multiply(
        MatMut::from_column_major_slice_mut(&mut out, rows, columns),
        MatRef::from_column_major_slice(tile, rows, m),
        MatRef::from_column_major_slice(vectors, m, columns),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::IdealProfile;
    use crate::ideal::Measure;

    /// A value that is not finite is no estimate, and must never win.
    #[test]
    fn values_that_are_not_finite_are_ignored() {
        let falls = [0.5, f64::NAN, f64::NEG_INFINITY];
        let (y, slope) = (vec![1.0, 2.0], vec![1.0, 1.0]);
        let tangent = Scan::tangent(y.clone(), slope.clone(), Vec::new(), 0.0);
        let profile = |y, slope| IdealProfile {
            y,
            slope,
            residual: 1.0,
            spread: 0.0,
            clamped: None,
            form: CandidateForm::Profile,
        };
        let distorted = Scan::distorted(profile(y, slope), Measure::C2);
        let undefined = Scan::distorted(profile(vec![f64::NAN], vec![1.0]), Measure::C1);
        for (scan, known) in [(tangent, true), (distorted, true), (undefined, false)] {
            let scan = Scan {
                likelihood: Likelihood::of_complete(2.0),
                ..scan
            };
            let mut best = Best::new(3);
            best.offer(&scan, falls.into_iter());
            let found: Vec<f64> = best.finish(Likelihood::of_complete(2.0)).collect();
            assert_eq!(found[0].is_finite(), known);
            assert_eq!(found[1..], [f64::NEG_INFINITY; 2]);
        }
    }
}
