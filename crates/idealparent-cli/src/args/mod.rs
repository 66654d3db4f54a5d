//! Arguments of the command, as they are written.

mod data;
mod learn;
mod library;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use data::DataArgs;
pub use learn::LearnArgs;
pub use library::{Fitting, Learning, OptionArgs, Ranking, Scoring, show_all, shows_all};

/// Learns Bayesian networks over continuous variables from data.
#[derive(Debug, Parser)]
#[command(name = "idealparent", version)]
pub struct Cli {
    /// What to do.
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
    /// Log-likelihood and score of a network on data, total and per variable
    Score(ScoreCommand),
    /// Compare candidate parents of a variable: C1, C2, tangent and the true change in
    /// log-likelihood
    Rank(RankArgs),
    /// Draw data from a network
    Sample(SampleArgs),
    /// Fill in missing values with what one network, or several on average, expect there
    Impute(ImputeArgs),
    /// Posterior mean and deviation of one variable given the others
    Predict(PredictArgs),
    /// Structural distance, precision, recall and F1 between two networks
    Compare(CompareArgs),
    /// Compare methods by cross-validation, with the columns of the paper's Table 1
    Cv(CvArgs),
    /// How sure edges are: how often they are found again when the instances are drawn anew
    Bootstrap(BootstrapArgs),
    /// Write a network in another program's format
    Export(ExportArgs),
    /// Write a page that shows a network: graph, densities over the data, search, candidates, what
    /// is missing and hidden
    Report(ReportArgs),
    /// Has become a program of its own
    #[command(hide = true)]
    Reproduce(ReproduceArgs),
    /// List the embedded data sets, or write one out
    Examples(ExamplesArgs),
    /// Print what a shell needs to complete words of this command
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(ManArgs),
    /// Print every option of the library as JSON, for programs that offer them
    #[command(hide = true)]
    Options,
}

/// Arguments of `fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// A network file (whose kinds of CPDs are kept unless --cpd is given), or a table of edges
    /// with columns from, to
    pub structure: PathBuf,
    /// The table to fit to: a file, or - for standard input
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub density: OptionArgs<Fitting>,
    /// Names in a table of edges that are hidden variables, separated by commas; a network file
    /// says that itself
    #[arg(long, value_name = "NAMES", help_heading = "Model")]
    pub hidden: Vec<String>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write the network here
    #[arg(short, long, value_name = "FILE", help_heading = "Options")]
    pub output: Option<PathBuf>,
}

/// How a run behaves, apart from its result.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Print one JSON object on standard output instead of a summary
    #[arg(long)]
    pub json: bool,
    /// Print neither summary nor progress
    #[arg(short, long)]
    pub quiet: bool,
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(value_parser = crate::usage::whole::<usize>, long, value_name = "T", allow_negative_numbers = true)]
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
    /// The table (left out with --example), then the child
    #[arg(num_args = 1..=2, required = true, value_names = ["DATA", "CHILD"])]
    pub rest: Vec<String>,
    #[command(flatten)]
    pub input: DataArgs,
    /// How the child depends on its parents; as in the network if not given
    #[command(flatten)]
    pub density: OptionArgs<Ranking>,
    /// Print a JSON list instead of a table
    #[arg(long, help_heading = "Options")]
    pub json: bool,
    /// Number of threads [default: all cores]
    #[arg(value_parser = crate::usage::whole::<usize>,
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Options"
    )]
    pub threads: Option<usize>,
    /// Write here instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Options")]
    pub output: Option<PathBuf>,
}

