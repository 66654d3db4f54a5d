//! Repeats the experiments of the paper: `cargo run --release -p paper -- all --data DIR -o DIR`.

mod learn;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use idealparent::{Error, OptionStyle, Result};
use paper::experiments::{self, Request};
use paper::files;

/// Repeats the tables and figures of "Ideal Parent" Structure Learning (Nachman, Elidan and
/// Friedman, UAI 2004), and compares the results with the paper's numbers and with the current
/// defaults.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures against true changes in likelihood
    Fig1(Experiment),
    /// Data sampled from known networks
    Fig2(Experiment),
    /// Ideal parent and greedy search on yeast expression data, five folds
    Table1(Experiment),
    /// Effect of the number of candidates that are fitted
    Fig3(Experiment),
    /// Hidden variables in data sampled from a known topology
    Fig4(Experiment),
    /// Hidden variables in cell cycle data
    Cellcycle(Experiment),
    /// All experiments (about an hour and a half on two cores)
    All(Experiment),
    /// Learn from a table with the paper's procedures
    Learn(Box<learn::LearnArgs>),
}

#[derive(Args)]
struct Experiment {
    /// Folder with the data of the paper, or with substitutes: gasch2000_yeast_stress/ and
    /// yeast_cell_cycle_topology/
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// Write tables, pictures and pages into this folder; runs recorded there are not repeated
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Run a small part of every experiment, in a minute or two
    #[arg(long)]
    quick: bool,
    /// Number of threads; affects times, but not results
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let done = match cli.command {
        Command::Fig1(args) => run("fig1", args),
        Command::Fig2(args) => run("fig2", args),
        Command::Table1(args) => run("table1", args),
        Command::Fig3(args) => run("fig3", args),
        Command::Fig4(args) => run("fig4", args),
        Command::Cellcycle(args) => run("cellcycle", args),
        Command::All(args) => run("all", args),
        Command::Learn(args) => learn::run(&args).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(130),
        Err(error) => {
            files::tell(&format!("error: {}", error.render(OptionStyle::Command)));
            ExitCode::from(if error.is_usage() { 2 } else { 1 })
        }
    }
}

/// Prints help unchanged, and a usage error as one line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A closed pipe is not an error.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let parts: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    files::tell(&format!("{} (see --help)", parts.join(" ")));
    ExitCode::from(2)
}

fn run(what: &str, args: Experiment) -> Result<bool> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0).into())
        .build()
        .map_err(|error| Error::data(format!("cannot start threads: {error}")))?;
    let request = Request {
        what: what.to_string(),
        data: args.data,
        output: args.output,
        quick: args.quick,
        quiet: args.quiet,
    };
    pool.install(|| experiments::run(&request))
}
