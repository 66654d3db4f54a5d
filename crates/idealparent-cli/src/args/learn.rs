//! Options of learning, and their translation into the library's.

use std::path::{Path, PathBuf};

use clap::Args;
use idealparent::error::quoted;
use idealparent::graph::{Knowledge, Origins};
use idealparent::score::{ScoreKind, ScoreOptions};
use idealparent::{Error, LearnOptions, Result};

use super::{DataArgs, RunArgs};
use crate::input;

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
    pub model: ModelArgs,
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
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Run",
        default_value_t = 10.0,
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    pub checkpoint_every: f64,
    /// Stop after this many checkpoints: an interruption that can be repeated
    #[arg(
        long,
        value_name = "COUNT",
        help_heading = "Run",
        requires = "checkpoint",
        hide = true
    )]
    pub stop_after_checkpoints: Option<usize>,
    /// Stop after this many seconds and write the best network so far
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Run",
        allow_negative_numbers = true
    )]
    pub time_limit: Option<f64>,
}

/// What the families of a network are.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct DensityArgs {
    /// How a variable depends on its parents: linear, sigmoid or product; several, separated by commas: the best
    /// for each family [default: linear, or what the structure's file says]
    #[arg(long, value_name = "CPD")]
    pub cpd: Option<String>,
    /// A free bias inside the sigmoid
    #[arg(long)]
    pub bias: bool,
    /// A free offset of the product
    #[arg(long)]
    pub baseline: bool,
    /// Use 2^x of every value (log-ratios to ratios)
    #[arg(long)]
    pub exp2: bool,
    /// Scale to unit variance while learning; parameters are in the data's own units
    #[arg(long)]
    pub standardize: bool,
    /// Where values are missing, the distribution that stands for them: exact, or mean-field (each independent of the others)
    /// [default: exact where it exists, in linear networks]
    #[arg(long, value_name = "POSTERIOR")]
    pub posterior: Option<String>,
    #[command(flatten)]
    pub score: ScoreArgs,
}

/// What decides the learned network.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct ModelArgs {
    #[command(flatten)]
    pub density: DensityArgs,
    /// Which candidates get a full score: ideal (those similar to the ideal parent) or greedy (all)
    #[arg(long, value_name = "METHOD", default_value = "ideal")]
    pub method: String,
    /// How many candidates per family the ideal method scores: a number, all, or auto (as many as could still win)
    #[arg(
        short = 'k',
        long,
        value_name = "K",
        default_value = "2",
        allow_negative_numbers = true
    )]
    pub candidates: String,
    /// How candidates are compared with the ideal parent: tangent, c2 or c1
    #[arg(long, value_name = "MEASURE", default_value = "tangent")]
    pub measure: String,
    /// The search procedure: hill (climbing), tabu, anneal(ing), order (of the variables), or
    /// auto: order where that takes seconds, hill for larger networks
    #[arg(long, value_name = "SEARCH", default_value = "auto")]
    pub search: String,
    /// Tabu search: for how many steps a changed edge is left alone [default: by the number of variables]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub tabu_length: Option<usize>,
    /// How often to search again from the best network, perturbed [default: 10 with order, else 0]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub restarts: Option<usize>,
    /// Random moves that perturb it [default: by the number of variables]
    #[arg(long, value_name = "MOVES", allow_negative_numbers = true)]
    pub perturb: Option<usize>,
    /// Kinds of moves, separated by commas
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "add,delete,reverse,replace"
    )]
    pub moves: String,
    /// Most parents a variable may have
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub max_parents: Option<usize>,
    /// Begin from the structure of this network
    #[arg(long, value_name = "FILE")]
    pub start: Option<PathBuf>,
    /// Edges that must be there: a table with columns from, to (* matches all)
    #[arg(long, value_name = "FILE")]
    pub require: Option<PathBuf>,
    /// Edges that must not be there: likewise
    #[arg(long, value_name = "FILE")]
    pub forbid: Option<PathBuf>,
    /// One tier a line, names separated by tabs; edges go to the same or a later tier
    #[arg(long, value_name = "FILE")]
    pub tiers: Option<PathBuf>,
    /// Hidden variables to look for, where the ideal parents of several variables agree: at most so many, or auto (as many as raise the score)
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub hidden: String,
    /// Hidden variables are roots, and all others leaves with hidden parents only
    #[arg(long)]
    pub two_layer: bool,
    /// Fewest children of a hidden variable [default: 3, with --two-layer 2]
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    pub min_children: Option<usize>,
    /// Seed of everything random
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub seed: u64,
}

