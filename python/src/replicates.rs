//! Many networks: bootstrap and cross-validation, all at once and one by one.

use std::sync::atomic::{AtomicUsize, Ordering};

use idealparent::evaluate::{
    Bootstrapped, EdgeStrength, FoldResult, MethodSpec, Replicate, averaged, cross_validate_one,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::OrRaise;
use crate::options::Asked;
use crate::table::Table;
use crate::watched::{Behaviour, watched};

fn parsed(texts: &[String]) -> PyResult<Vec<Replicate>> {
    let parse = |text: &String| serde_json::from_str(text);
    let replicates: Result<Vec<Replicate>, _> = texts.iter().map(parse).collect();
    replicates.map_err(|error| PyValueError::new_err(format!("no replicate: {error}")))
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
    let found = watched(py, &behaviour, |line| {
        Replicate::learn(&table.inner, &options, number, &line.stopper())
    })?;
    Ok(found.map(|replicate| json!(replicate).to_string()))
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
    let done = AtomicUsize::new(0);
    let Bootstrapped { replicates, failed } = watched(py, &behaviour, |line| {
        let tell = |_: &Replicate| {
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            line.tell(|| number.to_string());
        };
        idealparent::evaluate::bootstrap(&table.inner, &options, count, &line.stopper(), &tell)
    })?;
    let texts = replicates.iter().map(|r| json!(r).to_string());
    Ok((texts.collect(), failed))
}

/// From, to, strength and direction of every edge that replicates have; columns by their place.
#[pyfunction]
pub fn edge_strengths(replicates: Vec<String>) -> PyResult<Vec<(usize, usize, f64, f64)>> {
    let strengths = idealparent::evaluate::edge_strengths(&parsed(&replicates)?);
    let row = |edge: &EdgeStrength| (edge.from, edge.to, edge.strength, edge.direction);
    Ok(strengths.iter().map(row).collect())
}

/// The threshold, found from the strengths unless it is given, and the edges of the averaged network.
#[pyfunction]
pub fn average(
    table: &Table,
    asked: Asked,
    replicates: Vec<String>,
    threshold: Option<f64>,
) -> PyResult<(f64, Vec<(usize, usize)>)> {
    let strengths = idealparent::evaluate::edge_strengths(&parsed(&replicates)?);
    let options = asked.options()?;
    averaged(&table.inner, &options, &strengths, threshold).or_raise()
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
    let found = watched(py, &behaviour, |mut line| {
        let how = (folds, options.seed);
        cross_validate_one(&table.inner, &method, how, number, &mut line)
    })?;
    Ok(found.map(|result: FoldResult| json!(result).to_string()))
}
