//! Log-likelihood of a Gaussian family at its maximum likelihood variance.

use std::f64::consts::PI;

use crate::family::Gram;
use crate::numerics::VARIANCE_FLOOR;

/// Log-likelihoods of families by the share of the child's variance that their parents leave
/// unexplained, `residual = SSE / (M Var)`.
///
/// The noise variance is the maximum likelihood estimate, but not below the floor. Above the floor
/// the log-likelihood is `-M/2 (log(2 pi SSE/M) + 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likelihood {
    /// M.
    pub instances: f64,
    /// Smallest noise variance, as a share of the child's variance.
    pub floor: f64,
}

impl Likelihood {
    /// For data without uncertain entries.
    pub fn of_complete(instances: f64) -> Self {
        Likelihood {
            instances,
            floor: VARIANCE_FLOOR,
        }
    }

    /// For the families of a child.
    pub(crate) fn of(gram: &Gram, child: usize) -> Self {
        Likelihood {
            instances: gram.rows(child).total(),
            floor: gram.variance_floor(),
        }
    }

    /// Log-likelihood of a family whose child has this variance.
    pub fn family(&self, variance: f64, residual: f64) -> f64 {
        self.scale(variance) + self.relative(residual)
    }

    /// The part of [`family`](Self::family) that depends on the child's scale alone.
    pub(crate) fn scale(&self, variance: f64) -> f64 {
        -0.5 * self.instances * (2.0 * PI * variance).ln()
    }

    /// The part of [`family`](Self::family) that depends on the parents.
    pub fn relative(&self, residual: f64) -> f64 {
        let floored = residual.max(self.floor);
        -0.5 * self.instances * (floored.ln() + residual / floored)
    }

    /// Largest residual at which [`relative`](Self::relative) is at least `wanted`; negative if
    /// there is none.
    pub fn residual_for(&self, wanted: f64) -> f64 {
        let level = -2.0 * wanted / self.instances;
        let unfloored = (level - 1.0).exp();
        if unfloored >= self.floor {
            unfloored
        } else {
            self.floor * (level - self.floor.ln())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::UNCERTAIN_FLOOR;

    /// Oracle O1 (tests/oracles.md).
    #[test]
    fn likelihood_and_bic_agree_with_the_oracle() {
        let variance = 106.83333333333333 / 6.0;
        let residual = 13.6761904762 / 106.83333333333333;
        let value = Likelihood::of_complete(6.0).family(variance, residual);
        assert!((value + 10.9853219899).abs() < 1e-9);
        assert!((value - 1.5 * 6f64.ln() + 13.6729611937).abs() < 1e-9);
    }

    #[test]
    fn residual_for_inverts_the_likelihood() {
        for (m, floor) in [5.0, 173.0, 5000.0]
            .into_iter()
            .flat_map(|m| [VARIANCE_FLOOR, UNCERTAIN_FLOOR].map(|floor| (m, floor)))
        {
            let likelihood = Likelihood {
                instances: m,
                floor,
            };
            for residual in [0.9, 0.3, 1e-3, 1.1e-6, 9e-7, 1e-9, 0.0] {
                let back = likelihood.residual_for(likelihood.relative(residual));
                assert!(
                    (back - residual).abs() <= 1e-12 * residual.max(1e-6),
                    "{m} {residual} {back}"
                );
            }
            assert!(likelihood.residual_for(likelihood.relative(0.0) + 1.0) < 0.0);
        }
    }
}
