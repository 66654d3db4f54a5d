//! Leaves of the computation: plain loops over slices, compiled once per instruction set and chosen at
//! run time. No sum is taken across lanes, so every machine gets the same numbers.

mod sweep;

pub use sweep::{BLOCK, Block, Keys, SlotTerms};
