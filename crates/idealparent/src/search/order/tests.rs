//! Compares the search over orders with a naive search that computes everything from scratch.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::cpd::CpdKind;
use crate::data::Column;
use crate::family::{Gram, Profiles};
use crate::ideal::{Exhaustive, FamilySelector, GramSelector, Measure, Query, Ranking, TIE};
use crate::score::{FamilyScorer, GramScorer, ScoreKind, ScoreOptions};
use crate::search::random_data::random_columns;
use crate::search::{with_parent, without_parent};

fn columns(n: usize, m: usize, seed: u64) -> Vec<Column> {
    random_columns(n, m, seed)
        .into_iter()
        .map(Column::from)
        .collect()
}

/// Improves a family without a cache: every candidate is ranked and scored again.
fn naive_family(rules: &Rules, child: usize, start: &[usize], before: &[usize]) -> Vec<usize> {
    let mut family: Vec<usize> = start.to_vec();
    family.retain(|p| before.contains(p));
    while let Some(better) =
        naive_larger(rules, child, &family, before).or_else(|| naive_smaller(rules, child, &family))
    {
        family = better;
    }
    family
}

/// The best family with one more parent, if it is better.
fn naive_larger(
    rules: &Rules,
    child: usize,
    family: &[usize],
    before: &[usize],
) -> Option<Vec<usize>> {
    if family.len() >= rules.constraints.max_parents() {
        return None;
    }
    let score = |family: &[usize]| rules.scorer.score(child, family);
    let mut excluded = rules.constraints.banned(child).clone();
    excluded.grow(rules.scorer.width());
    for z in (0..rules.scorer.width()).filter(|z| !before.contains(z)) {
        excluded.insert(z);
    }
    let query = Query {
        child,
        parents: family,
        slots: &[None],
        wanted: usize::MAX,
        excluded: &excluded,
        closes_cycle: None,
        least_gain: f64::NEG_INFINITY,
    };
    let ranking = rules.selector.rank(&query).pop().unwrap();
    let depth = match rules.depth {
        Depth::Top(k) => k,
        Depth::Slack(slack) => within_slack(rules, child, family, &ranking, slack),
        Depth::All => usize::MAX,
    };
    let tried = ranking.candidates.iter().take(depth);
    let scored: Vec<(f64, usize)> = tried
        .filter_map(|c| Some((score(&with_parent(family, c.parent))?, c.parent)))
        .collect();
    let best = scored.iter().map(|s| s.0).fold(f64::NEG_INFINITY, f64::max);
    if best <= score(family).unwrap() + TIE {
        return None;
    }
    let ties = scored.iter().filter(|s| s.0 >= best - TIE);
    Some(with_parent(family, ties.map(|s| s.1).min().unwrap()))
}

/// The best family with one parent less, if it is better.
fn naive_smaller(rules: &Rules, child: usize, family: &[usize]) -> Option<Vec<usize>> {
    let score = |family: &[usize]| rules.scorer.score(child, family).unwrap();
    let most = match rules.depth {
        Depth::All => usize::MAX,
        _ => 2,
    };
    let free = |p: &usize| !rules.constraints.is_required(*p, child);
    let tried = rules.scorer.weakest(child, family, most);
    let without = tried.into_iter().filter(free).map(|p| {
        let smaller = without_parent(family, p);
        (score(&smaller), smaller)
    });
    let (left, smaller) = without.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (left > score(family) + TIE).then_some(smaller)
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

/// Families within an order, without a cache.
struct Naive<'a> {
    rules: Rules<'a>,
    order: Vec<usize>,
    families: Vec<Vec<usize>>,
}

impl Naive<'_> {
    fn score_of(&self, child: usize, family: &[usize]) -> f64 {
        self.rules.scorer.score(child, family).unwrap()
    }

    fn score(&self) -> f64 {
        let families = self.families.iter().enumerate();
        families.map(|(v, family)| self.score_of(v, family)).sum()
    }

    /// The families of the better start: the current ones, or the required parents.
    fn start(&mut self, required: &Dag) {
        for (place, &v) in self.order.iter().enumerate() {
            let improved = |start: &[usize]| {
                let family = naive_family(&self.rules, v, start, &self.order[..place]);
                (self.score_of(v, &family), family)
            };
            let (kept, anew) = (improved(&self.families[v]), improved(required.parents(v)));
            let is_better = self.rules.exact && anew.0 > kept.0 + TIE;
            let better = if is_better { anew } else { kept };
            self.families[v] = better.1;
        }
    }

    /// All families, if a variable were at another place.
    fn moved(&self, x: usize, to: usize) -> Self {
        let mut order = self.order.clone();
        order.retain(|&v| v != x);
        order.insert(to, x);
        let mut families = self.families.clone();
        for (place, &v) in order.iter().enumerate().filter(|&(_, &v)| v != x) {
            families[v] = naive_family(&self.rules, v, &self.families[v], &order[..place]);
        }
        // The variable's own family is carried along, one place after the other.
        let now = self.order.iter().position(|&v| v == x).unwrap();
        let rest: Vec<usize> = order.iter().copied().filter(|&v| v != x).collect();
        let places: Vec<usize> = match to > now {
            true => (now..=to).collect(),
            false => (to..=now).rev().collect(),
        };
        for place in places {
            families[x] = naive_family(&self.rules, x, &families[x], &rest[..place]);
        }
        Naive {
            rules: self.rules,
            order,
            families,
        }
    }
}

