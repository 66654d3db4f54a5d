//! Ways in which a further parent can improve a family: profiles with which candidates are
//! compared.
//!
//! A family provides the profiles; the selectors compare all candidates with them at once.

use std::sync::Arc;

use super::{GramFamily, SingleParent};
use crate::cpd::FactorKind;

/// The function of a candidate's column that enters a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CandidateForm {
    /// The centred column.
    Profile,
    /// The raw column, for densities of positive values.
    Positive,
    /// `h(a z)` of the raw column z, centred; `a` is `e^log_rate` over the column's geometric mean.
    Saturated {
        /// Activator or repressor, which determines h.
        kind: FactorKind,
        /// Logarithm of a times the geometric mean.
        log_rate: f64,
    },
}

/// A way in which a candidate can lower a family's residual (the tangent measure).
#[derive(Clone, Debug)]
pub enum Opening {
    /// One Gauss-Newton step from the current fit.
    Tangent {
        /// Residuals of the family.
        residual: Vec<f64>,
        /// `g'`: derivative of the prediction with respect to the weighted sum.
        slope: Vec<f64>,
        /// Jacobian of the prediction with respect to the current parameters except the offset.
        basis: Vec<Vec<f64>>,
        /// Share of the child's variance left unexplained. With uncertain entries it exceeds the
        /// mean square of the residuals; otherwise it may be 0.
        left: f64,
    },
    /// A linear family, whose moments give the decrease of its residual.
    Linear(GramFamily),
    /// Each candidate as the only parent of this child.
    Single(Arc<SingleParent>, usize),
    /// A product with one more factor; the scale is fitted again.
    Product {
        /// The child, centred.
        x: Vec<f64>,
        /// The child's mean; `None` if a baseline is fitted.
        level: Option<f64>,
        /// Product of the current factors.
        product: Vec<f64>,
        /// Forms of the new factor to try.
        forms: Vec<CandidateForm>,
    },
}

/// The profile of the ideal parent, for the measures of the paper (Definition 3.1, Eq. 8 and 9).
#[derive(Clone, Debug)]
pub struct IdealProfile {
    /// Ideal values of the new parent's term.
    pub y: Vec<f64>,
    /// `g'` where the mean equals the child.
    pub slope: Vec<f64>,
    /// Share of the child's variance that the current family leaves unexplained.
    pub residual: f64,
    /// Mean variance of the profile times its slopes, from uncertain entries.
    pub spread: f64,
    /// Number of the child's values outside the density's image; `None` if no link is inverted.
    pub clamped: Option<usize>,
    /// The form of the candidates that are compared with the profile.
    pub form: CandidateForm,
}
