//! Networks.

use std::path::PathBuf;

use idealparent::network::{ExportFormat, export};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::table::Table;

/// A Bayesian network.
#[pyclass(frozen, module = "idealparent._native")]
pub struct Network {
    pub inner: idealparent::Network,
}

impl From<idealparent::Network> for Network {
    fn from(inner: idealparent::Network) -> Self {
        Network { inner }
    }
}

/// Mean, deviation, and the variables that the data lack.
type Predicted<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<String>,
);

#[pymethods]
impl Network {
    /// From the text of a network file.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let network = idealparent::Network::from_json(text, "network");
        Ok(network.or_raise()?.into())
    }

    /// From a file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        Ok(idealparent::Network::read(&path).or_raise()?.into())
    }

    /// The text of the network's file.
    fn to_json(&self) -> PyResult<String> {
        self.inner.to_json().or_raise()
    }

    /// In another program's format.
    fn export(&self, format: &str) -> PyResult<String> {
        let format: ExportFormat = format.parse().or_raise()?;
        export(&self.inner, format).or_raise()
    }

    /// Likelihood and score of a table, as JSON; words of the score besides those the network was learned with.
    fn evaluate(
        &self,
        py: Python<'_>,
        table: &Table,
        words: Vec<(String, String)>,
    ) -> PyResult<String> {
        let mut options = idealparent::LearnOptions {
            score: self.inner.learned_by().or_raise()?,
            ..Default::default()
        };
        for (word, value) in &words {
            options.set(word, value).or_raise()?;
        }
        options.score.check().or_raise()?;
        let kind = options.score.kind;
        let score = py.detach(|| self.inner.score_table(&table.inner, &options.score));
        let object = score.or_raise()?.figures(&self.inner, kind);
        Ok(object.to_string())
    }

    /// Log-likelihood of every instance.
    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let each = py.detach(|| self.inner.log_likelihoods(&table.inner));
        Ok(PyArray1::from_vec(py, each.or_raise()?))
    }

    /// Draws instances.
    fn sample(&self, py: Python<'_>, count: usize, seed: u64) -> PyResult<Table> {
        let table = py.detach(|| self.inner.sample(count, seed));
        Ok(table.or_raise()?.into())
    }

    /// The posterior of one variable given the others.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        target: &str,
    ) -> PyResult<Predicted<'py>> {
        let found = py.detach(|| self.inner.predict(&table.inner, target));
        let found = found.or_raise()?;
        Ok((
            PyArray1::from_vec(py, found.mean),
            PyArray1::from_vec(py, found.sd),
            found.absent,
        ))
    }

    /// Means and deviations of the hidden variables.
    fn hidden_profiles(&self, py: Python<'_>, table: &Table) -> PyResult<Table> {
        let profiles = py.detach(|| self.inner.hidden_profiles(&table.inner));
        Ok(profiles.or_raise()?.into())
    }
}
