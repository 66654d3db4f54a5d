//! Missing values in networks that are not linear: mean field, grids and importance sampling, structural EM.

mod common;

use std::sync::Arc;

use common::holes::{Energies, with_holes};
use common::links::Identity;
use common::nonlinear::{positive_network, sigmoids};
use idealparent::cpd::{Cpd, CpdKind, Link, LinkCpd, Sigmoid};
use idealparent::em::{Holes, Moments, exact};
use idealparent::network::{Network, impute};
use idealparent::{LearnOptions, Table, learn};

/// The same network, its families with parents written with another link.
fn disguised(network: &Network) -> Network {
    let mut other = network.clone();
    for family in other.families.iter_mut().filter(|f| !f.parents.is_empty()) {
        let Cpd::Linear(cpd) = &family.cpd else {
            panic!()
        };
        family.cpd = Cpd::Link(LinkCpd {
            link: Arc::new(Identity),
            weights: cpd.weights.clone(),
            bias: 0.0,
            scale: 1.0,
            offset: cpd.intercept,
            variance: cpd.variance,
        });
    }
    other
}

fn options(kind: CpdKind) -> LearnOptions {
    LearnOptions {
        cpds: vec![kind],
        ..LearnOptions::default()
    }
}

/// Where densities are linear, everything that holds for others agrees with the exact posterior.
#[test]
fn linear_networks_in_disguise() {
    for seed in 0..4 {
        let (_, table) = common::linear_network(8, 60, 1.5, seed);
        let plain = learn(&table, &LearnOptions::default(), &mut ())
            .unwrap()
            .network;
        let network = disguised(&plain);
        let holes_in = with_holes(&table, 0.25, seed + 10);
        let columns = holes_in.columns();
        let holes = Holes::new(columns, |_| true);
        let factorised = exact(&plain, columns, &holes, Moments::Factorised).unwrap();
        let rows = network.posterior(columns, None, 0, 1).unwrap();
        let exactly = plain.posterior(columns, None, 0, 1).unwrap();
        let likelihood = exact(&plain, columns, &holes, Moments::Likelihood).unwrap();
        let mut alone = 0;
        for (row, known) in rows.iter().zip(&exactly) {
            assert_eq!((row.row, &row.unobserved), (known.row, &known.unobserved));
            let bound = factorised.log_likelihood[row.row];
            assert!(
                (row.of.bound - bound).abs() < 1e-6,
                "{} {bound}",
                row.of.bound
            );
            let whole = likelihood.log_likelihood[row.row];
            assert!(
                (row.of.estimate - whole).abs() < 0.1,
                "{} {whole}",
                row.of.estimate
            );
            alone += usize::from((row.of.estimate - whole).abs() < 1e-9);
            for i in 0..row.unobserved.len() {
                let sd = known.of.variances[i].sqrt();
                assert!((row.of.means[i] - known.of.means[i]).abs() < 0.2 * sd);
                assert!((row.of.variances[i].sqrt() / sd - 1.0).abs() < 0.2);
            }
        }
        // Where no two missing variables depend on each other there is no sampling, and no error.
        assert!(alone > 2, "{alone} of {}", rows.len());
        let (bound, total): (f64, f64) = (
            network.log_likelihood(&holes_in).unwrap(),
            plain.log_likelihood(&holes_in).unwrap(),
        );
        assert!(bound < total);
        let scored = network.score_table(&holes_in, &Default::default()).unwrap();
        assert_eq!(scored.log_likelihood, bound);
        assert!((scored.estimate.unwrap() - total).abs() < 0.3);
    }
}

/// One missing parent of a sigmoid: the posterior against a fine grid of one's own.
#[test]
fn a_single_missing_parent() {
    let table = sigmoids(4, 80, 3, false);
    let network = learn(&table, &options(CpdKind::sigmoid()), &mut ())
        .unwrap()
        .network;
    let (child, family) = network
        .families
        .iter()
        .enumerate()
        .find(|(_, family)| matches!(family.cpd, Cpd::Link(_)))
        .unwrap();
    let parent = family.parents[0];
    let mut columns = table.columns().to_vec();
    columns[parent][5] = f64::NAN;
    let row = &network.posterior(&columns, None, 2000, 1).unwrap()[0];
    assert_eq!((row.row, row.unobserved.as_slice()), (5, &[parent][..]));
    let log = |x: f64| {
        let mut one: Vec<Vec<f64>> = columns.iter().map(|column| vec![column[5]]).collect();
        one[parent][0] = x;
        let one = Table::new(table.names().to_vec(), one).unwrap();
        network.log_likelihood(&one).unwrap()
    };
    let grid: Vec<f64> = (0..40_000).map(|t| -20.0 + t as f64 * 1e-3).collect();
    let density: Vec<f64> = grid.iter().map(|&x| log(x).exp()).collect();
    let total: f64 = density.iter().sum();
    let mean = grid.iter().zip(&density).map(|(x, p)| x * p).sum::<f64>() / total;
    let square = grid
        .iter()
        .zip(&density)
        .map(|(x, p)| (x - mean).powi(2) * p);
    let variance = square.sum::<f64>() / total;
    assert!(
        (row.of.means[0] - mean).abs() < 1e-6,
        "{child}: {} {mean}",
        row.of.means[0]
    );
    assert!((row.of.variances[0] - variance).abs() < 1e-6);
    assert!((row.of.estimate - (total * 1e-3).ln()).abs() < 1e-6);
    assert!(row.of.bound <= row.of.estimate);
    let drawn = row.of.draws.iter().map(|draw| draw[0]).sum::<f64>() / 2000.0;
    assert!((drawn - mean).abs() < 5.0 * (variance / 2000.0).sqrt());
    // Taken as the target, it is predicted just so.
    let prediction = network.predict(&table, network.name(parent)).unwrap();
    assert!((prediction.mean[5] - mean).abs() < 1e-6);
    assert!((prediction.sd[5] - variance.sqrt()).abs() < 1e-6);
}

