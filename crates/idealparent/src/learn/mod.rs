//! From a table to a network.

mod fit;
mod parameters;
mod pass;
mod prepared;

use std::time::Instant;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::data::{Completed, Table};
use crate::em::Em;
use crate::error::Result;
use crate::hidden::{Growth, HiddenAttempt};
use crate::network::{DataRecord, Network, Provenance};
use crate::options::LearnOptions;
use crate::score::Evaluations;
use crate::search::{CandidatesUsed, Checkpoint, Ending, Observer, SearchKind};
pub use fit::{fit_file, fit_structure, fit_structure_with_hidden};
pub(crate) use pass::{How, Pass};
pub(crate) use prepared::Prepared;

/// A learned network and how it was reached.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The network.
    pub network: Network,
    /// The search procedure, where `auto` chose one; `None` where nothing was searched.
    pub search: Option<SearchKind>,
    /// Rounds of it: the first, and each restart.
    pub rounds: usize,
    /// Instances with a value in some column that varies.
    pub instances: usize,
    /// Iterations of structural EM; 0 where nothing is missing.
    pub iterations: usize,
    /// Whether the network's log-likelihood is a lower bound, where values are missing and densities are not linear.
    pub is_bound: bool,
    /// Hidden variables that were tried, in this order.
    pub attempts: Vec<HiddenAttempt>,
    /// How the search ended.
    pub ending: Ending,
    /// Moves taken.
    pub moves: usize,
    /// Families scored.
    pub evaluations: Evaluations,
    /// How many candidates per slot were scored.
    pub candidates: CandidatesUsed,
    /// Families scored for a move that could not be fitted.
    pub rejected: u64,
    /// With the paper's measures and non-linear CPDs: mean share of values outside a link's image.
    pub clamped: Option<f64>,
    /// Seconds of learning, reading and writing not counted.
    pub seconds: f64,
    /// What a user should be told, a line each.
    pub notes: Vec<String>,
}

impl Learned {
    /// The run in figures, by name, as the command prints them.
    pub fn figures(&self, table: &Table) -> Value {
        let network = &self.network;
        let mut object = json!({
            "score": null,
            "log_likelihood": null,
            "dimension": null,
            "edges": network.edge_count(),
            "moves": self.moves,
            "evaluations": self.evaluations.add_replace,
            "evaluations_all": self.evaluations.all,
            "seconds": self.seconds,
            "variables": table.width(),
            "instances": self.instances,
            "missing": table.missing(),
            "hidden": network.variables.iter().filter(|v| v.hidden).count(),
            "hidden_tried": self.attempts.len(),
            "rounds": self.rounds,
            "iterations": self.iterations,
            "rejected": self.rejected,
            "candidates": self.candidates.mean,
            "scans": self.candidates.scans,
            "scan_misses": self.candidates.misses,
            "clamped": self.clamped.unwrap_or(0.0),
        });
        if let Some(score) = &network.score {
            object["score"] = json!(score.value);
            object["log_likelihood"] = json!(score.log_likelihood);
            object["dimension"] = json!(score.dimension);
            if self.is_bound {
                object["bound"] = json!(score.log_likelihood);
            }
        }
        object
    }
}

/// Learns structure and parameters.
///
/// ```
/// use idealparent::{LearnOptions, data, learn};
///
/// let table = data::example("sachs")?.table();
/// let learned = learn(&table, &LearnOptions::default(), &mut ())?;
/// assert!(learned.network.edge_count() > 5);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn learn(
    table: &Table,
    options: &LearnOptions,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    learn_from(table, options, None, observer)
}

/// As [`learn`], from a checkpoint of the same data and options if one is given: the network is the one that an
/// uninterrupted run would have found. Families scored before the interruption may be scored, and counted, again.
pub fn learn_from(
    table: &Table,
    options: &LearnOptions,
    resume: Option<&Checkpoint>,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    options.check()?;
    let began = Instant::now();
    let prepared = Prepared::new(table, options)?;
    let start = prepared.start(options)?;
    let size = (prepared.columns.active(), prepared.table.rows());
    let plan = options.plan(size.0, size.1, fingerprint(table, options));
    let how = How {
        plan: &plan,
        start,
        resume,
    };
    let mut reached = if options.hidden.is_wanted() {
        let base = match options.hidden.two_layer {
            true => prepared.with_hidden(0, true),
            false => prepared.clone(),
        };
        let mut growth = Growth::new(&prepared, options, &plan);
        let grown = resume.and_then(|from| Some((from, from.hidden?)));
        let (pass, standing) = if let Some((from, hidden)) = grown {
            growth.resume(from, hidden)?
        } else if prepared.holes.count > 0 {
            let (pass, state) = base.structural(options, how, observer)?;
            (pass, growth.begin(state))
        } else {
            let data = Completed::complete(base.table.columns());
            let pass = base.pass(&data, options, how, observer)?;
            let state = base.without_holes(pass.network.clone(), options)?;
            (pass, growth.begin(state))
        };
        growth.grow(pass, standing, &plan, observer)?
    } else if prepared.holes.count > 0 {
        let (mut pass, state) = prepared.structural(options, how, observer)?;
        pass.network = Em::new(&prepared, options).recorded(state)?;
        pass
    } else {
        let data = Completed::complete(prepared.table.columns());
        prepared.pass(&data, options, how, observer)?
    };
    let network = &mut reached.network;
    network.provenance = Some(provenance(table, options.record(), options.seed));
    let Pass {
        network,
        found,
        rejected,
        clamped,
        iterations,
        attempts,
        notes,
    } = reached;
    Ok(Learned {
        is_bound: !network.is_linear() && (prepared.holes.count > 0 || network.has_hidden()),
        attempts,
        iterations,
        network,
        search: Some(found.search),
        rounds: found.rounds,
        ending: found.ending,
        moves: found.moves,
        evaluations: found.evaluations,
        candidates: found.candidates,
        rejected,
        clamped,
        seconds: began.elapsed().as_secs_f64(),
        instances: prepared.table.rows(),
        notes: [prepared.columns.notes, notes].concat(),
    })
}

fn provenance(table: &Table, options: Map<String, Value>, seed: u64) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_string(),
        options,
        seed,
        data: DataRecord {
            rows: table.rows(),
            columns: table.width(),
            missing: table.missing(),
            sha256: table.sha256(),
        },
    }
}

/// What data and options a checkpoint is of.
fn fingerprint(table: &Table, options: &LearnOptions) -> String {
    let record = Value::Object(options.record());
    let version = env!("CARGO_PKG_VERSION");
    let of = format!("{version} {} {} {record}", table.sha256(), options.seed);
    let digest = Sha256::digest(of.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
