//! The batched ranking of candidates, compared with a reference that estimates them one by one.

#[path = "common/twin.rs"]
mod twin;

use crate::common::nonlinear::positive_network;
use fixedbitset::FixedBitSet;
use idealparent::cpd::CpdKind;
use idealparent::family::{Blocks, FamilyModel, Gram, Profiles};
use idealparent::ideal::{Budget, FamilySelector, GramSelector, Measure, Query, Selector};
use idealparent::score::{FamilyScorer, GramScorer, ScoreKind, ScoreOptions, Scorer};
use proptest::prelude::*;
use twin::Twin;

const N: usize = 9;
const MEASURES: [Measure; 3] = [Measure::Tangent, Measure::C1, Measure::C2];
/// Kinds of densities, bias, baseline.
const KINDS: [(&str, bool, bool); 8] = [
    ("linear", false, false),
    ("sigmoid", false, false),
    ("sigmoid", true, false),
    ("product", false, false),
    ("product", false, true),
    ("linear,sigmoid", false, false),
    ("sigmoid,product", true, true),
    ("linear,sigmoid,product", false, false),
];

fn models((words, bias, baseline): (&str, bool, bool)) -> Vec<Box<dyn FamilyModel>> {
    let kinds = words.split(',').map(|word| CpdKind::parse(word).unwrap());
    kinds.map(|kind| kind.model(bias, baseline)).collect()
}

fn every_slot(parents: &[usize]) -> Vec<Option<usize>> {
    let dropped = parents.iter().map(|&p| Some(p));
    std::iter::once(None).chain(dropped).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn scans_equal_estimates_one_by_one(
        seed in 0u64..100_000,
        m in 12usize..60,
        k in 0usize..4,
        kinds in 0usize..KINDS.len(),
        measure in 0usize..3,
    ) {
        let table = positive_network(N, m, seed);
        let gram = Gram::new(table.columns());
        let profiles = Profiles::new(table.columns(), &gram);
        let prices = ScoreOptions::default().prices(m as f64, N);
        let scorer = FamilyScorer::new(&profiles, models(KINDS[kinds]), prices);
        let selector = FamilySelector::new(&scorer, MEASURES[measure], Budget::Top(N));
        let parents: Vec<usize> = (1..=k).collect();
        let slots = every_slot(&parents);
        let mut excluded = FixedBitSet::with_capacity(N);
        excluded.insert(N - 1);
        let query = Query { child: 0, parents: &parents, slots: &slots, wanted: N, excluded: &excluded, closes_cycle: None, least_gain: f64::NEG_INFINITY };
        let current = scorer.score(0, &parents).unwrap();
        for ranking in selector.rank(&query) {
            for z in k + 1..N {
                let found = ranking.candidates.iter().find(|c| c.parent == z);
                let k_new = k + usize::from(ranking.replaced.is_none());
                let mut expected = f64::NEG_INFINITY;
                let mut reliable = true;
                for (model, word) in KINDS[kinds].0.split(',').enumerate() {
                    let twin = Twin { scorer: &scorer, table: &table, model, word, baseline: KINDS[kinds].2, bias: KINDS[kinds].1 };
                    match twin.estimate(0, &parents, ranking.replaced, z, MEASURES[measure]) {
                        Some(value) => expected = expected.max(value - scorer.price(model, &Blocks::single(k_new))),
                        None => reliable = false,
                    }
                }
                if z == N - 1 {
                    prop_assert!(found.is_none());
                } else if reliable {
                    let expected = expected - current;
                    let found = found.map_or(f64::NEG_INFINITY, |c| c.estimate);
                    let slack = 1e-6 * (1.0 + expected.abs());
                    // Residuals with a single parent are stored in single precision. They are
                    // rounded up, so that an estimate is never too good.
                    let rounding = 0.5 * m as f64 * f64::from(f32::EPSILON);
                    let error = found - expected;
                    prop_assert!(error < slack && -error < slack + rounding, "{z} {ranking:?}: {found} {expected}");
                }
            }
        }
    }

    /// Ranking several families at once gives the same as ranking each alone.
    #[test]
    fn rankings_of_many_families_equal_single_ones(seed in 0u64..1000, kinds in 0usize..KINDS.len(), measure in 0usize..3) {
        let table = positive_network(N, 40, seed);
        let gram = Gram::new(table.columns());
        let profiles = Profiles::new(table.columns(), &gram);
        let prices = ScoreOptions::default().prices(40.0, N);
        let scorer = FamilyScorer::new(&profiles, models(KINDS[kinds]), prices);
        let selector = FamilySelector::new(&scorer, MEASURES[measure], Budget::Top(2));
        let excluded = FixedBitSet::with_capacity(N);
        let families: [(usize, &[usize]); 4] = [(0, &[]), (1, &[0, 2]), (5, &[3]), (0, &[4, 6, 7])];
        let slots = families.map(|(_, parents)| every_slot(parents));
        let queries: Vec<Query> = families
            .iter()
            .zip(&slots)
            .map(|(&(child, parents), slots)| Query { child, parents, slots, wanted: 3, excluded: &excluded, closes_cycle: None, least_gain: f64::NEG_INFINITY })
            .collect();
        let together = selector.rank_many(&queries);
        for (query, together) in queries.iter().zip(together) {
            for (alone, together) in selector.rank(query).iter().zip(&together) {
                prop_assert_eq!(alone.candidates.len(), together.candidates.len());
                for (a, b) in alone.candidates.iter().zip(&together.candidates) {
                    prop_assert!(a.parent == b.parent && (a.estimate - b.estimate).abs() < 1e-9);
                }
            }
        }
    }

    /// Linear families have the same scores and rankings as from the Gram matrix, and the tangent
    /// measure is exact.
    #[test]
    fn linear_families_agree_with_the_gram_matrix(seed in 0u64..10_000, m in 12usize..60, k in 0usize..4) {
        let (_, table) = crate::common::linear_network(N, m, 2.0, seed);
        let gram = Gram::new(table.columns());
        let profiles = Profiles::new(table.columns(), &gram);
        let options = ScoreOptions { kind: ScoreKind::Bic, ..ScoreOptions::default() };
        let exact = GramScorer::new(&gram, N, &options).unwrap();
        let scorer = FamilyScorer::new(&profiles, models(KINDS[0]), options.prices(m as f64, N));
        let parents: Vec<usize> = (1..=k).collect();
        let current = scorer.score(0, &parents).unwrap();
        prop_assert!((current - exact.score(0, &parents).unwrap()).abs() < 1e-9);
        let excluded = FixedBitSet::with_capacity(N);
        let slots = every_slot(&parents);
        let query = Query { child: 0, parents: &parents, slots: &slots, wanted: N, excluded: &excluded, closes_cycle: None, least_gain: f64::NEG_INFINITY };
        for measure in MEASURES {
            let ours = FamilySelector::new(&scorer, measure, Budget::Top(2)).rank(&query);
            let theirs = GramSelector::ideal(&exact, measure, Budget::Top(2)).rank(&query);
            for (ours, theirs) in ours.iter().zip(&theirs) {
                prop_assert_eq!(ours.candidates.len(), theirs.candidates.len());
                for candidate in &ours.candidates {
                    let twin = theirs.candidates.iter().find(|c| c.parent == candidate.parent).unwrap();
                    prop_assert!((candidate.estimate - twin.estimate).abs() < 1e-6, "{measure:?} {candidate:?} {twin:?}");
                    if measure == Measure::Tangent {
                        let kept = parents.iter().copied().filter(|&p| Some(p) != ours.replaced);
                        let mut family: Vec<usize> = kept.chain([candidate.parent]).collect();
                        family.sort_unstable();
                        let change = scorer.score(0, &family).unwrap() - current;
                        prop_assert!((candidate.estimate - change).abs() < 1e-6);
                    }
                }
            }
        }
    }
}

