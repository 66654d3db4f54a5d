//! Posteriors of missing values, compared with dense Gaussians and with known numbers, and
//! structural EM (section 4.3).

use crate::common::checkpoints::Checkpoints;
use crate::common::dense::{dense, solve};
use crate::common::holes::{Energies, with_holes};
use crate::common::linear_network;
use idealparent::cpd::{Cpd, CpdKind, LinearCpd};
use idealparent::data::{Column, Completed, Holes};
use idealparent::family::{Gram, fit_linear};
use idealparent::ideal::c2_expected;
use idealparent::inference::{Wanted, exact, expected_log_likelihood};
use idealparent::learn::Checkpoint;
use idealparent::network::{Family, Network, Variable};
use idealparent::score::ScoreKind;
use idealparent::{Gamma, LearnOptions, PosteriorKind, SearchKind, Structure, Table, fit, learn};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn linear(intercept: f64, weights: &[f64], variance: f64, parents: &[usize]) -> Family {
    let cpd = LinearCpd {
        intercept,
        weights: weights.to_vec(),
        variance,
    };
    Family::new(parents.to_vec(), Cpd::Linear(cpd))
}

fn network(families: Vec<Family>) -> Network {
    let variable = |name| Variable {
        name,
        hidden: false,
    };
    Network {
        variables: crate::common::names(families.len())
            .into_iter()
            .map(variable)
            .collect(),
        families,
        ..Network::default()
    }
}

/// Oracle O7 (tests/oracles.md): uncertainty of the child and of the candidate lowers C2.
#[test]
fn expected_c2_agrees_with_the_oracle() {
    let (x, u, z) = (
        [1.0, 2.0, 0.0, -1.0],
        [0.5, 1.0, -0.5, -1.0],
        [1.0, 0.0, -1.0, 0.5],
    );
    let y: Vec<f64> = x.iter().zip(u).map(|(x, u)| x - 0.8 * u).collect();
    let spread_y = 0.1 + 0.64 * (0.2 + 0.1 + 0.1);
    let spread_z = 0.1 + 0.2 + 0.05 + 0.1;
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    close(dot(&y, &y) + spread_y, 2.356);
    close(dot(&z, &z) + spread_z, 2.7);
    close(dot(&y, &z) / (dot(&z, &z) + spread_z), 0.0370370370);
    close(c2_expected(&y, spread_y, &z, spread_z), 0.0031465347);
    close(c2_expected(&y, 0.0, &z, 0.0), 0.0044493900);
    let alpha = dot(&y, &z) / 2.7;
    close(2.356 - alpha * alpha * 2.7, 2.3522962963);
}

/// Oracle O9: two hidden causes of three variables, exact and by mean field.
#[test]
fn posteriors_of_hidden_causes_agree_with_the_oracle() {
    let net = network(vec![
        linear(0.0, &[], 1.0, &[]),
        linear(0.0, &[], 1.0, &[]),
        linear(0.0, &[1.0, 0.5], 0.5, &[0, 1]),
        linear(0.0, &[0.8], 1.0, &[0]),
        linear(0.0, &[-1.2], 0.25, &[1]),
    ]);
    let hole = vec![f64::NAN];
    let columns = [hole.clone(), hole, vec![1.0], vec![-0.5], vec![2.0]].map(Column::from);
    let holes = Holes::new(&columns, |_| true);
    for (moments, variances, energy) in [
        (Wanted::Exact, [0.2855300003, 0.1431582922], -6.2593469784),
        (
            Wanted::Factorised,
            [0.2747252747, 0.1377410468],
            -6.2786347315,
        ),
    ] {
        let posterior = exact(&net, &columns, &holes, moments).unwrap();
        let data = posterior.data.unwrap();
        for (v, mean) in [(0, 0.7950791304), (1, -1.2940880345)] {
            assert!((data.means()[v][0] - mean).abs() < 1e-9);
            assert!((data.variances(v)[0] - variances[v]).abs() < 1e-9);
        }
        assert!((posterior.log_likelihood[0] - energy).abs() < 1e-9);
        // The same value as the sum of its parts.
        let parts = expected_log_likelihood(&net, &data) + posterior.entropy;
        assert!((parts - energy).abs() < 1e-9, "{parts}");
    }
}

