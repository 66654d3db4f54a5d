//! The learned model: its file format, and what can be done with it.

mod bytes;
mod cpd_file;
mod evaluate;
mod export;
mod file;
mod gaussian;
mod impute;
mod model;
mod posterior;
mod predict;
mod profiles;
mod sample;
mod strict;

pub use evaluate::NetworkScore;
pub use export::{EdgeView, ExportFormat, check_xml, edge_views, escape_xml, export};
pub use file::StructureFile;
pub use gaussian::{Conditional, Gaussian, Single};
pub use impute::{Imputation, impute};
pub use model::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
pub use posterior::RowPosterior;
pub use predict::Prediction;
