//! Writes small networks in all text formats to a folder, and `expected.json` with the contents
//! that a reader of the files should find.
//!
//! `cargo run --example export_sample -- FOLDER`, then
//! `python3 tests/python/check_exports.py FOLDER`.

use std::path::Path;

use idealparent::{Cpd, ExportFormat, Family, LinearCpd, Network, Variable};
use idealparent_view::{Format, export};
use serde_json::{Value, json};

/// Parent, child, weight, strength (if known), and whether the direction is compelled.
type Edge = (usize, usize, f64, Option<f64>, bool);

/// Names that need escaping.
const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>",
    "say \"hi\" & 'bye' &amp; \\N \\",
    "two\nlines\r\tand a tab",
    "β-catenin ]]>",
    "e0",
    "2nd",
    "constant",
];
const HOSTILE_HIDDEN: usize = 2;
const HOSTILE_INACTIVE: usize = 6;
/// The collider at 0 compels its own edges and the edge to 3. The edge from 4 to 5 is reversible.
const HOSTILE_EDGES: [Edge; 4] = [
    (1, 0, -2.5, Some(12.25), true),
    (2, 0, 0.1, Some(0.5), true),
    (0, 3, 1.0 / 3.0, None, true),
    (4, 5, 1e300, Some(1e-7), false),
];

/// Names that SIF and bnlearn also accept, and lavaan after converting most of them.
const PLAIN: [&str; 6] = ["A", "B c", "1st", "if", "quote\"d \\ ~ #x", "alone"];
const PLAIN_EDGES: [Edge; 4] = [
    (0, 1, 0.53, None, true),
    (3, 1, -1.2, None, true),
    (1, 2, 1e-12, None, true),
    (1, 4, 2.0, None, true),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("no output folder given")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let mut hostile = network(&HOSTILE, &HOSTILE_EDGES);
    hostile.variables[HOSTILE_HIDDEN].hidden = true;
    hostile.families[HOSTILE_INACTIVE].inactive = true;
    let plain = network(&PLAIN, &PLAIN_EDGES);
    for format in Format::all() {
        let network = match format {
            Format::Text(ExportFormat::Sif | ExportFormat::Bnlearn | ExportFormat::Lavaan) => {
                &plain
            }
            _ => &hostile,
        };
        let file = folder.join(format!("sample.{format}"));
        std::fs::write(file, export(network, format)?)?;
    }
    let expected = json!({
        "hostile": expected(&hostile, &HOSTILE_EDGES),
        "plain": expected(&plain, &PLAIN_EDGES),
    });
    std::fs::write(folder.join("expected.json"), format!("{expected:#}\n"))?;
    Ok(())
}

fn network(names: &[&str], edges: &[Edge]) -> Network {
    let family = |child: usize| {
        let into: Vec<&Edge> = edges.iter().filter(|edge| edge.1 == child).collect();
        let cpd = LinearCpd {
            intercept: 1.5 - child as f64,
            weights: into.iter().map(|edge| edge.2).collect(),
            variance: 0.09 * (1 + child) as f64,
        };
        let parents = into.iter().map(|edge| edge.0).collect();
        Family {
            strengths: into.iter().filter_map(|edge| edge.3).collect(),
            ..Family::new(parents, Cpd::Linear(cpd))
        }
    };
    let variable = |&name: &&str| Variable {
        name: name.into(),
        hidden: false,
    };
    Network {
        variables: names.iter().map(variable).collect(),
        families: (0..names.len()).map(family).collect(),
        ..Network::default()
    }
}

fn expected(network: &Network, edges: &[Edge]) -> Value {
    let parts = network.variables.iter().zip(&network.families);
    let nodes = parts.map(|(variable, family)| {
        json!({
            "name": variable.name,
            "hidden": variable.hidden,
            "inactive": family.inactive,
            "intercept": family.cpd.mean(&vec![0.0; family.parents.len()]),
            "variance": family.cpd.variance(),
        })
    });
    let edges = edges
        .iter()
        .map(|&(parent, child, weight, strength, compelled)| {
            json!({
                "from": network.name(parent),
                "to": network.name(child),
                "weight": weight,
                "sign": if weight < 0.0 { "negative" } else { "positive" },
                "strength": strength,
                "direction": if compelled { "compelled" } else { "reversible" },
            })
        });
    json!({"nodes": nodes.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>()})
}
