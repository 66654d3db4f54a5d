//! Cross-validation of several methods on the same folds: the columns of the paper's Table 1.

use std::collections::HashSet;

use serde::Serialize;

use crate::data::{Fold, Table, folds};
use crate::error::{Error, Message, Result, about, option, quoted};
use crate::learn::{LearnOptions, Method, Observer, Standard, Strategy, check_table, learn_by};
use crate::options::{OptionCommand, OptionKind, OptionSpec, OptionValue};
use crate::score::ScoreOptions;
use crate::search::Ending;

/// A method to compare: options for learning, with a label.
///
/// For an example see [`MethodSpec::parse`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct MethodSpec {
    /// The method as the user wrote it.
    pub label: String,
    /// The options it stands for.
    pub options: LearnOptions,
}

impl MethodSpec {
    /// Parses a method such as `greedy` or `ideal:k=2:measure=c2:score=bic`. Options that are not
    /// given are taken from `base`.
    ///
    /// ```
    /// use idealparent::{LearnOptions, Measure, MethodSpec};
    ///
    /// let method = MethodSpec::parse("ideal:k=5:measure=c2", &LearnOptions::default())?;
    /// assert_eq!(method.options.measure, Measure::C2);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn parse(text: &str, base: &LearnOptions) -> Result<Self> {
        let mut parts = text.split(':');
        let mut options = base.clone();
        let method = Method::parse(parts.next().unwrap_or_default());
        options.method = method.map_err(|error| Error::options(about("methods", error)))?;
        if options.method == Method::Greedy {
            // These options of `base` are for the other methods.
            let usual = LearnOptions::default();
            (options.candidates, options.measure) = (usual.candidates, usual.measure);
        }
        let wrong = |error: Error| {
            let problem = Message::from(Message::from(error).bare());
            Error::options(about("methods", problem.within(quoted(text))))
        };
        let mut given = HashSet::new();
        for part in parts {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (part, None),
            };
            let spec = LearnOptions::spec(key).map_err(wrong)?;
            if !spec.is_taken_by(OptionCommand::Cv) {
                let problem = format!("{} cannot be an option of a method", quoted(key));
                return Err(wrong(Error::options(problem)));
            }
            if !given.insert(spec.name) {
                let problem = format!("{} is given twice", quoted(key));
                return Err(wrong(Error::options(problem)));
            }
            let value = value.map_or_else(|| flag_value(spec, key), Ok);
            let set = value.and_then(|value| spec.set(&mut options, value));
            set.map_err(wrong)?;
        }
        options.check().map_err(wrong)?;
        Ok(MethodSpec {
            label: text.to_string(),
            options,
        })
    }

    /// Parses several methods, separated by white space.
    pub fn parse_all(text: &str, base: &LearnOptions) -> Result<Vec<Self>> {
        let methods: Result<Vec<_>> = text
            .split_whitespace()
            .map(|one| MethodSpec::parse(one, base))
            .collect();
        let methods = methods?;
        let mut labels = HashSet::new();
        if let Some(twice) = methods.iter().find(|method| !labels.insert(&method.label)) {
            return Err(Error::options(format!(
                "{} names {} twice",
                option("methods"),
                quoted(&twice.label)
            )));
        }
        if methods.is_empty() {
            return Err(Error::options(format!(
                "{} names no method",
                option("methods")
            )));
        }
        Ok(methods)
    }
}

/// The value of an option of a method that is given by its name alone.
fn flag_value(spec: &OptionSpec<LearnOptions>, name: &str) -> Result<&'static str> {
    if matches!(spec.kind, OptionKind::Flag | OptionKind::YesNo) {
        return Ok("yes");
    }
    // Some defaults are descriptions in words.
    let default = spec.default.as_deref().filter(|word| !word.contains(' '));
    let example = default.unwrap_or("…");
    Err(Error::options(format!(
        "{name} needs a value, as in {name}={example}"
    )))
}

/// The result of one method on one fold.
///
/// Returned by [`cross_validate`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct FoldResult {
    /// Label of the method.
    pub method: String,
    /// Number of the fold, from 1.
    pub fold: usize,
    /// Log-likelihood of the training rows per instance and variable; an estimate if values are
    /// missing and densities are not linear.
    pub train: f64,
    /// Log-likelihood of the test rows per instance and variable, computed in the same way.
    pub test: f64,
    /// Number of edges learned.
    pub edges: usize,
    /// Number of moves made.
    pub moves: usize,
    /// Number of families scored for add and replace moves.
    pub evaluations: u64,
    /// Number of families scored for all moves.
    pub evaluations_all: u64,
    /// Time of learning in seconds.
    pub seconds: f64,
}

