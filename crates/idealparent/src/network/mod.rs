//! The learned model: its file format, and what can be done with it.

mod bytes;
mod cpd_file;
mod export;
mod file;
mod gaussian;
mod model;
mod sample;
mod strict;

pub(crate) use export::{EdgeView, edge_views, escape_shown, picture_width};
pub use export::{ExportFormat, export};
pub use file::StructureFile;
pub use gaussian::{Conditional, Gaussian, Single};
pub use model::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
