//! The BGe score: the marginal likelihood of linear Gaussian networks, score equivalent.

use crate::error::{Error, Result, option};
use crate::family::{Gram, GramFamily};

/// Weight of the prior mean, alpha_mu.
const ALPHA_MU: f64 = 1.0;

/// Lower bound of the unexplained share of a child's variance.
const LEAST_RESIDUAL: f64 = 1e-9;

/// BGe with prior mean = sample mean and `T = t I`, normalised as in Kuipers, Moffa, Heckerman
/// (2014).
///
/// With `R = T + S` (`S` the centred scatter matrix, in the units of the data) the score of a
/// family of k parents U is `c_k + e_k log|R_U| - (e_k + 1/2) log|R_Ux|`,
/// `e_k = (M + alpha_w - N + k)/2`.
#[derive(Clone, Debug)]
pub struct Bge {
    /// M.
    instances: f64,
    /// alpha_w - N.
    freedom: f64,
    /// t.
    prior_scale: f64,
    /// `t / S_vv`: the prior's term on the diagonal of the scaled scatter matrix.
    ridge: Vec<f64>,
    /// `log S_vv`, to convert determinants to the units of the data.
    log_scale: Vec<f64>,
}

impl Bge {
    /// Creates the score for data with these moments and `variables` active variables.
    pub fn new(gram: &Gram, variables: usize, alpha_w: Option<f64>) -> Result<Self> {
        let n = variables as f64;
        let alpha_w = alpha_w.unwrap_or(n + 2.0);
        if !(alpha_w.is_finite() && alpha_w > n + 1.0) {
            return Err(Error::options(format!(
                "{} must be above the number of variables plus one ({})",
                option("alpha_w"),
                variables + 1
            )));
        }
        let prior_scale = ALPHA_MU * (alpha_w - n - 1.0) / (ALPHA_MU + 1.0);
        let scatter = |v: usize| {
            let s = gram.rows(v).total() * gram.variance(v);
            if s > 0.0 { s } else { 1.0 }
        };
        Ok(Bge {
            instances: gram.instances(),
            freedom: alpha_w - n,
            prior_scale,
            ridge: (0..gram.len()).map(|v| prior_scale / scatter(v)).collect(),
            log_scale: (0..gram.len()).map(|v| scatter(v).ln()).collect(),
        })
    }

    /// The prior's term on the diagonal of the correlation matrix.
    pub fn ridge(&self, variable: usize) -> f64 {
        self.ridge[variable]
    }

    /// Logarithm of the variable's scatter, by which [`Bge::ridge`] and the correlations were
    /// divided.
    pub fn log_scale(&self, variable: usize) -> f64 {
        self.log_scale[variable]
    }

    /// `log |R_U|` of a family's parents in the units of the data, without the parent at the given
    /// position.
    pub(crate) fn log_det_parents(&self, family: &GramFamily, without: Option<usize>) -> f64 {
        let parents = &family.parents;
        let dropped = |i: usize| family.precision[i].ln() - self.log_scale(parents[i]);
        let scales: f64 = parents.iter().map(|&p| self.log_scale(p)).sum();
        family.factor.log_det() + scales + without.map_or(0.0, dropped)
    }

    /// `log(|R_Ux| / |R_U|)` in the units of the data, from the residual of scaled columns.
    ///
    /// Residuals below 1e-9 of the child's variance cannot be distinguished from rounding errors.
    /// They count as 1e-9, also for a child that its parents determine.
    pub fn log_residual(&self, child: usize, residual: f64) -> f64 {
        residual.max(LEAST_RESIDUAL).ln() + self.log_scale[child]
    }

    /// Score of a family of `k` parents, given `log |R_U|` and
    /// `log_residual = log(|R_Ux| / |R_U|)`.
    pub fn family(&self, k: usize, log_det_parents: f64, log_residual: f64) -> f64 {
        self.constant(k) - 0.5 * log_det_parents - (self.exponent(k) + 0.5) * log_residual
    }

    /// e_k.
    fn exponent(&self, k: usize) -> f64 {
        0.5 * (self.instances + self.freedom + k as f64)
    }

    /// c_k.
    fn constant(&self, k: usize) -> f64 {
        let m = self.instances;
        let k = k as f64;
        0.5 * (ALPHA_MU / (m + ALPHA_MU)).ln() + libm::lgamma(0.5 * (m + self.freedom + k + 1.0))
            - libm::lgamma(0.5 * (self.freedom + k + 1.0))
            - 0.5 * m * std::f64::consts::PI.ln()
            + 0.5 * (self.freedom + 2.0 * k + 1.0) * self.prior_scale.ln()
    }
}
