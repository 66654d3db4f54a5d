//! Fits of non-linear families, compared with another solver and with random restarts.

#[path = "common/solvers.rs"]
mod solvers;

use crate::common::nonlinear::{product_family, sigmoid_family};
use idealparent::Table;
use idealparent::cpd::{CpdKind, Sigmoid};
use idealparent::family::{Gram, GramFamily, LinkProblem, Profiles};
use idealparent::numerics::minimise;
use idealparent::score::{FamilyScorer, Prices};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solvers::{FullSigmoid, PlainProduct};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Calls `ask` with a scorer for one kind of density, without penalties.
fn with_scorer<T>(
    table: &Table,
    (kind, bias, baseline): (&str, bool, bool),
    ask: impl FnOnce(&FamilyScorer) -> T,
) -> T {
    let gram = Gram::new(table.columns());
    let profiles = Profiles::new(table.columns(), &gram);
    let model = CpdKind::parse(kind).unwrap().model(bias, baseline);
    ask(&FamilyScorer::new(
        &profiles,
        vec![model],
        Prices::default(),
    ))
}

const SIGMOID: (&str, bool, bool) = ("sigmoid", false, false);
const BIASED: (&str, bool, bool) = ("sigmoid", true, false);
const PRODUCT: (&str, bool, bool) = ("product", false, false);
const BASELINE: (&str, bool, bool) = ("product", false, true);

/// By how many nats the sum of squares `sse` is worse than `best`.
fn behind(m: usize, sse: f64, best: f64) -> f64 {
    0.5 * m as f64 * (sse / best).ln()
}

/// The sum of squares is never larger than that of a Levenberg-Marquardt fit of all parameters,
/// started in the direction of least squares.
#[test]
fn fits_are_not_worse_than_another_solver() {
    let mut rng = rng(1);
    for round in 0..200 {
        let (k, m) = (1 + round % 4, rng.random_range(30..=300));
        let table = sigmoid_family(k, m, round % 8 > 3, &mut rng);
        let parents: Vec<usize> = (0..k).collect();
        with_scorer(&table, SIGMOID, |scorer| {
            let data = scorer.data();
            let ours = scorer.fit(0, k, &parents).unwrap().residual * m as f64;
            let inputs: Vec<&[f64]> = parents.iter().map(|&p| data.scaled(p)).collect();
            let linear = GramFamily::new(data.gram(), k, &parents, |_| 0.0).unwrap();
            let mut problem = LinkProblem::new(&Sigmoid, data.scaled(k), inputs.clone());
            let spread = problem.spread(&linear.weights);
            let start: Vec<f64> = linear.weights.iter().map(|w| w / spread).collect();
            let theirs = FullSigmoid::fit(data.scaled(k), &inputs, &start);
            assert!(ours <= theirs * (1.0 + 1e-6), "{round}: {ours} {theirs}");
        });
    }
}

/// Share of families whose fit is within 0.1 nat of the best of ten random restarts.
fn share_of_best(tables: &[(Table, usize, Vec<usize>)], what: (&str, bool, bool)) -> f64 {
    let mut rng = rng(7);
    let mut good = 0;
    for (table, child, parents) in tables {
        let (m, k) = (table.rows(), parents.len());
        good += with_scorer(table, what, |scorer| {
            let data = scorer.data();
            let ours = scorer.fit(0, *child, parents).unwrap().residual * m as f64;
            let ones = vec![1.0; m];
            let mut inputs: Vec<&[f64]> = parents.iter().map(|&p| data.scaled(p)).collect();
            if what.1 {
                inputs.push(&ones);
            }
            let mut best = ours;
            for _ in 0..10 {
                let size = (1.5 * rng.random::<f64>() - 0.5).exp();
                let mut start: Vec<f64> = (0..inputs.len())
                    .map(|_| size * crate::common::normal(&mut rng))
                    .collect();
                let found = if what.0 == "sigmoid" {
                    let problem = LinkProblem::new(&Sigmoid, data.scaled(*child), inputs.clone());
                    minimise(&mut problem.with_bias(what.1), &mut start, 1e-9)
                } else {
                    let activators: Vec<bool> = (0..k).map(|_| rng.random()).collect();
                    let mut problem = PlainProduct::new(data, *child, parents, activators, what.2);
                    minimise(&mut problem, &mut start, 1e-6)
                };
                best = found.map_or(best, |sse| best.min(sse));
            }
            usize::from(behind(m, ours, best) < 0.1)
        });
    }
    good as f64 / tables.len() as f64
}

fn families(
    count: usize,
    mut make: impl FnMut(usize, &mut ChaCha8Rng) -> Table,
) -> Vec<(Table, usize, Vec<usize>)> {
    let mut rng = rng(3);
    let family = |round: usize| {
        let k = 1 + round % 5;
        (make(k, &mut rng), k, (0..k).collect())
    };
    (0..count).map(family).collect()
}

#[test]
fn fits_reach_the_best_of_random_restarts() {
    let mut correlated = false;
    let sigmoids = families(200, |k, rng| {
        correlated = !correlated;
        sigmoid_family(k, 173, correlated, rng)
    });
    let share = share_of_best(&sigmoids, SIGMOID);
    assert!(share >= 0.98, "{share}");
    let biased = share_of_best(&sigmoids, BIASED);
    assert!(biased >= 0.98, "{biased}");
    let products = families(60, |k, rng| product_family(k, 173, rng));
    for what in [PRODUCT, BASELINE] {
        let share = share_of_best(&products, what);
        assert!(share >= 0.98, "{what:?}: {share}");
    }
}

#[test]
fn fits_of_yeast_families_nearly_reach_the_best_of_random_restarts() {
    let Some(table) = crate::common::yeast("aa_rebuild_nomiss.txt") else {
        return;
    };
    let ratios = table.exp2().unwrap();
    let mut rng = rng(9);
    let family = |table: &Table, round: usize, rng: &mut ChaCha8Rng| {
        let k = 1 + round % 5;
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() <= k {
            let v = rng.random_range(0..table.width());
            if !chosen.contains(&v) {
                chosen.push(v);
            }
        }
        let child = chosen.pop().unwrap();
        chosen.sort_unstable();
        (table.clone(), child, chosen)
    };
    // Random families of real data are mostly noise, and their sigmoid fits have many local optima
    // of nearly the same quality. Measured: 90, 92.5, 100 and 100 %.
    for (table, what, floor) in [
        (&table, SIGMOID, 0.85),
        (&table, BIASED, 0.85),
        (&ratios, PRODUCT, 0.95),
        (&ratios, BASELINE, 0.95),
    ] {
        let all: Vec<_> = (0..40).map(|r| family(table, r, &mut rng)).collect();
        let share = share_of_best(&all, what);
        assert!(share >= floor, "{what:?}: {share}");
    }
}
