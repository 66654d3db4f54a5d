//! The selector for any densities: the densities it ranks by, and rankings of many families at
//! once.

use fixedbitset::FixedBitSet;
use idealparent::cpd::CpdKind;
use idealparent::data::Completed;
use idealparent::family::{FamilyModel, Gram, Profiles};
use idealparent::ideal::{Budget, FamilySelector, Measure, Query, Ranking, Selector};
use idealparent::score::{FamilyScorer, Prices};
use rayon::prelude::*;

const MEASURES: [Measure; 3] = [Measure::Tangent, Measure::C2, Measure::C1];

fn model(word: &str) -> Box<dyn FamilyModel> {
    CpdKind::parse(word).unwrap().model(false, false)
}

/// Rankings for the first `children` variables, each with the next two variables as parents, or
/// with none.
fn rankings(selector: &FamilySelector, n: usize, children: usize, together: bool) -> Vec<Ranking> {
    let excluded = FixedBitSet::with_capacity(n);
    let parents: Vec<Vec<usize>> = (0..children)
        .map(|v| {
            if v % 3 == 0 {
                vec![]
            } else {
                vec![v + 1, v + 2]
            }
        })
        .collect();
    let slots: Vec<Vec<Option<usize>>> = parents
        .iter()
        .map(|parents| {
            std::iter::once(None)
                .chain(parents.iter().map(|&p| Some(p)))
                .collect()
        })
        .collect();
    let query = |child: usize| Query {
        child,
        parents: &parents[child],
        slots: &slots[child],
        wanted: n,
        excluded: &excluded,
        closes_cycle: None,
        least_gain: f64::NEG_INFINITY,
    };
    let queries: Vec<Query> = (0..children).map(query).collect();
    if together {
        selector.rank_many(&queries).concat()
    } else {
        queries
            .iter()
            .flat_map(|query| selector.rank(query))
            .collect()
    }
}

/// The comparable part of a ranking. Gains are unknown, that is NaN, and would never be equal.
fn estimates(ranking: &Ranking) -> (Option<usize>, f64, Vec<(usize, f64)>) {
    let all = ranking.candidates.iter().map(|c| (c.parent, c.estimate));
    (ranking.replaced, ranking.base, all.collect())
}

/// With more families than are multiplied at once, and more candidates than one tile, each family
/// is ranked as if it were alone.
#[test]
fn rankings_together_equal_rankings_alone() {
    let (n, children) = (230, 70);
    let (_, table) = crate::common::linear_network(n, 25, 2.0, 3);
    let gram = Gram::new(table.columns());
    let data = Profiles::new(table.columns(), &gram);
    for measure in MEASURES {
        let models = vec![model("linear"), model("sigmoid")];
        let scorer = FamilyScorer::new(&data, models, Prices::default());
        let selector = FamilySelector::new(&scorer, measure, Budget::Top(2));
        let together = rankings(&selector, n, children, true);
        let alone = rankings(&selector, n, children, false);
        assert_eq!(together.len(), alone.len());
        for (a, b) in together.iter().zip(&alone) {
            assert_eq!(
                (a.replaced, a.candidates.len()),
                (b.replaced, b.candidates.len())
            );
            assert!((a.base - b.base).abs() < 1e-9);
            for (a, b) in a.candidates.iter().zip(&b.candidates) {
                assert!(
                    (a.estimate - b.estimate).abs() < 1e-6,
                    "{measure:?} {a:?} {b:?}"
                );
            }
        }
    }
}

