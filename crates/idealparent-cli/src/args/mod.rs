//! The command line: commands and their arguments.

mod data;
mod learn;
mod library;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use idealparent::LearnOptions;
use idealparent::internal::{OptionGroup, OptionKind};

pub use data::DataArgs;
pub use learn::LearnArgs;
pub use library::{
    Comparing, Fitting, Learning, OptionArgs, Ranking, Scope, Scoring, show_all, shows_all,
};

/// Learns Bayesian networks over continuous variables from data.
#[derive(Debug, Parser)]
#[command(name = "idealparent", version)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn structure and parameters from a table
    Learn(LearnArgs),
    /// Fit the parameters of a given structure
    Fit(FitArgs),
    /// Compute the log-likelihood and score of a network on data, in total and per variable
    Score(ScoreCommand),
    /// Compare the candidate parents of a variable by C1, C2, tangent and the true change in
    /// log-likelihood
    Rank(RankArgs),
    /// Draw data from a network
    Sample(SampleArgs),
    /// Fill in missing values with their posterior means, averaged over one or more networks
    Impute(ImputeArgs),
    /// Predict one variable from the others: posterior mean and standard deviation
    Predict(PredictArgs),
    /// Compare two networks: structural distance, precision, recall and F1
    Compare(CompareArgs),
    /// Compare methods by cross-validation, with the columns of the paper's Table 1
    Cv(CvArgs),
    /// Estimate how certain each edge is, by learning networks from resampled instances
    Bootstrap(BootstrapArgs),
    /// Export a network to another format: a table of edges, a graph file, R code or a picture
    Export(ExportArgs),
    /// Write an HTML report on a network: graph, densities with the data, search, candidate
    /// parents, missing values and hidden variables
    Report(ReportArgs),
    /// Moved to a separate program
    #[command(hide = true)]
    Reproduce(ReproduceArgs),
    /// List the embedded data sets, or write one of them
    Examples(ExamplesArgs),
    /// Print a shell completion script for this program
    Completions(CompletionsArgs),
    /// Print the manual page, or write the manual pages of all commands
    Man(ManArgs),
    /// Print all options of the library as JSON, for use by other programs
    #[command(hide = true)]
    Options,
}

/// Arguments of `fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// The structure: a network file (its kinds of CPDs are kept unless --cpd is given), or a table
    /// of edges with the columns from and to
    pub structure: PathBuf,
    /// The table to fit to: a file, or - for standard input
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub density: OptionArgs<Fitting>,
    /// Names of the hidden variables in a table of edges, separated by commas; a network file
    /// already marks them
    #[arg(long, value_name = "NAMES", help_heading = OptionGroup::Model.title())]
    pub hidden: Vec<String>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write the network to this file
    #[arg(short, long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub output: Option<PathBuf>,
}

/// Arguments that affect how a command runs, but not its result.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Print the result as JSON on standard output instead of as text
    #[arg(long)]
    pub json: bool,
    /// Print no summary, no progress and no notes
    #[arg(short, long)]
    pub quiet: bool,
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(value_parser = crate::usage::whole::<usize, 1>, long, value_name = "T", allow_negative_numbers = true)]
    pub threads: Option<usize>,
}

/// Arguments of `score`.
#[derive(Debug, Args)]
pub struct ScoreCommand {
    /// A network file
    pub network: PathBuf,
    /// The table: a file, or - for standard input
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub score: OptionArgs<Scoring>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Arguments of `rank`.
#[derive(Debug, Args)]
#[command(
    override_usage = "idealparent rank [OPTIONS] <NETWORK> <DATA> <CHILD>\n       \
                            idealparent rank [OPTIONS] --example <NAME> <NETWORK> <CHILD>"
)]
pub struct RankArgs {
    /// A network file
    pub network: PathBuf,
    /// The table (omitted with --example), then the child variable
    #[arg(num_args = 1..=2, required = true, value_names = ["DATA", "CHILD"])]
    pub rest: Vec<String>,
    #[command(flatten)]
    pub input: DataArgs,
    /// The density of the child; by default that of the network
    #[command(flatten)]
    pub density: OptionArgs<Ranking>,
    /// Print a JSON list instead of a table
    #[arg(long, help_heading = None::<&'static str>)]
    pub json: bool,
    /// Number of threads [default: all cores]
    #[arg(value_parser = crate::usage::whole::<usize, 1>,
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = None::<&'static str>
    )]
    pub threads: Option<usize>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub output: Option<PathBuf>,
}

