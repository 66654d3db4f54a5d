//! Structure: directed acyclic graphs and what follows from them.

mod constraints;
mod cpdag;
mod dag;
mod reach;

pub use constraints::{Constraints, Knowledge};
pub use cpdag::{Adjacency, Cpdag};
pub use dag::{Dag, names_along};
pub use reach::Reach;