/// A child that is restricted to some of the densities is ranked by these only.
#[test]
fn ranks_by_allowed_densities_only() {
    let (n, children) = (12, 9);
    let (_, table) = crate::common::linear_network(n, 60, 2.0, 4);
    let gram = Gram::new(table.columns());
    let data = Profiles::new(table.columns(), &gram);
    for measure in MEASURES {
        for (which, word) in ["linear", "sigmoid"].into_iter().enumerate() {
            let both = vec![model("linear"), model("sigmoid")];
            let mut both = FamilyScorer::new(&data, both, Prices::default());
            (0..n).for_each(|child| both.restrict(child, vec![which]));
            let alone = FamilyScorer::new(&data, vec![model(word)], Prices::default());
            let [both, alone] = [&both, &alone].map(|scorer| {
                let selector = FamilySelector::new(scorer, measure, Budget::Top(2));
                let rankings = rankings(&selector, n, children, true);
                (rankings, selector.clamped())
            });
            assert_eq!(both.0.len(), alone.0.len());
            for (both, alone) in both.0.iter().zip(&alone.0) {
                assert_eq!(estimates(both), estimates(alone), "{measure:?} {word}");
            }
            assert_eq!(both.1, alone.1);
            // Neither the tangent measure nor linear densities use the inverse of a link.
            let inverted = measure != Measure::Tangent && word == "sigmoid";
            assert_eq!(alone.1.is_some(), inverted);
        }
    }
}

/// The share of clamped values depends neither on the order of rankings nor on threads.
#[test]
fn clamped_shares_do_not_depend_on_the_order() {
    let (n, children) = (40, 30);
    let (_, table) = crate::common::linear_network(n, 23, 2.0, 6);
    let gram = Gram::new(table.columns());
    let data = Profiles::new(table.columns(), &gram);
    let scorer = FamilyScorer::new(&data, vec![model("sigmoid")], Prices::default());
    let excluded = FixedBitSet::with_capacity(n);
    let rank = |selector: &FamilySelector, child: usize| {
        let query = Query {
            child,
            parents: &[child + 1, child + 2],
            slots: &[None],
            wanted: 3,
            excluded: &excluded,
            closes_cycle: None,
            least_gain: f64::NEG_INFINITY,
        };
        selector.rank(&query);
    };
    let clamped = |run: &dyn Fn(&FamilySelector)| {
        let selector = FamilySelector::new(&scorer, Measure::C2, Budget::Top(3));
        run(&selector);
        selector.clamped().unwrap()
    };
    let forwards = clamped(&|selector| (0..children).for_each(|child| rank(selector, child)));
    let backwards =
        clamped(&|selector| (0..children).rev().for_each(|child| rank(selector, child)));
    assert!(forwards > 0.0);
    assert_eq!(forwards, backwards);
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        let all = |selector: &FamilySelector| {
            pool.install(|| {
                (0..children)
                    .into_par_iter()
                    .for_each(|child| rank(selector, child));
            });
        };
        assert_eq!(clamped(&all), forwards);
    }
}

/// A slot is not ranked if the child has too few observed values for the family: the scorer would
/// refuse it.
#[test]
fn slots_that_cannot_be_fitted_are_not_ranked() {
    let (n, m) = (8, 100);
    let (_, table) = crate::common::linear_network(n, m, 2.0, 5);
    let mut variances = vec![Vec::new(); n];
    variances[0] = (0..m).map(|t| if t < 6 { 0.0 } else { 0.1 }).collect();
    let data = Completed::new(table.columns().to_vec(), variances, Default::default());
    let gram = Gram::expected(&data);
    let profiles = Profiles::expected(&data, &gram);
    let scorer = FamilyScorer::new(&profiles, vec![model("sigmoid")], Prices::default());
    let excluded = FixedBitSet::with_capacity(n);
    let query = Query {
        child: 0,
        parents: &[1, 2, 3],
        slots: &[None, Some(2)],
        wanted: n,
        excluded: &excluded,
        closes_cycle: None,
        least_gain: f64::NEG_INFINITY,
    };
    for measure in MEASURES {
        let selector = FamilySelector::new(&scorer, measure, Budget::Top(2));
        let rankings = selector.rank(&query);
        // Six values are enough for three parents, not for four.
        assert!(rankings[0].candidates.is_empty(), "{measure:?}");
        assert_eq!(rankings[1].candidates.len(), n - 4, "{measure:?}");
    }
    assert!(scorer.fit(0, 0, &[1, 2, 3, 4]).is_none());
}
