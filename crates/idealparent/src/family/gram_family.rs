//! Least squares for one linear family, from the correlations alone.

use super::{Blocks, Gram, Rows};
use crate::numerics::{COLLINEAR, Cholesky};

/// The regression of one child on its parents, all variables scaled to unit variance.
#[derive(Clone, Debug)]
pub struct GramFamily {
    /// The child.
    pub child: usize,
    /// The parents, ascending.
    pub parents: Vec<usize>,
    /// The columns they bring.
    pub blocks: Blocks,
    /// The rows it is fitted on.
    pub rows: Rows,
    /// Factor of the parents' correlations.
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
    /// Regresses `child` on `parents` (ascending). `ridge(v)` is added to the diagonal.
    /// `None` if the parents are collinear.
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
            rows: gram.rows(child).clone(),
            factor,
            inverse_lower,
            projected,
            weights,
            precision,
            residual: (1.0 + ridge(child) - explained).max(0.0),
        })
    }

    /// Position of the parent whose loss costs least, the first of equals.
    pub fn weakest(&self) -> usize {
        let cost = |&i: &usize| self.residual_without(i);
        let least = |a: &usize, b: &usize| cost(a).total_cmp(&cost(b)).then(a.cmp(b));
        (0..self.weights.len()).min_by(least).unwrap_or_default()
    }

    /// Unexplained share after the `i`-th parent is dropped, from the inverse.
    pub fn residual_without(&self, i: usize) -> f64 {
        self.residual + self.weights[i] * self.weights[i] / self.precision[i]
    }
}
