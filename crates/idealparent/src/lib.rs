//! Learns Bayesian networks over continuous variables by the ideal parent method.

pub mod cpd;
pub mod data;
pub mod error;
pub mod evaluate;
pub mod fit;
pub mod graph;
pub mod ideal;
mod kernel;
mod learn;
pub mod network;
mod options;
pub mod score;
pub mod search;

pub use data::Table;
pub use error::{Error, Result};
pub use learn::{Learned, fit_structure, learn};
pub use network::Network;
pub use options::{Candidates, LearnOptions, Method, SearchKind};
