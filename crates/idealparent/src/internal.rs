//! Items that the project's other crates share with the library. Not for users: any of these may
//! change in any release.

pub use crate::data::{
    Columns, gunzip, is_decoding, read_file, read_stream, text_cell, text_number,
};
#[cfg(feature = "arrow")]
pub use crate::data::{other_columns, table_from_arrow};
pub use crate::error::{option_word, quoted, shell_word, shorten};
pub use crate::evaluate::{MAX_REPLICATES, bootstrap_notes, cross_validate_one, rank_completed};
pub use crate::learn::{trace_hidden, trace_iteration, trace_step};
pub use crate::network::{check_xml, escape_xml};
pub use crate::options::{OptionCommand, OptionGroup, OptionKind, OptionSpec, split_names};
