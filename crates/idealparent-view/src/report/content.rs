//! The contents of the page as JSON.

use std::collections::HashSet;

use idealparent::extend::Completed;
use idealparent::internal::Columns;
use idealparent::{Column, EdgeView, Error, Network, Result, Table, Transform};
use serde_json::{Value, json};

use super::Report;
use super::formula::formula;
use super::rankings::rankings;
use super::steps::steps;
use super::values::{Packer, packed_bits, short, shown_rows};
use crate::layout::Layout;
use crate::svg;

/// Number of points of a fitted curve.
const CURVE: usize = 61;

/// Everything the page shows.
pub(super) fn content(report: &Report) -> Result<Value> {
    let network = report.network;
    if network.is_empty() {
        return Err(Error::data("the network has no variables"));
    }
    let edges = network.edge_views();
    let dag = network.dag();
    let widths: Vec<f64> = (0..network.len())
        .map(|v| svg::width(network.name(v)))
        .collect();
    let layout = Layout::new(&dag, &widths);
    let points: std::collections::HashMap<(usize, usize), &Vec<(f64, f64)>> =
        dag.edges().zip(&layout.edges).collect();
    let edge = |edge: &EdgeView| {
        let points = points[&(edge.parent, edge.child)];
        let points: Vec<Value> = points
            .iter()
            .map(|&(x, y)| json!([tenth(x), tenth(y)]))
            .collect();
        json!({
            "p": edge.parent,
            "c": edge.child,
            "weight": short(edge.weight),
            "sign": if edge.is_negative { -1 } else { 1 },
            "strength": edge.strength.map(short),
            "reversible": edge.is_reversible,
            "points": points,
        })
    };
    let node = |v: usize| {
        json!({
            "name": network.name(v),
            "hidden": network.variables[v].hidden,
            "inactive": network.families[v].inactive,
            "x": tenth(layout.nodes[v].0),
            "y": tenth(layout.nodes[v].1),
            "w": tenth(widths[v]),
        })
    };
    let view = report
        .table
        .map(|table| NetworkData::new(network, table))
        .transpose()?;
    let means = view.as_ref().map(|view| view.expected.means());
    let family = |v: usize| family(network, v, means);
    let score = network.score.as_ref().map(|score| {
        json!({
            "name": score.name,
            "value": short(score.value),
            "log_likelihood": short(score.log_likelihood),
            "dimension": score.dimension,
        })
    });
    Ok(json!({
        "title": report.title,
        "version": env!("CARGO_PKG_VERSION"),
        "command": report.command,
        "notes": notes(report),
        "exp2": network.transform == Transform::Exp2,
        "score": score,
        "options": network.provenance.as_ref().map(|p| &p.options),
        "seed": network.provenance.as_ref().map(|p| p.seed),
        "learned": network.provenance.as_ref().map(|p| {
            let data = &p.data;
            json!({ "rows": data.rows, "columns": data.columns, "missing": data.missing, "sha256": data.sha256 })
        }),
        "variables": (0..network.len()).map(node).collect::<Vec<_>>(),
        "families": (0..network.len()).map(family).collect::<Vec<_>>(),
        "edges": edges.iter().map(edge).collect::<Vec<_>>(),
        "size": [tenth(layout.width), tenth(layout.height)],
        "trace": steps(&report.trace, initial_edges(network)),
        "bootstrap": bootstrap(report),
        "data": report.table.zip(view.as_ref()).map(|(table, view)| data(network, table, view)).transpose()?,
    }))
}

/// The density of a variable.
fn family(network: &Network, v: usize, means: Option<&[Column]>) -> Value {
    let family = &network.families[v];
    json!({
        "parents": family.parents,
        "kind": family.cpd.kind(),
        "variance": short(family.cpd.variance()),
        "text": formula(network, v, means),
        "mean": family.parents.is_empty().then(|| family.cpd.mean(&[])),
    })
}