/// Learns with every method on every fold.
///
/// All methods use the same folds. If a method leaves EBIC's gamma open, it is chosen once from the
/// whole table, for all folds. If the observer stops the run, the results so far are returned.
///
/// ```
/// use idealparent::{LearnOptions, MethodSpec, MethodSummary, cross_validate, example};
///
/// let table = example("sachs")?.table();
/// let methods = MethodSpec::parse_all("greedy ideal:k=2", &LearnOptions::default())?;
/// let folds = cross_validate(&table, &methods, 3, 1, &mut ())?;
/// for method in MethodSummary::of(&folds) {
///     println!("{}: {:.3} nats per instance and variable", method.method, method.test);
/// }
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn cross_validate(
    table: &Table,
    methods: &[MethodSpec],
    count: usize,
    seed: u64,
    observer: &mut dyn Observer,
) -> Result<Vec<FoldResult>> {
    let folds = usable_folds(table, count, seed)?;
    let mut settled = Vec::new();
    for method in methods {
        let Some(options) = method.options.with_gamma_of(table, observer)? else {
            return Ok(Vec::new());
        };
        let label = method.label.clone();
        settled.push(MethodSpec { label, options });
    }
    let mut results = Vec::new();
    for number in 0..folds.len() {
        for method in &settled {
            match validate(&Standard, table, method, &folds, number, observer)? {
                None => return Ok(results),
                Some(result) => results.push(result),
            }
        }
    }
    Ok(results)
}

/// Learns with one method on one fold, numbered from 0; `None` if it was stopped.
///
/// `strategy` may be any implementation of [`Strategy`]. [`cross_validate`] uses [`Standard`].
pub fn cross_validate_one(
    strategy: &dyn Strategy,
    table: &Table,
    method: &MethodSpec,
    (count, seed): (usize, u64),
    fold: usize,
    observer: &mut dyn Observer,
) -> Result<Option<FoldResult>> {
    let folds = usable_folds(table, count, seed)?;
    validate(strategy, table, method, &folds, fold, observer)
}

fn usable_folds(table: &Table, count: usize, seed: u64) -> Result<Vec<Fold>> {
    let folds = folds(table.rows(), count, seed)?;
    if let Some(fold) = folds.iter().find(|fold| fold.train.len() < 2) {
        return Err(Error::data(format!(
            "{} rows in {count} folds leave {} to train on; at least two are required",
            table.rows(),
            fold.train.len()
        )));
    }
    Ok(folds)
}

fn validate(
    strategy: &dyn Strategy,
    table: &Table,
    method: &MethodSpec,
    folds: &[Fold],
    number: usize,
    observer: &mut dyn Observer,
) -> Result<Option<FoldResult>> {
    check_table(table, &method.options)?;
    let train = table.select_rows(&folds[number].train);
    let test = table.select_rows(&folds[number].test);
    let learned = learn_by(strategy, &train, &method.options, None, observer)?;
    if learned.ending == Ending::Stopped {
        return Ok(None);
    }
    let network = &learned.network;
    let per = |table: &Table| -> Result<f64> {
        let scored = network.score_table(table, &ScoreOptions::default())?;
        let total = scored.estimate.unwrap_or(scored.log_likelihood);
        // Columns that never vary in the training rows do not contribute to the likelihood.
        Ok(total / (table.rows() * network.active().max(1)) as f64)
    };
    Ok(Some(FoldResult {
        method: method.label.clone(),
        fold: number + 1,
        train: per(&train)?,
        test: per(&test)?,
        edges: network.edge_count(),
        moves: learned.moves,
        evaluations: learned.evaluations.add_replace,
        evaluations_all: learned.evaluations.all,
        seconds: learned.seconds,
    }))
}

/// Averages of one method over the folds: a row of Table 1.
///
/// Returned by [`MethodSummary::of`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct MethodSummary {
    /// Label of the method.
    pub method: String,
    /// Mean training log-likelihood per instance and variable.
    pub train: f64,
    /// Mean test log-likelihood per instance and variable.
    pub test: f64,
    /// Mean number of edges.
    pub edges: f64,
    /// Mean number of moves.
    pub moves: f64,
    /// Mean number of families scored for add and replace moves.
    pub evaluations: f64,
    /// Mean time of learning in seconds.
    pub seconds: f64,
}

impl MethodSummary {
    /// Averages the results over the folds: one row per method, in the order of first appearance.
    ///
    /// ```
    /// use idealparent::{LearnOptions, MethodSpec, MethodSummary, cross_validate, example};
    ///
    /// let table = example("sachs")?.table();
    /// let methods = MethodSpec::parse_all("ideal:search=hill", &LearnOptions::default())?;
    /// let folds = cross_validate(&table, &methods, 2, 1, &mut ())?;
    /// let rows = MethodSummary::of(&folds);
    /// assert_eq!((folds.len(), rows.len()), (2, 1));
    /// assert_eq!(rows[0].test, (folds[0].test + folds[1].test) / 2.0);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn of(results: &[FoldResult]) -> Vec<MethodSummary> {
        let mut labels: Vec<&str> = Vec::new();
        for result in results {
            if !labels.contains(&result.method.as_str()) {
                labels.push(&result.method);
            }
        }
        let row = |label: &&str| {
            let own: Vec<&FoldResult> = results.iter().filter(|r| r.method == **label).collect();
            let mean = |value: &dyn Fn(&FoldResult) -> f64| {
                own.iter().map(|r| value(r)).sum::<f64>() / own.len() as f64
            };
            MethodSummary {
                method: label.to_string(),
                train: mean(&|r| r.train),
                test: mean(&|r| r.test),
                edges: mean(&|r| r.edges as f64),
                moves: mean(&|r| r.moves as f64),
                evaluations: mean(&|r| r.evaluations as f64),
                seconds: mean(&|r| r.seconds),
            }
        };
        labels.iter().map(row).collect()
    }
}
