//! The learned model: its file format, and what can be done with it.

mod model;

pub use model::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
