//! Maximum likelihood parameters of a family.

mod cholesky;
mod expected;
mod gram;
mod gram_family;
mod least_squares;
mod marquardt;
mod profiles;
mod single_parent;
mod uncertain;

pub use cholesky::Cholesky;
pub use expected::{LinearFit, expected_squares, fit_linear};
pub use gram::{Gram, mean_and_variance, unit_variance};
pub use gram_family::{COLLINEAR, GramFamily};
pub use least_squares::{LeastSquares, centred, dot, least_squares};
pub use marquardt::{Problem, minimise};
pub use profiles::Profiles;
pub(crate) use single_parent::SingleParent;
pub(crate) use uncertain::{UncertainNormal, uncertain_normal_equations};
