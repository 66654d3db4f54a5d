//! A density whose mean is a link function of a weighted sum of the parents (Eq. 1, 2).

mod function;

use std::sync::Arc;

pub use function::{Link, MARGIN, Sigmoid, clamp_to_image};

/// `x = offset + scale * h(bias + sum_i weights_i u_i) + e`, `e ~ N(0, variance)`.
///
/// ```
/// use idealparent::{CpdKind, LinkCpd};
///
/// let CpdKind::Link(link) = CpdKind::sigmoid() else { unreachable!() };
/// let (weights, variance) = (vec![1.0], 0.1);
/// let cpd = LinkCpd { link, weights, bias: 0.0, scale: 2.0, offset: 1.0, variance };
/// assert_eq!(cpd.mean(&[0.0]), 2.0);
/// assert_eq!(cpd.slope(&[0.0], 0), 0.5);
/// ```
#[derive(Clone, Debug)]
pub struct LinkCpd {
    /// Link function h.
    pub link: Arc<dyn Link>,
    /// Weights alpha, one per parent.
    pub weights: Vec<f64>,
    /// Bias inside the link. If no bias is fitted, it only accounts for the parents' means.
    pub bias: f64,
    /// Scale, theta_1.
    pub scale: f64,
    /// Offset, theta_0.
    pub offset: f64,
    /// Variance of the noise, by maximum likelihood (1/M).
    pub variance: f64,
}

/// The ideal parent's value in one instance (Definition 3.1).
///
/// Returned by [`ideal_value`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdealValue {
    /// With a link, `h^-1((x - offset) / scale)` minus the link's argument at the current parents.
    pub y: f64,
    /// `g'`, the derivative of the mean where it equals x.
    pub slope: f64,
    /// Whether x was outside the image, or too close to its ends, and was clamped.
    pub clamped: bool,
}

impl LinkCpd {
    /// The link's argument given the parents' values.
    pub fn predictor(&self, parents: &[f64]) -> f64 {
        let terms = self.weights.iter().zip(parents).map(|(w, u)| w * u);
        self.bias + terms.sum::<f64>()
    }

    /// Conditional mean given the parents' values.
    pub fn mean(&self, parents: &[f64]) -> f64 {
        self.offset + self.scale * self.link.value(self.predictor(parents))
    }

    /// Derivative of the mean with respect to one parent.
    pub fn slope(&self, parents: &[f64], parent: usize) -> f64 {
        self.scale * self.link.slope(self.predictor(parents)) * self.weights[parent]
    }

    /// The ideal additional parent's value where the child is `x` (Eq. 3), with x clamped as in
    /// footnote 1.
    pub fn ideal(&self, x: f64, parents: &[f64], margin: f64) -> IdealValue {
        ideal_value(
            self.link.as_ref(),
            (x - self.offset) / self.scale,
            self.scale,
            self.predictor(parents),
            margin,
        )
    }
}

/// The ideal value for `q = (x - offset) / scale`.
///
/// `predictor` is the link's argument at the current parents. `q` is first moved into the image of
/// the link, `margin` times the image's width away from its ends (footnote 1).
///
/// ```
/// use idealparent::CpdKind;
/// use idealparent::extend::ideal_value;
///
/// let CpdKind::Link(sigmoid) = CpdKind::sigmoid() else { unreachable!() };
/// // The sigmoid has the value 0.5 at 0, but the current parents give it the argument 1.
/// let ideal = ideal_value(sigmoid.as_ref(), 0.5, 1.0, 1.0, 0.01);
/// assert_eq!((ideal.y, ideal.slope, ideal.clamped), (-1.0, 0.25, false));
/// ```
pub fn ideal_value(link: &dyn Link, q: f64, scale: f64, predictor: f64, margin: f64) -> IdealValue {
    let (q, clamped) = clamp_to_image(q, link.image(), margin);
    let argument = link.inverse(q);
    IdealValue {
        y: argument - predictor,
        slope: scale * link.slope(argument),
        clamped,
    }
}

impl PartialEq for LinkCpd {
    fn eq(&self, other: &Self) -> bool {
        self.link.word() == other.link.word()
            && self.weights == other.weights
            && (self.bias, self.scale, self.offset, self.variance)
                == (other.bias, other.scale, other.offset, other.variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> LinkCpd {
        LinkCpd {
            link: Arc::new(Sigmoid),
            weights: vec![0.5],
            bias: 0.0,
            scale: 2.0,
            offset: -1.0,
            variance: 1.0,
        }
    }

    /// Oracle O3 (tests/oracles.md).
    #[test]
    fn ideal_values_and_slopes_agree_with_the_oracle() {
        let u = [-2.0, -1.0, 0.0, 1.0, 2.0];
        let x = [-0.9, -0.2, 0.3, 0.8, -0.1];
        let y = [
            -1.9444389792,
            0.0945348919,
            0.6190392084,
            1.6972245773,
            -1.2006706955,
        ];
        let slopes = [0.095, 0.48, 0.455, 0.18, 0.495];
        for t in 0..5 {
            let ideal = example().ideal(x[t], &[u[t]], MARGIN);
            assert!((ideal.y - y[t]).abs() < 1e-9 && (ideal.slope - slopes[t]).abs() < 1e-12);
            assert!(!ideal.clamped);
        }
    }

    #[test]
    fn slope_is_the_derivative() {
        let (cpd, h) = (example(), 1e-6);
        let difference = (cpd.mean(&[0.3 + h]) - cpd.mean(&[0.3 - h])) / (2.0 * h);
        assert!((cpd.slope(&[0.3], 0) - difference).abs() < 1e-9);
    }
}
