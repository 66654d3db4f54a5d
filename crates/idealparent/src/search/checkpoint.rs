//! Where a search stands: enough to go on from there to the network it would have found anyway.

use serde::{Deserialize, Serialize};

use super::SearchKind;
use super::neighbourhood::Memory;
use super::run::{Found, Plan, Settled, Stage};
use crate::error::{Error, Result};
use crate::graph::{Constraints, Dag};
use crate::hidden::HiddenAttempt;
use crate::score::Evaluations;

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
    pub(super) settled: Option<Settled>,
    /// Families scored so far.
    pub(super) evaluations: Evaluations,
    pub(super) chosen: Option<SearchKind>,
    pub(super) memory: Memory,
    /// Where values are missing: around which expectations this search goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) around: Option<Around>,
    /// How many hidden variables the network in `around` has, once they are being added: then nothing else matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hidden: Option<usize>,
    /// What came of those proposed so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) attempts: Vec<HiddenAttempt>,
}

/// Where structural EM stands when a search begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Around {
    /// Number of the iteration.
    pub(crate) iteration: usize,
    /// The network before, with its free energy; none in the first iteration.
    pub(crate) network: Option<(String, f64)>,
    /// Means and variances of the missing entries, where they do not follow from the network.
    pub(crate) entries: Option<Vec<(f64, f64)>>,
    /// Entropy of their distribution.
    pub(crate) entropy: f64,
    /// Counts of the searches before.
    pub(crate) counts: Counts,
}

/// What the searches before this one did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) moves: usize,
    /// Moves of which no observer was told: of first guesses, and of hidden variables on trial.
    pub(crate) aside: usize,
    pub(crate) rounds: usize,
    pub(crate) rejected: u64,
    pub(crate) evaluations: Evaluations,
}

impl Counts {
    /// Adds the work of a search.
    pub(crate) fn add(&mut self, found: &Found) {
        self.moves += found.moves;
        self.evaluations += found.evaluations;
    }

    /// Likewise of one that nobody watched.
    pub(crate) fn add_aside(&mut self, found: &Found) {
        self.aside += found.moves;
        self.evaluations += found.evaluations;
    }
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
            settled: None,
            evaluations: Evaluations::default(),
            chosen: None,
            memory,
            around: None,
            hidden: None,
            attempts: Vec::new(),
        }
    }

    /// Between two attempts to add a hidden variable to a network of so many observed ones.
    pub(crate) fn between(
        fingerprint: &str,
        observed: usize,
        (hidden, attempts): (usize, &[HiddenAttempt]),
        around: Around,
    ) -> Self {
        let none = Dag::new(observed);
        Checkpoint {
            around: Some(around),
            hidden: Some(hidden),
            attempts: attempts.to_vec(),
            ..Checkpoint::new(fingerprint, &none, Stage::Ended, Memory::default())
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
                "the checkpoint is of other data or other options, or of another version of this program"
                    .to_string(),
            ));
        }
        Ok(())
    }

    /// Refuses what no search with this plan can have written; the network at which it stands.
    pub(super) fn check_inside(&self, plan: &Plan, constraints: &Constraints) -> Result<Dag> {
        self.stage.check(self.variables)?;
        let n = self.variables;
        for network in [&self.mark, &self.best].into_iter().flatten() {
            allowed(graph(n, network)?, constraints)?;
        }
        let begun = self.best.is_some() || self.mark.is_some();
        let first = matches!(self.stage, Stage::Opening { .. }) && self.round == 0;
        let sound = self.memory.is_sound(n)
            && self.round <= plan.restarts
            && self.moves < 1 << 53
            && self.stage.is_of(plan.search)
            && (begun || first)
            && self.last.is_finite();
        if !sound {
            return Err(damaged());
        }
        allowed(graph(n, &self.current)?, constraints)
    }
}

pub(crate) fn damaged() -> Error {
    Error::Data("a damaged checkpoint: no search can have written it".to_string())
}

/// Refuses a network against the constraints.
fn allowed(dag: Dag, constraints: &Constraints) -> Result<Dag> {
    let within = (0..dag.len()).all(|v| dag.parents(v).len() <= constraints.max_parents());
    let free = dag.edges().all(|(p, c)| constraints.allows(p, c));
    let required = constraints.required().iter();
    let complete = required.into_iter().all(|&(p, c)| dag.has_edge(p, c));
    match within && free && complete {
        true => Ok(dag),
        false => Err(damaged()),
    }
}

/// A graph's edges.
pub(super) fn edges(dag: &Dag) -> Edges {
    dag.edges().collect()
}

/// A graph from a checkpoint's edges.
pub(super) fn graph(variables: usize, edges: &Edges) -> Result<Dag> {
    if edges.iter().any(|&(p, c)| p.max(c) >= variables) {
        return Err(damaged());
    }
    Dag::from_edges(variables, edges.iter().copied()).ok_or_else(damaged)
}
