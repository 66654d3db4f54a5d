//! Difficult data: learning succeeds or fails with a clear message, and never returns NaN.

use idealparent::ideal::Measure;
use idealparent::score::ScoreKind;
use idealparent::{Candidates, LearnOptions, Learned, Method, Structure, Table, learn};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn all_options() -> Vec<LearnOptions> {
    let mut all = Vec::new();
    for kind in [
        ScoreKind::Ebic,
        ScoreKind::Bic,
        ScoreKind::Aic,
        ScoreKind::Bge,
    ] {
        for (method, measure, candidates) in [
            (Method::Greedy, Measure::Tangent, Candidates::All),
            (Method::Ideal, Measure::Tangent, Candidates::Top(2)),
            (Method::Ideal, Measure::C2, Candidates::Top(2)),
            (Method::Ideal, Measure::C1, Candidates::Top(1)),
        ] {
            let mut options = LearnOptions {
                method,
                measure,
                candidates,
                ..LearnOptions::default()
            };
            options.score = kind;
            all.push(options);
        }
    }
    all
}

/// Learns with all options. Checks that all numbers are finite and that the file is read back.
fn check(table: &Table) -> Vec<Learned> {
    let mut all = Vec::new();
    for options in all_options() {
        let learned = learn(table, &options, &mut ()).unwrap();
        let score = learned.network.score.as_ref().unwrap();
        assert!(
            score.value.is_finite() && score.log_likelihood.is_finite(),
            "{options:?}"
        );
        let text = learned.network.to_json().unwrap();
        let back = idealparent::Network::from_json(&text, "net.json").unwrap();
        assert_eq!(back, learned.network);
        let again = back.log_likelihood(table).unwrap();
        let close = 1e-6 * score.log_likelihood.abs().max(1.0);
        assert!(
            (again - score.log_likelihood).abs() < close,
            "{again} {}",
            score.log_likelihood
        );
        all.push(learned);
    }
    all
}

fn table(columns: Vec<Vec<f64>>) -> Table {
    Table::new(crate::common::names(columns.len()), columns).unwrap()
}

fn noise(m: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..m).map(|_| crate::common::normal(&mut rng)).collect()
}

#[test]
fn two_or_three_instances_give_no_edges() {
    for m in [2, 3] {
        let data = table((0..5).map(|v| noise(m, v)).collect());
        for learned in check(&data) {
            assert_eq!(learned.network.edge_count(), 0);
        }
    }
    let one = table(vec![vec![1.0], vec![2.0]]);
    let error = learn(&one, &LearnOptions::default(), &mut ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data have one instance; at least two are required"
    );
}

#[test]
fn few_instances_limit_the_number_of_parents() {
    let data = table((0..40).map(|v| noise(8, v)).collect());
    for learned in check(&data) {
        let dag = learned.network.dag();
        assert!((0..40).all(|v| dag.parents(v).len() < 6), "k < M - 2");
    }
}

#[test]
fn sums_of_columns_can_be_learned_in_any_unit() {
    let (a, b) = (noise(50, 1), noise(50, 2));
    let sum = a.iter().zip(&b).map(|(x, y)| x + y).collect();
    let noisy = a
        .iter()
        .zip(noise(50, 3))
        .map(|(x, e)| x + 0.1 * e)
        .collect();
    for unit in [1.0, 1e4, 1e7, 1e10] {
        let scaled = |column: &Vec<f64>| column.iter().map(|x| unit * x).collect();
        check(&table([&a, &b, &sum, &noisy].map(scaled).to_vec()));
    }
}

/// The noise variance is at least 1e-12 of the child's variance, also in the likelihood.
#[test]
fn variance_has_a_floor() {
    let a = noise(40, 1);
    let twice: Vec<f64> = a.iter().map(|x| 2.0 * x).collect();
    let data = table(vec![a, twice]);
    let learned = learn(&data, &LearnOptions::default(), &mut ()).unwrap();
    let network = &learned.network;
    assert_eq!(network.edge_count(), 1);
    let child = usize::from(network.families[1].parents == [0]);
    let own = idealparent::numerics::mean_and_variance(data.column(child)).1;
    let root = idealparent::numerics::mean_and_variance(data.column(1 - child)).1;
    assert!((network.families[child].cpd.variance() / (1e-12 * own) - 1.0).abs() < 1e-9);
    let tau = 2.0 * std::f64::consts::PI;
    let expected = -20.0 * ((tau * 1e-12 * own).ln() + (tau * root).ln() + 1.0);
    let found = network.score.as_ref().unwrap().log_likelihood;
    assert!(
        (found - expected).abs() < 1e-6 * expected.abs(),
        "{found} {expected}"
    );
}

