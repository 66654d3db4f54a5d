//! Observing a search, and stopping it.

use super::{Move, SearchState};
use crate::score::Evaluations;

/// One step of a search.
///
/// Passed to `Observer::step` and [`SearchObserver::step`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Step {
    /// Number of the round, from 1.
    pub round: usize,
    /// Number of the step, from 1.
    pub number: usize,
    /// The change made.
    pub taken: Taken,
    /// Change in score since the previous step.
    pub gain: f64,
    /// Score of the network after the step.
    pub score: f64,
    /// Number of edges after the step.
    pub edges: usize,
    /// Number of families scored so far.
    pub evaluations: Evaluations,
}

/// The change made by a step.
///
/// Part of a [`Step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Taken {
    /// One edge changed.
    Move(Move),
    /// One variable moved in the order.
    Shift {
        /// The variable.
        variable: usize,
        /// Its new place: the number of variables before it.
        to: usize,
    },
    /// The whole network was replaced by the families within an order.
    Order,
    /// The whole network was replaced by the one from which a new round starts.
    Restart,
    /// The whole network was replaced by the best one, at the end of the search.
    Return,
}

impl Taken {
    /// The word for the change in traces.
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

/// Receives every step of a search and can stop it.
///
/// A custom `Strategy` passes its observer to the searches that it runs.
///
/// ```
/// use idealparent::Step;
/// use idealparent::extend::SearchObserver;
///
/// /// Stops a search after a number of steps.
/// struct Remaining(usize);
///
/// impl SearchObserver for Remaining {
///     fn step(&mut self, _: &Step) {
///         self.0 = self.0.saturating_sub(1);
///     }
///
///     fn stop(&mut self) -> bool {
///         self.0 == 0
///     }
/// }
///
/// assert!(Remaining(0).stop());
/// assert!(!Remaining(5).stop());
/// ```
pub trait SearchObserver {
    /// Called at the start of the search, with the score and the number of edges of its network.
    fn started(&mut self, _score: f64, _edges: usize) {}

    /// Called after every step.
    fn step(&mut self, _step: &Step) {}

    /// Called before an exact search begins its work on sets of variables, with the memory in bytes
    /// that this needs.
    fn needs_memory(&mut self, _bytes: u64) {}

    /// Called before every step and between blocks of work; returns whether to stop. Once this
    /// returns `true` it must keep returning `true`.
    fn stop(&mut self) -> bool {
        false
    }

    /// Called between steps; returns whether the state is wanted now. `last` is true if the search
    /// has been asked to stop or has ended. A search that is stopped within a step does not hand
    /// over its state.
    fn wants_state(&mut self, _last: bool) -> bool {
        false
    }

    /// Receives the state, if it was wanted.
    fn state(&mut self, _state: SearchState) {}
}

/// An observer that does nothing.
impl SearchObserver for () {}