/// The score and its settings.
#[derive(Debug, Clone, Args)]
pub struct ScoreArgs {
    /// ebic, bic, aic or bge, in nats, larger is better [default: ebic, or what the network was learned with]
    #[arg(long, value_name = "SCORE")]
    pub score: Option<String>,
    /// EBIC's price of an edge on top of its parameters: G times the log of the number of variables [default: 1]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    pub gamma: Option<f64>,
    /// Multiplies the price of a parameter (half the log of the number of instances; AIC: 1) [default: 1]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub penalty: Option<f64>,
    /// BGe's degrees of freedom [default: number of variables + 2]
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    pub alpha_w: Option<f64>,
}

impl ScoreArgs {
    /// These settings on top of others.
    pub fn over(&self, base: ScoreOptions) -> Result<ScoreOptions> {
        let mut options = base;
        if let Some(word) = &self.score {
            options.kind = word.parse()?;
        }
        options.gamma = self.gamma.unwrap_or(options.gamma);
        options.penalty = self.penalty.unwrap_or(options.penalty);
        // What another score was learned with is no mistake of the user.
        let recorded = options.alpha_w.filter(|_| options.kind == ScoreKind::Bge);
        options.alpha_w = self.alpha_w.or(recorded);
        options.check()?;
        Ok(options)
    }
}

impl DensityArgs {
    /// The options for a given structure.
    pub fn options(&self) -> Result<LearnOptions> {
        let options = self.unchecked()?;
        options.check()?;
        Ok(options)
    }

    /// The options before it is known whether they fit together.
    pub fn unchecked(&self) -> Result<LearnOptions> {
        let mut options = LearnOptions {
            score: self.score.over(ScoreOptions::default())?,
            bias: self.bias,
            baseline: self.baseline,
            exp2: self.exp2,
            standardize: self.standardize,
            ..LearnOptions::default()
        };
        if let Some(cpd) = &self.cpd {
            options.set("cpd", cpd)?;
        }
        if let Some(posterior) = &self.posterior {
            options.set("posterior", posterior)?;
        }
        Ok(options)
    }
}

impl ModelArgs {
    /// The files these options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let named = [&self.start, &self.require, &self.forbid, &self.tiers];
        named.into_iter().flatten().map(PathBuf::as_path)
    }

    /// Reads the files named and checks everything.
    pub fn options(&self) -> Result<LearnOptions> {
        let mut options = self.density.options()?;
        options.seed = self.seed;
        options.tabu_length = self.tabu_length;
        options.restarts = self.restarts;
        options.perturb = self.perturb;
        options.hidden.two_layer = self.two_layer;
        options.hidden.min_children = self.min_children;
        for (key, value) in [
            ("method", &self.method),
            ("candidates", &self.candidates),
            ("measure", &self.measure),
            ("search", &self.search),
            ("moves", &self.moves),
            ("hidden", &self.hidden),
        ] {
            options.set(key, value)?;
        }
        let require = input::edges(self.require.as_deref())?;
        let forbid = input::edges(self.forbid.as_deref())?;
        let tiers = input::tiers(self.tiers.as_deref())?;
        options.knowledge = Knowledge {
            require: require.edges,
            forbid: forbid.edges,
            tiers: tiers.tiers,
            max_parents: self.max_parents,
            origins: Origins {
                require: require.origin,
                forbid: forbid.origin,
                tiers: tiers.origin,
            },
        };
        if let Some(start) = &self.start {
            let structure = input::structure(start)?;
            if let Some(name) = structure.hidden.first() {
                return Err(Error::network(
                    start.display().to_string(),
                    format!(
                        "{} is hidden, and a search begins from observed variables alone",
                        quoted(name)
                    ),
                ));
            }
            options.start = structure.edges;
        }
        options.check()?;
        Ok(options)
    }
}
