//! Likelihood, prediction and sampling of networks, compared with dense Gaussians, and errors.

use std::sync::Arc;

use crate::common::dense::{dense, solve};
use idealparent::cpd::{Cpd, LinearCpd, LinkCpd, Sigmoid};
use idealparent::graph::Dag;
use idealparent::inference::impute;
use idealparent::network::{ExportFormat, Family, Gaussian, Structure, Variable};
use idealparent::{Error, LearnOptions, Network, Table, data, fit, learn};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn learned(n: usize, seed: u64) -> (Network, Table) {
    let (_, table) = crate::common::linear_network(n, 60, 2.0, seed);
    let network = learn(&table, &LearnOptions::default(), &mut ())
        .unwrap()
        .network;
    (network, table)
}

/// H -> A and H -> B with H hidden. All weights and noise variances are 1.
fn hidden_parent() -> Network {
    let variable = |name: &str| Variable {
        name: name.into(),
        hidden: name == "H",
    };
    let child = LinearCpd {
        intercept: 0.0,
        weights: vec![1.0],
        variance: 1.0,
    };
    let child = Family::new(vec![0], Cpd::Linear(child));
    let root = Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0)));
    Network {
        variables: ["H", "A", "B"].map(variable).to_vec(),
        families: vec![root, child.clone(), child],
        ..Network::default()
    }
}

fn with_holes(table: &Table, share: f64, seed: u64) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let columns = table
        .columns()
        .iter()
        .map(|column| {
            let hole = |&x: &f64| {
                if rng.random::<f64>() < share {
                    f64::NAN
                } else {
                    x
                }
            };
            column.iter().map(hole).collect::<Vec<f64>>()
        })
        .collect();
    Table::new(table.names().to_vec(), columns).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// The likelihood of the observed values equals that of the dense marginal Gaussian.
    #[test]
    fn marginal_likelihood_is_exact(seed in 0u64..1000, share in 0.0f64..0.9) {
        let (network, table) = learned(9, seed);
        let holes = with_holes(&table, share, seed);
        let (mean, cov) = dense(&network);
        let mut expected = 0.0;
        for row in 0..holes.rows() {
            let seen: Vec<usize> = (0..9).filter(|&v| !holes.column(v)[row].is_nan()).collect();
            if seen.is_empty() {
                continue;
            }
            let r: Vec<f64> = seen.iter().map(|&v| holes.column(v)[row] - mean[v]).collect();
            let block = seen.iter().map(|&a| seen.iter().map(|&b| cov[a][b]).collect()).collect();
            let (solved, log_det) = solve(block, r.clone());
            let square: f64 = r.iter().zip(&solved).map(|(a, b)| a * b).sum();
            expected -= 0.5 * (square + log_det + seen.len() as f64 * (2.0 * std::f64::consts::PI).ln());
        }
        let value = network.log_likelihood(&holes).unwrap();
        prop_assert!((value - expected).abs() < 1e-7 * expected.abs().max(1.0), "{value} {expected}");
    }

    /// Predictions are conditional means and standard deviations of the dense Gaussian.
    #[test]
    fn predictions_are_exact(seed in 0u64..1000, target in 0usize..8) {
        let (network, table) = learned(8, seed);
        let holes = with_holes(&table, 0.3, seed);
        let (mean, cov) = dense(&network);
        let prediction = network.predict(&holes, &format!("X{target}")).unwrap();
        for row in 0..20 {
            let seen: Vec<usize> = (0..8).filter(|&v| v != target && !holes.column(v)[row].is_nan()).collect();
            let r: Vec<f64> = seen.iter().map(|&v| holes.column(v)[row] - mean[v]).collect();
            let block: Vec<Vec<f64>> = seen.iter().map(|&a| seen.iter().map(|&b| cov[a][b]).collect()).collect();
            let link: Vec<f64> = seen.iter().map(|&v| cov[target][v]).collect();
            let (from_r, _) = solve(block.clone(), r);
            let (from_link, _) = solve(block, link.clone());
            let expected = mean[target] + link.iter().zip(&from_r).map(|(a, b)| a * b).sum::<f64>();
            let variance = cov[target][target] - link.iter().zip(&from_link).map(|(a, b)| a * b).sum::<f64>();
            prop_assert!((prediction.mean[row] - expected).abs() < 1e-8 * (1.0 + expected.abs()));
            prop_assert!((prediction.sd[row] - variance.sqrt()).abs() < 1e-8 * variance.sqrt());
        }
    }

    /// The likelihood of a network does not depend on the order of its variables.
    #[test]
    fn reordering_variables_changes_nothing(seed in 0u64..1000) {
        let (network, table) = learned(7, seed);
        let n = network.len();
        let place = |v: usize| n - 1 - v;
        let mut reversed = network.clone();
        reversed.variables.reverse();
        reversed.families.reverse();
        for family in &mut reversed.families {
            for p in &mut family.parents {
                *p = place(*p);
            }
        }
        let (a, b) = (network.log_likelihood(&table).unwrap(), reversed.log_likelihood(&table).unwrap());
        prop_assert!((a - b).abs() < 1e-9 * a.abs());
    }
}

