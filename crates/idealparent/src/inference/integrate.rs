//! Integrals over missing variables that depend on each other: on a grid for a single variable, by
//! importance sampling for several.

use std::f64::consts::PI;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use crate::network::Network;
use crate::numerics::Cholesky;

/// The coarse grid extends this many standard deviations of the variable's density given its
/// parents to either side, with this many points per standard deviation.
const REACH: f64 = 8.0;
const PER_DEVIATION: f64 = 40.0;

/// The fine grid around the maximum extends this many posterior standard deviations to either side,
/// with this many points per standard deviation.
const FINE_REACH: f64 = 10.0;
const FINE_PER_DEVIATION: f64 = 8.0;

/// Maximum number of points in each part of the grid.
const MOST_POINTS: usize = 4000;

/// Number of draws of importance sampling, and the factor by which it is increased if too few draws
/// are effective.
const DRAWS: usize = 2000;
const MORE: usize = 8;

/// Minimum effective sample size; below it, an estimate is rough.
pub(super) const FEW: f64 = 100.0;

/// Degrees of freedom of the t distribution of the draws.
const FREEDOM: f64 = 5.0;

/// Maximum number of steps towards the maximum of a density, and of halvings of each step.
const MOST_STEPS: usize = 100;
const HALVINGS: usize = 30;

/// Missing variables that depend on each other given the observed ones, and the families that
/// contain them.
#[derive(Debug)]
pub(super) struct Component {
    pub(super) members: Vec<usize>,
    pub(super) families: Vec<usize>,
}

/// Weighted points that represent a distribution.
pub(super) struct Weighted {
    points: Vec<Vec<f64>>,
    /// Normalised to sum 1.
    weights: Vec<f64>,
    /// Widths of the grid cells; 0 if the points are draws.
    cells: Vec<f64>,
    /// Logarithm of the integral of the joint density over the missing variables.
    pub(super) log_integral: f64,
}

impl Weighted {
    /// `logs` are the logarithms of the points' contributions to the integral.
    fn new(points: Vec<Vec<f64>>, logs: &[f64], cells: Vec<f64>) -> Self {
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut weights: Vec<f64> = if most.is_finite() {
            logs.iter().map(|log| (log - most).exp()).collect()
        } else {
            // The density underflows everywhere: weight all points equally. The integral is then
            // not finite.
            vec![1.0; logs.len()]
        };
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
        Weighted {
            points,
            weights,
            cells,
            log_integral: most + total.ln(),
        }
    }

    /// Effective sample size.
    pub(super) fn effective(&self) -> f64 {
        1.0 / self.weights.iter().map(|w| w * w).sum::<f64>()
    }

    /// Sets the weights of points that are not allowed to 0, unless no weight would remain.
    pub(super) fn keep(&mut self, allowed: impl Fn(&[f64]) -> bool) {
        let pairs = self.points.iter().zip(&self.weights);
        let kept = pairs.map(|(point, &w)| if allowed(point) { w } else { 0.0 });
        let kept: Vec<f64> = kept.collect();
        let total: f64 = kept.iter().sum();
        if total > 0.0 {
            self.weights = kept.iter().map(|w| w / total).collect();
        }
    }

    /// Mean and variance of one of the variables.
    pub(super) fn moments(&self, i: usize) -> (f64, f64) {
        let pairs = || self.points.iter().zip(&self.weights);
        let mean: f64 = pairs().map(|(point, w)| w * point[i]).sum();
        let square = |(point, w): (&Vec<f64>, &f64)| w * (point[i] - mean).powi(2);
        (mean, pairs().map(square).sum())
    }

    /// Draws a point by weight, uniformly within its cell.
    pub(super) fn draw(&self, random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut left: f64 = random.random();
        let taken = |weight: &f64| {
            left -= weight;
            left <= 0.0
        };
        let last = self.weights.len() - 1;
        let at = self.weights.iter().position(taken).unwrap_or(last);
        let jitter = self.cells[at] * (random.random::<f64>() - 0.5);
        self.points[at].iter().map(|x| x + jitter).collect()
    }
}

