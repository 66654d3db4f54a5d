//! The result of learning.

use serde_json::{Value, json};

use super::HiddenAttempt;
use crate::data::Table;
use crate::error::Message;
use crate::network::Network;
use crate::score::Evaluations;
use crate::search::{CandidatesUsed, Ending, SearchKind};

/// A given structure with fitted parameters.
///
/// Returned by `fit`.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Fitted {
    /// The network.
    pub network: Network,
    /// Number of instances with a value in at least one column that varies.
    pub instances: usize,
    /// Whether the network's log-likelihood is only a lower bound: it is if some density is not
    /// linear and values are missing or variables hidden.
    pub is_bound: bool,
    /// Seconds spent fitting, without reading and writing files.
    pub seconds: f64,
    /// Notes for the user, one line each.
    pub notes: Vec<Message>,
}

impl Fitted {
    /// The statistics of the network as a JSON object, as the command prints them.
    pub fn figures(&self, table: &Table) -> Value {
        let network = &self.network;
        let score = network.score.as_ref();
        let mut object = json!({
            "score": score.map(|score| score.value),
            "log_likelihood": score.map(|score| score.log_likelihood),
            "dimension": score.map(|score| score.dimension),
            "edges": network.edge_count(),
            "seconds": self.seconds,
            "variables": table.width(),
            "instances": self.instances,
            "missing": table.missing(),
            "hidden": network.variables.iter().filter(|v| v.hidden).count(),
        });
        if let Some(score) = score.filter(|_| self.is_bound) {
            object["bound"] = json!(score.log_likelihood);
        }
        object
    }
}

/// A learned network, with statistics of the run.
///
/// Returned by `learn` and `Checkpoint::resume`.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Learned {
    /// The network.
    pub network: Network,
    /// The search procedure, which `auto` resolves to a specific one.
    pub search: SearchKind,
    /// Rounds of the search: the first one and every restart.
    pub rounds: usize,
    /// Number of instances with a value in at least one column that varies.
    pub instances: usize,
    /// Iterations of structural EM; 0 if no values are missing.
    pub iterations: usize,
    /// Whether the network's log-likelihood is only a lower bound: it is if some density is not
    /// linear and values are missing or variables hidden.
    pub is_bound: bool,
    /// Hidden variables that were tried, in the order of trial.
    pub attempts: Vec<HiddenAttempt>,
    /// How the search ended.
    pub ending: Ending,
    /// Whether no network scores higher: the search was exact and came to its end. With missing
    /// values this is `false`, since the score depends on their expectations.
    pub optimal: bool,
    /// Moves taken.
    pub moves: usize,
    /// Families scored.
    pub evaluations: Evaluations,
    /// Number of candidates scored per slot.
    pub candidates: CandidatesUsed,
    /// Number of families scored for a move that no density could fit.
    pub rejected: u64,
    /// Mean share of values outside a link's image, with non-linear CPDs and the measures C1 or C2.
    pub clamped: Option<f64>,
    /// Seconds spent learning, without reading and writing files.
    pub seconds: f64,
    /// Notes for the user, one line each.
    pub notes: Vec<Message>,
}

impl Learned {
    /// The statistics of the run as a JSON object, as the command prints them.
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
            "optimal": self.optimal,
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
