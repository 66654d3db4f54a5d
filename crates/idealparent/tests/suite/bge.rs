//! The BGe score against its definition, and its equivalence within Markov classes.

use idealparent::data::Column;
use idealparent::family::Gram;
use idealparent::graph::{Cpdag, Dag, Pdag};
use idealparent::score::{GramScorer, ScoreKind, ScoreOptions, Scorer};
use idealparent::{LearnOptions, learn};

/// Log determinant by elimination with pivoting, independent of the library's code.
fn log_det(mut a: Vec<Vec<f64>>) -> f64 {
    let n = a.len();
    let mut total = 0.0;
    for i in 0..n {
        let pivot = (i..n)
            .max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs()))
            .unwrap();
        a.swap(i, pivot);
        total += a[i][i].abs().ln();
        for r in i + 1..n {
            let factor = a[r][i] / a[i][i];
            for c in i..n {
                let value = a[i][c];
                a[r][c] -= factor * value;
            }
        }
    }
    total
}

/// Log of the multivariate gamma function.
fn log_gamma_p(l: usize, x: f64) -> f64 {
    let part = |j: usize| libm::lgamma(x + 0.5 * (1.0 - j as f64));
    let pi = 0.25 * (l * (l - 1)) as f64 * std::f64::consts::PI.ln();
    pi + (1..=l).map(part).sum::<f64>()
}

/// log p(data restricted to a set of variables), Kuipers, Moffa and Heckerman (2014), Eq. A.13 and
/// A.14. The family score is a ratio of two such marginals, computed here with full determinants.
fn log_marginal(columns: &[Column], set: &[usize], n: usize, alpha_w: f64) -> f64 {
    let m = columns[0].len() as f64;
    let l = set.len();
    if l == 0 {
        return 0.0;
    }
    let alpha_mu = 1.0;
    let t = alpha_mu * (alpha_w - n as f64 - 1.0) / (alpha_mu + 1.0);
    let mean = |v: usize| columns[v].iter().sum::<f64>() / m;
    let entry = |a: usize, b: usize| {
        let (ma, mb) = (mean(a), mean(b));
        let scatter: f64 = columns[a]
            .iter()
            .zip(&columns[b])
            .map(|(x, y)| (x - ma) * (y - mb))
            .sum();
        scatter + if a == b { t } else { 0.0 }
    };
    let r: Vec<Vec<f64>> = set
        .iter()
        .map(|&a| set.iter().map(|&b| entry(a, b)).collect())
        .collect();
    let df = alpha_w - n as f64 + l as f64;
    0.5 * l as f64 * (alpha_mu / (alpha_mu + m)).ln()
        - 0.5 * l as f64 * m * std::f64::consts::PI.ln()
        + log_gamma_p(l, 0.5 * (m + df))
        - log_gamma_p(l, 0.5 * df)
        + 0.5 * df * l as f64 * t.ln()
        - 0.5 * (m + df) * log_det(r)
}

#[test]
fn family_scores_are_ratios_of_marginals() {
    for seed in 0..10 {
        let (n, m) = (7, 25);
        let (_, table) = crate::common::linear_network(n, m, 2.0, seed);
        let gram = Gram::new(table.columns());
        for alpha_w in [None, Some(n as f64 + 1.5), Some(30.0)] {
            let options = ScoreOptions {
                kind: ScoreKind::Bge,
                alpha_w,
                ..ScoreOptions::default()
            };
            let scorer = GramScorer::new(&gram, n, &options).unwrap();
            let alpha = alpha_w.unwrap_or(n as f64 + 2.0);
            for parents in [vec![], vec![1], vec![2, 5], vec![1, 2, 3, 4, 5, 6]] {
                let mut both = parents.clone();
                both.push(0);
                let expected = log_marginal(table.columns(), &both, n, alpha)
                    - log_marginal(table.columns(), &parents, n, alpha);
                let score = scorer.score(0, &parents).unwrap();
                assert!(
                    (score - expected).abs() < 1e-8 * expected.abs(),
                    "{score} {expected}"
                );
            }
        }
    }
}

#[test]
fn alpha_w_must_exceed_the_number_of_variables() {
    let (_, table) = crate::common::linear_network(5, 20, 1.0, 1);
    let gram = Gram::new(table.columns());
    let options = ScoreOptions {
        kind: ScoreKind::Bge,
        alpha_w: Some(6.0),
        ..ScoreOptions::default()
    };
    let error = GramScorer::new(&gram, 5, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`alpha_w` must be above the number of variables plus one (6)"
    );
}

/// Members of a graph's equivalence class: the graph, one with edges reversed where possible, and
/// all that differ in one edge.
fn same_class(dag: &Dag) -> Vec<Dag> {
    let class = Cpdag::new(dag);
    let reversed: Vec<(usize, usize)> =
        dag.edges().map(|(parent, child)| (child, parent)).collect();
    let extension = Pdag::of_class(dag, |_, _| false).directed(&reversed, |_, _, _| true);
    let mut found = vec![dag.clone(), extension];
    for (parent, child) in dag.edges() {
        let mut other = dag.clone();
        other.remove_edge(parent, child);
        other.add_edge(child, parent);
        if other.topological_order().is_some() && Cpdag::new(&other) == class {
            found.push(other);
        }
    }
    found
}

/// BGe, BIC, EBIC and AIC of linear networks are equal for all members of a Markov equivalence
/// class.
#[test]
fn scores_are_equal_within_a_class() {
    for seed in 0..6 {
        let n = 12;
        let (_, table) = crate::common::linear_network(n, 60, 1.5, 40 + seed);
        let gram = Gram::new(table.columns());
        let learned = learn(&table, &LearnOptions::default(), &mut ()).unwrap();
        for kind in [
            ScoreKind::Bge,
            ScoreKind::Bic,
            ScoreKind::Ebic,
            ScoreKind::Aic,
        ] {
            let options = ScoreOptions {
                kind,
                ..ScoreOptions::default()
            };
            let scorer = GramScorer::new(&gram, n, &options).unwrap();
            let total = |dag: &Dag| -> f64 {
                (0..n)
                    .map(|v| scorer.score(v, dag.parents(v)).unwrap())
                    .sum()
            };
            let members = same_class(&learned.network.dag());
            assert!(members.len() > 2);
            let first = total(&members[0]);
            for member in &members[1..] {
                assert!(
                    (total(member) - first).abs() < 1e-9 * first.abs(),
                    "{kind:?}"
                );
            }
        }
    }
}
