//! Where a table comes from and how it is read.

use clap::Args;

use super::library::{OptionArgs, Reading};

/// Options that say how a table is read.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// Take an embedded data set instead of a file (see `idealparent examples`)
    #[arg(long, value_name = "NAME", help_heading = "Data")]
    pub example: Option<String>,
    #[command(flatten)]
    pub read: OptionArgs<Reading>,
}
