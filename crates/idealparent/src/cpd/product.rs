//! The chemical-reaction density: a product of saturating factors (section 5 and its references).

use serde::{Deserialize, Serialize};

/// Whether a parent activates or represses the child.
///
/// ```
/// use idealparent::FactorKind;
///
/// assert_eq!(FactorKind::Activator.value(3.0), 0.75);
/// assert_eq!(FactorKind::Repressor.value(3.0), 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum FactorKind {
    /// `h(y) = y / (1 + y)`, increasing.
    Activator,
    /// `h(y) = 1 / (1 + y)`, decreasing.
    Repressor,
}

impl FactorKind {
    /// The name of this kind in files.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// `h(y)` for y > 0.
    #[inline(always)]
    pub fn value(self, y: f64) -> f64 {
        let repressor = 1.0 / (1.0 + y);
        match self {
            FactorKind::Activator => y * repressor,
            FactorKind::Repressor => repressor,
        }
    }

    /// `h(y) - h(at)` for `y - at = step`, with the relative precision of `step`.
    #[inline(always)]
    pub(crate) fn difference(self, y: f64, at: f64, step: f64) -> f64 {
        let size = step / (1.0 + y) / (1.0 + at);
        match self {
            FactorKind::Activator => size,
            FactorKind::Repressor => -size,
        }
    }

    /// `h'(y)`.
    pub fn slope(self, y: f64) -> f64 {
        let square = 1.0 / ((1.0 + y) * (1.0 + y));
        match self {
            FactorKind::Activator => square,
            FactorKind::Repressor => -square,
        }
    }

    /// `h^-1(rho)` for 0 < rho < 1.
    pub fn inverse(self, rho: f64) -> f64 {
        match self {
            FactorKind::Activator => rho / (1.0 - rho),
            FactorKind::Repressor => 1.0 / rho - 1.0,
        }
    }
}

/// One parent's factor.
///
/// Part of a [`ProductCpd`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductFactor {
    /// Whether the parent activates or represses the child.
    pub kind: FactorKind,
    /// Weight a > 0.
    pub weight: f64,
}

/// `x = offset + scale * prod_i h_i(a_i u_i) + e`, `e ~ N(0, variance)`, for positive parents.
///
/// A missing parent may have values that are not positive; these count as 0.
///
/// ```
/// use idealparent::{FactorKind, ProductCpd, ProductFactor};
///
/// let factors = vec![
///     ProductFactor { kind: FactorKind::Activator, weight: 1.0 },
///     ProductFactor { kind: FactorKind::Repressor, weight: 3.0 },
/// ];
/// let cpd = ProductCpd { factors, scale: 8.0, offset: 0.0, variance: 0.1 };
/// assert_eq!(cpd.mean(&[1.0, 1.0]), 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProductCpd {
    /// Factors, one per parent.
    pub factors: Vec<ProductFactor>,
    /// Scale, theta.
    pub scale: f64,
    /// Offset, theta_0; 0 unless a baseline is fitted.
    pub offset: f64,
    /// Variance of the noise, by maximum likelihood (1/M).
    pub variance: f64,
}

impl ProductCpd {
    /// `prod_i h_i(a_i u_i)`.
    pub fn product(&self, parents: &[f64]) -> f64 {
        let value =
            |(factor, u): (&ProductFactor, &f64)| factor.kind.value(factor.weight * u.max(0.0));
        self.factors.iter().zip(parents).map(value).product()
    }

    /// Conditional mean given the parents' values.
    pub fn mean(&self, parents: &[f64]) -> f64 {
        self.offset + self.scale * self.product(parents)
    }

    /// Derivative of the mean with respect to one parent.
    pub fn slope(&self, parents: &[f64], parent: usize) -> f64 {
        if parents[parent] <= 0.0 {
            return 0.0;
        }
        let others: f64 = (0..parents.len())
            .filter(|&i| i != parent)
            .map(|i| {
                let ProductFactor { kind, weight } = self.factors[i];
                kind.value(weight * parents[i].max(0.0))
            })
            .product();
        let ProductFactor { kind, weight } = self.factors[parent];
        self.scale * others * kind.slope(weight * parents[parent]) * weight
    }

    /// The ideal value of `a z` for an additional parent z of this kind, where the child is `x`.
    ///
    /// The value of the new factor is `(x - offset) / (scale * product)`, which must be between 0
    /// and 1 and is clamped to that range.
    pub fn ideal(
        &self,
        kind: FactorKind,
        x: f64,
        parents: &[f64],
        margin: f64,
    ) -> super::IdealValue {
        let most = self.scale * self.product(parents);
        let (rho, clamped) = super::clamp_to_image((x - self.offset) / most, (0.0, 1.0), margin);
        let y = kind.inverse(rho);
        super::IdealValue {
            y,
            slope: most * kind.slope(y),
            clamped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> ProductCpd {
        ProductCpd {
            factors: vec![ProductFactor {
                kind: FactorKind::Activator,
                weight: 1.0,
            }],
            scale: 2.0,
            offset: 0.0,
            variance: 1.0,
        }
    }

    #[test]
    fn slopes_are_derivatives_and_inverses_invert() {
        let mut cpd = example();
        cpd.factors.push(ProductFactor {
            kind: FactorKind::Repressor,
            weight: 0.4,
        });
        let (u, h) = ([0.7, 2.0], 1e-6);
        for parent in 0..2 {
            let (mut up, mut down) = (u, u);
            up[parent] += h;
            down[parent] -= h;
            let difference = (cpd.mean(&up) - cpd.mean(&down)) / (2.0 * h);
            assert!((cpd.slope(&u, parent) - difference).abs() < 1e-8);
        }
        for kind in [FactorKind::Activator, FactorKind::Repressor] {
            assert!((kind.inverse(kind.value(1.7)) - 1.7).abs() < 1e-12);
            let difference = (kind.value(1.7 + h) - kind.value(1.7 - h)) / (2.0 * h);
            assert!((kind.slope(1.7) - difference).abs() < 1e-8);
        }
    }
}
