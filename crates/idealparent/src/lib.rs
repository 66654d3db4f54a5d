//! Learns Bayesian networks over continuous variables by the ideal parent method.

pub mod cpd;
pub mod data;
pub mod error;
pub mod evaluate;
pub mod graph;
pub mod network;

pub use data::Table;
pub use error::{Error, Result};
pub use network::Network;
