//! Products of values that vary little relative to their means, and of values over many orders of
//! magnitude.

use idealparent::cpd::{Cpd, CpdKind};
use idealparent::family::{Gram, Profiles};
use idealparent::learn::Observer;
use idealparent::score::{FamilyScorer, Prices};
use idealparent::search::Step;
use idealparent::{LearnOptions, Learned, Network, Structure, Table, fit, learn};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn noise(m: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..m).map(|_| crate::common::normal(&mut rng)).collect()
}

fn options(words: &[(&str, &str)]) -> LearnOptions {
    let mut options = LearnOptions::default();
    for (key, value) in words {
        options.set(key, value).unwrap();
    }
    options
}

/// Records the current score of the search.
#[derive(Default)]
struct SearchScore(f64);

impl Observer for SearchScore {
    fn started(&mut self, score: f64, _edges: usize) {
        self.0 = score;
    }

    fn step(&mut self, step: &Step) {
        self.0 = step.score;
    }
}

/// Learns a network, and checks that it has the score that the search ended with.
fn learned(table: &Table, options: &LearnOptions) -> Learned {
    let mut search_score = SearchScore::default();
    let learned = learn(table, options, &mut search_score).unwrap();
    let written = learned.network.score.as_ref().unwrap().value;
    let error = (written - search_score.0).abs();
    assert!(error < 1e-6 * written.abs(), "{} {written}", search_score.0);
    learned
}

/// Between independent columns far from zero, products find no more edges than linear densities.
#[test]
fn independent_columns_far_from_zero_get_no_extra_edges() {
    for (level, baseline) in [
        (1e7, "false"),
        (1e7, "true"),
        (1e5, "false"),
        (1e9, "false"),
    ] {
        let column = |v: u64| {
            noise(200, 40 + v)
                .iter()
                .map(|x| level + x)
                .collect::<Vec<f64>>()
        };
        let table = Table::new(crate::common::names(6), (0..6).map(column).collect()).unwrap();
        for method in ["greedy", "ideal"] {
            let words = [
                ("cpd", "product"),
                ("score", "bic"),
                ("baseline", baseline),
                ("method", method),
            ];
            let edges = learned(&table, &options(&words)).network.edge_count();
            let linear = learned(&table, &options(&[("score", "bic")]));
            assert!(
                edges <= linear.network.edge_count(),
                "{level} {baseline} {method}: {edges}"
            );
        }
    }
}

/// Dependent columns far from zero are connected, for small and large K.
#[test]
fn dependent_columns_far_from_zero_are_connected() {
    let z = noise(100, 1);
    for baseline in ["false", "true"] {
        for level in [10.0, 1e4, 1e7] {
            let parent: Vec<f64> = z.iter().map(|z| level + z).collect();
            let child = z.iter().zip(noise(100, 2));
            // Without a baseline, the relative change of a product cannot exceed that of its
            // parent.
            let child = child.map(|(z, e)| level + 0.5 * z + 0.2 * e).collect();
            let other = noise(100, 3)
                .iter()
                .map(|x| level + x)
                .collect::<Vec<f64>>();
            let table = Table::new(crate::common::names(3), vec![parent, child, other]).unwrap();
            for k in ["1", "3"] {
                let words = [
                    ("cpd", "product"),
                    ("score", "bic"),
                    ("baseline", baseline),
                    ("k", k),
                ];
                let network = learned(&table, &options(&words)).network;
                assert_eq!(network.edge_count(), 1, "{baseline} {level} {k}");
            }
        }
    }
}

/// An edge with only one legal direction is found for every K, also with columns far from zero.
#[test]
fn the_only_legal_direction_is_found_for_every_k() {
    let z = noise(60, 5);
    let first: Vec<f64> = z.iter().map(|z| 1e6 + z).collect();
    let second = z.iter().zip(noise(60, 6));
    let second = second.map(|(z, e)| 8.0 + z + 0.3 * e).collect();
    let third = noise(60, 7).iter().map(|x| x.exp()).collect();
    let table = Table::new(crate::common::names(3), vec![first, second, third]).unwrap();
    for choice in [
        ("method", "greedy"),
        ("k", "3"),
        ("k", "2"),
        ("k", "1"),
        ("k", "auto"),
    ] {
        let words = [("cpd", "product"), ("baseline", "true"), choice];
        let mut options = options(&words);
        options.forbid = vec![("X1".to_string(), "X0".to_string())].into();
        let network = learned(&table, &options).network;
        assert_eq!(network.edge_count(), 1, "{choice:?}");
        assert_eq!(network.families[1].parents, [0], "{choice:?}");
    }
}

