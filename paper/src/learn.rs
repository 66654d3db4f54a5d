//! One run by the paper's procedures, with options as the command `idealparent learn` has them.

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
    /// The table
    data: Option<PathBuf>,
    /// Take an embedded data set instead
    #[arg(long, value_name = "NAME")]
    example: Option<String>,
    /// Write the network here
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the run in figures, as one JSON object
    #[arg(long)]
    json: bool,
    /// Print nothing else
    #[arg(short, long)]
    quiet: bool,
    /// What happens to the place of a candidate that would close a cycle: refill, drop or keep
    #[arg(long, value_name = "WHAT")]
    illegal: Option<String>,
    /// Fit every candidate from the data, also those that were fitted before
    #[arg(long)]
    forget: bool,
    /// With greedy search over linear families: fit every candidate from the data
    #[arg(long)]
    resolve: bool,
    /// Where values are missing, what candidates are compared by: full or means
    #[arg(long, value_name = "MOMENTS")]
    moments: Option<String>,
    /// What a cluster of ideal parents is worth: integrated or paper
    #[arg(long, value_name = "SCORE")]
    cluster_score: Option<String>,
    /// The search procedure; besides those of the library `sparse`
    #[arg(long, value_name = "SEARCH")]
    search: Option<String>,
    /// How a variable depends on its parents
    #[arg(long, value_name = "CPD")]
    cpd: Option<String>,
    /// Which candidates are scored: ideal or greedy
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// How many candidates per family the ideal method scores
    #[arg(short = 'k', long, value_name = "K")]
    candidates: Option<String>,
    /// How candidates are compared with the ideal parent
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
    /// The score
    #[arg(long, value_name = "SCORE")]
    score: Option<String>,
    /// The kinds of moves
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Which distribution stands for missing values
    #[arg(long, value_name = "POSTERIOR")]
    posterior: Option<String>,
    /// How many hidden variables to add
    #[arg(long, value_name = "N")]
    hidden: Option<String>,
    /// Hidden variables are roots, and all others have hidden parents only
    #[arg(long)]
    two_layer: bool,
}

impl LearnArgs {
    /// The switches, and the library's options.
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
            _ => Err(Error::Options("give a table or --example".to_string())),
        }
    }
}

pub fn run(args: &LearnArgs) -> Result<()> {
    let (faithful, options) = args.options()?;
    if let (Some(data), Some(output)) = (&args.data, &args.output)
        && let (Ok(data), Ok(output)) = (data.canonicalize(), output.canonicalize())
        && data == output
    {
        let problem = "-o names the table, which would be lost (choose another name)";
        return Err(Error::Options(problem.to_string()));
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
