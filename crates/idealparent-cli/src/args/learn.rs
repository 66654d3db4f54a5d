//! Options of learning, and their translation into the library's.

use std::path::PathBuf;

use clap::Args;
use idealparent::score::ScoreOptions;
use idealparent::{LearnOptions, Result};

use super::library::{Fitting, Learning, OptionArgs, Scoring};
use super::{DataArgs, RunArgs};

/// Arguments of `learn`.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// The table: a file, or - for standard input
    pub data: Option<PathBuf>,
    /// Write the network here
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub model: OptionArgs<Learning>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write every step here, as JSON lines
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub trace: Option<PathBuf>,
    /// Write a page here that shows the network, its densities over the data and how it was found
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub report: Option<PathBuf>,
    /// Write mean and deviation of every hidden variable at every instance here
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub profiles: Option<PathBuf>,
    /// Write here, now and then, what a later run with --resume goes on from
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint of the same data and options, to the same network
    #[arg(long, help_heading = "Run", requires = "checkpoint")]
    pub resume: bool,
    /// Least number of seconds between two checkpoints
    #[arg(value_parser = crate::usage::number,
        long,
        value_name = "SECONDS",
        help_heading = "Run",
        default_value_t = 10.0,
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    pub checkpoint_every: f64,
    /// Stop after this many checkpoints: an interruption that can be repeated
    #[arg(value_parser = crate::usage::whole::<usize>,
        long,
        value_name = "COUNT",
        help_heading = "Run",
        requires = "checkpoint",
        hide = true
    )]
    pub stop_after_checkpoints: Option<usize>,
    /// Stop after this many seconds and write the best network so far
    #[arg(value_parser = crate::usage::number,
        long,
        value_name = "SECONDS",
        help_heading = "Run",
        allow_negative_numbers = true
    )]
    pub time_limit: Option<f64>,
}

impl OptionArgs<Learning> {
    /// The options, read and checked.
    pub fn options(&self) -> Result<LearnOptions> {
        let mut options = LearnOptions::default();
        self.apply(&mut options)?;
        options.check()?;
        Ok(options)
    }
}

impl OptionArgs<Fitting> {
    /// The options before it is known whether they suit the structure.
    pub fn options(&self) -> Result<LearnOptions> {
        let mut options = LearnOptions::default();
        self.apply(&mut options)?;
        Ok(options)
    }
}

impl OptionArgs<Scoring> {
    /// What was given, on top of what a network was learned with.
    pub fn over(&self, base: &ScoreOptions) -> Result<ScoreOptions> {
        LearnOptions::score_options_with(base, self.given())
    }
}