/// A parent whose values span many orders of magnitude does not make the fit worse.
#[test]
fn parents_over_many_orders_of_magnitude_do_not_worsen_fits() {
    for seed in 0..20 {
        let m = 60;
        let wild: Vec<f64> = noise(m, seed).iter().map(|x| (6.0 * x).exp()).collect();
        let tame: Vec<f64> = noise(m, 100 + seed).iter().map(|x| x.exp()).collect();
        let values = tame.iter().zip(noise(m, 200 + seed));
        let child: Vec<f64> = values
            .map(|(u, e)| 3.0 * u / (1.0 + u) + 0.1 * e + 1.0)
            .collect();
        let table = Table::new(crate::common::names(3), vec![wild, tame, child]).unwrap();
        let gram = Gram::new(table.columns());
        let profiles = Profiles::new(table.columns(), &gram);
        for baseline in [false, true] {
            let models = vec![CpdKind::Product.model(false, baseline)];
            let scorer = FamilyScorer::new(&profiles, models, Prices::default());
            let residual = |parents: &[usize]| scorer.fit(0, 2, parents).unwrap().residual;
            let both = residual(&[0, 1]);
            for one in [residual(&[0]), residual(&[1])] {
                assert!(
                    both <= one * (1.0 + 1e-9),
                    "{seed} {baseline}: {both} {one}"
                );
                assert!(one <= 1.0 + 1e-9, "{seed} {baseline}: {one}");
            }
        }
    }
}

/// The first fits compute values that all fits share. Requests from many threads must not deadlock.
#[test]
fn first_fits_on_many_threads_do_not_deadlock() {
    let columns: Vec<Vec<f64>> = (0..60)
        .map(|v| noise(40, 300 + v).iter().map(|x| x.exp()).collect())
        .collect();
    let table = Table::new(crate::common::names(60), columns).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build();
    pool.unwrap().install(|| {
        use rayon::prelude::*;
        for _ in 0..20 {
            let gram = Gram::new(table.columns());
            let profiles = Profiles::new(table.columns(), &gram);
            let models = vec![CpdKind::Product.model(false, false)];
            let scorer = FamilyScorer::new(&profiles, models, Prices::default());
            let fitted = |child: usize| scorer.fit(0, child, &[(child + 1) % 60]).is_some();
            assert!((0..60usize).into_par_iter().all(fitted));
        }
    });
}

/// The network `X0 -> X1` with a product density.
fn product_network() -> Network {
    let u: Vec<f64> = noise(50, 8).iter().map(|x| x.exp()).collect();
    let values = u.iter().zip(noise(50, 9));
    let x = values
        .map(|(u, e)| 2.0 / (1.0 + u) + 0.05 * e + 1.0)
        .collect();
    let table = Table::new(crate::common::names(2), vec![u, x]).unwrap();
    let options = options(&[("cpd", "product")]);
    fit(&table, &Structure::of_edges([("X0", "X1")]), &options)
        .unwrap()
        .network
}

#[test]
fn products_need_positive_parents() {
    let network = product_network();
    let columns = vec![vec![1.0, 0.5, -0.3, 0.0], vec![1.0, 2.0, 2.0, 2.0]];
    let table = Table::new(crate::common::names(2), columns).unwrap();
    let text = network.log_likelihood(&table).unwrap_err().to_string();
    let expected = "column 'X0', row 3: -0.3 is not above 0, and the product cpd of 'X1' needs positive parents";
    assert_eq!(text, expected);
    let options = idealparent::score::ScoreOptions::default();
    let text = network.score_table(&table, &options).unwrap_err();
    assert_eq!(text.to_string(), expected);
    let prediction = network.predict(&table, "X1").unwrap();
    let given: Vec<bool> = prediction.mean.iter().map(|x| !x.is_nan()).collect();
    assert_eq!(given, [true, true, false, false]);
    assert!(prediction.sd[2].is_nan() && prediction.sd[1] > 0.0);
}

#[test]
fn sampled_parents_of_products_are_positive() {
    let mut network = product_network();
    let Cpd::Linear(root) = &mut network.families[0].cpd else {
        unreachable!("a root is linear")
    };
    (root.intercept, root.variance) = (0.5, 1.0);
    let table = network.sample(5000, 3).unwrap();
    assert!(table.column(0).iter().all(|&u| u > 0.0));
    // The mean of the truncated normal distribution.
    let mean = table.column(0).iter().sum::<f64>() / 5000.0;
    assert!((mean - 1.0091604).abs() < 0.05, "{mean}");
    assert!(network.log_likelihood(&table).is_ok());
    // If all draws are negative, a small positive value is used.
    let Cpd::Linear(root) = &mut network.families[0].cpd else {
        unreachable!("a root is linear")
    };
    (root.intercept, root.variance) = (-1e3, 4.0);
    let table = network.sample(10, 3).unwrap();
    assert!(table.column(0).iter().all(|&u| u == 2e-6));
    assert!(table.column(1).iter().all(|x| x.is_finite()));
}
