//! Link functions: what turns a weighted sum of parents into a prediction (sections 2 and 5).

use std::fmt::Debug;

use crate::kernel::logistic_and_slope;

/// A monotone function `h` with which a density's mean is
/// `offset + scale * h(bias + sum_i weights_i u_i)`.
///
/// This is the library's open door: whoever implements it can learn networks with it, see
/// `examples/custom_link.rs`.
pub trait Link: Debug + Send + Sync {
    /// The word for the density in files and options; not `linear`, `product` or `sigmoid`.
    fn word(&self) -> &str;

    /// `h(eta)`.
    fn value(&self, eta: f64) -> f64;

    /// `h'(eta)`, the paper's g' up to the scale.
    fn slope(&self, eta: f64) -> f64;

    /// `h^-1(value)` for a value inside the image.
    fn inverse(&self, value: f64) -> f64;

    /// The open interval that `h` maps onto; ends may be infinite.
    fn image(&self) -> (f64, f64);

    /// Whether `h(-eta) = 1 - h(eta)`: then the sign of the scale is arbitrary and reported
    /// positive. Not so of odd functions, such as the hyperbolic tangent, where
    /// `h(-eta) = -h(eta)`.
    fn is_complementary(&self) -> bool {
        false
    }

    /// Below this deviation of its arguments the link is taken for a straight line; weights are not
    /// let in further.
    fn smallest_spread(&self) -> f64 {
        1e-2
    }

    /// Weights are not let out further than this deviation of the link's arguments: beyond it a
    /// sigmoid is a step.
    fn largest_spread(&self) -> f64 {
        20.0
    }

    /// How far the bias may move all arguments to one side of 0. Further out than the default, 15,
    /// a sigmoid's flank is an exponential to 1e-7: the scale would only pay back what the bias
    /// does, until neither fits a double.
    fn reach(&self) -> f64 {
        15.0
    }

    /// `h` and `h'` of many values at once; worth writing with vector instructions.
    fn evaluate(&self, eta: &[f64], value: &mut [f64], slope: &mut [f64]) {
        for (t, &eta) in eta.iter().enumerate() {
            value[t] = self.value(eta);
            slope[t] = self.slope(eta);
        }
    }
}

/// The sigmoid `1 / (1 + e^-eta)` of Eq. 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sigmoid;

impl Link for Sigmoid {
    fn word(&self) -> &str {
        "sigmoid"
    }

    fn value(&self, eta: f64) -> f64 {
        1.0 / (1.0 + (-eta).exp())
    }

    fn slope(&self, eta: f64) -> f64 {
        let s = self.value(eta);
        s * (1.0 - s)
    }

    fn inverse(&self, value: f64) -> f64 {
        (value / (1.0 - value)).ln()
    }

    fn image(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn is_complementary(&self) -> bool {
        true
    }

    fn evaluate(&self, eta: &[f64], value: &mut [f64], slope: &mut [f64]) {
        logistic_and_slope(eta, value, slope);
    }
}

/// Share of the image kept clear of its ends when a value is put through the inverse (footnote 1).
pub const MARGIN: f64 = 0.01;

/// Pulls a value into the image of a link, `margin` away from its ends; says whether it had to.
pub fn clamp_to_image(value: f64, image: (f64, f64), margin: f64) -> (f64, bool) {
    let (low, high) = image;
    let width = if (high - low).is_finite() {
        high - low
    } else {
        1.0
    };
    let clamped = value.clamp(low + margin * width, high - margin * width);
    (clamped, clamped != value)
}
