//! Watching a search, and stopping it.

use super::Move;
use crate::score::Evaluations;

/// One step taken by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of the step, from 1.
    pub number: usize,
    /// What was done.
    pub taken: Move,
    /// By how much the score rose.
    pub gain: f64,
    /// Score of the network after the step.
    pub score: f64,
    /// Number of edges after the step.
    pub edges: usize,
    /// Families scored so far.
    pub evaluations: Evaluations,
}

/// Receives every step and may end the search: progress bars, traces, time limits and Ctrl-C.
pub trait Observer {
    /// The search begins at this score.
    fn started(&mut self, _score: f64, _edges: usize) {}

    /// A step was taken.
    fn step(&mut self, _step: &Step) {}

    /// Asked before every step and between blocks of work: whether to stop here.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Nobody watches.
impl Observer for () {}
