//! Python bindings of the library. They only convert arguments and results.

mod errors;
mod functions;
mod network;
mod options;
mod replicates;
mod table;
mod watched;

use pyo3::prelude::*;

/// The native module of the Python package `idealparent`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::functions::{
        check_options, compare, example_truth, examples, fit, impute, learn, rank, read_edges,
        read_trace,
    };
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::replicates::{
        average, bootstrap, bootstrap_notes, edge_strengths, fold, gamma_of, methods, replicate,
    };
    #[pymodule_export]
    use super::table::Table;

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use super::PyModuleMethods;
        module.add("MAX_REPLICATES", idealparent::internal::MAX_REPLICATES)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
