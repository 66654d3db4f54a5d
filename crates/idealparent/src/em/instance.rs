//! What is missing in one instance of a network of any densities: how likely the observed part is, and what the rest may be.
//!
//! Missing variables that are neither parent and child nor parents of the same child are independent given what is observed, so
//! that the posterior falls apart. A missing variable by itself is integrated over on a grid; several together by importance sampling,
//! from a heavy-tailed distribution around the mean field solution.

use std::f64::consts::PI;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::mean_field::{Instance, MeanField};
use crate::fit::Cholesky;
use crate::network::Network;

/// Points per deviation of a grid, how far it goes on either side, and how many points it has at most.
const PER_DEVIATION: f64 = 4.0;
const REACH: f64 = 10.0;
const MOST_POINTS: usize = 4000;

/// Draws of importance sampling.
const DRAWS: usize = 2000;

/// Degrees of freedom of what they are drawn from.
const FREEDOM: f64 = 5.0;

/// What is known of one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct InstancePosterior {
    /// Means of the missing variables, in the order asked for.
    pub means: Vec<f64>,
    /// Their variances.
    pub variances: Vec<f64>,
    /// Draws from their joint posterior.
    pub draws: Vec<Vec<f64>>,
    /// The mean field bound of the log-likelihood of what is observed.
    pub bound: f64,
    /// An estimate of it: exact to many digits where no two missing variables depend on each other.
    pub estimate: f64,
}

/// Missing variables that depend on each other, with the families they are in.
struct Component {
    members: Vec<usize>,
    families: Vec<usize>,
}

/// Integrates over what an instance lacks. `values` holds NaN for the `unobserved`, which are ascending; `order` is topological.
pub(crate) fn instance_posterior(
    network: &Network,
    field: &MeanField,
    order: &[usize],
    values: &[f64],
    unobserved: &[usize],
    (draws, seed, row): (usize, u64, usize),
) -> InstancePosterior {
    let mut at = Instance {
        means: values.to_vec(),
        variances: vec![0.0; values.len()],
    };
    field.guess(&mut at, unobserved, order);
    field.improve(&mut at, unobserved);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(row as u64);
    let mut posterior = InstancePosterior {
        means: vec![0.0; unobserved.len()],
        variances: vec![0.0; unobserved.len()],
        draws: vec![vec![0.0; unobserved.len()]; draws],
        bound: field.free_energy(&at, unobserved),
        estimate: 0.0,
    };
    let mut touched = vec![false; network.len()];
    for component in components(network, field, unobserved) {
        for &family in &component.families {
            touched[family] = true;
        }
        let weighted = match component.members[..] {
            [v] => on_grid(network, &component, v, &at),
            _ => by_sampling(network, &component, &at, &mut random),
        };
        posterior.estimate += weighted.log_integral;
        for (i, &v) in component.members.iter().enumerate() {
            let place = unobserved.binary_search(&v).expect("it is unobserved");
            let (mean, variance) = weighted.moments(i);
            posterior.means[place] = mean;
            posterior.variances[place] = variance;
        }
        for draw in &mut posterior.draws {
            let point = weighted.draw(&mut random);
            for (i, v) in component.members.iter().enumerate() {
                let place = unobserved.binary_search(v).expect("it is unobserved");
                draw[place] = point[i];
            }
        }
    }
    let mut inputs = Vec::new();
    for v in 0..network.len() {
        if !touched[v] && !network.families[v].inactive {
            posterior.estimate += network.log_density(v, |u| at.means[u], &mut inputs);
        }
    }
    posterior
}

fn components(network: &Network, field: &MeanField, unobserved: &[usize]) -> Vec<Component> {
    let is_missing = |v: &usize| unobserved.binary_search(v).is_ok();
    let mut seen = vec![false; unobserved.len()];
    let mut found = Vec::new();
    for first in 0..unobserved.len() {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let mut members = vec![unobserved[first]];
        let mut families = Vec::new();
        let mut next = 0;
        while let Some(&v) = members.get(next) {
            next += 1;
            let own = std::iter::once(v).chain(field.children_of(v));
            for family in own.collect::<Vec<_>>() {
                if families.contains(&family) {
                    continue;
                }
                families.push(family);
                let parents = network.families[family].parents.iter().copied();
                for other in parents.chain([family]).filter(is_missing) {
                    let place = unobserved.binary_search(&other).expect("it is missing");
                    if !std::mem::replace(&mut seen[place], true) {
                        members.push(other);
                    }
                }
            }
        }
        members.sort_unstable();
        families.sort_unstable();
        found.push(Component { members, families });
    }
    found
}

/// Points with weights that stand for a distribution.
struct Weighted {
    points: Vec<Vec<f64>>,
    /// Their sum is 1.
    weights: Vec<f64>,
    /// Logarithm of the integral of the joint density over the missing variables.
    log_integral: f64,
    /// Width of a point's cell, on a grid.
    cell: f64,
}

impl Weighted {
    /// From logarithms of the density at points, relative to that of the points themselves, whose number is counted as `count`.
    fn new(points: Vec<Vec<f64>>, logs: &[f64], count: f64, cell: f64) -> Self {
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
        Weighted {
            points,
            weights,
            log_integral: most + (total / count).ln(),
            cell,
        }
    }

