//! Exports are parsed again, and their parents and numbers compared with the network.

use std::collections::BTreeMap;

use idealparent::cpd::{Cpd, LinearCpd};
use idealparent::network::{ExportFormat, Family, Network, Variable};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The parameters of a variable in an R format: intercept, standard deviation or variance, and
/// weights by parent.
#[derive(Debug, Default, PartialEq)]
struct Parameters {
    intercept: f64,
    spread: f64,
    weights: BTreeMap<String, f64>,
}

type Parsed = BTreeMap<String, Parameters>;

/// A random linear network whose names need quoting in R.
fn random_network(seed: u64) -> Network {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = rng.random_range(1..12);
    let mut network = Network::default();
    let ends = ["", " x", "\"q", "\\", "-é", "(1) ~ 2", "#", ";", "<b>"];
    for v in 0..n {
        network.variables.push(Variable {
            name: format!(
                "{}{v}{}",
                ["v", "", "_"][v % 3],
                ends[rng.random_range(0..ends.len())]
            ),
            hidden: false,
        });
        // Parents have larger indices, so that the order of the variables is not topological.
        let parents: Vec<usize> = (v + 1..n).filter(|_| rng.random_bool(0.4)).collect();
        let magnitude = 10f64.powi(rng.random_range(-20..20));
        let mut draw = || rng.random::<f64>() - 0.5;
        let cpd = Cpd::Linear(LinearCpd {
            intercept: draw(),
            weights: parents.iter().map(|_| draw() * magnitude).collect(),
            variance: rng.random::<f64>() * magnitude + 1e-12,
        });
        network.families.push(Family::new(parents, cpd));
    }
    network
}

/// The weight of a parent in a linear family: the slope of the mean, which is the same everywhere.
fn weight(family: &Family, at: usize) -> f64 {
    family.cpd.slope(&vec![0.0; family.parents.len()], at)
}

/// The expected result of a parser, with names and spreads converted as in the format.
fn expected(network: &Network, rename: fn(&str) -> String, spread: fn(f64) -> f64) -> Parsed {
    let name = |v: usize| rename(network.name(v));
    let parts = network.families.iter().enumerate();
    parts
        .map(|(v, family)| {
            let parents = family.parents.iter().enumerate();
            let parameters = Parameters {
                intercept: family.cpd.mean(&vec![0.0; family.parents.len()]),
                spread: spread(family.cpd.variance()),
                weights: parents
                    .map(|(at, &p)| (name(p), weight(family, at)))
                    .collect(),
            };
            (name(v), parameters)
        })
        .collect()
}

/// Parses a string constant at the start of `text`. Returns its value and the rest of the text.
fn r_string(text: &str) -> (String, &str) {
    let body = text.strip_prefix('"').expect("a quotation mark");
    let mut value = String::new();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &body[at + 1..]),
            '\\' => value.push(match chars.next().expect("an escaped character").1 {
                'n' => '\n',
                other => other,
            }),
            c => value.push(c),
        }
    }
    panic!("unterminated string: {text}");
}

fn number(text: &str) -> (f64, &str) {
    let end = text
        .find([',', ')'])
        .expect("a comma or bracket after a number");
    (text[..end].parse().expect("a number"), &text[end..])
}

/// Parses `"name" = number, …)` up to the bracket.
fn r_named_numbers(mut text: &str) -> (Vec<(String, f64)>, &str) {
    let mut found = Vec::new();
    loop {
        let (name, rest) = r_string(text);
        let (value, rest) = number(rest.strip_prefix(" = ").expect("an equals sign"));
        found.push((name, value));
        match rest.strip_prefix(", ") {
            Some(more) => text = more,
            None => return (found, rest.strip_prefix(')').expect("a closing bracket")),
        }
    }
}

/// The parents that `model2network` would read, and the parameters that `custom.fit` would read.
fn parse_bnlearn(script: &str) -> (BTreeMap<String, Vec<String>>, Parsed) {
    let mut structure = BTreeMap::new();
    let mut parsed = Parsed::new();
    for line in script.lines() {
        if let Some(rest) = line.strip_prefix("dag <- model2network(") {
            let (model, rest) = r_string(rest);
            assert_eq!(rest, ")");
            for part in model.split_terminator(']') {
                let part = part.strip_prefix('[').expect("an opening bracket");
                let (node, parents) = part.split_once('|').unwrap_or((part, ""));
                let parents: Vec<String> = parents
                    .split(':')
                    .filter(|p| !p.is_empty())
                    .map(str::to_owned)
                    .collect();
                for parent in &parents {
                    assert!(structure.contains_key(parent), "parents must come first");
                }
                structure.insert(node.to_owned(), parents);
            }
        } else if line.starts_with("  \"") {
            let (name, rest) = r_string(&line[2..]);
            let rest = rest
                .strip_prefix(" = list(coef = c(")
                .expect("coefficients");
            let (mut coefficients, rest) = r_named_numbers(rest);
            let (spread, rest) =
                number(rest.strip_prefix(", sd = ").expect("a standard deviation"));
            assert!(matches!(rest, ")" | "),"), "{rest}");
            let (intercept_name, intercept) = coefficients.remove(0);
            assert_eq!(intercept_name, "(Intercept)");
            let weights = coefficients.into_iter().collect();
            let parameters = Parameters {
                intercept,
                spread,
                weights,
            };
            assert!(parsed.insert(name, parameters).is_none());
        }
    }
    (structure, parsed)
}