/// Means and covariances of a large sample agree with the network, and the same seed gives the same
/// sample.
#[test]
fn samples_have_the_right_moments() {
    let (network, _) = learned(8, 3);
    let (mean, cov) = dense(&network);
    let m = 200_000;
    let sample = network.sample(m, 1).unwrap();
    assert_eq!(sample.sha256(), network.sample(m, 1).unwrap().sha256());
    assert_ne!(sample.sha256(), network.sample(m, 2).unwrap().sha256());
    for a in 0..8 {
        let own = sample.column(a).iter().sum::<f64>() / m as f64;
        assert!((own - mean[a]).abs() < 5.0 * (cov[a][a] / m as f64).sqrt());
        for b in 0..8 {
            let pairs = sample.column(a).iter().zip(sample.column(b));
            let found = pairs
                .map(|(x, y)| (x - mean[a]) * (y - mean[b]))
                .sum::<f64>()
                / m as f64;
            let sd = ((cov[a][a] * cov[b][b] + cov[a][b] * cov[a][b]) / m as f64).sqrt();
            assert!((found - cov[a][b]).abs() < 5.0 * sd);
        }
    }
}

/// Fitting the structure of a network to a sample from it recovers its parameters.
#[test]
fn parameters_are_recovered_from_a_sample() {
    let (network, _) = learned(8, 4);
    let sample = network.sample(50_000, 5).unwrap();
    let edges: Vec<(String, String)> = network
        .dag()
        .edges()
        .map(|(p, c)| (network.name(p).to_string(), network.name(c).to_string()))
        .collect();
    let fitted = fit(
        &sample,
        &Structure::of_edges(edges),
        &LearnOptions::default(),
    )
    .unwrap()
    .network;
    for (a, b) in network.families.iter().zip(&fitted.families) {
        assert_eq!(a.parents, b.parents);
        assert!((a.cpd.variance() / b.cpd.variance() - 1.0).abs() < 0.05);
        for i in 0..a.parents.len() {
            assert!((a.cpd.slope(&[], i) - b.cpd.slope(&[], i)).abs() < 0.05);
        }
    }
}

/// The true structures that come with the examples have no cycles, and name the examples'
/// variables.
#[test]
fn truths_of_examples_are_acyclic_over_known_names() {
    for example in data::examples() {
        let mut names = example.table().names().to_vec();
        if example.name == "twolayer" {
            names.extend((1..=5).map(|i| format!("H{i}")));
        }
        let index = |name: &String| names.iter().position(|other| other == name).unwrap();
        let edges = example.truth().unwrap();
        let pairs = edges.iter().map(|(from, to)| (index(from), index(to)));
        let dag = Dag::from_edges(names.len(), pairs).unwrap();
        assert_eq!(dag.edge_count(), edges.len(), "{}", example.name);
    }
}

/// A hidden target can be predicted from any observed variable. Without one, there is an error.
#[test]
fn hidden_targets_need_some_observed_variable() {
    let network = hidden_parent();
    let with = |name: &str| Table::new(vec![name.into()], vec![vec![3.0]]).unwrap();
    let found = network.predict(&with("A"), "H").unwrap();
    assert!((found.mean[0] - 1.5).abs() < 1e-12 && (found.sd[0] - 0.5f64.sqrt()).abs() < 1e-12);
    assert_eq!(found.absent, ["B"]);
    let problem = network.predict(&with("C"), "H").unwrap_err().to_string();
    assert_eq!(
        problem,
        "the data have none of the network's other variables"
    );
    let problem = network.predict(&with("C"), "A").unwrap_err().to_string();
    assert_eq!(
        problem,
        "the data have none of the network's other variables"
    );
}

/// An inactive variable has no edges, neither into it nor out of it.
#[test]
fn files_with_an_inactive_parent_are_refused() {
    let mut network = hidden_parent();
    assert!(Network::from_json(&network.to_json().unwrap(), "net.json").is_ok());
    network.variables[0].name = "a\nb".into();
    network.families[0].inactive = true;
    let text = network.to_json().unwrap();
    let problem = Network::from_json(&text, "net.json").unwrap_err();
    let wanted = r"net.json: 'A' has the inactive parent 'a\nb'";
    assert_eq!(problem.to_string(), wanted);
}

