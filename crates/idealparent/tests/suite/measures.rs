//! Properties of the measures on random families.

use fixedbitset::FixedBitSet;
use idealparent::cpd::CpdKind;
use idealparent::evaluate::rank_parents;
use idealparent::family::{Gram, GramFamily};
use idealparent::ideal::{
    Budget, GramSelector, Measure, Query, Selector, c1, c1_replace, c2, c2_replace, ideal_profile,
    replacement_profile,
};
use idealparent::numerics::{centred, inner_product, least_squares};
use idealparent::score::{GramScorer, Likelihood, ScoreKind, ScoreOptions, Scorer};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// C1 <= C2 <= C2 of the centred candidate <= the exact change, which equals the tangent
    /// measure.
    #[test]
    fn lower_bounds_are_ordered(seed in 0u64..10_000, m in 8usize..60, k in 0usize..4) {
        let (_, table) = crate::common::linear_network(6, m, 2.0, seed);
        let x = table.column(5);
        let z = table.column(4);
        let parents: Vec<&[f64]> = (0..k).map(|p| table.column(p)).collect();
        let fit = least_squares(x, &parents).unwrap();
        let y = ideal_profile(x, &parents, &fit);
        let s2 = fit.sse / m as f64;
        let (centred_z, _) = centred(z);
        let mut family = parents.clone();
        family.push(z);
        let full = least_squares(x, &family).unwrap();
        let delta = -0.5 * m as f64 * (full.sse / fit.sse).ln();
        let slack = 1e-9 * (1.0 + delta.abs());
        prop_assert!(c1(&y, z, s2) <= c2(&y, z) + slack);
        prop_assert!(c2(&y, z) <= c2(&y, &centred_z) + slack);
        prop_assert!(c2(&y, &centred_z) <= delta + slack);
        let on_parents = least_squares(z, &parents).unwrap();
        let perpendicular = ideal_profile(z, &parents, &on_parents);
        prop_assert!((c2(&y, &perpendicular) - delta).abs() < 1e-7 * (1.0 + delta));
        // Scale and sign of the candidate do not matter.
        for factor in [-1.0, 1e-6, -3e5] {
            let scaled: Vec<f64> = z.iter().map(|v| factor * v).collect();
            prop_assert!((c1(&y, &scaled, s2) - c1(&y, z, s2)).abs() < slack);
            prop_assert!((c2(&y, &scaled) - c2(&y, z)).abs() < slack);
        }
        // A multiple of the ideal parent is the best possible candidate: it explains the whole
        // residual.
        let twice: Vec<f64> = y.iter().map(|v| 2.0 * v).collect();
        prop_assert!(c1(&y, &twice, s2) >= c1(&y, z, s2) - slack);
    }

    /// A regression from correlations equals the regression from data.
    #[test]
    fn gram_families_equal_least_squares(seed in 0u64..10_000, m in 8usize..80, k in 0usize..5) {
        let (_, table) = crate::common::linear_network(7, m, 2.0, seed);
        let gram = Gram::new(table.columns());
        let parents: Vec<usize> = (0..k).collect();
        let family = GramFamily::new(&gram, 6, &parents, |_| 0.0).unwrap();
        let columns: Vec<&[f64]> = parents.iter().map(|&p| table.column(p)).collect();
        let fit = least_squares(table.column(6), &columns).unwrap();
        let scatter = m as f64 * gram.variance(6);
        prop_assert!((family.residual - fit.sse / scatter).abs() < 1e-10);
        for (i, &p) in parents.iter().enumerate() {
            let scale = (gram.variance(6) / gram.variance(p)).sqrt();
            prop_assert!((family.weights[i] * scale - fit.weights[i]).abs() < 1e-8 * (1.0 + fit.weights[i].abs()));
            let rest: Vec<&[f64]> = (0..k).filter(|&j| j != i).map(|j| columns[j]).collect();
            let without = least_squares(table.column(6), &rest).unwrap();
            prop_assert!((family.residual_without(i) - without.sse / scatter).abs() < 1e-9);
        }
    }

    /// One sweep over all candidates gives the same values as each candidate alone, for every slot,
    /// measure and score.
    #[test]
    fn sweeps_equal_single_candidates(seed in 0u64..10_000, m in 12usize..60, k in 0usize..4) {
        let n = 9;
        let (_, table) = crate::common::linear_network(n, m, 2.0, seed);
        let gram = Gram::new(table.columns());
        let parents: Vec<usize> = (1..=k).collect();
        let columns: Vec<&[f64]> = parents.iter().map(|&p| table.column(p)).collect();
        let x = table.column(0);
        let fit = least_squares(x, &columns).unwrap();
        let y = ideal_profile(x, &columns, &fit);
        let s2 = fit.sse / m as f64;
        let mut slots = vec![None];
        slots.extend(parents.iter().map(|&p| Some(p)));
        let mut excluded = FixedBitSet::with_capacity(n);
        excluded.insert(0);
        let query = Query { child: 0, parents: &parents, slots: &slots, wanted: n, excluded: &excluded, closes_cycle: None, least_gain: f64::NEG_INFINITY };
        for kind in [ScoreKind::Bic, ScoreKind::Bge] {
            let options = ScoreOptions { kind, ..ScoreOptions::default() };
            let scorer = GramScorer::new(&gram, n, &options).unwrap();
            let current = scorer.score(0, &parents).unwrap();
            let family_after = |replaced: Option<usize>, z: usize| {
                let mut family: Vec<usize> = parents.iter().copied().filter(|&p| Some(p) != replaced).collect();
                family.push(z);
                family.sort_unstable();
                family
            };
            // Greedy search lists all candidates that raise the score, with their exact gains.
            for ranking in GramSelector::greedy(&scorer).rank(&query) {
                prop_assert!(ranking.complete);
                let mut gaining = 0;
                for z in (k + 1)..n {
                    let gain = scorer.score(0, &family_after(ranking.replaced, z)).unwrap() - current;
                    let listed = ranking.candidates.iter().find(|c| c.parent == z);
                    gaining += usize::from(listed.is_some());
                    match listed {
                        Some(c) => prop_assert!((c.gain - gain).abs() < 1e-7, "{} {}", c.gain, gain),
                        None => prop_assert!(gain < 1e-7),
                    }
                }
                prop_assert_eq!(gaining, ranking.candidates.len());
                prop_assert!(ranking.candidates.windows(2).all(|w| w[0].gain >= w[1].gain - 2e-7));
            }
            if kind == ScoreKind::Bge {
                continue;
            }
            for measure in [Measure::C1, Measure::C2, Measure::Tangent] {
                let selector = GramSelector::ideal(&scorer, measure, Budget::Top(n - 1));
                for ranking in selector.rank(&query) {
                    prop_assert_eq!(ranking.candidates.len(), n - 1 - k);
                    for c in &ranking.candidates {
                        let z = centred(table.column(c.parent)).0;
                        let expected = match (measure, ranking.replaced) {
                            (Measure::Tangent, replaced) => {
                                let family = family_after(replaced, c.parent);
                                let inputs: Vec<&[f64]> = family.iter().map(|&p| table.column(p)).collect();
                                let after = least_squares(x, &inputs).unwrap();
                                -0.5 * m as f64 * (after.sse / fit.sse).ln()
                            }
                            (Measure::C1, None) => c1(&y, &z, s2),
                            (_, None) => c2(&y, &z),
                            (_, Some(p)) => {
                                let i = parents.iter().position(|&q| q == p).unwrap();
                                let dropped = centred(columns[i]).0;
                                let back = replacement_profile(&y, &dropped, fit.weights[i]);
                                if measure == Measure::C1 { c1_replace(&back, &y, &z, s2) } else { c2_replace(&back, &y, &z) }
                            }
                        };
                        // Estimates are changes of the score, which include the penalty of a new
                        // edge.
                        let prices = options.prices(m as f64, n);
                        let price = if ranking.replaced.is_none() { prices.parents(k, k + 1) } else { 0.0 };
                        let expected = expected - price;
                        prop_assert!((c.estimate - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{measure:?} {} {expected}", c.estimate);
                    }
                }
            }
        }
    }

    /// Candidates are ranked by the true change of the score, and C1 <= C2 <= this change.
    #[test]
    fn all_candidates_are_ranked_by_the_true_change(seed in 0u64..10_000, k in 0usize..3) {
        let (_, table) = crate::common::linear_network(8, 40, 2.0, seed);
        let parents: Vec<usize> = (1..=k).collect();
        let gram = Gram::new(table.columns());
        let options = ScoreOptions { kind: ScoreKind::Aic, penalty: 0.0, ..ScoreOptions::default() };
        let scorer = GramScorer::new(&gram, 8, &options).unwrap();
        let ranked = rank_parents(&table, 0, &parents, &CpdKind::Linear.into()).unwrap().candidates;
        prop_assert_eq!(ranked.len(), 7 - k);
        for r in &ranked {
            let mut family = parents.clone();
            family.push(r.parent);
            family.sort_unstable();
            let change = scorer.score(0, &family).unwrap() - scorer.score(0, &parents).unwrap();
            let delta = r.delta.unwrap();
            prop_assert!((delta - change).abs() < 1e-7 && (r.tangent - delta).abs() < 1e-7);
            prop_assert!(r.c1 <= r.c2 + 1e-9 && r.c2 <= delta + 1e-9);
        }
        prop_assert!(ranked.windows(2).all(|w| w[0].delta >= w[1].delta));
    }

    /// The likelihood of a family depends neither on units nor on the order of its parents.
    #[test]
    fn likelihood_is_invariant(seed in 0u64..10_000) {
        let (_, table) = crate::common::linear_network(5, 30, 2.0, seed);
        let fit = |order: &[usize], scale: f64| {
            let x: Vec<f64> = table.column(4).to_vec();
            let inputs: Vec<Vec<f64>> = order.iter().map(|&p| table.column(p).iter().map(|v| scale * v + 3.0).collect()).collect();
            let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            let sse = least_squares(&x, &inputs).unwrap().sse;
            let own = inner_product(&centred(&x).0, &centred(&x).0);
            Likelihood::of_complete(30.0).family(own / 30.0, sse / own)
        };
        let plain = fit(&[0, 1, 2], 1.0);
        prop_assert!((plain - fit(&[2, 0, 1], 1.0)).abs() < 1e-8);
        prop_assert!((plain - fit(&[0, 1, 2], 1e9)).abs() < 1e-5);
    }
}

/// A sweep computes the same scores as single candidates, even if it has many more candidates than
/// one block holds.
#[test]
fn long_sweeps_equal_single_candidates() {
    let n = 1100;
    let (_, table) = crate::common::linear_network(n, 40, 2.0, 9);
    let gram = Gram::new(table.columns());
    let options = ScoreOptions {
        kind: ScoreKind::Bic,
        ..ScoreOptions::default()
    };
    let scorer = GramScorer::new(&gram, n, &options).unwrap();
    let parents = [3, 511, 512, 1099];
    let slots = [None, Some(511), Some(1099)];
    let mut excluded = FixedBitSet::with_capacity(n);
    excluded.insert(700);
    let current = scorer.score(700, &parents).unwrap();
    let query = Query {
        child: 700,
        parents: &parents,
        slots: &slots,
        wanted: n,
        excluded: &excluded,
        closes_cycle: None,
        least_gain: f64::NEG_INFINITY,
    };
    for ranking in GramSelector::greedy(&scorer).rank(&query) {
        let mut listed = 0;
        for z in (0..n).filter(|z| *z != 700 && !parents.contains(z)) {
            let mut family: Vec<usize> = parents
                .iter()
                .copied()
                .filter(|&p| Some(p) != ranking.replaced)
                .collect();
            family.push(z);
            family.sort_unstable();
            let gain = scorer.score(700, &family).unwrap() - current;
            match ranking.candidates.iter().find(|c| c.parent == z) {
                Some(c) => {
                    listed += 1;
                    assert!((c.gain - gain).abs() < 1e-7);
                }
                None => assert!(gain < 1e-7),
            }
        }
        assert_eq!(listed, ranking.candidates.len());
    }
}
