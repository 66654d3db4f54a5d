//! What learning gives back.

use serde_json::{Value, json};

use super::HiddenAttempt;
use crate::data::Table;
use crate::error::Note;
use crate::network::Network;
use crate::score::Evaluations;
use crate::search::{CandidatesUsed, Ending, SearchKind};

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
    /// Whether the network's log-likelihood is a lower bound, where values are missing and
    /// densities are not linear.
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
    pub notes: Vec<Note>,
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
