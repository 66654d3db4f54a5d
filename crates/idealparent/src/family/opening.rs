//! What a family leaves open to a further parent: the profiles that candidates are compared with.
//!
//! A family says where it stands; comparing all candidates with that at once is up to the
//! selectors.

use std::sync::Arc;

use super::{GramFamily, SingleParent};
use crate::cpd::FactorKind;

/// Which function of a candidate enters a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CandidateForm {
    /// Its centred profile.
    Profile,
    /// Its raw profile, for densities of positive values.
    Positive,
    /// `h(a z)` of its raw profile z, centred, `a = e^log_rate` over the candidate's geometric
    /// mean.
    Saturated {
        /// Which h.
        kind: FactorKind,
        /// Logarithm of a.
        log_rate: f64,
    },
}

/// A way in which a candidate can lower a family's residual (the tangent measure).
#[derive(Clone, Debug)]
pub enum Opening {
    /// One Gauss-Newton step from the current fit.
    Tangent {
        /// What the family leaves over.
        residual: Vec<f64>,
        /// `g'`: how much a change of the weighted sum moves the prediction.
        slope: Vec<f64>,
        /// The Jacobian of the prediction in the current parameters, the offset aside.
        basis: Vec<Vec<f64>>,
        /// Share of the child's variance left over: uncertain entries make it more than the
        /// residual's length. 0 where there are none.
        left: f64,
    },
    /// A linear family, whose moments say by how much its residual falls.
    Linear(GramFamily),
    /// What every candidate leaves of this child as its only parent.
    Single(Arc<SingleParent>, usize),
    /// A product gains one more factor, its scale fitted again.
    Product {
        /// The child, centred.
        x: Vec<f64>,
        /// Its mean; `None` where a baseline is fitted.
        level: Option<f64>,
        /// The factors it has.
        product: Vec<f64>,
        /// The factors to try.
        forms: Vec<CandidateForm>,
    },
}

/// The profile of the ideal parent, for the measures of the paper (Definition 3.1, Eq. 8 and 9).
#[derive(Clone, Debug)]
pub struct IdealProfile {
    /// What the new parent's term should have been.
    pub y: Vec<f64>,
    /// `g'` where the mean equals the child.
    pub slope: Vec<f64>,
    /// Share of the child's variance that the current family leaves.
    pub residual: f64,
    /// Mean variance of the profile where entries are uncertain, slopes included.
    pub spread: f64,
    /// How many of the child's values are outside the density's image; `None` where nothing is
    /// inverted.
    pub clamped: Option<usize>,
    /// What of a candidate it is compared with.
    pub form: CandidateForm,
}