/// The conditional distribution of the missing values of a row, by elimination.
fn conditional(net: &Network, row: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (mean, cov) = dense(net);
    let observed: Vec<usize> = (0..row.len()).filter(|&v| !row[v].is_nan()).collect();
    let missing: Vec<usize> = (0..row.len()).filter(|&v| row[v].is_nan()).collect();
    let block = |a: &[usize], b: &[usize]| -> Vec<Vec<f64>> {
        let line = |&i: &usize| b.iter().map(|&j| cov[i][j]).collect();
        a.iter().map(line).collect()
    };
    let inner = block(&observed, &observed);
    let away: Vec<f64> = observed.iter().map(|&v| row[v] - mean[v]).collect();
    let (solved, _) = solve(inner.clone(), away);
    let means = missing.iter().map(|&u| {
        let terms = observed.iter().zip(&solved).map(|(&v, s)| cov[u][v] * s);
        mean[u] + terms.sum::<f64>()
    });
    let mut covariance = block(&missing, &missing);
    for (j, &u) in missing.iter().enumerate() {
        let column: Vec<f64> = observed.iter().map(|&v| cov[v][u]).collect();
        let (solved, _) = solve(inner.clone(), column);
        for (i, &t) in missing.iter().enumerate() {
            let terms = observed.iter().zip(&solved).map(|(&v, s)| cov[t][v] * s);
            covariance[i][j] -= terms.sum::<f64>();
        }
    }
    (means.collect(), covariance)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Posteriors from blocks of the sparse precision matrix equal the dense conditional.
    #[test]
    fn exact_posterior_is_the_conditional(n in 2usize..12, share in 0.1..0.9f64, seed in 0u64..1000) {
        let (_, table) = linear_network(n, 40, 1.5, seed);
        let net = learn(&table, &LearnOptions::default(), &mut ()).unwrap().network;
        let incomplete = with_holes(&table.select_rows(&[0, 1, 2, 3, 4, 5]), share, seed + 1);
        let columns = incomplete.columns();
        let holes = Holes::new(columns, |_| true);
        let posterior = exact(&net, columns, &holes, Wanted::Exact).unwrap();
        let data = posterior.data.unwrap();
        let mut sums = vec![vec![0.0; n]; n];
        for row in 0..incomplete.rows() {
            let values: Vec<f64> = columns.iter().map(|column| column[row]).collect();
            let missing: Vec<usize> = (0..n).filter(|&v| values[v].is_nan()).collect();
            if missing.len() == n {
                let (mean, cov) = dense(&net);
                for a in 0..n {
                    prop_assert!((data.means()[a][row] - mean[a]).abs() < 1e-9);
                    for b in 0..n {
                        sums[a][b] += cov[a][b];
                    }
                }
                continue;
            }
            let (means, covariance) = conditional(&net, &values);
            for (i, &a) in missing.iter().enumerate() {
                prop_assert!((data.means()[a][row] - means[i]).abs() < 1e-8);
                prop_assert!((data.variances(a)[row] - covariance[i][i]).abs() < 1e-8);
                for (j, &b) in missing.iter().enumerate() {
                    sums[a][b] += covariance[i][j];
                }
            }
        }
        for a in 0..n {
            for b in 0..n {
                prop_assert!((data.covariance(a, b) - sums[a][b]).abs() < 1e-8);
            }
        }
        let total: f64 = posterior.log_likelihood.iter().sum();
        let parts = expected_log_likelihood(&net, &data) + posterior.entropy;
        prop_assert!((total - parts).abs() < 1e-7 * total.abs().max(1.0), "{} {}", total, parts);
    }

    /// The free energy never falls, for both posteriors and both searches.
    #[test]
    fn the_free_energy_never_falls(n in 3usize..9, share in 0.02..0.5f64, seed in 0u64..1000) {
        let (_, table) = linear_network(n, 50, 1.5, seed);
        let table = with_holes(&table, share, seed + 1);
        prop_assume!(table.missing() > 0);
        energies_rise(&table);
    }
}

