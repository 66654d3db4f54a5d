//! The Python class of a network.

use std::path::PathBuf;
use std::sync::Arc;

use idealparent::LearnOptions;
use idealparent_view::{BootstrapEdge, Format, Report, check_trace, command_line, export, png};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::OrRaise;
use crate::table::Table;
use crate::watched::{Behaviour, watched};

/// A Bayesian network.
#[pyclass(frozen, module = "idealparent._native")]
pub struct Network {
    pub inner: Arc<idealparent::Network>,
}

impl From<idealparent::Network> for Network {
    fn from(inner: idealparent::Network) -> Self {
        Network {
            inner: Arc::new(inner),
        }
    }
}

/// Mean, standard deviation, and the variables that are not in the data.
type Predicted<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<String>,
);

#[pymethods]
impl Network {
    /// Reads a network from the text of a network file.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let network = idealparent::Network::from_json(text, "network");
        Ok(network.or_raise()?.into())
    }

    /// Reads a network file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        Ok(idealparent::Network::read(&path).or_raise()?.into())
    }

    /// The text of the network file.
    fn to_json(&self) -> PyResult<String> {
        self.inner.to_json().or_raise()
    }

    /// The network in the format of another program.
    fn export(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format: Format = format.parse().or_raise()?;
        py.detach(|| export(&self.inner, format)).or_raise()
    }

    /// The picture of the network as a PNG.
    fn png<'py>(&self, py: Python<'py>, scale: Option<f64>) -> PyResult<Bound<'py, PyBytes>> {
        let drawn = py.detach(|| {
            let svg = export(&self.inner, Format::Svg)?;
            png(&svg, scale)
        });
        Ok(PyBytes::new(py, &drawn.or_raise()?))
    }

    /// The report page of the network. `data` are the command-line arguments that select the data.
    #[pyo3(signature = (table, trace, bootstrap, title, data, notes))]
    #[allow(clippy::too_many_arguments)]
    fn report(
        &self,
        py: Python<'_>,
        table: Option<&Table>,
        trace: Vec<String>,
        bootstrap: Vec<(String, String, f64, f64)>,
        title: String,
        data: Vec<String>,
        notes: Vec<String>,
    ) -> PyResult<String> {
        let trace = check_trace(trace.iter().map(String::as_str), "trace").or_raise()?;
        let edge = |(from, to, strength, direction)| BootstrapEdge {
            from,
            to,
            strength,
            direction,
        };
        let network = self.inner.clone();
        let table = table.map(|table| table.inner.clone());
        let values = table.as_ref().map_or(0, |t| t.rows() * t.width());
        watched(py, &Behaviour::quiet(values * network.len()), move |_| {
            let report = Report {
                network: &network,
                table: table.as_deref(),
                trace,
                bootstrap: bootstrap.into_iter().map(edge).collect(),
                title,
                command: command_line(&network, &data),
                notes,
            };
            report.html()
        })
    }

    /// Likelihood and score of a table, as JSON. `words` are score options that override those the
    /// network was learned with.
    fn evaluate(
        &self,
        py: Python<'_>,
        table: &Table,
        words: Vec<(String, String)>,
    ) -> PyResult<String> {
        let base = self.inner.learned_by().or_raise()?;
        let options = LearnOptions::score_options_with(&base, &words).or_raise()?;
        let score = self.apply(py, table, move |network, table| {
            network.score_table(table, &options)
        })?;
        let object = score.figures(&self.inner, options.kind);
        Ok(object.to_string())
    }

    /// Log-likelihood of every instance.
    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let each = self.apply(py, table, |network, table| network.log_likelihoods(table))?;
        Ok(PyArray1::from_vec(py, each))
    }

    /// Draws instances from the network.
    fn sample(&self, py: Python<'_>, count: usize, seed: u64) -> PyResult<Table> {
        let network = self.inner.clone();
        let behaviour = Behaviour::quiet(count.saturating_mul(network.len()));
        let table = watched(py, &behaviour, move |_| network.sample(count, seed))?;
        Ok(table.into())
    }

    /// The posterior of one variable given the others.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        target: String,
    ) -> PyResult<Predicted<'py>> {
        let found = self.apply(py, table, move |network, table| {
            network.predict(table, &target)
        })?;
        Ok((
            PyArray1::from_vec(py, found.mean),
            PyArray1::from_vec(py, found.sd),
            found.absent,
        ))
    }

    /// Posterior means and standard deviations of the hidden variables.
    fn hidden_profiles(&self, py: Python<'_>, table: &Table) -> PyResult<Table> {
        let profiles = self.apply(py, table, |network, table| network.hidden_profiles(table))?;
        Ok(profiles.into())
    }
}

impl Network {
    /// Applies `work` to the network and a table, in a background thread.
    fn apply<T: Send + 'static>(
        &self,
        py: Python<'_>,
        table: &Table,
        work: impl FnOnce(&idealparent::Network, &idealparent::Table) -> idealparent::Result<T>
        + Send
        + 'static,
    ) -> PyResult<T> {
        let (network, table) = (self.inner.clone(), table.inner.clone());
        let behaviour = Behaviour::quiet(table.rows() * table.width());
        watched(py, &behaviour, move |_| work(&network, &table))
    }
}
