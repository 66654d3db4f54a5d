//! Compares the exact search with searches that try everything.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::cpd::CpdKind;
use crate::data::Column;
use crate::family::{Gram, Profiles};
use crate::graph::{Cpdag, Knowledge};
use crate::ideal::TIE;
use crate::memory::{self, OutOfMemory};
use crate::score::{FamilyScorer, GramScorer, ScoreKind, ScoreOptions};
use crate::search::random_data::random_columns;

/// A special column of a random table, besides variables that depend on each other.
#[derive(Clone, Copy, PartialEq)]
enum Extra {
    Nothing,
    /// The last column is an exact copy of the first.
    Copy,
    /// The last column is the sum of the first two.
    Sum,
    /// The last column is the first with a relative error of 1e-4 or 1e-6.
    Near(f64),
}

/// Data from a random network of linear and sigmoid dependencies.
fn columns(n: usize, m: usize, extra: Extra, seed: u64) -> Vec<Column> {
    let mut columns = random_columns(n, m, seed);
    let (first, second) = (columns[0].clone(), columns[1].clone());
    let last = columns.last_mut().unwrap();
    for (i, x) in last.iter_mut().enumerate() {
        match extra {
            Extra::Nothing => {}
            Extra::Copy => *x = first[i],
            Extra::Sum => *x = first[i] + second[i],
            Extra::Near(error) => *x = first[i] + error * *x,
        }
    }
    columns.into_iter().map(Column::from).collect()
}

/// Random prior knowledge, or none.
fn constraints(n: usize, seed: u64) -> Constraints {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    if random.random_range(0..3) == 0 {
        return Constraints::none(n);
    }
    let names: Vec<String> = (0..n).map(|v| format!("X{v}")).collect();
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, random.random_range(0..=i));
    }
    let mut knowledge = Knowledge::default();
    if random.random_range(0..2) == 0 {
        knowledge.max_parents = Some(random.random_range(1..3));
    }
    if random.random_range(0..2) == 0 {
        let at = random.random_range(0..n - 1);
        let edge = (names[order[at]].clone(), names[order[at + 1]].clone());
        knowledge.require.push(edge);
    }
    for _ in 0..random.random_range(0..n) {
        // Only edges against the order are forbidden, so that none of them is required.
        let (a, b) = (random.random_range(0..n), random.random_range(0..n));
        if a > b {
            let edge = (names[order[a]].clone(), names[order[b]].clone());
            knowledge.forbid.push(edge);
        }
    }
    if random.random_range(0..2) == 0 {
        let (early, late) = order.split_at(n / 2);
        let tier = |of: &[usize]| of.iter().map(|&v| names[v].clone()).collect();
        knowledge.tiers = vec![tier(early), tier(late)];
    }
    Constraints::new(&names, &knowledge, &vec![false; n], &[]).unwrap()
}

/// The score of every allowed family; minus infinity for all others.
struct Table {
    n: usize,
    scores: Vec<f64>,
}

impl Table {
    fn new(scorer: &dyn Scorer, constraints: &Constraints) -> Self {
        let n = scorer.width();
        let score = |child: usize, mask: usize| {
            let parents: Vec<usize> = (0..n).filter(|p| mask >> p & 1 == 1).collect();
            let required = constraints.required().iter();
            let mut required = required.filter(|edge| edge.1 == child);
            let fits = parents.iter().all(|&p| constraints.allows(p, child))
                && parents.len() <= constraints.max_parents()
                && required.all(|edge| parents.contains(&edge.0));
            let score = fits.then(|| scorer.score(child, &parents)).flatten();
            score.unwrap_or(f64::NEG_INFINITY)
        };
        let all = (0..n).flat_map(|child| (0..1 << n).map(move |mask| (child, mask)));
        Table {
            n,
            scores: all.map(|(child, mask)| score(child, mask)).collect(),
        }
    }

    fn score(&self, child: usize, mask: usize) -> f64 {
        self.scores[child << self.n | mask]
    }

    fn of(&self, dag: &Dag) -> f64 {
        let mask = |v: usize| dag.parents(v).iter().map(|p| 1 << p).sum();
        (0..self.n).map(|v| self.score(v, mask(v))).sum()
    }

    /// The best score of all networks, and the networks that reach it: every choice of families
    /// without a cycle is tried.
    fn best_of_all_dags(&self) -> (f64, Vec<Dag>) {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        self.try_families(&mut Vec::new(), 0.0, &mut best);
        best
    }