/// Completed data without uncertainty have the same moments as complete data, to the last bit.
#[test]
fn expectations_without_uncertainty_equal_data() {
    let (_, table) = linear_network(12, 60, 1.5, 7);
    let n = table.width();
    let certain = Completed::new(
        table.columns().to_vec(),
        vec![vec![0.0; 60]; n],
        Default::default(),
    );
    let (plain, expected) = (Gram::new(table.columns()), Gram::expected(&certain));
    for v in 0..n {
        assert_eq!(plain.row(v), expected.row(v));
        assert_eq!(
            (plain.mean(v), plain.variance(v)),
            (expected.mean(v), expected.variance(v))
        );
        let fit = |data: &Completed| fit_linear(data, v, &[(v + 1) % n]).unwrap().cpd;
        let (a, b) = (fit(&Completed::complete(table.columns())), fit(&certain));
        assert!(
            (a.weights[0] - b.weights[0]).abs() < 1e-12 && (a.variance - b.variance).abs() < 1e-12
        );
    }
}

/// An M-step from expected moments agrees with a regression on many draws from the posterior.
#[test]
fn expected_regressions_agree_with_many_draws() {
    let (_, table) = linear_network(4, 30, 3.0, 3);
    let net = learn(&table, &LearnOptions::default(), &mut ())
        .unwrap()
        .network;
    let incomplete = with_holes(&table, 0.3, 4);
    let holes = Holes::new(incomplete.columns(), |_| true);
    let posterior = exact(&net, incomplete.columns(), &holes, Wanted::Exact).unwrap();
    let fit = fit_linear(&posterior.data.unwrap(), 0, &[1, 2]).unwrap();
    let draws = 4000;
    let filled = idealparent::inference::impute(&[net], &incomplete, draws, 5).unwrap();
    let mut long = vec![Vec::new(); 4];
    for table in &filled.draws {
        for (column, drawn) in long.iter_mut().zip(table.columns()) {
            column.extend_from_slice(drawn);
        }
    }
    let long: Vec<Column> = long.into_iter().map(Column::from).collect();
    let many = fit_linear(&Completed::complete(&long), 0, &[1, 2]).unwrap();
    for (a, b) in fit.cpd.weights.iter().zip(&many.cpd.weights) {
        assert!((a - b).abs() < 0.02, "{a} {b}");
    }
    assert!((fit.cpd.variance / many.cpd.variance - 1.0).abs() < 0.02);
}

/// The learned network does not depend on the number of threads.
#[test]
fn the_number_of_threads_changes_nothing() {
    let (_, table) = linear_network(30, 80, 1.5, 11);
    let table = with_holes(&table, 0.1, 12);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            learn(&table, &LearnOptions::default(), &mut ())
                .unwrap()
                .network
        })
    };
    let one = run(1).to_json().unwrap();
    for threads in [2, 5] {
        assert_eq!(run(threads).to_json().unwrap(), one);
    }
}

/// Fitted parameters maximise the likelihood of the observed values: small changes lower it.
#[test]
fn fitted_parameters_are_a_maximum() {
    let (dag, table) = linear_network(6, 100, 2.0, 21);
    let table = with_holes(&table, 0.2, 22);
    let name = |v: usize| table.names()[v].clone();
    let edges: Vec<(String, String)> = dag.edges().map(|(a, b)| (name(a), name(b))).collect();
    let fitted = fit(
        &table,
        &Structure::of_edges(edges),
        &LearnOptions::default(),
    )
    .unwrap();
    let best = fitted.network.log_likelihood(&table).unwrap();
    let recorded = fitted.network.score.as_ref().unwrap().log_likelihood;
    assert!((best - recorded).abs() < 1e-9 * best.abs());
    for v in 0..6 {
        for step in [0.01, -0.01] {
            let mut other = fitted.network.clone();
            let Cpd::Linear(cpd) = &mut other.families[v].cpd else {
                panic!()
            };
            for weight in &mut cpd.weights {
                *weight += step;
            }
            cpd.intercept += step;
            assert!(other.log_likelihood(&table).unwrap() < best);
        }
    }
}

