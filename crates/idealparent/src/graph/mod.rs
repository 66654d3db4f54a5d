//! Structures: directed acyclic graphs, their equivalence classes and prior knowledge about them.

mod constraints;
mod cpdag;
mod dag;
mod knowledge;
mod pdag;
mod reach;

pub use constraints::Constraints;
pub use cpdag::{Adjacency, Cpdag};
pub use dag::{Dag, names_along};
pub use knowledge::Knowledge;
pub(crate) use knowledge::Origins;
pub use pdag::Pdag;
pub use reach::Reach;