/// A second parent is refused if the first leaves just under 1e-12 of its variance unexplained, and
/// accepted if it leaves just over 1e-12.
#[test]
fn nearly_collinear_parents_are_refused() {
    use idealparent::numerics::{centred, inner_product, least_squares};
    let (a, x) = (centred(&noise(60, 1)).0, noise(60, 3));
    let e = centred(&noise(60, 2)).0;
    // The part of e that a does not explain, and the factor that gives it the length of a.
    let share = inner_product(&a, &e) / inner_product(&a, &a);
    let rest: Vec<f64> = e.iter().zip(&a).map(|(e, a)| e - share * a).collect();
    let unit = (inner_product(&a, &a) / inner_product(&rest, &rest)).sqrt();
    for (left, fits) in [(0.8e-12f64, false), (1.2e-12, true)] {
        let near: Vec<f64> = a
            .iter()
            .zip(&rest)
            .map(|(a, r)| a + left.sqrt() * unit * r)
            .collect();
        assert_eq!(least_squares(&x, &[&a, &near]).is_some(), fits, "{left}");
        let gram =
            idealparent::family::Gram::new(&[a.clone().into(), near.into(), x.clone().into()]);
        let family = idealparent::family::GramFamily::new(&gram, 2, &[0, 1], |_| 0.0);
        assert_eq!(family.is_some(), fits, "{left}");
    }
}

/// The strength of an edge is the score lost when the network is refitted without it.
#[test]
fn strengths_are_the_score_lost_without_the_edge() {
    let (_, data) = crate::common::linear_network(8, 60, 2.0, 11);
    let options = LearnOptions::default();
    let network = learn(&data, &options, &mut ()).unwrap().network;
    let named = |(p, c): (usize, usize)| (network.name(p).to_string(), network.name(c).to_string());
    let edges: Vec<_> = network.dag().edges().map(named).collect();
    let whole = network.score.as_ref().unwrap().value;
    let mut at = 0;
    for family in &network.families {
        for &strength in &family.strengths {
            let mut fewer = edges.clone();
            fewer.remove(at);
            let without = idealparent::fit(&data, &Structure::of_edges(fewer), &options)
                .unwrap()
                .network;
            let lost = whole - without.score.unwrap().value;
            assert!((strength - lost).abs() < 1e-7 && strength > 0.0);
            at += 1;
        }
    }
    assert_eq!(at, edges.len());
}

#[test]
fn identical_columns_are_not_connected() {
    let a = noise(30, 1);
    let twice = a.iter().map(|x| 2.0 * x).collect();
    let nearly = a
        .iter()
        .zip(noise(30, 2))
        .map(|(x, e)| x + 1e-9 * e)
        .collect();
    let other = noise(30, 3);
    let data = table(vec![a.clone(), a, twice, nearly, other]);
    for learned in check(&data) {
        let dag = learned.network.dag();
        assert!(
            !dag.has_edge(0, 1) && !dag.has_edge(1, 0),
            "an edge between identical columns"
        );
    }
}

#[test]
fn constant_columns_are_inactive() {
    let data = table(vec![
        noise(20, 1),
        vec![3.0; 20],
        noise(20, 2),
        vec![1e12; 20],
    ]);
    for learned in check(&data) {
        let network = &learned.network;
        assert!(network.families[1].inactive && network.families[3].inactive);
        assert_eq!(learned.notes.len(), 2);
        let dag = network.dag();
        assert!(dag.parents(1).is_empty() && dag.children(1).is_empty());
    }
    // With constant columns only, likelihood and score are 0.
    let still = table(vec![vec![1.0; 4], vec![2.0; 4]]);
    let learned = learn(&still, &LearnOptions::default(), &mut ()).unwrap();
    let score = learned.network.score.as_ref().unwrap();
    assert_eq!((score.log_likelihood, score.value), (0.0, 0.0));
    assert!(idealparent::Network::from_json(&learned.network.to_json().unwrap(), "n").is_ok());
}

/// The units of the columns do not change the network.
#[test]
fn units_do_not_change_the_network() {
    let (_, plain) = crate::common::linear_network(10, 60, 2.0, 7);
    let scaled = table(
        plain
            .columns()
            .iter()
            .enumerate()
            .map(|(v, column)| {
                let (scale, shift) = [(1e12, 5e12), (1e-12, 0.0), (1.0, -1e3)][v % 3];
                column.iter().map(|x| scale * x + shift).collect()
            })
            .collect(),
    );
    let (before, after) = (check(&plain), check(&scaled));
    for ((a, b), options) in before.iter().zip(&after).zip(all_options()) {
        // BGe's prior depends on the units of the data, so the network may change.
        if options.score != ScoreKind::Bge {
            assert_eq!(a.network.dag(), b.network.dag(), "{options:?}");
        }
    }
    let mut standardized = LearnOptions {
        standardize: true,
        ..LearnOptions::default()
    };
    standardized.score = ScoreKind::Bge;
    let dag = |table: &Table| learn(table, &standardized, &mut ()).unwrap().network.dag();
    assert_eq!(dag(&plain), dag(&scaled));
}

#[test]
fn integers_with_many_ties_can_be_learned() {
    let column = |step: usize| (0..40).map(|i| ((i * step) % 3) as f64).collect();
    check(&table((1..9).map(column).collect()));
}
