//! Many networks: bootstrap and cross-validation, all at once and one by one.

use std::sync::{Mutex, PoisonError};

use idealparent::evaluate::{
    Bootstrapped, EdgeStrength, FoldResult, MethodSpec, Replicate, averaged, cross_validate_one,
};
use idealparent::learn::Standard;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{OrRaise, rendered};
use crate::options::Asked;
use crate::table::Table;
use crate::watched::{Behaviour, watched};

/// Replicates of a table with so many columns: they may come from anywhere.
fn parsed(texts: &[String], width: usize) -> PyResult<Vec<Replicate>> {
    let parse = |text: &String| {
        let found: Replicate = serde_json::from_str(text)
            .map_err(|error| PyValueError::new_err(format!("no replicate: {error}")))?;
        if found.fits(width) {
            Ok(found)
        } else {
            Err(PyValueError::new_err("a replicate of other data"))
        }
    };
    texts.iter().map(parse).collect()
}

/// One network of a bootstrap, as JSON; none if it was stopped.
#[pyfunction]
pub fn replicate(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    number: usize,
    behaviour: Behaviour,
) -> PyResult<Option<String>> {
    let options = asked.options()?;
    let data = table.inner.clone();
    let found = watched(py, &behaviour, move |line| {
        Replicate::learn(&data, &options, number, &line.stopper())
    })?;
    Ok(found.map(|replicate| json!(replicate).to_string()))
}

/// What a user should be told before a bootstrap.
#[pyfunction]
pub fn bootstrap_notes(py: Python<'_>, table: &Table, asked: Asked) -> PyResult<Vec<String>> {
    let options = asked.options()?;
    let notes = py.detach(|| idealparent::evaluate::bootstrap_notes(&table.inner, &options));
    Ok(rendered(&notes.or_raise()?))
}

/// All networks of a bootstrap, each as JSON, and how many could not be learned; told is how many are done.
#[pyfunction]
pub fn bootstrap(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    count: usize,
    behaviour: Behaviour,
) -> PyResult<(Vec<String>, usize)> {
    let options = asked.options()?;
    let data = table.inner.clone();
    let Bootstrapped { replicates, failed } = watched(py, &behaviour, move |line| {
        let stop = line.stopper();
        // One after the other, in the order of their numbers.
        let told = Mutex::new((line, 0));
        let tell = |_: &Replicate| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.1 += 1;
            let (line, done) = &*told;
            line.tell(|| done.to_string());
        };
        idealparent::evaluate::bootstrap(&data, &options, count, &stop, &tell)
    })?;
    let texts = replicates.iter().map(|r| json!(r).to_string());
    Ok((texts.collect(), failed))
}

/// From, to, strength and direction of every edge that replicates have; columns by their place.
#[pyfunction]
pub fn edge_strengths(
    py: Python<'_>,
    replicates: Vec<String>,
    width: usize,
) -> PyResult<Vec<(usize, usize, f64, f64)>> {
    let replicates = parsed(&replicates, width)?;
    let strengths = py.detach(|| idealparent::evaluate::edge_strengths(&replicates));
    let row = |edge: &EdgeStrength| (edge.from, edge.to, edge.strength, edge.direction);
    Ok(strengths.iter().map(row).collect())
}

/// The threshold, found from the strengths unless it is given, and the edges of the averaged network.
#[pyfunction]
pub fn average(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    replicates: Vec<String>,
    threshold: Option<f64>,
) -> PyResult<(f64, Vec<(usize, usize)>)> {
    let replicates = parsed(&replicates, table.inner.width())?;
    let options = asked.options()?;
    py.detach(|| {
        let strengths = idealparent::evaluate::edge_strengths(&replicates);
        averaged(&table.inner, &options, &strengths, threshold)
    })
    .or_raise()
}

/// Refuses methods that are none, or are there twice.
#[pyfunction]
pub fn methods(text: &str, asked: Asked) -> PyResult<Vec<String>> {
    let methods = MethodSpec::parse_all(text, &asked.options()?).or_raise()?;
    Ok(methods.into_iter().map(|method| method.label).collect())
}

/// One method on one fold, numbered from 0, as JSON; none if it was stopped.
#[pyfunction]
pub fn fold(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    method: &str,
    folds: usize,
    number: usize,
    behaviour: Behaviour,
) -> PyResult<Option<String>> {
    let options = asked.options()?;
    let method = MethodSpec::parse(method, &options).or_raise()?;
    let data = table.inner.clone();
    let found = watched(py, &behaviour, move |mut line| {
        let how = (folds, options.seed);
        cross_validate_one(&Standard, &data, &method, how, number, &mut line)
    })?;
    Ok(found.map(|result: FoldResult| json!(result).to_string()))
}
