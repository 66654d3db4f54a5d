//! Searching for the best structure (sections 2, 4.1 and 7 of the paper).

mod exact;
mod kind;
mod moves;
mod neighbourhood;
mod observer;
mod order;
#[cfg(test)]
mod random_data;
mod run;
mod state;

pub use kind::SearchKind;
pub use moves::{Move, MoveKind, MoveSet, with_parent, without_parent};
pub use neighbourhood::{CandidatesUsed, Neighbourhood};
pub use observer::{SearchObserver, Step, Taken};
pub use run::{Ending, Failure, Plan, Problem, Restarts, SearchResult, search};
pub use state::SearchState;
