//! Learning and what goes with it.

use std::path::PathBuf;

use idealparent::cpd::CpdKind;
use idealparent::data;
use idealparent::evaluate::{Structure, rank_parents, rank_parents_in};
use idealparent::learn::Checkpoint;
use idealparent::network::StructureFile;
use idealparent::search::Ending;
use idealparent::{LearnOptions, Learned, fit_file, learn_from};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::{OrRaise, rendered};
use crate::network::Network;
use crate::options::Asked;
use crate::table::Table;
use crate::watched::{Behaviour, watched};

/// A network, the run in figures (JSON), what a user should be told, how the run ended, and its trace.
type Found = (Network, String, Vec<String>, &'static str, Vec<String>);

fn found(learned: Learned, table: &Table, ending: &'static str, trace: Vec<String>) -> Found {
    let figures = learned.figures(&table.inner).to_string();
    (
        learned.network.into(),
        figures,
        rendered(&learned.notes),
        ending,
        trace,
    )
}

/// Learns structure and parameters, from a checkpoint if there is one: its file and its text.
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
        let wrong = |error| PyValueError::new_err(format!("checkpoint {path}: {error}"));
        Checkpoint::from_json(&text).map_err(wrong)
    };
    let resume = resume.map(read).transpose()?;
    let data = table.inner.clone();
    let (learned, is_late, lines) = watched(py, &behaviour, move |line| {
        let mut line = line.with_names(data.names());
        let learned = learn_from(&data, &options, resume.as_ref(), &mut line)?;
        Ok((learned, line.is_late, line.lines))
    })?;
    let ending = match learned.ending {
        Ending::Stopped if is_late => "time limit",
        Ending::Stopped => "stopped",
        _ => "done",
    };
    Ok(found(learned, table, ending, lines))
}

/// A structure: edges, the text of a network file, or a file.
#[derive(FromPyObject)]
pub enum Given {
    Network(Py<Network>),
    Edges(Vec<(String, String)>),
    File(PathBuf),
}

impl Given {
    fn file(&self) -> PyResult<StructureFile> {
        match self {
            Given::Network(network) => {
                let text = network.get().inner.to_json().or_raise()?;
                StructureFile::from_json(&text, "network").or_raise()
            }
            Given::Edges(edges) => Ok(StructureFile {
                edges: edges.clone(),
                ..StructureFile::default()
            }),
            Given::File(path) => StructureFile::read(path).or_raise(),
        }
    }
}

/// Parameters of a given structure.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    structure: Given,
    table: &Table,
    asked: Asked,
    hidden: Vec<String>,
    behaviour: Behaviour,
) -> PyResult<Found> {
    let file = structure.file()?;
    let replaces = asked.words.iter().any(|(word, _)| word == "cpd");
    let options = asked.unchecked()?;
    let data = table.inner.clone();
    let learned = watched(py, &behaviour, move |_| {
        fit_file(&data, &file, &hidden, &options, replaces)
    })?;
    Ok(found(learned, table, "done", Vec::new()))
}

/// Structural distances between two structures, as JSON.
#[pyfunction]
pub fn compare(learned: Given, reference: Given) -> PyResult<String> {
    let read = |given: &Given| Structure::of_file(&given.file()?, "structure").or_raise();
    let comparison = idealparent::evaluate::compare(&read(&learned)?, &read(&reference)?);
    Ok(json!(comparison).to_string())
}

/// A filled table, deviations, completed tables, columns that no network knows, and variables that the table lacks.
type Filled = (Table, Table, Vec<Table>, Vec<String>, Vec<String>);

/// Fills in what is missing.
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
        idealparent::inference::impute(&networks, &data, draws, seed)
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

/// Candidate parents of a variable, as JSON; by what a network expects where values are missing or variables hidden.
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
            "cpd: candidates are ranked for one density",
        ));
    };
    let kind: CpdKind = kind.clone();
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
        None => rank_parents(&data, child, &parents, &kind, &options),
        Some(network) => rank_parents_in(&network, &data, child, &parents, &kind, &options),
    })?;
    let row = |candidate: &idealparent::evaluate::RankedParent| -> Value {
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
    let of = |example: &data::Example| (example.name, example.title, example.source);
    data::examples().iter().map(of).collect()
}

/// The true edges of an embedded table, where they are known.
#[pyfunction]
pub fn example_truth(name: &str) -> PyResult<Option<Vec<(String, String)>>> {
    Ok(data::example(name).or_raise()?.truth())
}

/// The lines of a trace.
#[pyfunction]
pub fn read_trace(path: PathBuf) -> PyResult<Vec<String>> {
    let lines = idealparent_view::read_trace(&path).or_raise()?;
    Ok(lines.iter().map(Value::to_string).collect())
}

/// A table of edges.
#[pyfunction]
pub fn read_edges(path: PathBuf) -> PyResult<Vec<(String, String)>> {
    Ok(StructureFile::read(&path).or_raise()?.edges)
}
