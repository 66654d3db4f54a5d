//! Tables: reading, writing, checks, and completion of missing values.

mod column;
mod columns;
mod completed;
mod covariances;
mod examples;
mod fields;
mod folds;
mod holes;
mod lists;
mod names;
mod read;
mod table;
mod write;

pub use column::{Column, unit_variance};
pub use columns::Columns;
pub use completed::Completed;
pub use covariances::{CovarianceSums, Covariances};
pub use examples::{Example, example, examples};
pub use folds::{Fold, folds};
pub use holes::{Holes, Pattern};
pub use lists::{EdgeList, NameList, TierList, edges_from_bytes};
pub(crate) use read::message::list;
pub use read::{
    Delimiter, ReadOptions, ReadOutcome, gunzip, is_decoding, read_bytes, read_file, read_path,
    read_stream,
};
#[cfg(feature = "arrow")]
pub use read::{other_columns, table_from_arrow};
pub use table::Table;
pub(crate) use table::sha256_of;
pub use write::{text_cell, text_number};