/// The notes of the report, and warnings if trace or bootstrap do not match the network.
fn notes(report: &Report) -> Vec<String> {
    let network = report.network;
    let known: HashSet<&str> = network.variables.iter().map(|v| v.name.as_str()).collect();
    let mut notes = report.notes.clone();
    let is_unknown = |name: &Value| name.as_str().is_some_and(|name| !known.contains(name));
    let moves = report
        .trace
        .iter()
        .filter(|line| line.get("step").is_some());
    // Attempted hidden variables are in the trace even if they were not kept.
    let attempted: HashSet<&str> = report
        .trace
        .iter()
        .filter_map(|line| line["hidden"].as_str())
        .collect();
    let is_attempted = |name: &Value| name.as_str().is_some_and(|name| attempted.contains(name));
    let mut names = moves.flat_map(|line| [&line["child"], &line["parent"]]);
    if names.any(|name| is_unknown(name) && !is_attempted(name)) {
        notes.push("the trace names variables that the network does not have".to_string());
    }
    let mut ends = report
        .bootstrap
        .iter()
        .flat_map(|edge| [&edge.from, &edge.to]);
    if ends.any(|name| !known.contains(name.as_str())) {
        notes.push("the bootstrap names variables that the network does not have".to_string());
    }
    notes
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn bootstrap(report: &Report) -> Vec<Value> {
    let row = |edge: &super::BootstrapEdge| {
        json!([
            edge.from,
            edge.to,
            short(edge.strength),
            short(edge.direction)
        ])
    };
    report.bootstrap.iter().map(row).collect()
}

/// Number of edges at the start of a run: 0, or `None` if options such as `start` add edges that
/// the trace does not show.
fn initial_edges(network: &Network) -> Option<i64> {
    let options = &network.provenance.as_ref()?.options;
    let others = ["start", "require", "hidden"];
    (!others.iter().any(|key| options.contains_key(*key))).then_some(0)
}

/// The table's columns in the order and units of the network.
struct NetworkData {
    /// NaN where a value is missing.
    columns: Vec<Column>,
    /// Missing and hidden values replaced by their expectations.
    expected: Completed<'static>,
}

impl NetworkData {
    fn new(network: &Network, table: &Table) -> Result<Self> {
        // Reports the same errors in the data as computing a likelihood does.
        Columns::new(table)?;
        let columns = network.columns_of(table)?;
        network.check_positive(&columns)?;
        let has_holes = columns
            .iter()
            .any(|column| column.iter().any(|x| x.is_nan()));
        let expected = if has_holes {
            network.expectations(&columns)?
        } else {
            Completed::new(
                columns.clone(),
                vec![Vec::new(); columns.len()],
                Default::default(),
            )
        };
        Ok(NetworkData { columns, expected })
    }
}

/// Values, missing entries, fitted curves and rankings.
fn data(network: &Network, table: &Table, view: &NetworkData) -> Result<Value> {
    let NetworkData { columns, expected } = view;
    let rows = shown_rows(table.rows(), network.len());
    let means = expected.means();
    let packers: Vec<Packer> = means.iter().map(|column| Packer::new(column)).collect();
    let pick = |column: &Column| rows.iter().map(|&row| column[row]).collect::<Vec<f64>>();
    let missing: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().filter(|x| x.is_nan()).count())
        .collect();
    let holes: Vec<bool> = columns
        .iter()
        .flat_map(|column| rows.iter().map(|&row| column[row].is_nan()))
        .collect();
    let values: Vec<String> = means
        .iter()
        .zip(&packers)
        .map(|(column, packer)| packer.places(pick(column)))
        .collect();
    let deviations = |v: usize| {
        let variances = expected.variances(v);
        let of = |&row: &usize| variances.get(row).map_or(0.0, |x| x.max(0.0).sqrt());
        packers[v].differences(rows.iter().map(of))
    };
    let hidden: serde_json::Map<String, Value> = (0..network.len())
        .filter(|&v| network.variables[v].hidden)
        .map(|v| (v.to_string(), json!(deviations(v))))
        .collect();
    let names = network.variables.iter().map(|v| v.name.clone()).collect();
    let ranked = rankings(network, &Table::new(names, columns.clone())?, expected);
    Ok(json!({
        "total": table.rows(),
        "columns": table.width(),
        "missing": missing,
        "rows": rows,
        "names": table.row_names().map(|names| rows.iter().map(|&row| &names[row]).collect::<Vec<_>>()),
        "centres": packers.iter().map(|packer| packer.centre).collect::<Vec<_>>(),
        "scales": packers.iter().map(|packer| packer.scale).collect::<Vec<_>>(),
        "values": values,
        "holes": packed_bits(&holes),
        "deviations": hidden,
        "fits": (0..network.len()).map(|v| fitted(network, view, &rows, &packers[v], v)).collect::<Vec<_>>(),
        "rankings": ranked,
    }))
}

