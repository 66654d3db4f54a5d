//! Structure: directed acyclic graphs and what follows from them.

mod constraints;
mod dag;
mod reach;

pub use constraints::{Constraints, Knowledge};
pub use dag::Dag;
pub use reach::Reach;