/// Parses `start(number)*name`. Returns the number and the name.
fn modified(term: &str) -> (f64, &str) {
    let term = term.strip_prefix("start(").expect("a starting value");
    let (value, rest) = number(term);
    (
        value,
        rest.strip_prefix(")*").expect("the end of a modifier"),
    )
}

fn parse_lavaan(model: &str) -> Parsed {
    let mut parsed = Parsed::new();
    for line in model.lines() {
        let line = line.split('#').next().unwrap().trim();
        if line.is_empty() {
            continue;
        }
        if let Some((left, right)) = line.split_once(" ~~ ") {
            let (value, of) = modified(right);
            assert_eq!(of, left, "unexpected covariance");
            parsed.entry(left.into()).or_default().spread = value;
        } else {
            let (left, right) = line.split_once(" ~ ").expect("a regression");
            let parameters = parsed.entry(left.into()).or_default();
            for term in right.split(" + ") {
                match modified(term) {
                    (value, "1") => parameters.intercept = value,
                    (value, parent) => {
                        parameters.weights.insert(parent.into(), value);
                    }
                }
            }
        }
    }
    parsed
}

#[test]
fn bnlearn_exports_contain_the_network() {
    for seed in 0..50 {
        let network = random_network(seed);
        let script = network.export(ExportFormat::Bnlearn).unwrap();
        let (structure, parsed) = parse_bnlearn(&script);
        assert_eq!(
            parsed,
            expected(&network, str::to_owned, f64::sqrt),
            "{script}"
        );
        for (v, family) in network.families.iter().enumerate() {
            let parents = family.parents.iter().map(|&p| network.name(p));
            assert_eq!(structure[network.name(v)], parents.collect::<Vec<_>>());
        }
        assert_eq!(structure.len(), network.len());
    }
}

#[test]
fn lavaan_exports_contain_the_network() {
    // The rules of make.names that apply to these names, implemented again.
    let rename = |name: &str| -> String {
        let prefix = if name.starts_with('v') { "" } else { "X" };
        let kept = |c: char| c.is_alphanumeric() || c == '_';
        let rest = name.chars().map(|c| if kept(c) { c } else { '.' });
        prefix.chars().chain(rest).collect()
    };
    for seed in 0..50 {
        let network = random_network(seed);
        let model = network.export(ExportFormat::Lavaan).unwrap();
        assert_eq!(
            parse_lavaan(&model),
            expected(&network, rename, |v| v),
            "{model}"
        );
    }
}

#[test]
fn cytoscape_exports_contain_the_network() {
    for seed in 0..20 {
        let network = random_network(seed);
        let text = network.export(ExportFormat::Cyjs).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let names: Vec<&str> = value["elements"]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node["data"]["id"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            (0..network.len())
                .map(|v| network.name(v))
                .collect::<Vec<_>>()
        );
        let edges = value["elements"]["edges"].as_array().unwrap();
        assert_eq!(edges.len(), network.edge_count());
        for edge in edges {
            let data = &edge["data"];
            let [source, target] = ["source", "target"]
                .map(|end| network.index_of(data[end].as_str().unwrap()).unwrap());
            let family = &network.families[target];
            let at = family.parents.iter().position(|&p| p == source).unwrap();
            let weight = weight(family, at);
            assert_eq!(data["weight"].as_f64().unwrap(), weight);
            let sign = if weight < 0.0 { "negative" } else { "positive" };
            assert_eq!(data["sign"], sign);
            assert!(data.get("strength").is_none());
        }
    }
}

#[test]
fn sif_exports_contain_the_edges() {
    for seed in 0..20 {
        let network = random_network(seed);
        let text = network.export(ExportFormat::Sif).unwrap();
        let mut pairs = Vec::new();
        let mut alone = Vec::new();
        for line in text.lines() {
            match line.split_terminator('\t').collect::<Vec<_>>()[..] {
                [from, "regulates", to] => pairs.push((from, to)),
                [name] => alone.push(name),
                _ => panic!("{line}"),
            }
        }
        let dag = network.dag();
        let edges: Vec<(&str, &str)> = dag
            .edges()
            .map(|(p, c)| (network.name(p), network.name(c)))
            .collect();
        assert_eq!(pairs, edges);
        let is_isolated = |&v: &usize| dag.parents(v).is_empty() && dag.children(v).is_empty();
        let isolated: Vec<&str> = (0..network.len())
            .filter(is_isolated)
            .map(|v| network.name(v))
            .collect();
        assert_eq!(alone, isolated);
    }
}