/// Arguments of `sample`.
#[derive(Debug, Args)]
pub struct SampleArgs {
    /// A network file
    pub network: PathBuf,
    /// Number of instances to draw
    #[arg(value_parser = crate::usage::whole::<usize, 0>,
        short = 'n',
        long = "number",
        value_name = "N",
        default_value_t = 1000,
        allow_negative_numbers = true
    )]
    pub count: usize,
    /// Seed of the random numbers
    #[arg(value_parser = crate::usage::whole::<u64, 0>,
        long,
        value_name = "S",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    /// Write to this file instead of standard output (comma-separated if it ends in .csv)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `impute`.
#[derive(Debug, Args)]
#[command(
    override_usage = "idealparent impute [OPTIONS] <NETWORK>... <DATA>\n       \
                            idealparent impute [OPTIONS] --example <NAME> <NETWORK>..."
)]
pub struct ImputeArgs {
    /// Network files, then the table (omitted with --example)
    #[arg(required = true, value_names = ["NETWORK", "DATA"])]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    /// Write the completed table to this file instead of standard output (comma-separated if it
    /// ends in .csv)
    #[arg(short, long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub output: Option<PathBuf>,
    /// Write the posterior standard deviations to this file; observed values get 0
    #[arg(long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub sd: Option<PathBuf>,
    /// Also write this many tables completed with draws from the posterior, for multiple
    /// imputation: with -o out.tsv they are out-1.tsv, out-2.tsv, …
    #[arg(value_parser = crate::usage::whole::<usize, 0>,
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = None::<&'static str>
    )]
    pub draws: Option<usize>,
    /// Seed of the draws
    #[arg(value_parser = crate::usage::whole::<u64, 0>,
        long,
        value_name = "S",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = None::<&'static str>
    )]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(value_parser = crate::usage::whole::<usize, 1>,
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = None::<&'static str>
    )]
    pub threads: Option<usize>,
    /// Print no notes
    #[arg(short, long, help_heading = None::<&'static str>)]
    pub quiet: bool,
}

