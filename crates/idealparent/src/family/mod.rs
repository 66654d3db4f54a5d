//! One child with its parents on data: moments, fits, residuals, and what they leave open to a further parent.

mod blocks;
mod expected;
mod gram;
mod gram_family;
mod linear;
mod link;
mod model;
mod on_data;
mod opening;
mod product;
mod profiles;
mod rows;
mod single_parent;

pub use blocks::Blocks;
pub use expected::{LinearFit, expected_squares, fit_linear};
pub use gram::Gram;
pub use gram_family::GramFamily;
pub use linear::LinearModel;
pub use link::{LinkModel, LinkProblem, Precision, fit_link};
pub use model::{FamilyFit, FamilyModel, Job, Nested};
use model::{weakest_parents, without};
pub use on_data::FamilyData;
pub use opening::{CandidateForm, IdealProfile, Opening};
pub use product::ProductModel;
pub(crate) use product::SMALLEST_VARIATION;
pub use profiles::Profiles;
pub(crate) use profiles::SCANNED;
pub use rows::Rows;
pub use single_parent::SingleParent;
