//! Compares the search over orders with a naive search that computes everything anew.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::cpd::CpdKind;
use crate::data::Column;
use crate::family::{Gram, Profiles};
use crate::ideal::{Exhaustive, FamilySelector, GramSelector, Measure, Query, Ranking, TIE};
use crate::score::{FamilyScorer, GramScorer, ScoreKind, ScoreOptions};
use crate::search::{with_parent, without_parent};

/// Data from a random network of linear and sigmoid dependencies.
fn columns(n: usize, m: usize, seed: u64) -> Vec<Column> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for v in 0..n {
        let mut column: Vec<f64> = (0..m).map(|_| random.random_range(-1.0..1.0)).collect();
        for earlier in &columns {
            if random.random_range(0..n) < 3 {
                let weight: f64 = random.random_range(-2.0..2.0);
                for (x, u) in column.iter_mut().zip(earlier) {
                    *x += if v % 2 == 0 {
                        weight * u
                    } else {
                        weight * (2.0 * u).tanh()
                    };
                }
            }
        }
        columns.push(column);
    }
    columns.into_iter().map(Column::from).collect()
}

/// Grows and shrinks a family without a cache: every candidate is ranked and scored anew.
fn naive_family(rules: &Rules, child: usize, before: &[usize]) -> (Vec<usize>, f64) {
    let score = |family: &[usize]| rules.scorer.score(child, family).unwrap();
    let required = rules.constraints.required().iter();
    let mut family: Vec<usize> = required.filter(|e| e.1 == child).map(|e| e.0).collect();
    while family.len() < rules.constraints.max_parents() {
        let mut excluded = rules.constraints.banned(child).clone();
        excluded.grow(rules.scorer.width());
        for z in (0..rules.scorer.width()).filter(|z| !before.contains(z)) {
            excluded.insert(z);
        }
        let query = Query {
            child,
            parents: &family,
            slots: &[None],
            wanted: usize::MAX,
            excluded: &excluded,
            closes_cycle: None,
            least_gain: f64::NEG_INFINITY,
        };
        let ranking = rules.selector.rank(&query).pop().unwrap();
        let depth = match rules.depth {
            Depth::Top(k) => k,
            Depth::Slack(slack) => within_slack(rules, child, &family, &ranking, slack),
            Depth::All => usize::MAX,
        };
        let now = score(&family);
        let scored: Vec<(f64, usize)> = ranking
            .candidates
            .iter()
            .take(depth)
            .filter_map(|c| {
                Some((
                    rules.scorer.score(child, &with_parent(&family, c.parent))?,
                    c.parent,
                ))
            })
            .collect();
        let best = scored.iter().map(|s| s.0).fold(f64::NEG_INFINITY, f64::max);
        if best <= now + TIE {
            break;
        }
        let ties = scored.iter().filter(|s| s.0 >= best - TIE);
        family = with_parent(&family, ties.map(|s| s.1).min().unwrap());
    }
    loop {
        let now = score(&family);
        let most = if rules.depth == Depth::All {
            usize::MAX
        } else {
            2
        };
        let free = |p: &usize| !rules.constraints.is_required(*p, child);
        let tried = rules.scorer.weakest(child, &family, most);
        let without = tried.into_iter().filter(free).map(|p| {
            let smaller = without_parent(&family, p);
            (score(&smaller), smaller)
        });
        match without.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((left, smaller)) if left > now + TIE => family = smaller,
            _ => return (family, now),
        }
    }
}

/// Number of candidates of a ranking to be scored, if estimates may be too low by `slack`.
fn within_slack(
    rules: &Rules,
    child: usize,
    family: &[usize],
    ranking: &Ranking,
    slack: f64,
) -> usize {
    let now = rules.scorer.score(child, family).unwrap();
    let mut best = TIE;
    for (i, candidate) in ranking.candidates.iter().enumerate() {
        let rise = candidate.estimate - ranking.base;
        if candidate.estimate + slack * (1.0 + rise.abs()) <= best {
            return i;
        }
        let scored = rules
            .scorer
            .score(child, &with_parent(family, candidate.parent));
        best = best.max(scored.map_or(f64::NEG_INFINITY, |scored| scored - now));
    }
    usize::MAX
}

fn naive_score(rules: &Rules, order: &[usize]) -> f64 {
    let family = |i: usize| naive_family(rules, order[i], &order[..i]).1;
    (0..order.len()).map(family).sum()
}