    fn moments(&self, i: usize) -> (f64, f64) {
        let pairs = || self.points.iter().zip(&self.weights);
        let mean: f64 = pairs().map(|(point, w)| w * point[i]).sum();
        let square = |(point, w): (&Vec<f64>, &f64)| w * (point[i] - mean).powi(2);
        (mean, pairs().map(square).sum())
    }

    fn draw(&self, random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut left: f64 = random.random();
        let taken = |weight: &f64| {
            left -= weight;
            left <= 0.0
        };
        let last = self.weights.len() - 1;
        let at = self.weights.iter().position(taken).unwrap_or(last);
        let jitter = self.cell * (random.random::<f64>() - 0.5);
        self.points[at].iter().map(|x| x + jitter).collect()
    }
}

/// The density of the component's families at values.
fn log_density(
    network: &Network,
    families: &[usize],
    values: &[f64],
    inputs: &mut Vec<f64>,
) -> f64 {
    let one = |&family: &usize| network.log_density(family, |u| values[u], inputs);
    families.iter().map(one).sum()
}

fn on_grid(network: &Network, component: &Component, v: usize, at: &Instance) -> Weighted {
    let mut inputs = Vec::new();
    let own = &network.families[v];
    let parents: Vec<f64> = own.parents.iter().map(|&p| at.means[p]).collect();
    let (centre, prior) = (own.cpd.mean(&parents), own.cpd.variance().sqrt());
    let sd = at.variances[v].sqrt().min(prior);
    // As far as the variable's own density goes, and as far as the posterior seems to.
    let low = (at.means[v] - REACH * sd).min(centre - REACH * prior);
    let high = (at.means[v] + REACH * sd).max(centre + REACH * prior);
    let points = (PER_DEVIATION * (high - low) / sd).ceil() as usize;
    let points = points.clamp(2, MOST_POINTS);
    let cell = (high - low) / points as f64;
    let mut values = at.means.clone();
    let grid: Vec<f64> = (0..points).map(|t| low + (t as f64 + 0.5) * cell).collect();
    let log = |&x: &f64| {
        values[v] = x;
        log_density(network, &component.families, &values, &mut inputs)
    };
    let logs: Vec<f64> = grid.iter().map(log).collect();
    Weighted::new(
        grid.into_iter().map(|x| vec![x]).collect(),
        &logs,
        1.0 / cell,
        cell,
    )
}

fn by_sampling(
    network: &Network,
    component: &Component,
    at: &Instance,
    random: &mut ChaCha8Rng,
) -> Weighted {
    let members = &component.members;
    let k = members.len();
    let factor = local_precision(network, component, at);
    let chi = ChiSquared::new(FREEDOM).expect("a positive number");
    let mut values = at.means.clone();
    let mut inputs = Vec::new();
    let (mut points, mut logs) = (Vec::with_capacity(DRAWS), Vec::with_capacity(DRAWS));
    // Of the multivariate t distribution's density only what the draws share.
    let size = k as f64;
    let gamma = libm::lgamma(0.5 * (FREEDOM + size)) - libm::lgamma(0.5 * FREEDOM);
    let normaliser = gamma + 0.5 * factor.log_det() - 0.5 * size * (FREEDOM * PI).ln();
    for _ in 0..DRAWS {
        let mut step: Vec<f64> = (0..k).map(|_| StandardNormal.sample(random)).collect();
        let length: f64 = step.iter().map(|e: &f64| e * e).sum();
        let widening = (FREEDOM / chi.sample(random)).sqrt();
        factor.solve_upper(&mut step);
        for (&v, step) in members.iter().zip(&step) {
            values[v] = at.means[v] + widening * step;
        }
        let distance = length * widening * widening;
        let proposed = normaliser - 0.5 * (FREEDOM + size) * (distance / FREEDOM).ln_1p();
        logs.push(log_density(network, &component.families, &values, &mut inputs) - proposed);
        points.push(members.iter().map(|&v| values[v]).collect());
    }
    Weighted::new(points, &logs, DRAWS as f64, 0.0)
}

/// Factor of the precision of a component's members where every density is replaced by its tangent at the means.
fn local_precision(network: &Network, component: &Component, at: &Instance) -> Cholesky {
    let members = &component.members;
    let k = members.len();
    let mut matrix = vec![0.0; k * k];
    for &family in &component.families {
        let own = &network.families[family];
        let inputs: Vec<f64> = own.parents.iter().map(|&p| at.means[p]).collect();
        let slope = |(j, &p): (usize, &usize)| (p, -own.cpd.slope(&inputs, j));
        let parents = own.parents.iter().enumerate().map(slope);
        let terms: Vec<(usize, f64)> = parents
            .chain([(family, 1.0)])
            .filter_map(|(v, x)| Some((members.binary_search(&v).ok()?, x)))
            .collect();
        for &(i, x) in &terms {
            for &(j, y) in &terms {
                matrix[i * k + j] += x * y / own.cpd.variance();
            }
        }
    }
    // Every member's own family is among the families, so that the matrix is positive definite but for rounding.
    let factor = Cholesky::factor(k, |i, j| matrix[i * k + j]);
    factor.unwrap_or_else(|| {
        let own = |i: usize| 1.0 / at.variances[members[i]];
        let diagonal = |i: usize, j: usize| if i == j { own(i) } else { 0.0 };
        Cholesky::factor(k, diagonal).expect("variances are positive")
    })
}
