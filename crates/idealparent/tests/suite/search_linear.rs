//! Hill climbing over linear networks, compared move by move with a slow reference.

use crate::common::climbing::{Reading, all_moves, naive_ideal};
use crate::common::{Moves, hill_climb};
use std::collections::BTreeSet;

use idealparent::family::Gram;
use idealparent::graph::{Constraints, Dag, Knowledge};
use idealparent::ideal::{Budget, GramSelector, Measure, Selector, TIE};
use idealparent::learn::Observer;
use idealparent::score::{Gamma, GramScorer, ScoreKind, ScoreOptions, Scorer};
use idealparent::search::{Move, MoveKind, MoveSet, Neighbourhood, Step};
use idealparent::{Candidates, LearnOptions, Method, SearchKind, Table, learn};
use proptest::prelude::*;

/// Hill climbing that scores every move again at every step.
fn naive_climb(
    scorer: &dyn Scorer,
    start: Dag,
    allowed: MoveSet,
    limits: &Constraints,
) -> (Dag, Vec<Move>) {
    let mut dag = start;
    let mut taken = Vec::new();
    loop {
        let moves = all_moves(scorer, &dag, allowed, limits);
        let best = moves.iter().map(|m| m.1).fold(f64::NEG_INFINITY, f64::max);
        if best <= TIE {
            return (dag, taken);
        }
        let ties = moves.iter().filter(|m| m.1 >= best - TIE);
        let chosen = ties.map(|m| m.0).min().unwrap();
        chosen.apply(&mut dag);
        taken.push(chosen);
    }
}

fn climb(
    scorer: &dyn Scorer,
    selector: &dyn Selector,
    start: Dag,
    allowed: MoveSet,
    limits: &Constraints,
) -> (Dag, Vec<Move>) {
    let mut neighbourhood = Neighbourhood::new(scorer, selector, limits, allowed, start).unwrap();
    let moves = hill_climb(&mut neighbourhood);
    (neighbourhood.dag().clone(), moves)
}

fn scores() -> Vec<ScoreOptions> {
    let of = |kind, gamma, penalty| ScoreOptions {
        kind,
        gamma,
        penalty,
        alpha_w: None,
    };
    vec![
        of(ScoreKind::Bic, Gamma::Auto, 1.0),
        of(ScoreKind::Ebic, Gamma::Fixed(1.0), 1.0),
        of(ScoreKind::Ebic, Gamma::Fixed(0.3), 2.0),
        of(ScoreKind::Ebic, Gamma::AutoAt(0.8), 1.0),
        of(ScoreKind::Aic, Gamma::Auto, 1.0),
        of(ScoreKind::Bge, Gamma::Auto, 1.0),
    ]
}

/// The search takes the moves of the reference, for every score and several sets of moves.
#[test]
fn greedy_search_equals_the_reference() {
    for seed in 0..12 {
        let (n, m) = [(6, 30), (10, 60), (14, 25), (12, 400)][seed as usize % 4];
        let (_, table) = crate::common::linear_network(n, m, 1.8, seed);
        let gram = Gram::new(table.columns());
        let limits = Constraints::none(n);
        for options in scores() {
            let scorer = GramScorer::new(&gram, n, &options).unwrap();
            for allowed in [
                MoveSet::all(),
                MoveSet::new([MoveKind::Add, MoveKind::Delete, MoveKind::Replace]),
                MoveSet::new([MoveKind::Add, MoveKind::Delete, MoveKind::Reverse]),
                MoveSet::new([MoveKind::Add]),
            ] {
                let slow = naive_climb(&scorer, Dag::new(n), allowed, &limits);
                let fast = climb(
                    &scorer,
                    &GramSelector::greedy(&scorer),
                    Dag::new(n),
                    allowed,
                    &limits,
                );
                assert_eq!(fast, slow, "seed {seed}, {options:?}, {allowed:?}");
            }
        }
    }
}

/// No single move improves the result of greedy search, or that of ideal search without a limit on
/// K.
#[test]
fn results_are_local_maxima() {
    for seed in 0..8 {
        let n = 20;
        let (_, table) = crate::common::linear_network(n, 80, 2.0, 100 + seed);
        let gram = Gram::new(table.columns());
        let limits = Constraints::none(n);
        for options in scores() {
            let scorer = GramScorer::new(&gram, n, &options).unwrap();
            for selector in [
                GramSelector::greedy(&scorer),
                GramSelector::ideal(&scorer, Measure::C2, Budget::Top(n - 1)),
            ] {
                let (dag, _) = climb(&scorer, &selector, Dag::new(n), MoveSet::all(), &limits);
                let moves = all_moves(&scorer, &dag, MoveSet::all(), &limits);
                assert!(moves.iter().all(|m| m.1 <= TIE), "seed {seed}, {options:?}");
            }
        }
    }
}

