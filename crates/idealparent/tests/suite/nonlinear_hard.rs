//! Difficult data for non-linear fits: learning succeeds or fails with a clear message, and never
//! returns NaN.

use idealparent::cpd::CpdKind;
use idealparent::ideal::Measure;
use idealparent::{LearnOptions, Learned, Method, Network, Structure, Table, fit, learn};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn noise(m: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..m).map(|_| crate::common::normal(&mut rng)).collect()
}

fn table(columns: Vec<Vec<f64>>) -> Table {
    Table::new(crate::common::names(columns.len()), columns).unwrap()
}

fn all_options(positive: bool) -> Vec<LearnOptions> {
    let mut all = Vec::new();
    for (words, bias, baseline) in [
        ("sigmoid", false, false),
        ("sigmoid", true, false),
        ("linear,sigmoid", false, false),
        ("product", false, false),
        ("product", false, true),
        ("linear,sigmoid,product", true, true),
    ] {
        if words.contains("product") && !positive {
            continue;
        }
        for (method, measure) in [
            (Method::Ideal, Measure::Tangent),
            (Method::Ideal, Measure::C2),
            (Method::Ideal, Measure::C1),
            (Method::Greedy, Measure::Tangent),
        ] {
            let mut options = LearnOptions {
                bias,
                baseline,
                method,
                measure,
                ..LearnOptions::default()
            };
            options.set("cpd", words).unwrap();
            options.score = idealparent::score::ScoreKind::Bic;
            all.push(options);
        }
    }
    all
}

/// Learns with all options. Checks that all numbers are finite, and that the file is read back with
/// the same likelihood.
fn check(table: &Table) -> Vec<Learned> {
    let positive = table.columns().iter().flatten().all(|&x| x > 0.0);
    let mut all = Vec::new();
    for options in all_options(positive) {
        let learned = learn(table, &options, &mut ()).unwrap();
        let score = learned.network.score.as_ref().unwrap();
        let what = format!(
            "{:?} {:?} {:?}",
            options.cpd, options.measure, options.method
        );
        assert!(
            score.value.is_finite() && score.log_likelihood.is_finite(),
            "{what}"
        );
        let back = Network::from_json(&learned.network.to_json().unwrap(), "net.json").unwrap();
        assert_eq!(back, learned.network);
        let again = back.log_likelihood(table).unwrap();
        let error = (again - score.log_likelihood).abs();
        assert!(
            error < 1e-6 * score.log_likelihood.abs().max(1.0),
            "{what}: {error}"
        );
        all.push(learned);
    }
    all
}

#[test]
fn constant_columns_have_no_edges() {
    let u = noise(50, 1);
    let bent = u.iter().map(|x| x.tanh()).collect();
    for learned in check(&table(vec![u, vec![3.0; 50], bent])) {
        assert!(learned.network.families[1].inactive);
        assert!(
            learned
                .network
                .families
                .iter()
                .all(|family| !family.parents.contains(&1))
        );
        assert_eq!(learned.network.edge_count(), 1);
    }
}

#[test]
fn step_functions_can_be_learned() {
    for seed in 0..3 {
        let u = noise(60, seed);
        let x = u.iter().map(|u| 2.0 + u.signum()).collect();
        let v: Vec<f64> = u
            .iter()
            .zip(noise(60, 9))
            .map(|(u, e)| u + 0.3 * e)
            .collect();
        let y: Vec<f64> = v.iter().map(|v| if *v > 0.7 { 1.0 } else { 0.5 }).collect();
        check(&table(vec![u.clone(), x, v, y]));
        let lifted = |column: Vec<f64>| column.iter().map(|x| x + 10.0).collect::<Vec<f64>>();
        let x = u.iter().map(|u| 2.0 + u.signum()).collect();
        check(&table(vec![lifted(u), x, lifted(noise(60, 4))]));
    }
}

#[test]
fn parents_with_two_values_can_be_learned() {
    let flags: Vec<f64> = (0..40)
        .map(|t| f64::from(u8::from(t % 3 == 0)) + 1.0)
        .collect();
    let others: Vec<f64> = (0..40)
        .map(|t| f64::from(u8::from(t % 4 == 1)) + 1.0)
        .collect();
    let pairs = flags.iter().zip(&others).zip(noise(40, 2));
    let child = pairs
        .map(|((a, b), e)| 9.0 + a - 2.0 * b + 0.1 * e)
        .collect();
    for learned in check(&table(vec![flags, others, child])) {
        assert!(learned.network.edge_count() >= 2);
    }
}

