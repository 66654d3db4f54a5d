//! What the page knows, as JSON.

use serde_json::{Value, json};

use super::Report;
use super::rankings::rankings;
use super::values::{packed, packed_bits, short, shown_rows};
use crate::cpd::{Cpd, Factor, FactorKind};
use crate::data::{Column, Completed, Table};
use crate::error::Result;
use crate::graph::Layout;
use crate::network::{EdgeView, Network, Transform, edge_views, picture_width};

/// Points of a curve.
const CURVE: usize = 61;

/// Steps of a trace that are shown: beyond that every few of them.
const MOST_STEPS: usize = 4000;

/// Everything the page shows.
pub(super) fn content(report: &Report) -> Result<Value> {
    let network = report.network;
    let edges = edge_views(network);
    let dag = network.dag();
    let widths: Vec<f64> = (0..network.len())
        .map(|v| picture_width(network.name(v)))
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
            "sign": if edge.sign == "negative" { -1 } else { 1 },
            "strength": edge.strength.map(short),
            "reversible": edge.direction == "reversible",
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
    let family = |v: usize| {
        let family = &network.families[v];
        let kind = match &family.cpd {
            Cpd::Linear(_) => "linear",
            Cpd::Link(cpd) => cpd.link.word(),
            Cpd::Product(_) => "product",
        };
        json!({
            "parents": family.parents,
            "kind": kind,
            "variance": short(family.cpd.variance()),
            "text": formula(network, v),
        })
    };
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
        "notes": report.notes,
        "exp2": network.transform == Transform::Exp2,
        "linear": network.is_linear(),
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
        "trace": steps(&report.trace),
        "bootstrap": bootstrap(report),
        "data": report.table.map(|table| data(network, table)).transpose()?,
    }))
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The density in words: what a reader of the network file could compute.
fn formula(network: &Network, v: usize) -> String {
    let family = &network.families[v];
    let own = network.name(v);
    // Four digits: the network file has all of them.
    let number = |x: f64| match format!("{x:.3e}").parse::<f64>() {
        Ok(rounded) => rounded.to_string(),
        Err(_) => x.to_string(),
    };
    let signed = |x: f64, first: bool| match (x < 0.0, first) {
        (true, true) => format!("-{}", number(-x)),
        (true, false) => format!(" - {}", number(-x)),
        (false, true) => number(x),
        (false, false) => format!(" + {}", number(x)),
    };
    let sum = |start: f64, weights: &[f64]| {
        let mut text = signed(start, true);
        for (&p, &w) in family.parents.iter().zip(weights) {
            text += &format!("{}·{}", signed(w, false), network.name(p));
        }
        text
    };
    match &family.cpd {
        Cpd::Linear(cpd) => format!("E[{own}] = {}", sum(cpd.intercept, &cpd.weights)),
        Cpd::Link(cpd) => format!(
            "E[{own}] = {}{}·{}({})",
            signed(cpd.offset, true),
            signed(cpd.scale, false),
            cpd.link.word(),
            sum(cpd.bias, &cpd.weights)
        ),
        Cpd::Product(cpd) => {
            let factor = |(&p, f): (&usize, &Factor)| {
                let term = format!("{}·{}", number(f.weight), network.name(p));
                match f.kind {
                    FactorKind::Activator => format!("({term})/(1 + {term})"),
                    FactorKind::Repressor => format!("1/(1 + {term})"),
                }
            };
            let factors: Vec<String> = family
                .parents
                .iter()
                .zip(&cpd.factors)
                .map(factor)
                .collect();
            format!(
                "E[{own}] = {}{}·{}",
                signed(cpd.offset, true),
                signed(cpd.scale, false),
                factors.join("·")
            )
        }
    }
}