/// Residuals of a variable for the instances shown, and a fitted curve for every parent with the
/// other parents at their means.
fn fitted(
    network: &Network,
    view: &NetworkData,
    rows: &[usize],
    packer: &Packer,
    v: usize,
) -> Value {
    let family = &network.families[v];
    if family.parents.is_empty() {
        return Value::Null;
    }
    let means = view.expected.means();
    let at = |row: usize| -> Vec<f64> { family.parents.iter().map(|&p| means[p][row]).collect() };
    let residual = |row: usize| means[v][row] - family.cpd.mean(&at(row));
    let instances = means[v].len().max(1) as f64;
    let centre: Vec<f64> = family
        .parents
        .iter()
        .map(|&p| means[p].iter().sum::<f64>() / instances)
        .collect();
    let curve = |(place, &p): (usize, &usize)| {
        let low = means[p].iter().copied().fold(f64::INFINITY, f64::min);
        let high = means[p].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let point = |i: usize| {
            let x = low + (high - low) * i as f64 / (CURVE - 1) as f64;
            let mut inputs = centre.clone();
            inputs[place] = x;
            family.cpd.mean(&inputs)
        };
        json!({ "low": low, "high": high, "y": packer.places((0..CURVE).map(point).collect()) })
    };
    json!({
        "residual": packer.differences(rows.iter().map(|&row| residual(row))),
        "curves": family.parents.iter().enumerate().map(curve).collect::<Vec<_>>(),
        "explained": explained(network, view, v),
    })
}

/// The share of a variable's variance that its parents explain, over the instances where it is
/// observed.
///
/// If parents are missing or hidden, their expectations depend on the variable itself, and its
/// residuals would be too small. Then the network's noise variance is used instead.
fn explained(network: &Network, view: &NetworkData, v: usize) -> Value {
    let family = &network.families[v];
    let means = view.expected.means();
    let observed: Vec<usize> = (0..means[v].len())
        .filter(|&row| !view.columns[v][row].is_nan())
        .collect();
    let count = observed.len() as f64;
    let mean = observed.iter().map(|&row| means[v][row]).sum::<f64>() / count;
    let total = observed
        .iter()
        .map(|&row| (means[v][row] - mean).powi(2))
        .sum::<f64>()
        / count;
    let parents_observed = family
        .parents
        .iter()
        .all(|&p| view.expected.variances(p).is_empty());
    let unexplained = if parents_observed {
        let residual = |&row: &usize| {
            let inputs: Vec<f64> = family.parents.iter().map(|&p| means[p][row]).collect();
            (means[v][row] - family.cpd.mean(&inputs)).powi(2)
        };
        observed.iter().map(residual).sum::<f64>() / count
    } else {
        family.cpd.variance()
    };
    if total > 0.0 {
        short(1.0 - unexplained / total)
    } else {
        Value::Null
    }
}