    fn try_families(&self, masks: &mut Vec<usize>, sum: f64, best: &mut (f64, Vec<Dag>)) {
        let child = masks.len();
        if child == self.n {
            let edges = masks.iter().enumerate();
            let edges = edges.flat_map(|(child, mask)| {
                (0..self.n)
                    .filter(move |p| mask >> p & 1 == 1)
                    .map(move |p| (p, child))
            });
            let Some(dag) = Dag::from_edges(self.n, edges) else {
                return;
            };
            if sum > best.0 + TIE {
                best.1.clear();
            }
            if sum > best.0 - TIE {
                best.1.push(dag);
            }
            best.0 = best.0.max(sum);
            return;
        }
        for mask in 0..1 << self.n {
            let score = self.score(child, mask);
            // Two variables that are each other's parents are the shortest cycle.
            let back = |&p: &usize| mask >> p & 1 == 1 && masks[p] >> child & 1 == 1;
            if score > f64::NEG_INFINITY && mask >> child & 1 == 0 && !(0..child).any(|p| back(&p))
            {
                masks.push(mask);
                self.try_families(masks, sum + score, best);
                masks.pop();
            }
        }
    }

    /// The best score of all networks: every order is tried, with the best family within it.
    fn best_of_all_orders(&self) -> f64 {
        let within = |child: usize, before: usize| {
            let inside = (0..1 << self.n).filter(|mask| mask & !before == 0);
            let scores = inside.map(|mask| self.score(child, mask));
            scores.fold(f64::NEG_INFINITY, f64::max)
        };
        let best: Vec<Vec<f64>> = (0..self.n)
            .map(|child| {
                let others = |before: usize| before & !(1 << child);
                (0..1 << self.n)
                    .map(|before| within(child, others(before)))
                    .collect()
            })
            .collect();
        self.try_orders(0, 0.0, &best)
    }

    fn try_orders(&self, before: usize, sum: f64, best: &[Vec<f64>]) -> f64 {
        if before == (1 << self.n) - 1 {
            return sum;
        }
        let next = (0..self.n).filter(|v| before >> v & 1 == 0);
        let scores = next.map(|v| self.try_orders(before | 1 << v, sum + best[v][before], best));
        scores.fold(f64::NEG_INFINITY, f64::max)
    }
}

fn exact(scorer: &dyn Scorer, constraints: &Constraints) -> (Dag, usize) {
    let problem = ExactProblem {
        scorer,
        constraints,
        limits: Limits {
            families: usize::MAX,
            ..Limits::default()
        },
    };
    let candidates = Candidates::enumerate(problem, &mut || false).unwrap();
    let dag = candidates.solve(&mut || false).unwrap();
    (dag, candidates.scored)
}

fn obeys(dag: &Dag, constraints: &Constraints) -> bool {
    let required = constraints.required().iter();
    dag.edges().all(|(p, c)| constraints.allows(p, c))
        && required.into_iter().all(|&(p, c)| dag.has_edge(p, c))
        && (0..dag.len()).all(|v| dag.parents(v).len() <= constraints.max_parents())
}

fn options(kind: ScoreKind) -> ScoreOptions {
    ScoreOptions {
        kind,
        ..ScoreOptions::default()
    }
}

/// Compares with all networks if there are few variables, otherwise with all orders.
fn check(scorer: &dyn Scorer, constraints: &Constraints, what: &str) {
    let table = Table::new(scorer, constraints);
    let (dag, scored) = exact(scorer, constraints);
    assert!(obeys(&dag, constraints), "{what}");
    // A family of two kinds of densities counts twice.
    assert!(scored <= table.n << table.n, "{what}");
    let found = table.of(&dag);
    if table.n <= 5 {
        let (best, dags) = table.best_of_all_dags();
        assert!((found - best).abs() < TIE, "{what}: {found} {best}");
        let class = Cpdag::new(&dag);
        assert!(dags.iter().any(|dag| Cpdag::new(dag) == class), "{what}");
    } else {
        let best = table.best_of_all_orders();
        assert!((found - best).abs() < TIE, "{what}: {found} {best}");
    }
}

const EXTRAS: [Extra; 5] = [
    Extra::Nothing,
    Extra::Copy,
    Extra::Sum,
    Extra::Near(1e-4),
    Extra::Near(1e-6),
];

