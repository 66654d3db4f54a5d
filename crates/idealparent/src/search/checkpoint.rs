//! Where a search stands: enough to go on from there to the network it would have found anyway.

use serde::{Deserialize, Serialize};

use super::SearchKind;
use super::neighbourhood::Memory;
use super::run::Stage;
use crate::error::{Error, Result};
use crate::graph::Dag;

/// What the first field of a checkpoint says.
const FORMAT: &str = "idealparent-checkpoint";

/// Files of other versions are refused: a search goes on exactly or not at all.
const VERSION: u32 = 1;

/// Edges as `(parent, child)`.
pub(super) type Edges = Vec<(usize, usize)>;

/// A search's state between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(super) format: String,
    pub(super) version: u32,
    /// Of data and options: a checkpoint fits no others.
    pub(super) fingerprint: String,
    /// Number of variables.
    pub(super) variables: usize,
    /// Restarts so far.
    pub(super) round: usize,
    /// Moves so far.
    pub(super) moves: usize,
    /// The score after the last of them.
    pub(super) last: f64,
    pub(super) stage: Stage,
    /// The network at which the search stands.
    pub(super) current: Edges,
    /// The best of this round.
    pub(super) mark: Option<Edges>,
    /// The best of all rounds before.
    pub(super) best: Option<Edges>,
    pub(super) slack: Option<f64>,
    pub(super) chosen: Option<SearchKind>,
    pub(super) memory: Memory,
}

impl Checkpoint {
    pub(super) fn new(fingerprint: &str, dag: &Dag, stage: Stage, memory: Memory) -> Self {
        Checkpoint {
            format: FORMAT.to_string(),
            version: VERSION,
            fingerprint: fingerprint.to_string(),
            variables: dag.len(),
            round: 0,
            moves: 0,
            last: 0.0,
            stage,
            current: edges(dag),
            mark: None,
            best: None,
            slack: None,
            chosen: None,
            memory,
        }
    }

    /// As text for a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a checkpoint can be written as JSON")
    }

    /// Reads what [`Checkpoint::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let wrong = |problem: String| Err(Error::Data(problem));
        let head = match serde_json::from_str::<Head>(text) {
            Ok(head) if head.format == FORMAT => head,
            _ => return wrong("this is no checkpoint".to_string()),
        };
        if head.version != VERSION {
            let of = head.version;
            return wrong(format!(
                "a checkpoint of version {of}; this program goes on from version {VERSION} only"
            ));
        }
        match serde_json::from_str(text) {
            Ok(checkpoint) => Ok(checkpoint),
            Err(error) => wrong(format!("a damaged checkpoint: {error}")),
        }
    }

    /// Refuses a checkpoint of other data or options.
    pub(crate) fn check(&self, fingerprint: &str, variables: usize) -> Result<()> {
        if self.fingerprint != fingerprint || self.variables != variables {
            return Err(Error::Data(
                "the checkpoint is of other data or other options (learn anew without --resume, or give the same)"
                    .to_string(),
            ));
        }
        Ok(())
    }
}

/// A graph's edges.
pub(super) fn edges(dag: &Dag) -> Edges {
    dag.edges().collect()
}

/// A graph from a checkpoint's edges.
pub(super) fn graph(variables: usize, edges: &Edges) -> Result<Dag> {
    let damaged = || Error::Data("a damaged checkpoint: its edges are no network".to_string());
    if edges.iter().any(|&(p, c)| p.max(c) >= variables) {
        return Err(damaged());
    }
    Dag::from_edges(variables, edges.iter().copied()).ok_or_else(damaged)
}
