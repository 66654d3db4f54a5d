//! Least squares for one linear family, from correlations.

use super::{Blocks, Gram};
use crate::numerics::{Cholesky, Orthogonal, Regression};

/// The regression of one child on its parents, all variables scaled to unit variance.
///
/// It is computed from correlations, or from the variables as vectors if correlations lose too many
/// digits: if the residual is tiny, or a parent nearly collinear. Vectors then refine the regression
/// from correlations, or are orthogonalised.
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
    /// The residual as a vector, if the regression was computed from vectors.
    pub(crate) left: Option<Vec<f64>>,
    /// The orthogonal basis of the parents, if the regression was computed with one.
    pub(crate) orthogonal: Option<Box<Orthogonal>>,
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
        let own = |i: usize| 1.0 + ridge(parents[i]);
        let quick = Regression::new(
            k,
            |i, j| {
                let diagonal = if i == j { ridge(parents[i]) } else { 0.0 };
                gram.correlation(parents[i], parents[j]) + diagonal
            },
            |i| gram.correlation(parents[i], child),
            1.0 + ridge(child),
        );
        let is_enough =
            |quick: &Regression| !gram.has_vectors() || quick.is_accurate(1.0, gram.instances());
        let (fitted, left, orthogonal) = match quick {
            Some(quick) if is_enough(&quick) => (quick, None, None),
            quick => {
                let refined = quick.and_then(|quick| gram.refined(quick, child, parents, &ridge));
                if let Some((refined, left)) = refined {
                    (refined, Some(left), None)
                } else {
                    let orthogonal = Box::new(gram.orthogonal(child, parents, &ridge)?);
                    let left = orthogonal.left().to_vec();
                    (orthogonal.regression.clone(), Some(left), Some(orthogonal))
                }
            }
        };
        if fitted.is_collinear(gram.least_share(), own) {
            return None;
        }
        Some(GramFamily {
            child,
            parents: parents.to_vec(),
            blocks: gram.blocks(parents),
            instances: gram.rows(child).total(),
            factor: fitted.factor,
            inverse_lower: fitted.inverse_lower,
            projected: fitted.projected,
            weights: fitted.weights,
            precision: fitted.precision,
            residual: fitted.residual,
            left,
            orthogonal,
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
