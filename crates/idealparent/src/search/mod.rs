//! Searching for the best structure (sections 2 and 4.1 of the paper).

mod hill;
mod moves;
mod neighbourhood;
mod observer;

pub use hill::{Ending, hill_climb};
pub use moves::{Move, MoveKind, MoveSet, with_parent, without_parent};
pub use neighbourhood::{CandidatesUsed, Neighbourhood};
pub use observer::{Observer, Step};