/// The joint density of a component's families, as a function of its members.
pub(super) struct Density<'a> {
    pub(super) network: &'a Network,
    pub(super) component: &'a Component,
    /// Values of all variables; those of the members change.
    pub(super) values: Vec<f64>,
}

impl Density<'_> {
    fn log(&mut self) -> f64 {
        let mut inputs = Vec::new();
        let values = &self.values;
        let one = |&family: &usize| self.network.log_density(family, |u| values[u], &mut inputs);
        self.component.families.iter().map(one).sum()
    }

    fn set(&mut self, point: impl IntoIterator<Item = f64>) {
        for (&v, x) in self.component.members.iter().zip(point) {
            self.values[v] = x;
        }
    }

    fn point(&self) -> Vec<f64> {
        let members = self.component.members.iter();
        members.map(|&v| self.values[v]).collect()
    }

    /// Gradient of the log density, and the factored precision matrix with every density linearised
    /// at the current point.
    fn tangent(&self) -> Option<(Vec<f64>, Cholesky)> {
        let members = &self.component.members;
        let k = members.len();
        let (mut gradient, mut precision) = (vec![0.0; k], vec![0.0; k * k]);
        for &family in &self.component.families {
            let own = &self.network.families[family];
            let inputs: Vec<f64> = own.parents.iter().map(|&p| self.values[p]).collect();
            let residual = self.values[family] - own.cpd.mean(&inputs);
            let slope = |(j, &p): (usize, &usize)| (p, -own.cpd.slope(&inputs, j));
            let parents = own.parents.iter().enumerate().map(slope);
            // Derivatives of the residual.
            let terms: Vec<(usize, f64)> = parents
                .chain([(family, 1.0)])
                .filter_map(|(v, x)| Some((members.binary_search(&v).ok()?, x)))
                .collect();
            for &(i, x) in &terms {
                gradient[i] -= x * residual / own.cpd.variance();
                for &(j, y) in &terms {
                    precision[i * k + j] += x * y / own.cpd.variance();
                }
            }
        }
        let factor = Cholesky::factor(k, |i, j| precision[i * k + j])?;
        Some((gradient, factor))
    }

    /// Moves to a local maximum, and returns the factored precision matrix there.
    fn climb(&mut self) -> Option<Cholesky> {
        let mut height = self.log();
        for _ in 0..MOST_STEPS {
            let (gradient, factor) = self.tangent()?;
            let mut step = gradient.clone();
            factor.solve(&mut step);
            let promised: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
            let from = self.point();
            let mut share = 1.0;
            let mut gained = 0.0;
            for _ in 0..HALVINGS {
                let to = from.iter().zip(&step).map(|(x, s)| x + share * s);
                self.set(to.collect::<Vec<_>>());
                gained = self.log() - height;
                if gained > 0.0 {
                    break;
                }
                share *= 0.5;
            }
            if gained <= 0.0 {
                self.set(from);
                return Some(factor);
            }
            height += gained;
            if promised < 1e-9 {
                break;
            }
        }
        Some(self.tangent()?.1)
    }

    /// A local maximum, and the precision of each member given all others.
    pub(super) fn mode(mut self) -> Option<(Vec<f64>, Vec<f64>)> {
        let factor = self.climb()?;
        let k = factor.len();
        let square = |i: usize| (0..=i).map(|j| factor.lower(i, j).powi(2)).sum();
        Some((self.point(), (0..k).map(square).collect()))
    }

    /// The integral over the members, starting from their current values. `spreads` are their
    /// approximate standard deviations.
    pub(super) fn integrate(mut self, spreads: &[f64], random: &mut ChaCha8Rng) -> Weighted {
        // The precision is positive definite up to rounding, since it includes each member's
        // family.
        let factor = self.climb().or_else(|| {
            let precision = |i: usize, j: usize| if i == j { spreads[i].powi(-2) } else { 0.0 };
            Cholesky::factor(spreads.len(), precision)
        });
        match (factor, spreads.len()) {
            (Some(factor), 1) => self.on_grid(1.0 / factor.lower(0, 0)),
            (Some(factor), _) => {
                let few = self.by_sampling(&factor, DRAWS, random);
                if few.effective() < FEW {
                    self.by_sampling(&factor, MORE * DRAWS, random)
                } else {
                    few
                }
            }
            // The spreads are not finite: use a single point.
            (None, _) => {
                let log = self.log();
                Weighted::new(vec![self.point()], &[log], vec![0.0])
            }
        }
    }

    /// Integrates over one variable: a fine grid around the maximum, and a coarse grid over the
    /// range of its density given its parents.
    fn on_grid(&mut self, sd: f64) -> Weighted {
        let v = self.component.members[0];
        let own = &self.network.families[v];
        let parents: Vec<f64> = own.parents.iter().map(|&p| self.values[p]).collect();
        let (centre, prior) = (own.cpd.mean(&parents), own.cpd.variance().sqrt());
        let mode = self.values[v];
        let inner = (mode - FINE_REACH * sd, mode + FINE_REACH * sd);
        let outer = (
            inner.0.min(centre - REACH * prior),
            inner.1.max(centre + REACH * prior),
        );
        let coarse = prior / PER_DEVIATION;
        let mut grid: Vec<(f64, f64)> = Vec::new();
        let mut part = |(from, to): (f64, f64), width: f64| {
            let count = ((to - from) / width)
                .ceil()
                .min(MOST_POINTS as f64)
                .max(0.0) as usize;
            let cell = (to - from) / count.max(1) as f64;
            grid.extend((0..count).map(|t| (from + (t as f64 + 0.5) * cell, cell)));
        };
        part((outer.0, inner.0), coarse);
        part(inner, coarse.min(sd / FINE_PER_DEVIATION));
        part((inner.1, outer.1), coarse);
        if grid.is_empty() {
            // The values are so large that the grid collapses to the maximum in floating point.
            grid.push((mode, sd * (2.0 * PI).sqrt()));
        }
        let mut log = |&(x, cell): &(f64, f64)| {
            self.values[v] = x;
            self.log() + cell.ln()
        };
        let logs: Vec<f64> = grid.iter().map(&mut log).collect();
        let (points, cells) = grid.into_iter().map(|(x, cell)| (vec![x], cell)).unzip();
        Weighted::new(points, &logs, cells)
    }

    /// Integrates over several variables: importance sampling from a multivariate t distribution
    /// around the maximum, whose heavy tails cover the whole posterior.
    fn by_sampling(
        &mut self,
        factor: &Cholesky,
        draws: usize,
        random: &mut ChaCha8Rng,
    ) -> Weighted {
        let mode = self.point();
        let size = mode.len() as f64;
        let chi = ChiSquared::new(FREEDOM).expect("a positive number");
        let gamma = libm::lgamma(0.5 * (FREEDOM + size)) - libm::lgamma(0.5 * FREEDOM);
        let normaliser = gamma + 0.5 * factor.log_det() - 0.5 * size * (FREEDOM * PI).ln();
        let (mut points, mut logs) = (Vec::with_capacity(draws), Vec::with_capacity(draws));
        for _ in 0..draws {
            let mut step: Vec<f64> = mode.iter().map(|_| StandardNormal.sample(random)).collect();
            let length: f64 = step.iter().map(|e: &f64| e * e).sum();
            let widening = (FREEDOM / chi.sample(random)).sqrt();
            factor.solve_upper(&mut step);
            let point: Vec<f64> = mode
                .iter()
                .zip(&step)
                .map(|(x, s)| x + widening * s)
                .collect();
            let distance = length * widening * widening;
            let proposed = normaliser - 0.5 * (FREEDOM + size) * (distance / FREEDOM).ln_1p();
            self.set(point.iter().copied());
            logs.push(self.log() - proposed - (draws as f64).ln());
            points.push(point);
        }
        self.set(mode);
        let cells = vec![0.0; points.len()];
        Weighted::new(points, &logs, cells)
    }
}
