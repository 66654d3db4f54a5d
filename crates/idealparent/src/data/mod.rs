//! Tables of data.

mod examples;
mod table;

pub use examples::{Example, example, examples};
pub use table::Table;