#[test]
fn linear_networks_are_the_best_of_all() {
    for seed in 0..60 {
        let (n, m) = ([3, 4, 5][seed % 3], [5, 8, 30, 200][seed / 3 % 4]);
        let extra = EXTRAS[seed % 5];
        let columns = columns(n, m, extra, seed as u64);
        let gram = Gram::new(&columns);
        for kind in [
            ScoreKind::Bic,
            ScoreKind::Ebic,
            ScoreKind::Aic,
            ScoreKind::Bge,
        ] {
            let scorer = GramScorer::new(&gram, n, &options(kind)).unwrap();
            for constraints in [Constraints::none(n), constraints(n, seed as u64)] {
                check(&scorer, &constraints, &format!("{kind} {seed}"));
            }
        }
    }
}

#[test]
fn larger_linear_networks_are_the_best_of_all_orders() {
    for seed in 0..40 {
        let (n, m) = ([6, 7][seed % 2], [6, 9, 40, 300][seed / 2 % 4]);
        let extra = EXTRAS[seed % 5];
        let columns = columns(n, m, extra, 100 + seed as u64);
        let gram = Gram::new(&columns);
        for kind in [ScoreKind::Bic, ScoreKind::Aic, ScoreKind::Bge] {
            let scorer = GramScorer::new(&gram, n, &options(kind)).unwrap();
            let constraints = constraints(n, seed as u64);
            check(&scorer, &constraints, &format!("{kind} {seed}"));
        }
    }
}

#[test]
fn networks_of_other_densities_are_the_best_of_all() {
    for seed in 0..12 {
        let (n, m) = ([4, 5, 6][seed % 3], [8, 40][seed % 2]);
        let columns = columns(n, m, EXTRAS[seed % 3], 200 + seed as u64);
        let gram = Gram::new(&columns);
        let profiles = Profiles::new(&columns, &gram);
        let kinds = [
            vec![CpdKind::sigmoid()],
            vec![CpdKind::Linear, CpdKind::sigmoid()],
        ];
        for kinds in kinds {
            let models = kinds.iter().map(|kind| kind.model(false, false)).collect();
            let prices = options(ScoreKind::Bic).prices(m as f64, n);
            let scorer = FamilyScorer::new(&profiles, models, prices);
            let constraints = constraints(n, seed as u64);
            check(&scorer, &constraints, &format!("{kinds:?} {seed}"));
        }
    }
}

/// No family scores more than its bounds, whatever the data.
#[test]
fn bounds_hold_for_every_family() {
    for seed in 0..60 {
        let (n, m) = (7, [6, 9, 40, 300][seed % 4]);
        let columns = columns(n, m, EXTRAS[seed % 5], 300 + seed as u64);
        let gram = Gram::new(&columns);
        for kind in [ScoreKind::Bic, ScoreKind::Ebic, ScoreKind::Bge] {
            let scorer = GramScorer::new(&gram, n, &options(kind)).unwrap();
            for child in 0..n {
                bounds_hold(&scorer, child, &format!("{kind} {seed} {child}"));
            }
        }
    }
}

fn bounds_hold(scorer: &dyn Scorer, child: usize, what: &str) {
    let others: Vec<usize> = (0..scorer.width()).filter(|&v| v != child).collect();
    let (parents, further) = others.split_at(2);
    let mut bounds = Vec::new();
    scorer.ceilings(child, parents, further).list(&mut bounds);
    for set in 1_usize..1 << further.len() {
        let chosen = (0..further.len()).filter(|i| set >> i & 1 == 1);
        let chosen = chosen.map(|i| further[i]);
        let mut family: Vec<usize> = parents.iter().copied().chain(chosen).collect();
        family.sort_unstable();
        let last = set.ilog2() as usize;
        let bound = match set.count_ones() {
            1 => bounds[last].own,
            _ => bounds[last].beyond,
        };
        if let Some(score) = scorer.score(child, &family) {
            assert!(score <= bound + 1e-8, "{what} {family:?}: {score} {bound}");
        }
    }
}

/// A column that depends on two others is skipped in their chain. With one of them alone it explains
/// more than both of them.
#[test]
fn bounds_hold_if_columns_are_skipped() {
    let m = 400;
    for seed in 0..8 {
        for error in [0.0, 1e-9, 1e-8, 1e-7, 3e-7, 1e-6] {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut draw =
                || -> Vec<f64> { (0..m).map(|_| random.random_range(-1.0..1.0)).collect() };
            let [first, second, noise] = [draw(), draw(), draw()];
            let sum = |t: usize| first[t] + second[t] + error * noise[t];
            let child = |t: usize| second[t] + 1e-3 * noise[t];
            let sum: Vec<f64> = (0..m).map(sum).collect();
            let child: Vec<f64> = (0..m).map(child).collect();
            let columns = [first, second, sum, child].map(Column::from);
            let gram = Gram::new(&columns);
            for kind in [ScoreKind::Bic, ScoreKind::Bge] {
                let scorer = GramScorer::new(&gram, 4, &options(kind)).unwrap();
                for candidates in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
                    let mut bounds = Vec::new();
                    scorer.ceilings(3, &[], &candidates).list(&mut bounds);
                    for set in 1_usize..8 {
                        let chosen = (0..3).filter(|i| set >> i & 1 == 1);
                        let mut family: Vec<usize> = chosen.map(|i| candidates[i]).collect();
                        family.sort_unstable();
                        let bound = bounds[set.ilog2() as usize];
                        let bound = if set.count_ones() == 1 {
                            bound.own
                        } else {
                            bound.beyond
                        };
                        if let Some(score) = scorer.score(3, &family) {
                            let what = format!("{kind} {error} {family:?}: {score} {bound}");
                            assert!(score <= bound + 1e-8, "{what}");
                        }
                    }
                }
            }
        }
    }
}

