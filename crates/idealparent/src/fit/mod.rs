//! Maximum likelihood parameters of a family.

mod expected;
mod gram;
mod gram_family;
mod profiles;
mod single_parent;

pub use expected::{LinearFit, expected_squares, fit_linear};
pub use gram::Gram;
pub use gram_family::GramFamily;
pub use profiles::Profiles;
pub(crate) use single_parent::SingleParent;
