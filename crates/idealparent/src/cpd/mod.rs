//! Conditional densities of a variable given its parents (sections 2, 3.1 and 5 of the paper):
//! means, slopes, ideal values, numbers of parameters.

mod expected;
mod kind;
mod linear;
mod link;
mod product;

pub use expected::{Expected, FactorMoments, LinkMoments, ParentSlopes};
pub use kind::{CpdKind, CpdSettings};
pub use linear::LinearCpd;
pub use link::{IdealValue, Link, LinkCpd, MARGIN, Sigmoid, clamp_to_image, ideal_value};
pub use product::{FactorKind, ProductCpd, ProductFactor};

/// A conditional probability density, with its parameters in the units of the data.
///
/// ```
/// use idealparent::{Cpd, LinearCpd};
///
/// let cpd = Cpd::Linear(LinearCpd { intercept: 1.0, weights: vec![2.0], variance: 0.5 });
/// assert_eq!((cpd.kind(), cpd.arity()), ("linear", 1));
/// assert_eq!((cpd.mean(&[3.0]), cpd.variance()), (7.0, 0.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cpd {
    /// The linear Gaussian density of section 3.2.
    Linear(LinearCpd),
    /// A link function of a weighted sum: the sigmoid of Eq. 2, or a user-defined link.
    Link(LinkCpd),
    /// The chemical-reaction density, a product of saturating factors.
    Product(ProductCpd),
}

impl Cpd {
    /// The name of this density in files and options.
    pub fn kind(&self) -> &str {
        match self {
            Cpd::Linear(_) => "linear",
            Cpd::Link(cpd) => cpd.link.word(),
            Cpd::Product(_) => "product",
        }
    }

    /// The kind with which a density like this one is learned.
    pub fn kind_to_learn(&self) -> CpdKind {
        match self {
            Cpd::Linear(_) => CpdKind::Linear,
            Cpd::Link(cpd) => CpdKind::Link(cpd.link.clone()),
            Cpd::Product(_) => CpdKind::Product,
        }
    }

    /// Number of parents.
    pub fn arity(&self) -> usize {
        match self {
            Cpd::Linear(cpd) => cpd.weights.len(),
            Cpd::Link(cpd) => cpd.weights.len(),
            Cpd::Product(cpd) => cpd.factors.len(),
        }
    }

    /// Whether the density is defined for positive parents only.
    pub fn needs_positive(&self) -> bool {
        matches!(self, Cpd::Product(_))
    }

    /// Conditional mean given the parents' values.
    pub fn mean(&self, parents: &[f64]) -> f64 {
        match self {
            Cpd::Linear(cpd) => cpd.mean(parents),
            Cpd::Link(cpd) => cpd.mean(parents),
            Cpd::Product(cpd) => cpd.mean(parents),
        }
    }

    /// Variance of the noise.
    pub fn variance(&self) -> f64 {
        match self {
            Cpd::Linear(cpd) => cpd.variance,
            Cpd::Link(cpd) => cpd.variance,
            Cpd::Product(cpd) => cpd.variance,
        }
    }

    /// Replaces the variance of the noise.
    pub fn set_variance(&mut self, variance: f64) {
        match self {
            Cpd::Linear(cpd) => cpd.variance = variance,
            Cpd::Link(cpd) => cpd.variance = variance,
            Cpd::Product(cpd) => cpd.variance = variance,
        }
    }

    /// Adapts the density to a child whose values are multiplied by `by`.
    pub(crate) fn rescale(&mut self, by: f64) {
        match self {
            Cpd::Linear(cpd) => {
                cpd.intercept *= by;
                cpd.weights.iter_mut().for_each(|w| *w *= by);
            }
            Cpd::Link(LinkCpd { offset, scale, .. })
            | Cpd::Product(ProductCpd { offset, scale, .. }) => {
                *offset *= by;
                *scale *= by;
            }
        }
        self.set_variance(self.variance() * by * by);
    }

    /// Adapts the density to a parent whose values are divided by `by`, which must be positive if
    /// the density is a product.
    pub(crate) fn rescale_parent(&mut self, parent: usize, by: f64) {
        // The weights come first in this list.
        *self.numbers_mut()[parent] *= by;
    }

    /// Derivative of the mean with respect to one parent, at these values of the parents.
    pub fn slope(&self, parents: &[f64], parent: usize) -> f64 {
        match self {
            Cpd::Linear(cpd) => cpd.weights[parent],
            Cpd::Link(cpd) => cpd.slope(parents, parent),
            Cpd::Product(cpd) => cpd.slope(parents, parent),
        }
    }

    /// Number of free parameters. `bias` and `baseline` say whether these parameters were free.
    pub fn parameters(&self, bias: bool, baseline: bool) -> usize {
        match self.arity() {
            0 => 2,
            k => self.kind_to_learn().parameters(k, bias, baseline),
        }
    }

    /// All parameters except the noise variance: the parents' weights in the order of the parents,
    /// then the others.
    pub fn numbers(&self) -> Vec<f64> {
        self.clone().numbers_mut().into_iter().map(|x| *x).collect()
    }

    /// Mutable references to the parameters, in the order of [`Cpd::numbers`].
    pub fn numbers_mut(&mut self) -> Vec<&mut f64> {
        match self {
            Cpd::Linear(cpd) => {
                let others = [&mut cpd.intercept];
                cpd.weights.iter_mut().chain(others).collect()
            }
            Cpd::Link(cpd) => {
                let others = [&mut cpd.bias, &mut cpd.scale, &mut cpd.offset];
                cpd.weights.iter_mut().chain(others).collect()
            }
            Cpd::Product(cpd) => {
                let others = [&mut cpd.scale, &mut cpd.offset];
                let weights = cpd.factors.iter_mut().map(|factor| &mut factor.weight);
                weights.chain(others).collect()
            }
        }
    }

    /// The weight of a parent.
    pub fn weight(&self, parent: usize) -> f64 {
        match self {
            Cpd::Linear(cpd) => cpd.weights[parent],
            Cpd::Link(cpd) => cpd.weights[parent],
            Cpd::Product(cpd) => cpd.factors[parent].weight,
        }
    }

    /// Size and direction of a parent's effect on the mean: its weight times the scale. Infinite
    /// for a product, whose parents must be positive and therefore cannot change sign.
    pub fn effect(&self, parent: usize) -> f64 {
        match self {
            Cpd::Linear(cpd) => cpd.weights[parent],
            Cpd::Link(cpd) => cpd.scale * cpd.weights[parent],
            Cpd::Product(_) => f64::INFINITY,
        }
    }

    /// The direction in which a parent moves the mean: -1, 0 or 1. It is the same everywhere, since
    /// all densities are monotone in each parent.
    pub fn sign(&self, parent: usize) -> f64 {
        let effect = match self {
            Cpd::Product(cpd) => match cpd.factors[parent].kind {
                FactorKind::Activator => cpd.scale,
                FactorKind::Repressor => -cpd.scale,
            },
            other => other.effect(parent),
        };
        if effect == 0.0 { 0.0 } else { effect.signum() }
    }

    /// The ideal additional parent's value where the child is `x` (Eq. 3); `None` unless the
    /// density has a link.
    pub fn ideal(&self, x: f64, parents: &[f64], margin: f64) -> Option<IdealValue> {
        match self {
            Cpd::Link(cpd) => Some(cpd.ideal(x, parents, margin)),
            Cpd::Linear(_) | Cpd::Product(_) => None,
        }
    }
}
