//! The command `paper learn`: one run with the paper's procedures, and with options as in
//! `idealparent learn`.

use std::path::PathBuf;

use clap::Args;
use idealparent::data::{ReadOptions, example, read_path};
use idealparent::learn::learn_by;
use idealparent::{Error, LearnOptions, Result, Table};
use paper::faithful::Faithful;
use paper::files;

/// Arguments of `learn`.
#[derive(Args)]
pub struct LearnArgs {
    /// Table to learn from
    data: Option<PathBuf>,
    /// Learn from an embedded data set instead
    #[arg(long, value_name = "NAME")]
    example: Option<String>,
    /// Write the network to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the statistics of the run as one JSON object
    #[arg(long)]
    json: bool,
    /// Do not print the number of edges
    #[arg(short, long)]
    quiet: bool,
    /// What to do with a candidate that would close a cycle: refill, drop or keep
    #[arg(long, value_name = "WHAT")]
    illegal: Option<String>,
    /// Fit every candidate from the data, even if it was fitted before
    #[arg(long)]
    forget: bool,
    /// Fit every candidate of greedy search over linear families from the data
    #[arg(long)]
    resolve: bool,
    /// Moments that candidates are compared by if values are missing: full or means
    #[arg(long, value_name = "MOMENTS")]
    moments: Option<String>,
    /// Score of a cluster of ideal parents: integrated or paper
    #[arg(long, value_name = "SCORE")]
    cluster_score: Option<String>,
    /// Search procedure: one of the library's, or `sparse`
    #[arg(long, value_name = "SEARCH")]
    search: Option<String>,
    /// Density of a variable given its parents
    #[arg(long, value_name = "CPD")]
    cpd: Option<String>,
    /// Which candidates to score: ideal or greedy
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// Number of candidates that the ideal method scores per family
    #[arg(short = 'k', long, value_name = "K")]
    candidates: Option<String>,
    /// Measure that compares candidates with the ideal parent
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
    /// Score to maximise
    #[arg(long, value_name = "SCORE")]
    score: Option<String>,
    /// Kinds of moves
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// How the distribution of missing values is computed
    #[arg(long, value_name = "POSTERIOR")]
    posterior: Option<String>,
    /// Number of hidden variables to add
    #[arg(long, value_name = "N")]
    hidden: Option<String>,
    /// Make hidden variables roots, and allow all others hidden parents only
    #[arg(long)]
    two_layer: bool,
}

impl LearnArgs {
    /// The paper's switches and the library's options.
    fn options(&self) -> Result<(Faithful, LearnOptions)> {
        let (mut faithful, mut options) = (Faithful::default(), LearnOptions::default());
        for (key, value) in [
            ("illegal", &self.illegal),
            ("moments", &self.moments),
            ("cluster-score", &self.cluster_score),
            ("search", &self.search),
            ("cpd", &self.cpd),
            ("method", &self.method),
            ("candidates", &self.candidates),
            ("measure", &self.measure),
            ("score", &self.score),
            ("moves", &self.moves),
            ("posterior", &self.posterior),
            ("hidden", &self.hidden),
        ] {
            if let Some(value) = value
                && !faithful.set(key, value)?
            {
                options.set(key, value)?;
            }
        }
        faithful.forget = self.forget;
        faithful.resolve = self.resolve;
        options.two_layer = self.two_layer;
        faithful.adapt(&mut options);
        faithful.check(&options)?;
        Ok((faithful, options))
    }

    fn table(&self) -> Result<Table> {
        match (&self.data, &self.example) {
            (None, Some(name)) => Ok(example(name)?.table()),
            (Some(path), None) => Ok(read_path(path, &ReadOptions::default())?.table),
            _ => Err(Error::options("give a table or --example")),
        }
    }
}

pub fn run(args: &LearnArgs) -> Result<()> {
    let (faithful, options) = args.options()?;
    if let (Some(data), Some(output)) = (&args.data, &args.output)
        && let (Ok(data), Ok(output)) = (data.canonicalize(), output.canonicalize())
        && data == output
    {
        let problem = "-o is the input table, which would be overwritten (choose another name)";
        return Err(Error::options(problem));
    }
    let table = args.table()?;
    let learned = learn_by(&faithful, &table, &options, None, &mut ())?;
    if let Some(path) = &args.output {
        files::write(path, learned.network.to_json()?)?;
    }
    if args.json {
        return files::print(&format!("{:#}", learned.figures(&table)));
    }
    if args.quiet {
        return Ok(());
    }
    files::print(&format!("{} edges", learned.network.edge_count()))
}
