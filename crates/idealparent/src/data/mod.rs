//! Tables of data.

mod table;

pub use table::Table;
