//! Learns Bayesian networks over continuous variables by the ideal parent method.

pub mod cpd;
pub mod data;
pub mod error;
pub mod fit;
pub mod graph;
pub mod ideal;
pub mod network;
pub mod score;
pub mod search;

pub use data::Table;
pub use error::{Error, Result};
pub use network::Network;
