//! Log-likelihood of a Gaussian family at its maximum likelihood variance.

use std::f64::consts::PI;

use crate::numerics::VARIANCE_FLOOR;

/// Log-likelihood of a family that leaves the share `residual = SSE / (M Var)` of the child's
/// `variance` unexplained.
///
/// The noise variance is the maximum likelihood estimate, but not below the floor. Above the floor
/// the log-likelihood is `-M/2 (log(2 pi SSE/M) + 1)`.
pub fn log_likelihood(instances: f64, variance: f64, residual: f64) -> f64 {
    of_scale(instances, variance) + relative(instances, residual)
}

/// The part of [`log_likelihood`] that depends on the child's scale alone.
pub(crate) fn of_scale(instances: f64, variance: f64) -> f64 {
    -0.5 * instances * (2.0 * PI * variance).ln()
}

/// The part of [`log_likelihood`] that depends on the parents.
pub fn relative(instances: f64, residual: f64) -> f64 {
    let floored = residual.max(VARIANCE_FLOOR);
    -0.5 * instances * (floored.ln() + residual / floored)
}

/// Largest residual at which [`relative`] is at least `wanted`; negative if there is none.
pub fn residual_for(instances: f64, wanted: f64) -> f64 {
    let level = -2.0 * wanted / instances;
    let unfloored = (level - 1.0).exp();
    if unfloored >= VARIANCE_FLOOR {
        unfloored
    } else {
        VARIANCE_FLOOR * (level - VARIANCE_FLOOR.ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle O1 (tests/oracles.md).
    #[test]
    fn likelihood_and_bic_agree_with_the_oracle() {
        let variance = 106.83333333333333 / 6.0;
        let residual = 13.6761904762 / 106.83333333333333;
        let value = log_likelihood(6.0, variance, residual);
        assert!((value + 10.9853219899).abs() < 1e-9);
        assert!((value - 1.5 * 6f64.ln() + 13.6729611937).abs() < 1e-9);
    }

    #[test]
    fn residual_for_inverts_the_likelihood() {
        for m in [5.0, 173.0, 5000.0] {
            for residual in [0.9, 0.3, 1e-3, 1.1e-6, 9e-7, 1e-9, 0.0] {
                let back = residual_for(m, relative(m, residual));
                assert!(
                    (back - residual).abs() <= 1e-12 * residual.max(1e-6),
                    "{m} {residual} {back}"
                );
            }
            assert!(residual_for(m, relative(m, 0.0) + 1.0) < 0.0);
        }
    }
}
