//! Watching a search, and stopping it.

use super::{Checkpoint, Move};
use crate::hidden::HiddenAttempt;
use crate::score::Evaluations;

/// One step taken by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of the round, from 1.
    pub round: usize,
    /// Number of the step, from 1.
    pub number: usize,
    /// What was done.
    pub taken: Taken,
    /// By how much the score rose since the step before.
    pub gain: f64,
    /// Score of the network after the step.
    pub score: f64,
    /// Number of edges after the step.
    pub edges: usize,
    /// Families scored so far.
    pub evaluations: Evaluations,
}

/// What a step changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// One edge.
    Move(Move),
    /// The place of a variable in the order; how many come before it now.
    Shift {
        /// The variable.
        variable: usize,
        /// Its new place.
        to: usize,
    },
    /// The whole network: families as an order gives them.
    Order,
    /// The whole network: the one from which a new round, or a new part of it, begins.
    Restart,
    /// The whole network: back to the best one, at the end.
    Return,
}

impl Taken {
    /// The word for it in traces.
    pub fn word(&self) -> &'static str {
        match self {
            Taken::Move(taken) => taken.kind.word(),
            Taken::Shift { .. } => "shift",
            Taken::Order => "order",
            Taken::Restart => "restart",
            Taken::Return => "return",
        }
    }
}

/// One iteration of structural EM: a search with the expectations of what is missing frozen, then parameters and
/// expectations in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: usize,
    /// Free energy at its end, penalties included: of an exact posterior the score of what is observed.
    pub free_energy: f64,
    /// Number of edges.
    pub edges: usize,
    /// Whether the search changed the structure.
    pub changed: bool,
}

/// Receives every step and may end the search: progress bars, traces, time limits, checkpoints and Ctrl-C.
pub trait Observer {
    /// The search begins at this score.
    fn started(&mut self, _score: f64, _edges: usize) {}

    /// A step was taken.
    fn step(&mut self, _step: &Step) {}

    /// An iteration of structural EM was made, where values are missing.
    fn iteration(&mut self, _iteration: &Iteration) {}

    /// From here on these are the variables: there are other hidden ones than before.
    fn variables(&mut self, _names: &[String]) {}

    /// A hidden variable is tried, was added or refused.
    fn hidden(&mut self, _attempt: &HiddenAttempt) {}

    /// The free energy after each of its halves: a search, new parameters, new expectations. It never falls.
    fn free_energy(&mut self, _value: f64) {}

    /// Asked before every step and between blocks of work: whether to stop here. Whoever has said yes has to go on saying so.
    fn stop(&mut self) -> bool {
        false
    }

    /// Asked between steps: whether to hand over a checkpoint now. `last` is true if the search has been asked to stop,
    /// or is at its end; a search that is stopped inside a step hands over none.
    fn wants_checkpoint(&mut self, _last: bool) -> bool {
        false
    }

    /// The checkpoint asked for.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// Nobody watches.
impl Observer for () {}