/// The free energy never falls, for sigmoids, products and mixtures.
#[test]
fn free_energy_rises() {
    for seed in 0..3 {
        let holes = |table: &Table| with_holes(table, 0.1, seed + 5);
        let sigmoid = holes(&sigmoids(7, 60, seed, false));
        let positive = holes(&positive_network(5, 50, seed));
        let both = LearnOptions {
            cpds: vec![CpdKind::Linear, CpdKind::sigmoid()],
            bias: true,
            ..LearnOptions::default()
        };
        for (table, options) in [
            (&sigmoid, options(CpdKind::sigmoid())),
            (&sigmoid, both),
            (&positive, options(CpdKind::Product)),
        ] {
            let mut energies = Energies::default();
            let learned = learn(table, &options, &mut energies).unwrap();
            energies.assert_rising();
            assert!(learned.is_bound || learned.network.is_linear());
            let score = learned.network.score.as_ref().unwrap();
            let found = learned.network.score_table(table, &options.score).unwrap();
            assert_eq!(score.log_likelihood, found.log_likelihood);
        }
    }
}

/// Few holes cost little.
#[test]
fn close_to_what_complete_data_give() {
    let table = sigmoids(8, 300, 5, false);
    let (train, test) = (
        table.select_rows(&(0..200).collect::<Vec<_>>()),
        table.select_rows(&(200..300).collect::<Vec<_>>()),
    );
    let held_out = |train: &Table| {
        let network = learn(train, &options(CpdKind::sigmoid()), &mut ())
            .unwrap()
            .network;
        network.log_likelihood(&test).unwrap() / (100.0 * 8.0)
    };
    let (complete, missing) = (held_out(&train), held_out(&with_holes(&train, 0.05, 9)));
    assert!((complete - missing).abs() < 0.05, "{complete} {missing}");
}

/// Products fill holes with positive values only where parents have to be positive; files with their draws can be read again.
#[test]
fn imputed_products() {
    let table = positive_network(5, 60, 4);
    let holes = with_holes(&table, 0.1, 6);
    let network = learn(&holes, &options(CpdKind::Product), &mut ())
        .unwrap()
        .network;
    let filled = impute(&[network], &holes, 3, 2).unwrap();
    assert_eq!(filled.mean.missing(), 0);
    for table in filled.draws.iter().chain([&filled.mean]) {
        for (v, column) in table.columns().iter().enumerate() {
            for (row, x) in column.iter().enumerate() {
                let given = holes.column(v)[row];
                assert!(x.is_finite() && (given.is_nan() || given == *x));
            }
        }
    }
    let again = impute(
        &[learn(&holes, &options(CpdKind::Product), &mut ())
            .unwrap()
            .network],
        &holes,
        3,
        2,
    );
    assert_eq!(again.unwrap(), filled);
}

/// O8's links agree with the sigmoid's own moments.
#[test]
fn moments_of_any_link() {
    let cpd = |link: Arc<dyn Link>| {
        Cpd::Link(LinkCpd {
            link,
            weights: vec![1.0],
            bias: 0.0,
            scale: 1.0,
            offset: 0.0,
            variance: 1.0,
        })
    };
    let rule = idealparent::cpd::Rule::fine();
    let sigmoid = cpd(Arc::new(Sigmoid)).expected(&[1.0], &[1.0], rule);
    assert!((sigmoid.mean - 0.6967346701).abs() < 1e-9);
    let identity = cpd(Arc::new(Identity)).expected(&[1.5], &[0.7], rule);
    assert!((identity.mean - 1.5).abs() < 1e-12 && (identity.variance - 0.7).abs() < 1e-9);
}
