//! Likelihood, prediction and sampling of networks against dense Gaussians.

mod common;

use std::collections::HashMap;

use common::dense::{dense, solve};
use idealparent::graph::Dag;
use idealparent::{LearnOptions, Network, Table, data, learn};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn learned(n: usize, seed: u64) -> (Network, Table) {
    let (_, table) = common::linear_network(n, 60, 2.0, seed);
    let network = learn(&table, &LearnOptions::default(), &mut ())
        .unwrap()
        .network;
    (network, table)
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

    /// The likelihood of what is observed is that of the dense marginal Gaussian.
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

    /// Predictions are conditional means and deviations of the dense Gaussian.
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
        let mut turned = network.clone();
        turned.variables.reverse();
        turned.families.reverse();
        for family in &mut turned.families {
            for p in &mut family.parents {
                *p = place(*p);
            }
        }
        let (a, b) = (network.log_likelihood(&table).unwrap(), turned.log_likelihood(&table).unwrap());
        prop_assert!((a - b).abs() < 1e-9 * a.abs());
    }
}

/// Means and covariances of a large sample are those of the network; the same seed gives the same sample.
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

/// Learning from a network's own sample finds its parameters.
#[test]
fn parameters_come_back() {
    let (network, _) = learned(8, 4);
    let sample = network.sample(50_000, 5).unwrap();
    let edges: Vec<(String, String)> = network
        .dag()
        .edges()
        .map(|(p, c)| (network.name(p).to_string(), network.name(c).to_string()))
        .collect();
    let fitted =
        idealparent::fit_structure(&sample, &edges, &HashMap::new(), &LearnOptions::default())
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

/// The true structures that come with the examples have no cycles, and name the examples' variables.
#[test]
fn truths_of_examples_are_acyclic_over_known_names() {
    for own in data::examples() {
        let mut names = own.table().names().to_vec();
        if own.name == "twolayer" {
            names.extend((1..=5).map(|i| format!("H{i}")));
        }
        let index = |name: &String| names.iter().position(|other| other == name).unwrap();
        let edges = own.truth().unwrap();
        let pairs = edges.iter().map(|(from, to)| (index(from), index(to)));
        let dag = Dag::from_edges(names.len(), pairs).unwrap();
        assert_eq!(dag.edge_count(), edges.len(), "{}", own.name);
    }
}