/// A run that is resumed from any checkpoint, written and read again, ends at the same network.
#[test]
fn any_checkpoint_leads_to_the_same_network() {
    let (_, table) = linear_network(8, 60, 1.5, 41);
    let table = with_holes(&table, 0.15, 42);
    for (kind, restarts, posterior) in [
        (CpdKind::Linear, 2, Some(PosteriorKind::Exact)),
        (CpdKind::Linear, 2, Some(PosteriorKind::MeanField)),
        (CpdKind::sigmoid(), 1, None),
    ] {
        let options = LearnOptions {
            cpd: vec![kind],
            restarts: Some(restarts),
            missing: posterior,
            ..LearnOptions::default()
        };
        let mut keep = Checkpoints::default();
        let whole = learn(&table, &options, &mut keep).unwrap();
        let json = whole.network.to_json().unwrap();
        assert!(keep.0.len() > 20);
        for checkpoint in keep.0.iter().step_by(keep.0.len() / 9) {
            let read = Checkpoint::from_json(&checkpoint.to_json()).unwrap();
            let resumed = read.resume(&table, &options, &mut ()).unwrap();
            assert_eq!(resumed.network.to_json().unwrap(), json);
            assert_eq!(resumed.moves, whole.moves);
            assert_eq!(resumed.iterations, whole.iterations);
        }
        // A checkpoint that was changed, or that lacks the state of EM, is refused.
        let text = keep.0.last().unwrap().to_json();
        let damaged = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            let changed = Checkpoint::from_json(&text.replacen(from, to, 1));
            changed
                .and_then(|c| c.resume(&table, &options, &mut ()))
                .is_err()
        };
        assert!(damaged("\"iteration\":", "\"iteration\":9999999"));
        assert!(damaged("\"em\":{", "\"elsewhere\":{"));
        assert!(damaged("idealparent-network", "no-network"));
    }
}

/// Learned parameters have converged: fitting the same structure again gives the same score.
#[test]
fn learned_parameters_have_converged() {
    for seed in 0..4 {
        let (_, table) = linear_network(8, 80, 1.5, 50 + seed);
        let table = with_holes(&table, 0.3, 60 + seed);
        let learned = learn(&table, &LearnOptions::default(), &mut ())
            .unwrap()
            .network;
        let edges: Vec<(String, String)> = learned
            .dag()
            .edges()
            .map(|(a, b)| (learned.name(a).to_string(), learned.name(b).to_string()))
            .collect();
        // Scores can be compared at the same gamma only.
        let gamma = learned.score.as_ref().unwrap().gamma;
        let options = LearnOptions {
            gamma: Gamma::AutoAt(gamma.expect("gamma is chosen")),
            ..LearnOptions::default()
        };
        let fitted = fit(&table, &Structure::of_edges(edges), &options)
            .unwrap()
            .network;
        let score = |network: &Network| network.score.as_ref().unwrap().value;
        assert!(
            (score(&fitted) - score(&learned)).abs() < 0.01,
            "{}",
            score(&fitted) - score(&learned)
        );
        // The strengths of the edges agree with those of the learned network.
        for (a, b) in fitted.families.iter().zip(&learned.families) {
            for (a, b) in a.strengths.iter().zip(&b.strengths) {
                assert!((a - b).abs() < 0.1 * b.abs().max(1.0), "{a} {b}");
            }
        }
    }
}

/// Variables that nearly determine each other are connected, even if few rows contain both.
#[test]
fn strong_edges_are_found_with_many_missing_values() {
    for (share, seed) in [(0.3, 1), (0.5, 2), (0.65, 3)] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let first: Vec<f64> = (0..100).map(|_| crate::common::normal(&mut rng)).collect();
        let second = first
            .iter()
            .map(|x| x + 0.05 * crate::common::normal(&mut rng))
            .collect();
        let third = (0..100).map(|_| crate::common::normal(&mut rng)).collect();
        let holes = with_holes(&table(vec![first, second, third]), share, seed);
        let learned = learn(&holes, &LearnOptions::default(), &mut ()).unwrap();
        let dag = learned.network.dag();
        assert!(dag.has_edge(0, 1) || dag.has_edge(1, 0), "{share}");
    }
}