/// Compares every step of a search over orders with the naive one. Returns the number of steps, and
/// how many of them missed a better place.
fn compare(rules: Rules, random: &mut ChaCha8Rng, what: &str) -> (usize, usize) {
    let n = rules.scorer.width();
    let mut search = OrderSearch::new(rules).unwrap();
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, random.random_range(0..=i));
    }
    // Reorder so that required edges point forward.
    let required = rules.constraints.required_dag();
    let place: Vec<usize> = (0..n)
        .map(|v| order.iter().position(|&u| u == v).unwrap())
        .collect();
    let order = required.topological_order_by(|v| place[v]).unwrap();
    // The first families are arbitrary sets of two, with the required parents.
    let start = (2..n).flat_map(|c| [(c - 2, c), (c - 1, c)]);
    let start = start.filter(|e| !rules.constraints.required().contains(&(e.1, e.0)));
    let start = start.filter(|&(p, c)| required.parents(c).len() + 2 <= 3 && p < c);
    let edges: std::collections::BTreeSet<(usize, usize)> = start.chain(required.edges()).collect();
    let start = Dag::from_edges(n, edges).unwrap_or_else(|| required.clone());
    let mut naive = Naive {
        rules,
        order: order.clone(),
        families: (0..n).map(|v| start.parents(v).to_vec()).collect(),
    };
    naive.start(&required);
    assert!(search.set_order(order, Start::Improve(&start), || false));
    let agree = |search: &OrderSearch, naive: &Naive| {
        let dag = search.dag();
        for v in 0..n {
            assert_eq!(dag.parents(v), naive.families[v], "{what}: family of {v}");
        }
        assert!((search.score() - naive.score()).abs() < 1e-6, "{what}");
        assert_eq!(search.order(), naive.order, "{what}");
    };
    let (mut steps, mut missed) = (0, 0);
    for round in 0..3 {
        if round == 1 {
            let all: Vec<usize> = (0..n).collect();
            assert!(search.prepare(&all, || false));
        }
        for x in 0..n {
            agree(&search, &naive);
            let (shift, _) = search.improve(x);
            let allowed = |moved: &Naive| {
                let at = |v: usize| moved.order.iter().position(|&u| u == v).unwrap();
                required.edges().all(|(p, c)| at(p) < at(c))
            };
            let places = (0..n).map(|to| naive.moved(x, to)).filter(allowed);
            let best = places
                .map(|moved| moved.score())
                .fold(naive.score(), f64::max);
            let (to, gain) = match shift {
                Some((to, gain)) => (to, gain),
                None => (naive.order.iter().position(|&v| v == x).unwrap(), 0.0),
            };
            // A place that a bound excludes may be better where a family scores more with fewer
            // predecessors, and a family that skips a place may end elsewhere. Both are rare.
            steps += 1;
            missed += usize::from((naive.score() + gain - best).abs() > 1e-6);
            assert!(best - naive.score() - gain < 5.0, "{what}");
            let moved = naive.moved(x, to);
            let own = search.dag().parents(x).to_vec();
            let before = &moved.order[..to];
            assert_eq!(naive_family(&rules, x, &own, before), own, "{what}: {x}");
            naive = moved;
            naive.families[x] = own;
        }
    }
    agree(&search, &naive);
    (steps, missed)
}

/// Checks that few steps of all comparisons missed a better place.
fn assert_rare(counts: &[(usize, usize)]) {
    let steps: usize = counts.iter().map(|count| count.0).sum();
    let missed: usize = counts.iter().map(|count| count.1).sum();
    assert!(missed * 100 <= steps, "{missed} of {steps}");
}

#[test]
fn linear_orders_agree_with_the_naive_search() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut counts = Vec::new();
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
                let what = format!("{seed} {kind:?} {budget:?}");
                counts.push(compare(rules, &mut random, &what));
            }
            let every = Exhaustive::new(n);
            let rules = Rules::new(&scorer, &every, &limits, None);
            let what = format!("{seed} {kind:?} every");
            counts.push(compare(rules, &mut random, &what));
        }
    }
    assert_rare(&counts);
}

#[test]
fn sigmoid_orders_agree_with_the_naive_search() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut counts = Vec::new();
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
            let what = format!("{seed} {budget:?}");
            counts.push(compare(rules, &mut random, &what));
        }
        for slack in [0.0, 0.3, 1.5] {
            let selector = FamilySelector::new(&scorer, Measure::C2, Budget::Auto);
            let rules = Rules::new(&scorer, &selector, &limits, Some(slack));
            let what = format!("{seed} slack {slack}");
            counts.push(compare(rules, &mut random, &what));
        }
        let every = Exhaustive::new(n);
        let rules = Rules::new(&scorer, &every, &limits, None);
        counts.push(compare(rules, &mut random, &format!("{seed} every")));
    }
    assert_rare(&counts);
}
