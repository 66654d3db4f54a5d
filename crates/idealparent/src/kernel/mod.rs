//! Leaves of the computation: plain loops over slices, compiled once per instruction set and chosen at
//! run time. Sums are taken in a fixed number of lanes, so every machine adds in the same order.

mod dot;
mod exp;
mod projection;
mod sweep;

pub use dot::dot;
pub use exp::logistic_and_slope;
pub use projection::{Fitted, Normal, fit_scale, linear_predictor, normal_equations};
pub use sweep::{BLOCK, Block, Keys, SlotTerms};
