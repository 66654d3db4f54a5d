//! Watching a run, and stopping it.

use super::{Checkpoint, HiddenAttempt};
use crate::search::Step;

/// One iteration of structural EM: a search with the expectations of what is missing frozen, then
/// parameters and expectations in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: usize,
    /// Free energy at its end, penalties included: of an exact posterior the score of what is
    /// observed.
    pub free_energy: f64,
    /// Number of edges.
    pub edges: usize,
    /// Whether the search changed the structure.
    pub changed: bool,
}

/// Receives everything that happens in a run and may end it: progress bars, traces, time limits,
/// checkpoints, Ctrl-C.
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

    /// The free energy after each of its halves: a search, new parameters, new expectations. It
    /// never falls.
    fn free_energy(&mut self, _value: f64) {}

    /// Asked before every step and between blocks of work: whether to stop here. Once this returns
    /// `true` it must keep returning `true`.
    fn stop(&mut self) -> bool {
        false
    }

    /// Asked between steps: whether to hand over a checkpoint now. `last` is true if the run has
    /// been asked to stop, or is at its end; a run that is stopped inside a step hands over none.
    fn wants_checkpoint(&mut self, _last: bool) -> bool {
        false
    }

    /// The checkpoint asked for.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// Nobody watches.
impl Observer for () {}
