//! Structure: directed acyclic graphs and what follows from them.

mod dag;

pub use dag::Dag;