/// Arguments of `sample`.
#[derive(Debug, Args)]
pub struct SampleArgs {
    /// A network file
    pub network: PathBuf,
    /// Number of instances
    #[arg(value_parser = crate::usage::whole::<usize>,
        short = 'n',
        long = "number",
        value_name = "N",
        default_value_t = 1000,
        allow_negative_numbers = true
    )]
    pub count: usize,
    /// Seed of the random generator
    #[arg(value_parser = crate::usage::whole::<u64>,
        long,
        value_name = "S",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    /// Write here (.csv: comma separated) instead of standard output
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
    /// Network files, then the table (left out with --example)
    #[arg(required = true, value_names = ["NETWORK", "DATA"])]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    /// Write the table, with posterior means in its holes, here (.csv: comma separated) instead of
    /// to standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Options")]
    pub output: Option<PathBuf>,
    /// Write the posterior standard deviations here; 0 where a value was observed
    #[arg(long, value_name = "FILE", help_heading = "Options")]
    pub sd: Option<PathBuf>,
    /// Also write this many tables with draws from the posterior in their holes, for multiple
    /// imputation: beside out.tsv
    /// come out-1.tsv, out-2.tsv, …
    #[arg(value_parser = crate::usage::whole::<usize>,
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Options"
    )]
    pub draws: Option<usize>,
    /// Seed of the draws
    #[arg(value_parser = crate::usage::whole::<u64>,
        long,
        value_name = "S",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = "Options"
    )]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(value_parser = crate::usage::whole::<usize>,
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Options"
    )]
    pub threads: Option<usize>,
    /// Say nothing in passing
    #[arg(short, long, help_heading = "Options")]
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
    /// The table (left out with --example), then the target
    #[arg(num_args = 1..=2, required = true, value_names = ["DATA", "TARGET"])]
    pub rest: Vec<String>,
    #[command(flatten)]
    pub input: DataArgs,
    /// Write here (.csv: comma separated) instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Options")]
    pub output: Option<PathBuf>,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The learned network: a network file or a table of edges with columns from, to
    pub learned: PathBuf,
    /// The reference: likewise
    pub reference: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cv`.
#[derive(Debug, Args)]
pub struct CvArgs {
    /// The table: a file, or - for standard input
    pub data: Option<PathBuf>,
    /// Methods, separated by blanks, the first being what the others are compared with: greedy or
    /// ideal,
    /// then options as in ideal:k=2:measure=c2 (k, measure, score, gamma, penalty, alpha-w,
    /// max-parents,
    /// moves, search, standardize, cpd, missing, hidden, two-layer and others of learn)
    #[arg(long, default_value = "greedy ideal")]
    pub methods: String,
    /// Number of folds
    #[arg(value_parser = crate::usage::whole::<usize>,
        long,
        value_name = "F",
        default_value_t = 5,
        allow_negative_numbers = true
    )]
    pub folds: usize,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub model: OptionArgs<Learning>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write a picture of the results here, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Stop after this many seconds and report the folds that are done
    #[arg(value_parser = crate::usage::number, long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

/// Arguments of `bootstrap`.
#[derive(Debug, Args)]
pub struct BootstrapArgs {
    /// The table: a file, or - for standard input
    pub data: Option<PathBuf>,
    /// Number of networks, each learned from as many instances as there are, drawn with replacement
    #[arg(value_parser = crate::usage::whole::<usize>,
        short = 'n',
        long = "replicates",
        value_name = "N",
        default_value_t = 200,
        allow_negative_numbers = true,
        help_heading = "Options"
    )]
    pub count: usize,
    /// Write the edges here, with columns from, to, strength (the share of networks that join the
    /// two) and direction (the share
    /// of those that do it this way) [default: standard output]
    #[arg(short, long, value_name = "FILE", help_heading = "Options")]
    pub output: Option<PathBuf>,
    /// Write the averaged network here: edges stronger than the threshold, parameters from all of
    /// the data
    #[arg(long, value_name = "FILE", help_heading = "Options")]
    pub average: Option<PathBuf>,
    /// Strength above which an edge is in the averaged network [default: found from the strengths]
    #[arg(value_parser = crate::usage::number,
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Options"
    )]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub model: OptionArgs<Learning>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Stop after this many seconds and go by the networks that are done
    #[arg(value_parser = crate::usage::number, long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A network file
    pub network: PathBuf,
    /// Data to show it with: a file, or - for standard input
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub input: DataArgs,
    /// Write the page here: one file, that needs nothing else
    #[arg(short, long, value_name = "FILE", help_heading = "Options")]
    pub output: PathBuf,
    /// The trace of the run that found the network (learn --trace)
    #[arg(long, value_name = "FILE", help_heading = "Options")]
    pub trace: Option<PathBuf>,
    /// How sure edges are (bootstrap -o)
    #[arg(long, value_name = "FILE", help_heading = "Options")]
    pub bootstrap: Option<PathBuf>,
    /// What the page is called
    #[arg(long, value_name = "TEXT", help_heading = "Options")]
    pub title: Option<String>,
    /// Number of threads; the page does not depend on it
    #[arg(value_parser = crate::usage::whole::<usize>, long, value_name = "T", help_heading = "Options")]
    pub threads: Option<usize>,
    /// Print no notes
    #[arg(short, long, help_heading = "Options")]
    pub quiet: bool,
}

/// Arguments of `reproduce`, which is no longer here.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct ReproduceArgs {
    /// Whatever was asked for
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: clap_complete::Shell,
    /// Write here instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write the pages of all commands into this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// A network file
    pub network: PathBuf,
    /// tsv (edges, one a line), dot, graphml, gexf, cyjs, sif, bnlearn, lavaan, svg or png
    /// (pictures)
    #[arg(long)]
    pub format: String,
    /// Pixels of a png to each unit of the svg [default: 2]
    #[arg(value_parser = crate::usage::number, long, value_name = "X", allow_negative_numbers = true)]
    pub scale: Option<f64>,
    /// Write here instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `examples`.
#[derive(Debug, Args)]
pub struct ExamplesArgs {
    /// Write out this data set instead of listing all
    pub name: Option<String>,
    /// Write the data here instead of standard output
    #[arg(short, long, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
    /// Write the edges of the known structure here (columns from, to)
    #[arg(long, value_name = "FILE", requires = "name")]
    pub truth: Option<PathBuf>,
}
