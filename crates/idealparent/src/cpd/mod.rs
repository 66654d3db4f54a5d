//! Conditional densities of a variable given its parents (sections 2, 3.1 and 5 of the paper).

mod linear;

pub use linear::LinearCpd;

/// A conditional probability density, with its parameters in the data's own units.
#[derive(Clone, Debug, PartialEq)]
pub enum Cpd {
    /// The linear Gaussian density of section 3.2.
    Linear(LinearCpd),
}

impl Cpd {
    /// The word for this density in files and options.
    pub fn kind(&self) -> &'static str {
        match self {
            Cpd::Linear(_) => "linear",
        }
    }

    /// Number of parents the density is made for.
    pub fn arity(&self) -> usize {
        match self {
            Cpd::Linear(linear) => linear.weights.len(),
        }
    }

    /// Conditional mean at one instance's parent values.
    pub fn mean(&self, parents: &[f64]) -> f64 {
        match self {
            Cpd::Linear(linear) => linear.mean(parents),
        }
    }

    /// Variance of the noise.
    pub fn variance(&self) -> f64 {
        match self {
            Cpd::Linear(linear) => linear.variance,
        }
    }

    /// Derivative of the mean in each parent at one instance's parent values.
    pub fn slope(&self, _parents: &[f64], parent: usize) -> f64 {
        match self {
            Cpd::Linear(linear) => linear.weights[parent],
        }
    }
}