/// 2^50 draws of 2^10 entries of 2^4 bytes are more than a 64-bit number can count.
#[test]
fn too_many_draws_are_refused() {
    let (network, table) = learned(32, 5);
    let columns = table.columns().iter().map(|column| column[..32].to_vec());
    let table = Table::new(table.names().to_vec(), columns.collect()).unwrap();
    let problem = impute(&[network], &table, 1 << 50, 0).unwrap_err();
    assert!(problem.is_usage(), "{problem}");
    assert!(
        problem.to_string().contains("drawn tables need"),
        "{problem}"
    );
}

/// The message of an error. Checks that it is one line, with a line break in a name as `\\n`.
fn one_line(error: Error) -> String {
    let text = error.to_string();
    assert!(!text.contains('\n') && text.contains(r"\n"), "{text}");
    text
}

#[test]
fn errors_of_network_files_are_one_line_whatever_the_names() {
    let mut network = hidden_parent();
    network.variables[1].name = "a\nb".into();
    let text = network.to_json().unwrap();
    let wrong = text.replacen(r#""weights":[1.0]"#, r#""weights":[]"#, 1);
    let problem = one_line(Structure::from_json(&wrong, "net.json").unwrap_err());
    assert_eq!(problem, r"net.json: 'a\nb': 1 parent but 0 weights");
    let wrong = text.replacen(r#""type":"linear""#, r#""type":"a\nb""#, 1);
    let problem = one_line(Network::from_json(&wrong, "net.json").unwrap_err());
    assert!(problem.starts_with(r"net.json: 'H': unknown cpd type 'a\nb' (known"));
    network.families[1].cpd = Cpd::Link(LinkCpd {
        link: Arc::new(Sigmoid),
        weights: vec![1.0],
        bias: 0.0,
        scale: 1.0,
        offset: 0.0,
        variance: 1.0,
    });
    let problem = one_line(Gaussian::new(&network).unwrap_err());
    assert_eq!(problem, r"'a\nb' does not depend linearly on its parents");
    one_line("a\nb".parse::<ExportFormat>().unwrap_err());
}

#[test]
fn errors_of_learning_are_one_line_whatever_the_names() {
    let names = ["a\n0", "b\n1", "sum\n2", "twin\n3", "constant\n4", "e\n5"].map(String::from);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut column = || {
        (0..30)
            .map(|_| crate::common::normal(&mut rng))
            .collect::<Vec<f64>>()
    };
    let (a, b, e) = (column(), column(), column());
    let sum = a.iter().zip(&b).map(|(x, y)| x + y).collect();
    let columns = vec![a.clone(), b, sum, a, vec![1.0; 30], e];
    let table = Table::new(names.to_vec(), columns).unwrap();
    let edge = |from: usize, to: usize| (names[from].clone(), names[to].clone());

    let plain = LearnOptions::default();
    let begun = |start: &[(String, String)]| LearnOptions {
        start: start.to_vec().into(),
        ..LearnOptions::default()
    };
    let refused = |options: &LearnOptions, what: &str| {
        let problem = one_line(learn(&table, options, &mut ()).unwrap_err());
        assert!(problem.contains(what), "{problem}");
    };
    let unknown = ("no\nsuch".to_string(), names[0].clone());
    refused(
        &begun(&[unknown]),
        r"a variable 'no\nsuch' that is not in the data",
    );
    refused(&begun(&[edge(4, 0)]), r"but 'constant\n4' never varies");
    let mut options = begun(&[edge(0, 5), edge(1, 5)]);
    options.max_parents = Some(1);
    refused(&options, r"'e\n5' has 2 parents in the start network");
    options.max_parents = None;
    options.forbid = vec![edge(1, 5)].into();
    refused(&options, r"edge 'b\n1' -> 'e\n5' is not allowed");
    options.forbid = Vec::new().into();
    options.require = vec![edge(5, 0)].into();
    refused(&options, r"edge 'e\n5' -> 'a\n0' form a cycle");

    let unfit = |edges: &[(String, String)], what: &str| {
        let fitted = fit(&table, &Structure::of_edges(edges.to_vec()), &plain);
        let problem = one_line(fitted.unwrap_err());
        assert!(problem.contains(what), "{problem}");
    };
    unfit(&[edge(0, 3)], r"'a\n0' -> 'twin\n3', but these two columns");
    unfit(
        &[edge(0, 5), edge(1, 5), edge(2, 5)],
        r"the family of 'e\n5' cannot be fitted",
    );
}