/// With constraints and a start with edges, the search takes the moves of the reference, and its
/// result satisfies the constraints.
#[test]
fn constraints_are_satisfied() {
    for seed in 0..10 {
        let n = 11;
        let (truth, table) = crate::common::linear_network(n, 70, 2.0, 200 + seed);
        let gram = Gram::new(table.columns());
        let scorer = GramScorer::new(&gram, n, &ScoreOptions::default()).unwrap();
        let names = crate::common::names(n);
        let pair = |(a, b): (usize, usize)| (names[a].clone(), names[b].clone());
        let edges: Vec<_> = truth.edges().collect();
        let mut knowledge = Knowledge::default();
        knowledge.require = edges.iter().take(2).map(|&e| pair(e)).collect();
        knowledge.forbid = edges.iter().skip(4).take(3).map(|&e| pair(e)).collect();
        knowledge.max_parents = Some(3);
        let inactive = vec![false; n];
        let limits = Constraints::new(&names, &knowledge, &inactive, &[]).unwrap();
        let start = Dag::from_edges(n, limits.required().iter().copied()).unwrap();
        let slow = naive_climb(&scorer, start.clone(), MoveSet::all(), &limits);
        let fast = climb(
            &scorer,
            &GramSelector::greedy(&scorer),
            start,
            MoveSet::all(),
            &limits,
        );
        assert_eq!(fast, slow);
        let dag = fast.0;
        assert!(limits.required().iter().all(|&(p, c)| dag.has_edge(p, c)));
        assert!(dag.edges().all(|(p, c)| limits.allows(p, c)));
        assert!((0..n).all(|v| dag.parents(v).len() <= 3));
    }
}

/// Covers refilling, candidates that become legal again, and the choice among scored moves.
#[test]
fn ideal_search_equals_the_reference() {
    for seed in 0..10 {
        let (n, m) = [(8, 40), (12, 100), (15, 30)][seed as usize % 3];
        let (_, table) = crate::common::linear_network(n, m, 2.0, 300 + seed);
        let gram = Gram::new(table.columns());
        let options = ScoreOptions {
            kind: ScoreKind::Bic,
            ..ScoreOptions::default()
        };
        let scorer = GramScorer::new(&gram, n, &options).unwrap();
        let limits = Constraints::none(n);
        for measure in [Measure::C1, Measure::C2, Measure::Tangent] {
            for k in [1, 2, 5] {
                let selector = GramSelector::ideal(&scorer, measure, Budget::Top(k));
                let slow = naive_ideal(&scorer, measure, (k, Reading::Refill), n);
                // With a small reserve, slots run out of legal candidates and are refilled often.
                for (spare, longest) in [(14, 1024), (1, 1024), (1, 2)] {
                    let neighbourhood = Neighbourhood::new(
                        &scorer,
                        &selector,
                        &limits,
                        MoveSet::all(),
                        Dag::new(n),
                    )
                    .unwrap();
                    let mut neighbourhood = neighbourhood.with_reserve(spare, longest);
                    let moves = hill_climb(&mut neighbourhood);
                    let fast = (neighbourhood.dag().clone(), moves);
                    assert_eq!(fast, slow.0, "seed {seed}, {measure:?}, {k}");
                    let counted = neighbourhood.evaluations().add_replace;
                    assert_eq!(counted, slow.1, "seed {seed}, {measure:?}, {k}");
                }
            }
        }
    }
}

fn moves_of(table: &Table, options: &LearnOptions) -> (Vec<Move>, Vec<(usize, usize)>) {
    let mut moves = Moves::default();
    let learned = learn(table, options, &mut moves).unwrap();
    (moves.0, learned.network.dag().edges().collect())
}

fn options(
    method: Method,
    measure: Measure,
    candidates: Candidates,
    kind: ScoreKind,
) -> LearnOptions {
    let mut options = LearnOptions {
        method,
        measure,
        candidates,
        search: SearchKind::Hill,
        ..LearnOptions::default()
    };
    options.score = kind;
    options
}

fn check_equals_greedy_search(table: &Table) {
    for kind in [ScoreKind::Bic, ScoreKind::Ebic] {
        let greedy = options(Method::Greedy, Measure::Tangent, Candidates::All, kind);
        let expected = moves_of(table, &greedy);
        for (measure, k) in [
            (Measure::Tangent, Candidates::Top(1)),
            (Measure::C2, Candidates::All),
            (Measure::C1, Candidates::Top(table.width() - 1)),
        ] {
            let ideal = options(Method::Ideal, measure, k, kind);
            assert_eq!(
                moves_of(table, &ideal),
                expected,
                "{kind:?} {measure:?} {k:?}"
            );
        }
    }
}

/// For linear densities, the tangent measure is the exact change, so K = 1 equals greedy search.
/// With K = N, every measure does.
#[test]
fn tangent_with_one_candidate_equals_greedy_search() {
    for seed in 0..6 {
        check_equals_greedy_search(&crate::common::linear_network(40, 120, 2.0, 400 + seed).1);
    }
}

