//! Watching a search, and stopping it.

use super::{Move, SearchState};
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

/// Receives every step of a search and may end it.
pub trait SearchObserver {
    /// The search begins at this score.
    fn started(&mut self, _score: f64, _edges: usize) {}

    /// A step was taken.
    fn step(&mut self, _step: &Step) {}

    /// Asked before every step and between blocks of work: whether to stop here. Once this returns
    /// `true` it must keep returning `true`.
    fn stop(&mut self) -> bool {
        false
    }

    /// Asked between steps: whether to hand over the state now. `last` is true if the search has
    /// been asked to stop, or is at its end; a search that is stopped inside a step hands over
    /// none.
    fn wants_state(&mut self, _last: bool) -> bool {
        false
    }

    /// The state asked for.
    fn state(&mut self, _state: SearchState) {}
}

/// Nobody watches.
impl SearchObserver for () {}
