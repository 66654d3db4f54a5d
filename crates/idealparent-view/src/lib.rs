//! Pictures of networks learned by [`idealparent`], charts, and the report page.
//!
//! ```
//! use idealparent::{LearnOptions, example, learn};
//! use idealparent_view::{Format, export};
//!
//! let table = example("sachs")?.table();
//! let network = learn(&table, &LearnOptions::default(), &mut ())?.network;
//! let picture = export(&network, Format::Svg)?;
//! assert!(picture.starts_with("<svg"));
//! # Ok::<(), idealparent::Error>(())
//! ```
//!
//! - [`export`] converts a network to any [`Format`]: SVG, or one of the text formats of
//!   [`idealparent`]. With the feature `png`, `png` renders an SVG of this crate as a PNG.
//! - [`Report`] is a self-contained HTML page that shows a network and its data.
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

pub use format::{Format, export, format_names};
pub use layout::Layout;
#[cfg(feature = "png")]
pub use picture::png;
pub use plot::{Axis, Figure, Mark, Panel, Scale, Series};
pub use report::{BootstrapEdge, Report, check_trace, command_line, read_bootstrap, read_trace};
