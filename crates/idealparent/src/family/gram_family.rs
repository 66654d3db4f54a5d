//! Least squares for one linear family, from correlations.

use super::{Blocks, Gram};
use crate::numerics::{COLLINEAR, Cholesky};

/// The regression of one child on its parents, all variables scaled to unit variance.
#[derive(Clone, Debug)]
pub struct GramFamily {
    /// The child.
    pub child: usize,
    /// The parents, ascending.
    pub parents: Vec<usize>,
    /// The columns of the parents.
    pub blocks: Blocks,
    /// Total weight of the rows used for the fit, the M in likelihoods.
    pub instances: f64,
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
    /// Share of the child's variance that the parents leave unexplained: SSE / (M Var).
    pub residual: f64,
}

impl GramFamily {
    /// Regresses `child` on `parents` (ascending). `ridge(v)` is added to the diagonal of the
    /// correlations. `None` if the parents are collinear.
    pub fn new(
        gram: &Gram,
        child: usize,
        parents: &[usize],
        ridge: impl Fn(usize) -> f64,
    ) -> Option<Self> {
        debug_assert!(parents.windows(2).all(|pair| pair[0] < pair[1]));
        let k = parents.len();
        let entry = |i: usize, j: usize| {
            let own = if i == j { ridge(parents[i]) } else { 0.0 };
            gram.correlation(parents[i], parents[j]) + own
        };
        let factor = Cholesky::factor(k, entry)?;
        let inverse_lower = factor.inverse_lower();
        let square_column = |i: usize| (i..k).map(|t| inverse_lower[t * k + i].powi(2)).sum();
        let precision: Vec<f64> = (0..k).map(square_column).collect();
        let collinear = |(&p, &q): (&usize, &f64)| 1.0 < COLLINEAR * (1.0 + ridge(p)) * q;
        if parents.iter().zip(&precision).any(collinear) {
            return None;
        }
        let mut projected: Vec<f64> = parents
            .iter()
            .map(|&p| gram.correlation(p, child))
            .collect();
        factor.solve_lower(&mut projected);
        let explained: f64 = projected.iter().map(|w| w * w).sum();
        let mut weights = projected.clone();
        factor.solve_upper(&mut weights);
        Some(GramFamily {
            child,
            parents: parents.to_vec(),
            blocks: gram.blocks(parents),
            instances: gram.rows(child).total(),
            factor,
            inverse_lower,
            projected,
            weights,
            precision,
            residual: (1.0 + ridge(child) - explained).max(0.0),
        })
    }

    /// Positions of the parents, those whose loss costs least first; ties keep their order.
    pub fn by_loss(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.parents.len()).collect();
        let cost = |i: usize| self.residual_without(i);
        order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        order
    }

    /// Unexplained share of the child's variance without the `i`-th parent.
    pub fn residual_without(&self, i: usize) -> f64 {
        self.residual + self.weights[i] * self.weights[i] / self.precision[i]
    }
}
