//! Procedures of 2004 that the library does not use, implemented through its traits: fitting
//! candidates from the data without a cache, queues of candidates that are not refilled, comparing
//! candidates by expected values alone, Sparse Candidate, and the paper's score of clusters.

mod at_once;
mod clusters;
mod estimating;
mod forgetful;
mod method;
mod queue;
mod resolving;
mod sparse;
mod strategy;
mod switches;

pub use at_once::AtOnce;
pub use clusters::PaperClusters;
pub use estimating::Estimating;
pub use forgetful::Forgetful;
pub use method::PaperMethod;
pub use queue::Queue;
pub use resolving::ResolvingScorer;
pub use sparse::sparse_candidate;
pub use switches::{Faithful, Illegal};