/// The best BIC of all 543 networks over four variables, computed independently.
#[test]
fn agrees_with_the_oracle_of_four_variables() {
    let columns = [
        [
            -1.2, -0.7, -0.3, 0.1, 0.4, 0.9, 1.3, 1.8, -1.6, 0.6, 2.1, -0.1,
        ],
        [
            -0.9, -1.1, 0.2, -0.2, 0.7, 0.5, 1.6, 1.1, -1.2, 1.4, 1.7, 0.3,
        ],
        [
            0.5, -0.4, 0.1, 0.9, -0.6, 1.0, 0.2, 1.7, -0.8, -0.3, 1.2, 0.4,
        ],
        [
            -0.2, -1.0, 0.6, 0.3, 0.5, 1.3, 1.0, 2.4, -1.9, 0.9, 2.2, 0.1,
        ],
    ];
    let columns: Vec<Column> = columns.map(|column| column.to_vec().into()).into();
    let gram = Gram::new(&columns);
    let scorer = GramScorer::new(&gram, 4, &options(ScoreKind::Bic)).unwrap();
    let (dag, _) = exact(&scorer, &Constraints::none(4));
    let score = |v: usize| scorer.score(v, dag.parents(v)).unwrap();
    let total: f64 = (0..4).map(score).sum();
    assert!((total + 49.2463253165).abs() < 1e-9, "{total}");
}

/// More than one block: the lattice agrees with plain dynamic programming, and neither the order
/// of the rows nor the number of threads changes the network.
#[test]
fn many_blocks_agree_with_plain_dynamic_programming() {
    let n = 14;
    let mut last = None;
    for shuffled in [false, true] {
        let mut columns = columns(n, 60, Extra::Nothing, 7);
        if shuffled {
            let turn = |column: &Column| {
                let mut values: Vec<f64> = column.iter().copied().collect();
                values.rotate_left(17);
                values.reverse();
                Column::from(values)
            };
            columns = columns.iter().map(turn).collect();
        }
        let gram = Gram::new(&columns);
        let scorer = GramScorer::new(&gram, n, &options(ScoreKind::Bic)).unwrap();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            let found = pool.install(|| exact(&scorer, &Constraints::none(n)));
            if let Some(last) = &last {
                assert_eq!(&found, last, "{shuffled} {threads}");
            }
            last = Some(found);
        }
        let table = Table::new(&scorer, &Constraints::none(n));
        let mut within = table.scores.clone();
        for child in 0..n {
            for bit in 0..n {
                for mask in (0..1 << n).filter(|mask| mask >> bit & 1 == 1) {
                    let smaller = within[child << n | (mask ^ 1 << bit)];
                    let best = &mut within[child << n | mask];
                    *best = best.max(smaller);
                }
            }
        }
        let mut best = vec![0.0; 1 << n];
        for set in 1..1_usize << n {
            let sinks = (0..n).filter(|v| set >> v & 1 == 1);
            let scores = sinks.map(|v| {
                let before = set ^ 1 << v;
                best[before] + within[v << n | before]
            });
            best[set] = scores.fold(f64::NEG_INFINITY, f64::max);
        }
        let (dag, _) = last.as_ref().unwrap();
        assert!((table.of(dag) - best[(1 << n) - 1]).abs() < 1e-9);
    }
}