#[test]
fn few_instances_limit_the_number_of_parents() {
    for m in [2, 3, 4, 5, 6] {
        for seed in 0..5 {
            let columns =
                (0..6).map(|v| noise(m, 100 * seed + v).iter().map(|x| x.exp()).collect());
            for learned in check(&table(columns.collect())) {
                let most = learned
                    .network
                    .families
                    .iter()
                    .map(|family| family.parents.len())
                    .max();
                assert!(most.unwrap() == 0 || most.unwrap() < m - 2);
            }
        }
    }
}

#[test]
fn data_with_outliers_can_be_learned() {
    for size in [1e3, 1e6, 1e12] {
        let mut u = noise(50, 5);
        let mut x: Vec<f64> = u
            .iter()
            .zip(noise(50, 6))
            .map(|(u, e)| u.tanh() + 0.1 * e)
            .collect();
        let mut v: Vec<f64> = u.iter().zip(noise(50, 7)).map(|(u, e)| u * u + e).collect();
        u[3] = size;
        x[8] = -size;
        v[8] = size;
        check(&table(vec![u.clone(), x.clone(), v.clone()]));
        let ratios = |column: Vec<f64>| column.iter().map(|x| x.abs() + 1e-3).collect();
        check(&table([u, x, v].map(ratios).into()));
    }
}

#[test]
fn columns_in_very_different_units_can_be_learned() {
    let u = noise(60, 8);
    let x: Vec<f64> = u
        .iter()
        .zip(noise(60, 9))
        .map(|(u, e)| 1e-12 * (u.tanh() + 0.1 * e))
        .collect();
    let v: Vec<f64> = x
        .iter()
        .zip(noise(60, 10))
        .map(|(x, e)| 1e12 * (1e12 * x + 0.2 * e))
        .collect();
    for learned in check(&table(vec![u.clone(), x.clone(), v.clone()])) {
        assert!(learned.network.edge_count() >= 2);
    }
    let positive = [(u, 1.0), (x, 1e-12), (v, 1e12)].map(|(column, unit)| {
        let ratio = |x: &f64| unit * (x / unit).exp();
        column.iter().map(ratio).collect()
    });
    for learned in check(&table(positive.into())) {
        assert!(learned.network.edge_count() >= 2);
    }
}

/// Nearly collinear parents are rejected and counted.
#[test]
fn rejected_candidates_are_counted() {
    let u: Vec<f64> = noise(80, 11).iter().map(|x| x.exp()).collect();
    let near = |size: f64, seed| {
        u.iter()
            .zip(noise(80, seed))
            .map(|(u, e)| u + size * e)
            .collect()
    };
    let (twin, sister): (Vec<f64>, Vec<f64>) = (near(1e-7, 12), near(1e-9, 13));
    let child = u
        .iter()
        .zip(noise(80, 14))
        .map(|(u, e)| 3.0 + u / (1.0 + u) + 0.1 * e)
        .collect();
    let all = check(&table(vec![u, twin, sister, child]));
    for learned in &all {
        for family in &learned.network.families {
            let copies = family.parents.iter().filter(|&&p| p < 3).count();
            assert!(copies < 2, "{family:?}");
        }
    }
    assert!(all.iter().any(|learned| learned.rejected > 0));
}

#[test]
fn products_need_positive_values() {
    let bad = table(vec![vec![1.0, 2.0, 3.0, 4.0], vec![1.0, 0.0, 2.0, 5.0]]);
    let options = LearnOptions {
        cpd: vec![CpdKind::Product],
        ..LearnOptions::default()
    };
    let expected = "column 'X1' holds 0, but the product cpd needs values above 0 (`exp2` turns log-ratios into ratios)";
    let text = learn(&bad, &options, &mut ()).unwrap_err().to_string();
    assert_eq!(text, expected);
    let mut structure = Structure::of_edges([("X0", "X1")]);
    structure.kinds = [("X1".to_string(), CpdKind::Product)].into();
    let text = fit(&bad, &structure, &LearnOptions::default()).unwrap_err();
    assert_eq!(text.to_string(), expected);
    let exp2 = LearnOptions {
        exp2: true,
        ..options
    };
    assert!(learn(&bad, &exp2, &mut ()).is_ok());
}
