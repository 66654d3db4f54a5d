//! The learned model: file format, exports, sampling and the joint Gaussian of linear networks.

mod bytes;
mod cpd_file;
mod export;
mod file;
mod gaussian;
mod model;
mod sample;
mod strict;

pub use export::{EdgeView, ExportFormat, check_xml, edge_views, escape_xml, export};
pub use file::StructureFile;
pub use gaussian::{Conditional, Gaussian, Single};
pub use model::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
