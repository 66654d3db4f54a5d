//! How good a learned network is.

mod compare;
mod structure;

pub use compare::{Agreement, Comparison, compare};
pub use structure::Structure;