#[test]
fn tangent_with_one_candidate_equals_greedy_search_on_yeast() {
    for list in ["aa_rebuild_nomiss.txt", "met_rebuild_nomiss.txt"] {
        if let Some(table) = crate::common::yeast(list) {
            check_equals_greedy_search(&table);
        }
    }
}

/// Records every family that is scored.
struct RecordingScorer<'a> {
    inner: GramScorer<'a>,
    seen: std::sync::Mutex<BTreeSet<(usize, Vec<usize>)>>,
}

impl Scorer for RecordingScorer<'_> {
    fn width(&self) -> usize {
        self.inner.width()
    }

    fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
        self.inner.score(child, parents)
    }

    fn score_counted(&self, child: usize, parents: &[usize]) -> (Option<f64>, usize) {
        let fresh = self.seen.lock().unwrap().insert((child, parents.to_vec()));
        (self.score(child, parents), usize::from(fresh))
    }
}

/// With a scorer that records what it has scored, every family is counted once. With the Gram
/// matrix, greedy search counts all legal candidates of every slot of each changed family.
#[test]
fn evaluations_are_counted_as_defined() {
    for seed in 0..6 {
        let n = 12;
        let (_, table) = crate::common::linear_network(n, 50, 2.0, 700 + seed);
        let gram = Gram::new(table.columns());
        let options = ScoreOptions {
            kind: ScoreKind::Bic,
            ..ScoreOptions::default()
        };
        let limits = Constraints::none(n);
        let scorer = RecordingScorer {
            inner: GramScorer::new(&gram, n, &options).unwrap(),
            seen: Default::default(),
        };
        let every = idealparent::ideal::Exhaustive::new(n);
        let mut neighbourhood =
            Neighbourhood::new(&scorer, &every, &limits, MoveSet::all(), Dag::new(n)).unwrap();
        let moves = hill_climb(&mut neighbourhood);
        let seen = scorer.seen.lock().unwrap().len() as u64;
        assert_eq!(neighbourhood.evaluations().all, seen);

        let plain = GramScorer::new(&gram, n, &options).unwrap();
        let greedy = GramSelector::greedy(&plain);
        let mut neighbourhood =
            Neighbourhood::new(&plain, &greedy, &limits, MoveSet::all(), Dag::new(n)).unwrap();
        let again = hill_climb(&mut neighbourhood);
        assert_eq!(again, moves);
        let mut dag = Dag::new(n);
        let all_of = |dag: &Dag, child: usize| {
            let legal = |z: &usize| !dag.has_edge(*z, child) && !dag.reaches(child, *z);
            (0..n).filter(legal).count() * (1 + dag.parents(child).len())
        };
        let mut expected: usize = (0..n).map(|child| all_of(&dag, child)).sum();
        for taken in &moves {
            taken.apply(&mut dag);
            expected += taken
                .changed()
                .map(|child| all_of(&dag, child))
                .sum::<usize>();
        }
        assert_eq!(neighbourhood.evaluations().add_replace, expected as u64);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (_, table) = crate::common::linear_network(60, 150, 2.0, 600);
    let text = |threads: usize, options: &LearnOptions| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            learn(&table, options, &mut ())
                .unwrap()
                .network
                .to_json()
                .unwrap()
        })
    };
    for kind in [ScoreKind::Ebic, ScoreKind::Bge] {
        let default = options(Method::Ideal, Measure::Tangent, Candidates::Top(2), kind);
        assert_eq!(text(1, &default), text(2, &default));
        assert_eq!(text(1, &default), text(5, &default));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The order of the rows changes neither the moves nor the structure.
    #[test]
    fn shuffled_rows_give_the_same_edges(seed in 0u64..1000, turn in 1usize..50) {
        let (_, table) = crate::common::linear_network(15, 60, 2.0, seed);
        let rows: Vec<usize> = (0..60).map(|i| (i * 7 + turn) % 60).collect();
        let default = LearnOptions::default();
        let (plain, shuffled) = (moves_of(&table, &default), moves_of(&table.select_rows(&rows), &default));
        prop_assert_eq!(plain, shuffled);
    }

    /// The reported gains add up to the difference between the final and the first score.
    #[test]
    fn gains_add_up(seed in 0u64..1000) {
        struct Sum { score: f64, gains: f64, first: Option<f64> }
        impl Observer for Sum {
            fn started(&mut self, score: f64, _: usize) { self.first = Some(score); }
            fn step(&mut self, step: &Step) { self.gains += step.gain; self.score = step.score; }
        }
        let (_, table) = crate::common::linear_network(12, 50, 2.0, seed);
        let mut sum = Sum { score: 0.0, gains: 0.0, first: None };
        let options = LearnOptions { search: SearchKind::Hill, ..LearnOptions::default() };
        let learned = learn(&table, &options, &mut sum).unwrap();
        let reported = learned.network.score.unwrap().value;
        let start = sum.first.unwrap();
        prop_assert!((sum.score - reported).abs() < 1e-8 * reported.abs());
        prop_assert!((start + sum.gains - reported).abs() < 1e-8 * reported.abs());
    }
}
