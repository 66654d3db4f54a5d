//! Regression of one variable on others from their correlations.

use super::Cholesky;
use crate::kernel::{dot, dots, subtract_combination};

/// Largest relative error of the residual that is accepted from correlations, for few instances.
const ACCURACY: f64 = 1e-9;

/// Largest error of a log-likelihood, in nats, that a residual from correlations may cause: a tenth
/// of the tolerance for ties. `M / 2` times the relative error of the residual must not exceed it.
const LIKELIHOOD_ACCURACY: f64 = 1e-8;

/// Smallest limit of the relative error, which applies to more than 200,000 instances. A lower one
/// would be below the rounding of ordinary regressions.
const LEAST_ACCURACY: f64 = 1e-13;

/// A parent of which the others leave less than this share unexplained is close to collinear:
/// correlations lose too many digits of its weight.
pub const NEARLY_COLLINEAR: f64 = 1e-8;

/// A refinement ends when it changes the residual by less than this share.
const REFINED: f64 = 1e-14;

/// Maximum number of refinements.
const REFINEMENTS: usize = 3;

/// The regression of one variable on others, all of unit variance.
#[derive(Clone, Debug)]
pub struct Regression {
    /// Cholesky factor L of the parents' correlations.
    pub factor: Cholesky,
    /// `L^-1`, row by row.
    pub inverse_lower: Vec<f64>,
    /// `L^-1` times the correlations of the parents with the child.
    pub projected: Vec<f64>,
    /// Weights of the parents.
    pub weights: Vec<f64>,
    /// Diagonal of the inverse of the parents' correlations.
    pub precision: Vec<f64>,
    /// Share of the child's variance that the parents leave unexplained.
    pub residual: f64,
}

impl Regression {
    /// Regresses a variable with the entry `own` on the diagonal. `among` returns the correlations
    /// of the parents, `with_child` those with the child. `None` if the correlations are not
    /// positive definite.
    pub fn new(
        k: usize,
        among: impl Fn(usize, usize) -> f64,
        with_child: impl Fn(usize) -> f64,
        own: f64,
    ) -> Option<Self> {
        let factor = Cholesky::factor(k, among)?;
        let mut projected: Vec<f64> = (0..k).map(with_child).collect();
        factor.solve_lower(&mut projected);
        let explained: f64 = projected.iter().map(|w| w * w).sum();
        let residual = (own - explained).max(0.0);
        Some(Regression::from_factor(factor, projected, residual))
    }

    /// The regression with this factor, projected child and residual.
    pub fn from_factor(factor: Cholesky, projected: Vec<f64>, residual: f64) -> Self {
        let k = factor.len();
        let inverse_lower = factor.inverse_lower();
        let square_column = |i: usize| (i..k).map(|t| inverse_lower[t * k + i].powi(2)).sum();
        let precision: Vec<f64> = (0..k).map(square_column).collect();
        let mut weights = projected.clone();
        factor.solve_upper(&mut weights);
        Regression {
            factor,
            inverse_lower,
            projected,
            weights,
            precision,
            residual,
        }
    }

    /// The same regression with as many digits as [`super::Orthogonal`] has, and its residual as a
    /// vector. Inner products of the vectors are the correlations; `ridge(i)` was added to the squared
    /// length of parent `i`, and `ridge(k)` to that of the child.
    ///
    /// The vector that the weights leave is regressed on the parents with the same factor, and the
    /// weights are corrected. Since the corrections are small, errors of the factor hardly matter
    /// (the corrected seminormal equations, Björck 1987). `None` if a parent is close to collinear,
    /// or if the corrections do not become small.
    pub fn refined(
        mut self,
        child: &[f64],
        parents: &[&[f64]],
        ridge: impl Fn(usize) -> f64,
    ) -> Option<(Self, Vec<f64>)> {
        if self.is_collinear(NEARLY_COLLINEAR, |_| 1.0) {
            return None;
        }
        let k = parents.len();
        let mut left = child.to_vec();
        subtract_combination(&mut left, &self.weights, parents);
        for _ in 0..REFINEMENTS {
            let mut change = dots(parents, &left);
            for (i, change) in change.iter_mut().enumerate() {
                *change -= ridge(i) * self.weights[i];
            }
            self.factor.solve_lower(&mut change);
            let gain: f64 = change.iter().map(|c| c * c).sum();
            for (projected, change) in self.projected.iter_mut().zip(&change) {
                *projected += change;
            }
            self.factor.solve_upper(&mut change);
            for (weight, change) in self.weights.iter_mut().zip(&change) {
                *weight += change;
            }
            subtract_combination(&mut left, &change, parents);
            let weights = self.weights.iter().enumerate();
            let ridges: f64 = weights.map(|(i, w)| ridge(i) * w * w).sum();
            self.residual = dot(&left, &left) + ridges + ridge(k);
            if gain <= REFINED * self.residual {
                return Some((self, left));
            }
        }
        None
    }

    /// Whether the others leave less than the share `least` of a parent's variance unexplained; its
    /// variance is `own(i)`.
    pub fn is_collinear(&self, least: f64, own: impl Fn(usize) -> f64) -> bool {
        let mut precision = self.precision.iter().enumerate();
        precision.any(|(i, q)| 1.0 < least * own(i) * q)
    }

    /// Whether a regression from correlations is accurate: the residual does not vanish in rounding
    /// errors, and no parent is nearly collinear with the others. `variance` is the child's, and the
    /// parents' is 1. With more instances the log-likelihood depends more on the residual.
    ///
    /// Independent errors of e in the correlations change the residual by about
    /// `e (variance + sum weights^2)`.
    pub fn is_accurate(&self, variance: f64, instances: f64) -> bool {
        let squares: f64 = self.weights.iter().map(|w| w * w).sum();
        let error = 4.0 * f64::EPSILON * (variance + squares);
        let nearly = |&q: &f64| NEARLY_COLLINEAR * q > 1.0;
        let by_instances = 2.0 * LIKELIHOOD_ACCURACY / instances;
        let accuracy = by_instances.clamp(LEAST_ACCURACY, ACCURACY);
        error <= accuracy * self.residual && !self.precision.iter().any(nearly)
    }
}