/// A candidate without an estimate is ranked last, not dropped.
#[test]
fn candidates_without_an_estimate_are_ranked_last() {
    let table = positive_network(5, 50, 3);
    let mut columns = table.columns().to_vec();
    // Nearly a multiple of a parent.
    columns[3] = columns[1].iter().map(|x| 2.0 * x).collect();
    columns[3][7] *= 1.0 + 1e-9;
    let gram = Gram::new(&columns);
    let profiles = Profiles::new(&columns, &gram);
    let prices = ScoreOptions::default().prices(50.0, 5);
    let scorer = FamilyScorer::new(&profiles, models(KINDS[1]), prices);
    let selector = FamilySelector::new(&scorer, Measure::Tangent, Budget::Top(2));
    let excluded = FixedBitSet::with_capacity(5);
    let query = Query {
        child: 0,
        parents: &[1, 2],
        slots: &[None],
        wanted: 5,
        excluded: &excluded,
        closes_cycle: None,
        least_gain: f64::NEG_INFINITY,
    };
    let ranking = &selector.rank(&query)[0];
    let order: Vec<usize> = ranking.candidates.iter().map(|c| c.parent).collect();
    assert_eq!(order, [4, 3]);
    assert_eq!(ranking.candidates[1].estimate, f64::NEG_INFINITY);
    assert!(ranking.complete && ranking.candidates[0].estimate.is_finite());
}
