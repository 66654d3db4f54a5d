//! Arguments that name a table and say how to read it.

use clap::Args;
use idealparent::internal::OptionGroup;

use super::library::{OptionArgs, Reading};

/// Options for reading a table.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// Use an embedded data set instead of a file (see `idealparent examples`)
    #[arg(long, value_name = "NAME", help_heading = OptionGroup::Data.title())]
    pub example: Option<String>,
    #[command(flatten)]
    pub read: OptionArgs<Reading>,
}
