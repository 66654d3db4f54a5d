//! Link functions that are not part of the library.

use idealparent::cpd::Link;

/// `h(eta) = eta`, with which a family is linear.
#[derive(Debug)]
pub struct Identity;

impl Link for Identity {
    fn word(&self) -> &str {
        "identity"
    }

    fn value(&self, eta: f64) -> f64 {
        eta
    }

    fn slope(&self, _: f64) -> f64 {
        1.0
    }

    fn inverse(&self, value: f64) -> f64 {
        value
    }

    fn image(&self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
}

/// `h(eta) = log(1 + e^eta)`, which is convex and has no upper bound.
#[derive(Debug)]
pub struct Softplus;

impl Link for Softplus {
    fn word(&self) -> &str {
        "softplus"
    }

    fn value(&self, eta: f64) -> f64 {
        eta.max(0.0) + (-eta.abs()).exp().ln_1p()
    }

    fn slope(&self, eta: f64) -> f64 {
        1.0 / (1.0 + (-eta).exp())
    }

    fn inverse(&self, value: f64) -> f64 {
        value + (-(-value).exp()).ln_1p()
    }

    fn image(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }
}
