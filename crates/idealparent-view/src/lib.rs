//! Shows what [`idealparent`] has learned: pictures of networks, charts, and the report page.
//!
//! ```
//! use idealparent::{LearnOptions, data, learn};
//! use idealparent_view::{Format, export};
//!
//! let table = data::example("sachs")?.table();
//! let network = learn(&table, &LearnOptions::default(), &mut ())?.network;
//! let picture = export(&network, Format::Svg)?;
//! assert!(picture.starts_with("<svg"));
//! # Ok::<(), idealparent::Error>(())
//! ```
//!
//! - [`export`] writes a network in any [`Format`]: SVG, or one of the text formats of
//!   [`idealparent`]. With the feature `png`, `png` turns an SVG drawn by this crate into pixels.
//! - [`Report`] is one HTML page that shows a network over its data; it needs no other file.
//! - [`Figure`] is a chart of points and lines.
//! - [`Layout`] places the nodes and edges of a graph.

mod format;
mod layout;
mod markup;
#[cfg(feature = "png")]
mod picture;
mod plot;
mod report;
mod svg;
#[cfg(test)]
mod testing;

pub use format::{Format, export};
pub use layout::Layout;
#[cfg(feature = "png")]
pub use picture::png;
pub use plot::{Axis, Figure, Mark, Panel, Scale, Series};
pub use report::{BootstrapEdge, Report, check_trace, command_line, read_bootstrap, read_trace};
