//! The learned model: file format, exports, sampling and the joint Gaussian of linear networks.

mod bytes;
mod class;
mod cpd_file;
mod export;
mod file;
mod gaussian;
mod model;
mod sample;
mod strict;

#[cfg(feature = "testing")]
pub use export::testing;
pub use export::{EdgeView, ExportFormat, check_xml, escape_xml};
pub use file::Structure;
#[cfg(feature = "testing")]
pub use gaussian::Single;
pub use gaussian::{Conditional, Gaussian};
pub use model::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
