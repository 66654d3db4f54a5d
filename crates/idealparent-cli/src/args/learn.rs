//! Arguments of `learn`, and their conversion to the library's options.

use std::path::PathBuf;

use clap::Args;
use idealparent::extend::ScoreOptions;
use idealparent::{LearnOptions, Result};

use super::library::{Comparing, Fitting, Learning, OptionArgs, Scope, Scoring};
use super::{DataArgs, RunArgs};

/// Arguments of `learn`.
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// The table: a file, or - for standard input
    pub data: Option<PathBuf>,
    /// Write the network to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub model: OptionArgs<Learning>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write every step to this file, as JSON lines
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub trace: Option<PathBuf>,
    /// Write an HTML report to this file: the network, its densities with the data, and the search
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub report: Option<PathBuf>,
    /// Write the mean and standard deviation of each hidden variable in each instance to this file
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub profiles: Option<PathBuf>,
    /// Save the state of the run to this file at intervals, so that --resume can continue it
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub checkpoint: Option<PathBuf>,
    /// Continue from the checkpoint of a run with the same data and options; the result is the same
    /// as without an interruption
    #[arg(long, help_heading = "Run", requires = "checkpoint")]
    pub resume: bool,
    /// Minimum number of seconds between two checkpoints
    #[arg(value_parser = crate::usage::number,
        long,
        value_name = "SECONDS",
        help_heading = "Run",
        default_value_t = 10.0,
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    pub checkpoint_every: f64,
    /// Stop after this many checkpoints: a reproducible interruption, for tests
    #[arg(value_parser = crate::usage::whole::<usize, 0>,
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
    /// The library's options with the given ones applied, checked.
    pub fn options(&self) -> Result<LearnOptions> {
        checked(self)
    }
}

impl OptionArgs<Comparing> {
    /// The library's options with the given ones applied, checked.
    pub fn options(&self) -> Result<LearnOptions> {
        checked(self)
    }
}

fn checked<S: Scope<Options = LearnOptions>>(given: &OptionArgs<S>) -> Result<LearnOptions> {
    let mut options = LearnOptions::default();
    given.apply(&mut options)?;
    options.check()?;
    Ok(options)
}

impl OptionArgs<Fitting> {
    /// The library's options with the given ones applied. They are not checked, which needs the
    /// structure.
    pub fn options(&self) -> Result<LearnOptions> {
        let mut options = LearnOptions::default();
        self.apply(&mut options)?;
        Ok(options)
    }
}

impl OptionArgs<Scoring> {
    /// The score options a network was learned with, overridden by the given ones.
    pub fn over(&self, base: &ScoreOptions) -> Result<ScoreOptions> {
        LearnOptions::score_options_with(base, self.given())
    }
}
