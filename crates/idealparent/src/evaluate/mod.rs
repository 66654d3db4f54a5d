//! How good a learned network is (section 6 of the paper).

mod compare;
mod cross_validate;
mod structure;

pub use compare::{Agreement, Comparison, compare};
pub use cross_validate::{FoldResult, MethodSpec, MethodSummary, cross_validate, summarise};
pub use structure::Structure;
