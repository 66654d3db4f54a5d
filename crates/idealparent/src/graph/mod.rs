//! Structure: directed acyclic graphs and what follows from them.

mod cpdag;
mod dag;

pub use cpdag::{Adjacency, Cpdag};
pub use dag::Dag;
