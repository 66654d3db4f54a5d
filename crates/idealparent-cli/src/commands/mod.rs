//! The commands.

mod bootstrap;
mod compare;
mod cv;
mod examples;
mod export;
mod fit;
mod impute;
mod learn;
mod plot;
mod predict;
mod rank;
mod report;
mod sample;
mod score;
mod shell;
mod summary;

use std::path::Path;

use idealparent::internal::shorten;
use idealparent::{Error, Network, Result, Table};

use crate::args::{Command, DataArgs, OptionArgs, Scope};
use crate::notes::note;

/// How a command ended, when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Completed.
    Done,
    /// Stopped by Ctrl-C or another signal; the results so far were written.
    Interrupted,
}

/// Runs a command.
pub fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Learn(args) => learn::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Rank(args) => rank::run(&args),
        Command::Sample(args) => sample::run(&args),
        Command::Impute(args) => impute::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Cv(args) => cv::run(&args),
        Command::Bootstrap(args) => bootstrap::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Reproduce(_) => Err(Error::options(MOVED)),
        Command::Examples(args) => examples::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
        Command::Options => shell::options(),
    }
}

/// The message of the former command `reproduce`.
const MOVED: &str = "the paper's experiments are a separate program: cargo run --release -p paper -- table1 --data DIR -o DIR";

/// Maximum number of threads; more would not help on any machine.
const MOST_THREADS: usize = 1024;

/// Runs `work` on this many threads, by default one per core.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    if threads == Some(0) {
        return Err(Error::options("--threads must be at least 1"));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).min(MOST_THREADS))
        .build()
        .map_err(|error| Error::data(format!("cannot start threads: {error}")))?;
    Ok(pool.install(work))
}

/// The files that learning reads, none of which may be overwritten.
fn files_read<'a, S: Scope>(
    model: &'a OptionArgs<S>,
    input: &'a DataArgs,
    data: Option<&'a Path>,
) -> Vec<Option<&'a Path>> {
    let named = model.files().chain(input.read.files()).map(Some);
    named.chain([data]).collect()
}

/// Notes the columns of the table that the network has as hidden variables: they are not used.
fn note_unused(quiet: bool, network: &Network, table: &Table) {
    let is_there = |name: &String| table.names().contains(name);
    let hidden = network.variables.iter().filter(|v| v.hidden);
    let names: Vec<String> = hidden.map(|v| v.name.clone()).filter(is_there).collect();
    if !names.is_empty() {
        let names = some_of(&names);
        let line = format!("hidden in the network, so not taken from the data: {names}");
        note(quiet, &[line]);
    }
}

/// The first few names of a list, and the number of further ones.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| shorten(name)).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