#[test]
fn a_search_stops_when_asked_and_keeps_to_its_limits() {
    let n = 16;
    let columns = columns(n, 500, Extra::Nothing, 3);
    let gram = Gram::new(&columns);
    let scorer = GramScorer::new(&gram, n, &options(ScoreKind::Aic)).unwrap();
    let constraints = Constraints::none(n);
    let problem = |families| ExactProblem {
        scorer: &scorer,
        constraints: &constraints,
        limits: Limits {
            families,
            ..Limits::default()
        },
    };
    let stopped = Candidates::enumerate(problem(usize::MAX), &mut || true);
    assert!(matches!(stopped.err(), Some(Unsolved::Interrupted)));
    let refused = Candidates::enumerate(problem(200), &mut || false);
    assert!(matches!(
        refused.err(),
        Some(Unsolved::TooLarge(TooLarge::Families(_)))
    ));
    let found = Candidates::enumerate(problem(usize::MAX), &mut || false).unwrap();
    assert!(found.scored > 200 && found.largest().len() == n);
    let stopped = found.solve(&mut || true);
    assert!(matches!(stopped, Err(Unsolved::Interrupted)));
    // A variable that cannot be fitted with its required parents.
    let mut knowledge = Knowledge::default();
    let names: Vec<String> = (0..6).map(|v| format!("X{v}")).collect();
    for parent in &names[1..] {
        knowledge.require.push((parent.clone(), names[0].clone()));
    }
    let required = Constraints::new(&names, &knowledge, &[false; 6], &[]).unwrap();
    let few = Gram::new(&self::columns(6, 6, Extra::Nothing, 1));
    let scorer = GramScorer::new(&few, 6, &options(ScoreKind::Bic)).unwrap();
    let problem = ExactProblem {
        scorer: &scorer,
        constraints: &required,
        limits: Limits {
            families: usize::MAX,
            ..Limits::default()
        },
    };
    let unfit = Candidates::enumerate(problem, &mut || false);
    assert!(matches!(unfit.err(), Some(Unsolved::Unfit(0))));
}

/// Sets that are left out by their bounds are work, too, and all families are kept in memory.
#[test]
fn sets_and_bytes_are_limited_as_families_are() {
    let n = 40;
    let columns = columns(n, 500, Extra::Nothing, 3);
    let gram = Gram::new(&columns);
    let scorer = GramScorer::new(&gram, n, &options(ScoreKind::Aic)).unwrap();
    let names: Vec<String> = (0..n).map(|v| format!("X{v}")).collect();
    let mut knowledge = Knowledge::default();
    knowledge.max_parents = Some(3);
    let constraints = Constraints::new(&names, &knowledge, &vec![false; n], &[]).unwrap();
    let line = |limits| {
        let problem = ExactProblem {
            scorer: &scorer,
            constraints: &constraints,
            limits,
        };
        match Candidates::enumerate(problem, &mut || false) {
            Err(Unsolved::TooLarge(problem)) => problem.error(&names).to_string(),
            Ok(found) => {
                let bytes: usize = found.families.iter().map(Families::bytes).sum();
                panic!("no limit: {bytes} bytes")
            }
            Err(other) => panic!("{other:?}"),
        }
    };
    let usual = Limits::default();
    let sets = line(Limits { sets: 500, ..usual });
    assert!(sets.contains("compare more than 10 billion sets"), "{sets}");
    let refused: fn(u64) -> Result<(), OutOfMemory> = |_| memory::check(1 << 60);
    let first = line(Limits {
        check_memory: refused,
        ..usual
    });
    assert!(first.contains("compare the sets of 39 parents"), "{first}");
    let kept = line(Limits {
        step: 1,
        check_memory: |bytes| match bytes < 300_000 {
            true => memory::check(1 << 60),
            false => Ok(()),
        },
        ..usual
    });
    assert!(kept.contains("has to keep the families"), "{kept}");
    assert!(kept.contains("or use `search = order`"), "{kept}");
}

/// If no density can have as many parents, sets of that size are not visited one by one.
#[test]
fn sets_too_large_for_the_instances_are_not_visited() {
    let (n, m) = (18, 6);
    let columns = columns(n, m, Extra::Nothing, 5);
    let gram = Gram::new(&columns);
    let profiles = Profiles::new(&columns, &gram);
    let models = vec![CpdKind::sigmoid().model(false, false)];
    let prices = options(ScoreKind::Bic).prices(m as f64, n);
    let scorer = FamilyScorer::new(&profiles, models, prices);
    let constraints = Constraints::none(n);
    let required = constraints.required_dag();
    let mut one = Enumeration::new(&scorer, 0, &constraints, &required);
    while !one.advance() {}
    // Up to three parents.
    let sets = 17 + 17 * 16 / 2 + 17 * 16 * 15 / 6;
    assert!(one.visited <= 3 * sets, "{}", one.visited);
    assert!(scorer.cache_bytes() >= 50 * one.scored);
}
