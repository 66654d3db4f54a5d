//! Conditional densities of a variable given its parents (sections 2, 3.1 and 5 of the paper):
//! means, slopes, ideal values, numbers of parameters.

mod expected;
mod kind;
mod linear;
mod link;
mod product;

pub use expected::{Expected, FactorMoments, LinkMoments, ParentSlopes};
pub use kind::CpdKind;
pub use linear::LinearCpd;
pub use link::{IdealValue, Link, LinkCpd, MARGIN, Sigmoid, clamp_to_image, ideal_value};
pub use product::{Factor, FactorKind, ProductCpd};

/// A conditional probability density, with its parameters in the data's own units.
#[derive(Clone, Debug, PartialEq)]
pub enum Cpd {
    /// The linear Gaussian density of section 3.2.
    Linear(LinearCpd),
    /// A link function of a weighted sum: the sigmoid of Eq. 2, or a link of the user's own.
    Link(LinkCpd),
    /// The chemical-reaction density, a product of saturating factors.
    Product(ProductCpd),
}

impl Cpd {
    /// The word for this density in files and options.
    pub fn kind(&self) -> &str {
        match self {
            Cpd::Linear(_) => "linear",
            Cpd::Link(cpd) => cpd.link.word(),
            Cpd::Product(_) => "product",
        }
    }

    /// The kind of density to ask for in order to get this one again.
    pub fn kind_to_learn(&self) -> CpdKind {
        match self {
            Cpd::Linear(_) => CpdKind::Linear,
            Cpd::Link(cpd) => CpdKind::Link(cpd.link.clone()),
            Cpd::Product(_) => CpdKind::Product,
        }
    }

    /// Number of parents the density is made for.
    pub fn arity(&self) -> usize {
        match self {
            Cpd::Linear(cpd) => cpd.weights.len(),
            Cpd::Link(cpd) => cpd.weights.len(),
            Cpd::Product(cpd) => cpd.factors.len(),
        }
    }

    /// Whether it is defined for positive parents only.
    pub fn needs_positive(&self) -> bool {
        matches!(self, Cpd::Product(_))
    }

    /// Conditional mean at one instance's parent values.
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

    /// The same density with another variance of the noise.
    pub fn set_variance(&mut self, variance: f64) {
        match self {
            Cpd::Linear(cpd) => cpd.variance = variance,
            Cpd::Link(cpd) => cpd.variance = variance,
            Cpd::Product(cpd) => cpd.variance = variance,
        }
    }

    /// The same density of the child in units `by` times as small: all its values are multiplied.
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

    /// The same density of a parent whose values are divided by `by`; of a product, above 0.
    pub(crate) fn rescale_parent(&mut self, parent: usize, by: f64) {
        // The weights come first.
        *self.numbers_mut()[parent] *= by;
    }

    /// Derivative of the mean in one parent at one instance's parent values.
    pub fn slope(&self, parents: &[f64], parent: usize) -> f64 {
        match self {
            Cpd::Linear(cpd) => cpd.weights[parent],
            Cpd::Link(cpd) => cpd.slope(parents, parent),
            Cpd::Product(cpd) => cpd.slope(parents, parent),
        }
    }

    /// Number of free parameters, `bias` and `baseline` saying whether those were free.
    pub fn parameters(&self, bias: bool, baseline: bool) -> usize {
        match self.arity() {
            0 => 2,
            k => self.kind_to_learn().parameters(k, bias, baseline),
        }
    }

    /// Every parameter but the noise variance: the parents' weights in their order, then the
    /// others.
    pub fn numbers(&self) -> Vec<f64> {
        self.clone().numbers_mut().into_iter().map(|x| *x).collect()
    }

    /// Likewise, to be changed.
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

    /// By how much, and in which direction, a parent moves the mean: its weight times the scale.
    /// Without a sign where the parent cannot be turned round: infinite.
    pub fn effect(&self, parent: usize) -> f64 {
        match self {
            Cpd::Linear(cpd) => cpd.weights[parent],
            Cpd::Link(cpd) => cpd.scale * cpd.weights[parent],
            Cpd::Product(_) => f64::INFINITY,
        }
    }

    /// The direction in which a parent pushes the mean: -1, 0 or 1. None of the densities changes
    /// it.
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

    /// What the argument of a link should have been where the child is `x` (Eq. 3); `None` for
    /// other densities.
    pub fn ideal(&self, x: f64, parents: &[f64], margin: f64) -> Option<IdealValue> {
        match self {
            Cpd::Link(cpd) => Some(cpd.ideal(x, parents, margin)),
            Cpd::Linear(_) | Cpd::Product(_) => None,
        }
    }
}
