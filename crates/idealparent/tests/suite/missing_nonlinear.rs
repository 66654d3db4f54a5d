//! Missing values in non-linear networks: mean field, grids and importance sampling, structural EM.

use std::sync::Arc;

use crate::common::holes::{Energies, with_holes};
use crate::common::links::Identity;
use crate::common::nonlinear::{positive_network, sigmoids};
use idealparent::cpd::{Cpd, CpdKind, LinearCpd, Link, LinkCpd, Sigmoid};
use idealparent::data::{Column, Holes};
use idealparent::inference::{Wanted, exact, impute};
use idealparent::network::{Family, Network, Variable};
use idealparent::{LearnOptions, Table, learn};

/// The same network, with the identity as link in every family with parents.
fn with_identity_links(network: &Network) -> Network {
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
        cpd: vec![kind],
        ..LearnOptions::default()
    }
}

/// For linear densities, the methods for non-linear networks agree with the exact posterior.
#[test]
fn posteriors_with_identity_links_agree_with_the_exact_ones() {
    for seed in 0..4 {
        let (_, table) = crate::common::linear_network(8, 60, 1.5, seed);
        let plain = learn(&table, &LearnOptions::default(), &mut ())
            .unwrap()
            .network;
        let network = with_identity_links(&plain);
        let incomplete = with_holes(&table, 0.25, seed + 10);
        let columns = incomplete.columns();
        let holes = Holes::new(columns, |_| true);
        let factorised = exact(&plain, columns, &holes, Wanted::Factorised).unwrap();
        let rows = network.posterior(columns, None, 0, 1).unwrap();
        let exactly = plain.posterior(columns, None, 0, 1).unwrap();
        let likelihood = exact(&plain, columns, &holes, Wanted::Likelihood).unwrap();
        let mut without_error = 0;
        for (row, known) in rows.iter().zip(&exactly) {
            assert_eq!((row.row, &row.unobserved), (known.row, &known.unobserved));
            let bound = factorised.log_likelihood[row.row];
            let found = row.likelihood.unwrap();
            assert!(
                (found.bound - bound).abs() < 1e-6,
                "{} {bound}",
                found.bound
            );
            let whole = likelihood.log_likelihood[row.row];
            assert!(
                (found.estimate - whole).abs() < 0.1,
                "{} {whole}",
                found.estimate
            );
            without_error += usize::from((found.estimate - whole).abs() < 1e-9);
            for i in 0..row.unobserved.len() {
                let sd = known.of.variances[i].sqrt();
                assert!((row.of.means[i] - known.of.means[i]).abs() < 0.2 * sd);
                assert!((row.of.variances[i].sqrt() / sd - 1.0).abs() < 0.2);
            }
        }
        // If no two missing variables depend on each other, nothing is sampled: the result is
        // exact.
        assert!(without_error > 2, "{without_error} of {}", rows.len());
        let (bound, total): (f64, f64) = (
            network.log_likelihood(&incomplete).unwrap(),
            plain.log_likelihood(&incomplete).unwrap(),
        );
        assert!(bound < total);
        let scored = network
            .score_table(&incomplete, &Default::default())
            .unwrap();
        assert_eq!(scored.log_likelihood, bound);
        assert!((scored.estimate.unwrap() - total).abs() < 0.3);
    }
}

/// For tightly coupled missing variables, the joint maximum is found, and sampling starts there.
#[test]
fn posteriors_of_tightly_coupled_variables_are_accurate() {
    for variance in [1e-3, 1e-5, 1e-7] {
        let link = |variance: f64| {
            Cpd::Link(LinkCpd {
                link: Arc::new(Identity),
                weights: vec![1.0],
                bias: 0.0,
                scale: 1.0,
                offset: 0.0,
                variance,
            })
        };
        let root = Cpd::Linear(LinearCpd::root(0.0, 1.0));
        let variable = |name| Variable {
            name,
            hidden: false,
        };
        let network = Network {
            variables: crate::common::names(3).into_iter().map(variable).collect(),
            families: vec![
                Family::new(vec![], root),
                Family::new(vec![0], link(variance)),
                Family::new(vec![1], link(0.01)),
            ],
            ..Network::default()
        };
        let hole = vec![f64::NAN];
        let columns = [hole.clone(), hole.clone(), vec![3.0]].map(Column::from);
        let row = &network.posterior(&columns, None, 500, 1).unwrap()[0];
        let total: f64 = 1.0 + variance + 0.01;
        let exact = -0.5 * ((2.0 * std::f64::consts::PI * total).ln() + 9.0 / total);
        let found = row.likelihood.unwrap();
        assert!(
            (found.estimate - exact).abs() < 0.1,
            "{variance} {} {exact}",
            found.estimate
        );
        assert!(!found.is_rough && found.bound <= exact + 1e-9);
        let (mean, sd) = (3.0 / total, (1.0 - 1.0 / total).sqrt());
        assert!((row.of.means[0] - mean).abs() < 0.2 * sd);
        assert!((row.of.variances[0].sqrt() / sd - 1.0).abs() < 0.2);
        // A single missing variable, whose posterior is much narrower than its own density.
        let columns = [hole, vec![3.0], vec![3.0]].map(Column::from);
        let row = &network.posterior(&columns, None, 0, 1).unwrap()[0];
        let (mean, narrow) = (3.0 / (1.0 + variance), variance / (1.0 + variance));
        assert!((row.of.means[0] - mean).abs() < 1e-4 * narrow.sqrt());
        assert!((row.of.variances[0] / narrow - 1.0).abs() < 1e-4);
    }
}