/// The steps of a run with the number of edges after each, as long as it is known; iterations and hidden variables as they came.
fn steps(trace: &[Value]) -> Vec<Value> {
    let mut edges = Some(0_i64);
    let mut out = Vec::new();
    let count = trace
        .iter()
        .filter(|line| line.get("step").is_some())
        .count();
    let every = count.div_ceil(MOST_STEPS).max(1);
    let mut seen = 0;
    for line in trace {
        if line.get("step").is_none() {
            out.push(line.clone());
            continue;
        }
        edges = match (line["edges"].as_i64(), line["move"].as_str()) {
            (Some(count), _) => Some(count),
            (_, Some("add")) => edges.map(|count| count + 1),
            (_, Some("delete")) => edges.map(|count| count - 1),
            (_, Some("reverse" | "replace")) => edges,
            _ => None,
        };
        seen += 1;
        if seen % every == 0 || seen == count {
            let mut line = line.clone();
            line["edges"] = json!(edges);
            out.push(line);
        }
    }
    out
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

/// Values, holes, fitted curves and rankings.
fn data(network: &Network, table: &Table) -> Result<Value> {
    let columns = network.columns_of(table)?;
    let holes = columns
        .iter()
        .any(|column| column.iter().any(|x| x.is_nan()));
    let expected = match holes {
        true => network.expectations(&columns)?,
        false => Completed::complete(&columns),
    };
    let rows = shown_rows(table.rows(), network.len());
    let means = expected.means();
    let pick = |column: &Column| rows.iter().map(|&row| column[row]).collect::<Vec<f64>>();
    let missing: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().filter(|x| x.is_nan()).count())
        .collect();
    let holes: Vec<bool> = columns
        .iter()
        .flat_map(|column| rows.iter().map(|&row| column[row].is_nan()))
        .collect();
    let values = means.iter().flat_map(pick);
    let deviations = |v: usize| {
        let variances = expected.variances(v);
        rows.iter()
            .map(|&row| variances.get(row).map_or(0.0, |x| x.max(0.0).sqrt()))
            .collect::<Vec<f64>>()
    };
    let hidden: serde_json::Map<String, Value> = (0..network.len())
        .filter(|&v| network.variables[v].hidden)
        .map(|v| (v.to_string(), json!(packed(deviations(v).into_iter()))))
        .collect();
    let names = Table::new(
        network.variables.iter().map(|v| v.name.clone()).collect(),
        columns.clone(),
    )?;
    let ranked = rankings(network, &names, &expected);
    Ok(json!({
        "total": table.rows(),
        "columns": table.width(),
        "missing": missing,
        "rows": rows,
        "names": table.row_names().map(|names| rows.iter().map(|&row| &names[row]).collect::<Vec<_>>()),
        "values": packed(values),
        "holes": packed_bits(&holes),
        "deviations": hidden,
        "fits": (0..network.len()).map(|v| fitted(network, means, &rows, v)).collect::<Vec<_>>(),
        "rankings": ranked,
    }))
}

/// Expected values of a variable at the shown instances, and for every parent a curve with the others at their means.
fn fitted(network: &Network, means: &[Column], rows: &[usize], v: usize) -> Value {
    let family = &network.families[v];
    if family.parents.is_empty() {
        return Value::Null;
    }
    let at = |row: usize| -> Vec<f64> { family.parents.iter().map(|&p| means[p][row]).collect() };
    let expected = rows.iter().map(|&row| family.cpd.mean(&at(row)));
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
        json!({ "low": short(low), "high": short(high), "y": packed((0..CURVE).map(point)) })
    };
    // Of all instances, not of those that are shown.
    let (mut left, mut total) = (0.0, 0.0);
    let mean = means[v].iter().sum::<f64>() / instances;
    for row in 0..means[v].len() {
        left += (means[v][row] - family.cpd.mean(&at(row))).powi(2);
        total += (means[v][row] - mean).powi(2);
    }
    json!({
        "mean": packed(expected),
        "curves": family.parents.iter().enumerate().map(curve).collect::<Vec<_>>(),
        "explained": if total > 0.0 { short(1.0 - left / total) } else { Value::Null },
    })
}
