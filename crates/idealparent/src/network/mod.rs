//! The learned model: its file format, and what can be done with it.

mod export;
mod model;

pub use export::{ExportFormat, export};
pub use model::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