/// Draws from several networks are independent of each other. A column that one of them does not
/// contain is drawn from the others.
#[test]
fn draws_from_several_networks_are_independent() {
    let (_, table) = crate::common::linear_network(5, 60, 2.0, 3);
    let holes = with_holes(&table, 0.3, 4);
    let network = learn(&holes, &LearnOptions::default(), &mut ())
        .unwrap()
        .network;
    let few = learn(
        &holes.select_columns(&[0, 1, 2, 3]),
        &LearnOptions::default(),
        &mut (),
    );
    let filled = impute(
        &[network.clone(), network, few.unwrap().network],
        &holes,
        3,
        7,
    )
    .unwrap();
    assert!(filled.draws.iter().all(|table| table.missing() == 0));
    let mut products = (0.0, 0.0);
    for v in 0..4 {
        for row in (0..60).filter(|&row| holes.column(v)[row].is_nan()) {
            let noise =
                |draw: usize| filled.draws[draw].column(v)[row] - filled.mean.column(v)[row];
            products.0 += noise(0) * noise(1);
            products.1 += noise(0) * noise(0);
        }
    }
    assert!((products.0 / products.1).abs() < 0.5, "{products:?}");
}

/// Constant columns are filled with their value, whatever its size. Columns that were never
/// observed stay empty.
#[test]
fn constant_columns_are_imputed_with_their_value() {
    let hole = f64::NAN;
    let columns = vec![
        vec![1.0, 2.0, 4.0, hole, 3.0],
        vec![2e6, hole, 2e6, 2e6, hole],
        vec![hole; 5],
    ];
    let table = Table::new(crate::common::names(3), columns).unwrap();
    let network = learn(&table, &LearnOptions::default(), &mut ())
        .unwrap()
        .network;
    let filled = impute(&[network], &table, 2, 0).unwrap();
    assert_eq!(filled.mean.column(1), [2e6; 5]);
    assert_eq!(filled.draws[1].column(1), [2e6; 5]);
    assert_eq!(filled.unknown, ["X2"]);
    assert!(filled.mean.column(2).iter().all(|x| x.is_nan()));
    assert!((filled.mean.column(0)[3] - 2.5).abs() < 1e-9);
}

/// The posterior of a single missing parent of a sigmoid agrees with sums over a fine grid.
#[test]
fn the_posterior_of_a_missing_parent_agrees_with_a_grid() {
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
    let found = row.likelihood.unwrap();
    assert!((found.estimate - (total * 1e-3).ln()).abs() < 1e-6);
    assert!(found.bound <= found.estimate);
    let drawn = row.of.draws.iter().map(|draw| draw[0]).sum::<f64>() / 2000.0;
    assert!((drawn - mean).abs() < 5.0 * (variance / 2000.0).sqrt());
    // A prediction of the same variable has the same mean and standard deviation.
    let prediction = network.predict(&table, network.name(parent)).unwrap();
    assert!((prediction.mean[5] - mean).abs() < 1e-6);
    assert!((prediction.sd[5] - variance.sqrt()).abs() < 1e-6);
}

/// The free energy never falls, for sigmoids, products, and linear densities with sigmoids.
#[test]
fn the_free_energy_never_falls() {
    for seed in 0..3 {
        let holes = |table: &Table| with_holes(table, 0.1, seed + 5);
        let sigmoid = holes(&sigmoids(7, 60, seed, false));
        let positive = holes(&positive_network(5, 50, seed));
        let both = LearnOptions {
            cpd: vec![CpdKind::Linear, CpdKind::sigmoid()],
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
            let found = learned
                .network
                .score_table(table, &options.score_options())
                .unwrap();
            assert_eq!(score.log_likelihood, found.log_likelihood);
        }
    }
}

/// A few missing values hardly change the likelihood of held-out data.
#[test]
fn few_missing_values_hardly_change_the_network() {
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

/// Imputed parents of products are positive, so the imputed table can be scored.
#[test]
fn imputed_parents_of_products_are_positive() {
    let table = positive_network(5, 60, 4);
    let holes = with_holes(&table, 0.1, 6);
    let network = learn(&holes, &options(CpdKind::Product), &mut ())
        .unwrap()
        .network;
    let filled = impute(std::slice::from_ref(&network), &holes, 3, 2).unwrap();
    assert_eq!(filled.mean.missing(), 0);
    for table in filled.draws.iter().chain([&filled.mean]) {
        assert!(network.log_likelihood(table).unwrap().is_finite());
    }
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

/// Oracle O8 (tests/oracles.md), and the moments of another link.
#[test]
fn moments_of_links_agree_with_the_oracle() {
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
    let rule = idealparent::numerics::Rule::fine();
    let sigmoid = cpd(Arc::new(Sigmoid)).expected(&[1.0], &[1.0], rule);
    assert!((sigmoid.mean - 0.6967346701).abs() < 1e-9);
    let identity = cpd(Arc::new(Identity)).expected(&[1.5], &[0.7], rule);
    assert!((identity.mean - 1.5).abs() < 1e-12 && (identity.variance - 0.7).abs() < 1e-9);
}
