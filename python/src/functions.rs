//! Learning, fitting, comparison, imputation, ranking and examples.

use std::path::PathBuf;

use idealparent::{
    Checkpoint, CpdSettings, Ending, Error, LearnOptions, NamedDag, Structure, rank_parents,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::{OrRaise, rendered};
use crate::network::Network;
use crate::options::Asked;
use crate::table::Table;
use crate::watched::{Behaviour, watched};

/// A network, the statistics of the run (JSON), notes, how the run ended, and the lines of its
/// trace.
type Found = (Network, String, Vec<String>, &'static str, Vec<String>);

/// Learns structure and parameters. `resume` is the name and the text of a checkpoint file.
#[pyfunction]
pub fn learn(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    behaviour: Behaviour,
    resume: Option<(String, String)>,
) -> PyResult<Found> {
    let options = asked.options()?;
    let read = |(path, text): (String, String)| {
        let named = |error| Error::table(format!("checkpoint {path}"), error);
        Checkpoint::from_json(&text).map_err(named).or_raise()
    };
    let resume = resume.map(read).transpose()?;
    let data = table.inner.clone();
    let (learned, is_late, lines) = watched(py, &behaviour, move |observer| {
        let mut observer = observer.with_names(data.names());
        let learned = match &resume {
            Some(checkpoint) => checkpoint.resume(&data, &options, &mut observer)?,
            None => idealparent::learn(&data, &options, &mut observer)?,
        };
        Ok((learned, observer.is_late, observer.lines))
    })?;
    let ending = match learned.ending {
        Ending::Stopped if is_late => "time limit",
        Ending::Stopped => "stopped",
        _ => "done",
    };
    let figures = learned.figures(&table.inner).to_string();
    let notes = rendered(&learned.notes);
    Ok((learned.network.into(), figures, notes, ending, lines))
}

/// Raises an error if the options of learning contradict each other.
#[pyfunction]
pub fn check_options(asked: Asked) -> PyResult<()> {
    asked.options().map(drop)
}

/// A structure: a network, edges, or a file of either.
#[derive(FromPyObject)]
pub enum StructureSource {
    Network(Py<Network>),
    Edges(Vec<(String, String)>),
    File(PathBuf),
}

impl StructureSource {
    fn structure(&self) -> PyResult<Structure> {
        match self {
            StructureSource::Network(network) => {
                let text = network.get().inner.to_json().or_raise()?;
                Structure::from_json(&text, "network").or_raise()
            }
            StructureSource::Edges(edges) => Ok(Structure::of_edges(edges.clone())),
            StructureSource::File(path) => Structure::read(path).or_raise(),
        }
    }
}

/// Fits the parameters of a given structure.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    structure: StructureSource,
    table: &Table,
    asked: Asked,
    hidden: Vec<String>,
    behaviour: Behaviour,
) -> PyResult<Found> {
    let mut structure = structure.structure()?.with_hidden(hidden);
    if asked.words.iter().any(|(word, _)| word == "cpd") {
        structure = structure.without_densities();
    }
    let options = asked.unchecked()?;
    let data = table.inner.clone();
    let fitted = watched(py, &behaviour, move |_| {
        idealparent::fit(&data, &structure, &options)
    })?;
    let figures = fitted.figures(&table.inner).to_string();
    let notes = rendered(&fitted.notes);
    Ok((fitted.network.into(), figures, notes, "done", Vec::new()))
}

/// Structural distances between two structures, as JSON.
#[pyfunction]
pub fn compare(learned: StructureSource, reference: StructureSource) -> PyResult<String> {
    let read = |given: &StructureSource| {
        NamedDag::of_structure(&given.structure()?, "structure").or_raise()
    };
    let (learned, reference) = (read(&learned)?, read(&reference)?);
    let comparison = idealparent::compare(&learned, &reference).or_raise()?;
    Ok(json!(comparison).to_string())
}

/// Posterior means, standard deviations, draws, columns in no network, and variables not in the
/// table.
type Filled = (Table, Table, Vec<Table>, Vec<String>, Vec<String>);

/// Imputes missing values.
#[pyfunction]
pub fn impute(
    py: Python<'_>,
    networks: Vec<Py<Network>>,
    table: &Table,
    draws: usize,
    seed: u64,
) -> PyResult<Filled> {
    let own = |network: &Py<Network>| (*network.get().inner).clone();
    let networks: Vec<idealparent::Network> = networks.iter().map(own).collect();
    let data = table.inner.clone();
    let values = data.rows() * data.width() * networks.len();
    let filled = watched(py, &Behaviour::quiet(values), move |_| {
        idealparent::impute(&networks, &data, draws, seed)
    })?;
    let draws = filled.draws.into_iter().map(Table::from).collect();
    Ok((
        filled.mean.into(),
        filled.sd.into(),
        draws,
        filled.unknown,
        filled.absent,
    ))
}

/// Ranks the candidate parents of a variable, as JSON. `network` provides the expectations of
/// missing values and hidden variables.
#[pyfunction]
pub fn rank(
    py: Python<'_>,
    table: &Table,
    child: &str,
    parents: Vec<String>,
    asked: Asked,
    network: Option<Py<Network>>,
) -> PyResult<String> {
    let options: LearnOptions = asked.options()?;
    let [kind] = &options.cpd[..] else {
        return Err(PyValueError::new_err(
            "cpd: candidates can be ranked for one density only",
        ));
    };
    let mut density = CpdSettings::from(kind.clone());
    (density.bias, density.baseline) = (options.bias, options.baseline);
    let network = network.map(|network| network.get().inner.clone());
    let names: Vec<String> = match &network {
        None => table.inner.names().to_vec(),
        Some(network) => network.variables.iter().map(|v| v.name.clone()).collect(),
    };
    let place = |name: &str| {
        let found = names.iter().position(|own| own == name);
        found.ok_or_else(|| PyValueError::new_err(format!("no variable is called '{name}'")))
    };
    let child = place(child)?;
    let parents: PyResult<Vec<usize>> = parents.iter().map(|name| place(name)).collect();
    let parents = parents?;
    let data = table.inner.clone();
    let behaviour = Behaviour::quiet(data.rows() * data.width());
    let ranking = watched(py, &behaviour, move |_| match network {
        None if options.exp2 => rank_parents(&data.exp2()?, child, &parents, &density),
        None => rank_parents(&data, child, &parents, &density),
        Some(network) => network.rank_parents(&data, child, &parents, &density),
    })?;
    let row = |candidate: &idealparent::RankedParent| -> Value {
        json!({
            "candidate": names[candidate.parent],
            "c1": candidate.c1,
            "c2": candidate.c2,
            "tangent": candidate.tangent,
            "delta": candidate.delta,
        })
    };
    let rows: Vec<Value> = ranking.candidates.iter().map(row).collect();
    Ok(json!(rows).to_string())
}

/// The embedded tables: name, title and source.
#[pyfunction]
pub fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    let of = |example: &idealparent::Example| (example.name, example.title, example.source);
    idealparent::examples().iter().map(of).collect()
}

/// The true edges of an embedded table, if known.
#[pyfunction]
pub fn example_truth(name: &str) -> PyResult<Option<Vec<(String, String)>>> {
    Ok(idealparent::example(name).or_raise()?.truth())
}

/// Reads the lines of a trace file.
#[pyfunction]
pub fn read_trace(path: PathBuf) -> PyResult<Vec<String>> {
    let lines = idealparent_view::read_trace(&path).or_raise()?;
    Ok(lines.iter().map(Value::to_string).collect())
}

/// Reads the edges of a network file or a table of edges.
#[pyfunction]
pub fn read_edges(path: PathBuf) -> PyResult<Vec<(String, String)>> {
    Ok(Structure::read(&path).or_raise()?.edges)
}
