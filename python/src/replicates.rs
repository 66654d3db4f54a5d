//! Bootstrap and cross-validation, as a whole or one network at a time.

use std::sync::{Mutex, PoisonError};

use idealparent::extend::Standard;
use idealparent::internal::cross_validate_one;
use idealparent::{Bootstrapped, EdgeStrength, FoldResult, Gamma, MethodSpec, Replicate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{OrRaise, rendered};
use crate::options::Asked;
use crate::table::Table;
use crate::watched::{Behaviour, watched};

/// Parses replicates and checks that they belong to a table with `width` columns.
fn parsed(texts: &[String], width: usize) -> PyResult<Vec<Replicate>> {
    let parse = |text: &String| {
        let found: Replicate = serde_json::from_str(text)
            .map_err(|error| PyValueError::new_err(format!("not a replicate: {error}")))?;
        if found.fits(width) {
            Ok(found)
        } else {
            Err(PyValueError::new_err("the replicate belongs to other data"))
        }
    };
    texts.iter().map(parse).collect()
}

/// One network of a bootstrap, as JSON; `None` if the run was stopped.
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
    let found = watched(py, &behaviour, move |observer| {
        Replicate::learn(&data, &options, number, &observer.stopper())
    })?;
    Ok(found.map(|replicate| json!(replicate).to_string()))
}

/// Notes to show before a bootstrap.
#[pyfunction]
pub fn bootstrap_notes(py: Python<'_>, table: &Table, asked: Asked) -> PyResult<Vec<String>> {
    let options = asked.options()?;
    let notes = py.detach(|| idealparent::internal::bootstrap_notes(&table.inner, &options));
    Ok(rendered(&notes.or_raise()?))
}

/// The value of EBIC's gamma chosen from a table; `None` if the options say what it is, or if the
/// run was stopped. `method` is a method of cross-validation, with options of its own.
#[pyfunction]
pub fn gamma_of(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    method: Option<&str>,
    behaviour: Behaviour,
) -> PyResult<Option<f64>> {
    let mut options = asked.options()?;
    if let Some(method) = method {
        options = MethodSpec::parse(method, &options).or_raise()?.options;
    }
    let data = table.inner.clone();
    let found = watched(py, &behaviour, move |mut observer| {
        options.with_gamma_of(&data, &mut observer)
    })?;
    Ok(found.and_then(|options| options.score_options().chosen_gamma()))
}

/// All networks of a bootstrap, each as JSON, and the number that could not be learned. `tell` is
/// called with the number of finished networks.
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
    let Bootstrapped {
        replicates, failed, ..
    } = watched(py, &behaviour, move |observer| {
        let stop = observer.stopper();
        // The lock makes Python see the counts one after the other, in ascending order.
        let told = Mutex::new((observer, 0));
        let tell = |_: &Replicate| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.1 += 1;
            let (observer, done) = &*told;
            observer.tell(|| done.to_string());
        };
        idealparent::bootstrap(&data, &options, count, &stop, &tell)
    })?;
    let texts = replicates.iter().map(|r| json!(r).to_string());
    Ok((texts.collect(), failed))
}

/// From, to, strength and direction of every edge in the replicates, with columns as indices.
#[pyfunction]
pub fn edge_strengths(
    py: Python<'_>,
    replicates: Vec<String>,
    width: usize,
) -> PyResult<Vec<(usize, usize, f64, f64)>> {
    let found = Bootstrapped::from(parsed(&replicates, width)?);
    let strengths = py.detach(|| found.edge_strengths());
    let row = |edge: &EdgeStrength| (edge.from, edge.to, edge.strength, edge.direction);
    Ok(strengths.iter().map(row).collect())
}

/// The threshold, estimated from the strengths unless given, and the edges of the averaged network.
#[pyfunction]
pub fn average(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    replicates: Vec<String>,
    threshold: Option<f64>,
) -> PyResult<(f64, Vec<(usize, usize)>)> {
    let found = Bootstrapped::from(parsed(&replicates, table.inner.width())?);
    let options = asked.options()?;
    let averaged = py.detach(|| found.averaged(&table.inner, &options, threshold));
    averaged.or_raise()
}

/// Labels of the methods. Returns an error for an unknown or repeated method.
#[pyfunction]
pub fn methods(text: &str, asked: Asked) -> PyResult<Vec<String>> {
    let methods = MethodSpec::parse_all(text, &asked.options()?).or_raise()?;
    Ok(methods.into_iter().map(|method| method.label).collect())
}

/// The result of one method on one fold as JSON; `None` if the run was stopped. `number` is the number
/// of folds and that of this one, from 0. `gamma` is the value that `gamma_of` returned for the method.
#[pyfunction]
pub fn fold(
    py: Python<'_>,
    table: &Table,
    asked: Asked,
    method: &str,
    number: (usize, usize),
    gamma: Option<f64>,
    behaviour: Behaviour,
) -> PyResult<Option<String>> {
    let options = asked.options()?;
    let mut method = MethodSpec::parse(method, &options).or_raise()?;
    let own = method.options.gamma;
    method.options.gamma = gamma.map_or(own, Gamma::AutoAt);
    let data = table.inner.clone();
    let found = watched(py, &behaviour, move |mut observer| {
        let (folds, number) = number;
        let split = (folds, options.seed);
        cross_validate_one(&Standard, &data, &method, split, number, &mut observer)
    })?;
    Ok(found.map(|result: FoldResult| json!(result).to_string()))
}
