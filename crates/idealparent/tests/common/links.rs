//! Links that the library does not bring.

use idealparent::cpd::Link;

/// `h(eta) = eta`: with it everything is linear.
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
