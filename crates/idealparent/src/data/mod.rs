//! Tables of data.

mod lists;
mod read;
mod table;

pub use lists::{NameList, read_edges, read_names, read_tiers};
pub use read::{ReadOptions, ReadOutcome, read_bytes, read_path};
pub use table::Table;