fn compare(rules: Rules, random: &mut ChaCha8Rng, what: &str) {
    let n = rules.scorer.width();
    let mut search = OrderSearch::new(rules).unwrap();
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, random.random_range(0..=i));
    }
    // Reorder so that required edges point forward.
    let required = rules.constraints.required().to_vec();
    let dag = Dag::from_edges(n, required.iter().copied()).unwrap();
    let place: Vec<usize> = (0..n)
        .map(|v| order.iter().position(|&u| u == v).unwrap())
        .collect();
    let order = dag.topological_order_by(|v| place[v]).unwrap();
    assert!(search.set_order(order, || false));
    for round in 0..3 {
        if round == 1 {
            assert!(search.prepare(0..n, || false));
        }
        for x in 0..n {
            let before = search.order().to_vec();
            let now = naive_score(&rules, &before);
            assert!((search.score() - now).abs() < 1e-6, "{what}");
            let shift = search.improve(x);
            // The best of all places, by the naive search.
            let mut rest = before.clone();
            rest.retain(|&v| v != x);
            let mut best = now;
            for to in 0..n {
                let mut moved = rest.clone();
                moved.insert(to, x);
                let at = |v: usize| moved.iter().position(|&u| u == v).unwrap();
                if required.iter().all(|&(p, c)| at(p) < at(c)) {
                    best = best.max(naive_score(&rules, &moved));
                }
            }
            let gain = shift.map_or(0.0, |(_, gain)| gain);
            assert!((search.score() - now - gain).abs() < 1e-6, "{what}");
            // The search may skip a place where a family scores more with fewer predecessors, which
            // is rare.
            if (now + gain - best).abs() > 1e-6 {
                assert!(
                    now + gain < best && best - now - gain < 3.0,
                    "{what}: {}",
                    best - now - gain
                );
            }
        }
    }
    let families = search.dag();
    for (i, &v) in search.order().iter().enumerate() {
        let naive = naive_family(&rules, v, &search.order()[..i]);
        assert_eq!(families.parents(v), naive.0, "{what}");
    }
}

#[test]
fn linear_orders_agree_with_the_naive_search() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for seed in 0..6 {
        let n = 8;
        let columns = columns(n, 40, seed);
        let gram = Gram::new(&columns);
        let limits = Constraints::none(n);
        for kind in [ScoreKind::Bic, ScoreKind::Ebic, ScoreKind::Bge] {
            let options = ScoreOptions {
                kind,
                ..ScoreOptions::default()
            };
            let scorer = GramScorer::new(&gram, n, &options).unwrap();
            for budget in [Budget::All, Budget::Top(1), Budget::Top(2)] {
                let selector = GramSelector::ideal(&scorer, Measure::Tangent, budget);
                let rules = Rules::new(&scorer, &selector, &limits, None);
                compare(rules, &mut random, &format!("{seed} {kind:?} {budget:?}"));
            }
            let every = Exhaustive::new(n);
            let rules = Rules::new(&scorer, &every, &limits, None);
            compare(rules, &mut random, &format!("{seed} {kind:?} every"));
        }
    }
}

#[test]
fn sigmoid_orders_agree_with_the_naive_search() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for seed in 0..3 {
        let n = 6;
        let columns = columns(n, 40, seed);
        let gram = Gram::new(&columns);
        let data = Profiles::new(&columns, &gram);
        let names: Vec<String> = (0..n).map(|v| v.to_string()).collect();
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        let knowledge = crate::graph::Knowledge {
            require: vec![pair("4", "1"), pair("1", "0")],
            forbid: vec![pair("2", "3")],
            max_parents: Some(3),
            ..Default::default()
        };
        let limits = Constraints::new(&names, &knowledge, &vec![false; n], &[]).unwrap();
        let models = vec![CpdKind::sigmoid().model(false, false)];
        let options = ScoreOptions {
            kind: ScoreKind::Bic,
            ..ScoreOptions::default()
        };
        let scorer = FamilyScorer::new(&data, models, options.prices(40.0, n));
        for budget in [Budget::Top(1), Budget::Top(2)] {
            let selector = FamilySelector::new(&scorer, Measure::Tangent, budget);
            let rules = Rules::new(&scorer, &selector, &limits, None);
            compare(rules, &mut random, &format!("{seed} {budget:?}"));
        }
        for slack in [0.0, 0.3, 1.5] {
            let selector = FamilySelector::new(&scorer, Measure::C2, Budget::Auto);
            let rules = Rules::new(&scorer, &selector, &limits, Some(slack));
            compare(rules, &mut random, &format!("{seed} slack {slack}"));
        }
        let every = Exhaustive::new(n);
        compare(
            Rules::new(&scorer, &every, &limits, None),
            &mut random,
            &format!("{seed} every"),
        );
    }
}
