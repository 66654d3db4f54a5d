//! Link functions, which turn a weighted sum of parents into a prediction (sections 2 and 5).

use std::fmt::Debug;

use crate::kernel::logistic_and_slope;

/// A monotone function `h`; the mean of its density is
/// `offset + scale * h(bias + sum_i weights_i u_i)`.
///
/// Implement this trait to learn networks with a density that the library does not have; see
/// `examples/custom_link.rs`.
///
/// ```
/// use std::sync::Arc;
///
/// use idealparent::CpdKind;
/// use idealparent::extend::Link;
///
/// #[derive(Debug)]
/// struct Exponential;
///
/// impl Link for Exponential {
///     fn word(&self) -> &str {
///         "exponential"
///     }
///     fn value(&self, eta: f64) -> f64 {
///         eta.exp()
///     }
///     fn slope(&self, eta: f64) -> f64 {
///         eta.exp()
///     }
///     fn inverse(&self, value: f64) -> f64 {
///         value.ln()
///     }
///     fn image(&self) -> (f64, f64) {
///         (0.0, f64::INFINITY)
///     }
/// }
///
/// assert_eq!(CpdKind::Link(Arc::new(Exponential)).word(), "exponential");
/// ```
pub trait Link: Debug + Send + Sync {
    /// The name of the density in files and options; not `linear`, `product` or `sigmoid`.
    fn word(&self) -> &str;

    /// `h(eta)`.
    fn value(&self, eta: f64) -> f64;

    /// `h'(eta)`, the paper's g' up to the scale.
    fn slope(&self, eta: f64) -> f64;

    /// `h^-1(value)` for a value inside the image.
    fn inverse(&self, value: f64) -> f64;

    /// The open interval that `h` maps onto; ends may be infinite.
    fn image(&self) -> (f64, f64);

    /// Whether `h(-eta) = 1 - h(eta)`. The sign of the scale is then arbitrary and reported as
    /// positive. Return `false` for odd functions such as the hyperbolic tangent, for which
    /// `h(-eta) = -h(eta)`.
    fn is_complementary(&self) -> bool {
        false
    }

    /// Smallest standard deviation of the link's arguments that a fit may reach. Below it the link
    /// is practically a straight line.
    fn smallest_spread(&self) -> f64 {
        1e-2
    }

    /// Largest standard deviation of the link's arguments that a fit may reach. Beyond the default
    /// a sigmoid is practically a step.
    fn largest_spread(&self) -> f64 {
        20.0
    }

    /// Largest distance from 0 to which the bias may move the nearest of the link's arguments.
    /// Beyond the default, 15, a sigmoid is an exponential to 1e-7: bias and scale would only
    /// compensate each other, until neither fits a double.
    fn reach(&self) -> f64 {
        15.0
    }

    /// Writes `h` and `h'` of all values of `eta`. Fits call this most, so a vectorised
    /// implementation pays off.
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

/// Before a value is inverted, it is moved this share of the image's width away from the ends of
/// the image (footnote 1).
pub const MARGIN: f64 = 0.01;

/// Clamps a value to the image of a link, at least `margin` times the image's width away from
/// either end. Also returns whether the value changed. An infinite image counts as having width 1.
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