/// Arguments of `predict`.
#[derive(Debug, Args)]
#[command(
    override_usage = "idealparent predict [OPTIONS] <NETWORK> <DATA> <TARGET>\n       \
                            idealparent predict [OPTIONS] --example <NAME> <NETWORK> <TARGET>"
)]
pub struct PredictArgs {
    /// A network file
    pub network: PathBuf,
    /// The table (omitted with --example), then the target variable
    #[arg(num_args = 1..=2, required = true, value_names = ["DATA", "TARGET"])]
    pub rest: Vec<String>,
    #[command(flatten)]
    pub input: DataArgs,
    /// Write to this file instead of standard output (comma-separated if it ends in .csv)
    #[arg(short, long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub output: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The learned network: a network file, or a table of edges with the columns from and to
    pub learned: PathBuf,
    /// The reference network: a network file or a table of edges
    pub reference: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cv`.
#[derive(Debug, Args)]
pub struct CvArgs {
    /// The table: a file, or - for standard input
    pub data: Option<PathBuf>,
    /// Methods to compare
    #[arg(long, default_value = "greedy ideal", help = methods_help())]
    pub methods: String,
    /// Number of folds
    #[arg(value_parser = crate::usage::whole::<usize, 2>,
        long,
        value_name = "F",
        default_value_t = 5,
        allow_negative_numbers = true
    )]
    pub folds: usize,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub model: OptionArgs<Comparing>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write a plot of the results to this file, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Stop after this many seconds and report the folds finished by then
    #[arg(value_parser = crate::usage::number, long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

/// Arguments of `bootstrap`.
#[derive(Debug, Args)]
pub struct BootstrapArgs {
    /// The table: a file, or - for standard input
    pub data: Option<PathBuf>,
    /// Number of networks to learn, each from a sample of the instances, drawn with replacement and
    /// as large as the data
    #[arg(value_parser = crate::usage::whole::<usize, 1>,
        short = 'n',
        long = "replicates",
        value_name = "N",
        default_value_t = 200,
        allow_negative_numbers = true,
        help_heading = None::<&'static str>
    )]
    pub count: usize,
    /// Write the edges to this file, with the columns from, to, strength (the share of networks
    /// that join the two variables) and direction (the share of those in which the edge points this
    /// way) [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub output: Option<PathBuf>,
    /// Write the averaged network to this file: edges stronger than the threshold, with parameters
    /// fitted to all of the data
    #[arg(long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub average: Option<PathBuf>,
    /// Edges stronger than this are in the averaged network [default: chosen from the strengths]
    #[arg(value_parser = crate::usage::number,
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = None::<&'static str>
    )]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub model: OptionArgs<Learning>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Stop after this many seconds and use the networks finished by then
    #[arg(value_parser = crate::usage::number, long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A network file
    pub network: PathBuf,
    /// The table to show with the network: a file, or - for standard input
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    /// Write the report to this file: one self-contained HTML page
    #[arg(short, long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub output: PathBuf,
    /// The trace of the run that found the network (learn --trace)
    #[arg(long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub trace: Option<PathBuf>,
    /// A table of edge strengths to show (bootstrap -o)
    #[arg(long, value_name = "FILE", help_heading = None::<&'static str>)]
    pub bootstrap: Option<PathBuf>,
    /// Title of the report
    #[arg(long, value_name = "TEXT", help_heading = None::<&'static str>)]
    pub title: Option<String>,
    /// Number of threads; the report does not depend on it [default: all cores]
    #[arg(value_parser = crate::usage::whole::<usize, 1>,
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = None::<&'static str>
    )]
    pub threads: Option<usize>,
    /// Print no notes
    #[arg(short, long, help_heading = None::<&'static str>)]
    pub quiet: bool,
}

/// Arguments of `reproduce`, which has moved to a separate program.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct ReproduceArgs {
    /// All arguments, which are ignored
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell to complete commands for
    pub shell: clap_complete::Shell,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write the manual pages of all commands to this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// A network file
    pub network: PathBuf,
    /// The format
    #[arg(long, help = format_help())]
    pub format: Option<String>,
    /// Size of a png: pixels per unit of the svg [default: 2]
    #[arg(value_parser = crate::usage::number, long, value_name = "X", allow_negative_numbers = true)]
    pub scale: Option<f64>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `examples`.
#[derive(Debug, Args)]
pub struct ExamplesArgs {
    /// Write this data set instead of listing all
    pub name: Option<String>,
    /// Write the data to this file instead of standard output
    #[arg(short, long, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
    /// Write the edges of the true structure to this file (columns from and to)
    #[arg(long, value_name = "FILE", requires = "name")]
    pub truth: Option<PathBuf>,
}

/// The help text of `cv --methods`, with the words of the option `method`.
fn methods_help() -> String {
    let words = match LearnOptions::spec("method").map(|spec| spec.kind) {
        Ok(OptionKind::Word(words)) => words.join(" or "),
        _ => String::new(),
    };
    format!(
        "Methods to compare, separated by spaces; the first is the baseline. A method is {words}, \
         followed by options of learn, as in ideal:k=2:measure=c2"
    )
}

/// The help text of `export --format`, with the names of all formats.
fn format_help() -> String {
    format!(
        "The format: {} [default: by the extension of the output file]",
        idealparent_view::format_names().join(", ")
    )
}