/// A search never returns a worse network than its start.
#[test]
fn learned_networks_are_not_worse_than_the_start() {
    for (kind, seed) in [(CpdKind::Linear, 71), (CpdKind::sigmoid(), 72)] {
        let (dag, full) = linear_network(6, 50, 1.5, seed);
        let holes = with_holes(&full, 0.4, seed);
        let name = |v: usize| full.names()[v].clone();
        let edges: Vec<(String, String)> = dag.edges().map(|(a, b)| (name(a), name(b))).collect();
        let options = LearnOptions {
            cpd: vec![kind],
            start: edges.clone().into(),
            ..LearnOptions::default()
        };
        let fitted = fit(&holes, &Structure::of_edges(edges), &options).unwrap();
        let learned = learn(&holes, &options, &mut ()).unwrap();
        let (fitted, learned) = (fitted.network, learned.network);
        let score = |network: &Network| network.score.as_ref().unwrap().value;
        assert!(
            score(&learned) > score(&fitted) - 0.5,
            "{} {}",
            score(&learned),
            score(&fitted)
        );
    }
}

/// The number of observed values of a child limits the number of its parents.
#[test]
fn few_observations_limit_the_number_of_parents() {
    let (_, full) = linear_network(8, 60, 2.0, 81);
    let mut columns = full.columns().to_vec();
    for value in &mut columns[0][4..] {
        *value = f64::NAN;
    }
    let options = LearnOptions {
        score: ScoreKind::Aic,
        ..LearnOptions::default()
    };
    let learned = learn(&table(columns), &options, &mut ()).unwrap();
    assert!(learned.network.families[0].parents.len() <= 1);
}

fn table<C: Into<Column>>(columns: Vec<C>) -> Table {
    Table::new(crate::common::names(columns.len()), columns).unwrap()
}

/// Columns and rows without values, pairs of columns that are never observed together, and tables
/// with few observed values.
#[test]
fn mostly_missing_data_can_be_learned() {
    let hole = f64::NAN;
    let (_, full) = linear_network(5, 60, 2.0, 31);
    let mut columns = full.columns().to_vec();
    columns[1] = vec![hole; 60].into();
    for column in &mut columns {
        column[7] = hole;
        column[9] = hole;
    }
    let learned = learn(&table(columns), &LearnOptions::default(), &mut ()).unwrap();
    assert!(learned.network.families[1].inactive);
    assert_eq!(
        learned.notes,
        [
            "column 'X1' has no values: kept without edges",
            "2 rows have no value in any column that varies: ignored"
        ]
    );
    // Each of two columns is observed in one half of the rows.
    let mut columns = full.columns().to_vec();
    for row in 0..60 {
        columns[row % 2][row] = hole;
    }
    let apart = learn(&table(columns), &LearnOptions::default(), &mut ()).unwrap();
    assert!(apart.network.score.unwrap().value.is_finite());
    for cpd in [CpdKind::Linear, CpdKind::sigmoid()] {
        let sparse = with_holes(&full, 0.95, 33);
        let options = LearnOptions {
            cpd: vec![cpd],
            ..LearnOptions::default()
        };
        let learned = learn(&sparse, &options, &mut ()).unwrap();
        assert!(learned.network.score.unwrap().value.is_finite());
    }
    let two = table(vec![vec![1.0, hole, hole], vec![hole, 2.0, hole]]);
    let learned = learn(&two, &LearnOptions::default(), &mut ()).unwrap();
    assert_eq!(learned.network.active(), 0);
}

/// The free energies of learning never fall, and the recorded score is the last of them.
fn energies_rise(table: &Table) {
    for posterior in [PosteriorKind::Exact, PosteriorKind::MeanField] {
        for search in [SearchKind::Hill, SearchKind::Order] {
            let options = LearnOptions {
                missing: Some(posterior),
                search,
                ..LearnOptions::default()
            };
            let mut energies = Energies::default();
            let learned = learn(table, &options, &mut energies).unwrap();
            energies.assert_rising();
            let score = learned.network.score.unwrap();
            let last = energies.0.last().unwrap();
            match posterior {
                PosteriorKind::Exact => assert!((score.value - last).abs() < 1e-7 * last.abs()),
                _ => assert!(score.value >= last - 1e-7 * last.abs()),
            }
        }
    }
}

/// Here EM makes a family exact in the few rows in which it is observed.
#[test]
fn the_free_energy_rises_where_a_variance_vanishes() {
    let (_, table) = linear_network(8, 50, 1.5, 405);
    energies_rise(&with_holes(&table, 0.27013718974075496, 406));
}
