//! Tables of data.

mod columns;
mod examples;
mod folds;
mod table;

pub use columns::Columns;
pub use examples::{Example, example, examples};
pub use folds::{Fold, folds};
pub use table::Table;
