//! The exact search as users call it. Its result is compared with all networks in the library.

use idealparent::learn::{Checkpoint, Observer};
use idealparent::search::Ending;
use idealparent::{LearnOptions, Learned, SearchKind, Table, learn};

use crate::common::holes::with_holes;
use crate::common::linear_network;
use crate::common::nonlinear::sigmoids;

fn options(words: &[(&str, &str)]) -> LearnOptions {
    let mut options = LearnOptions::default();
    options.search = SearchKind::Exact;
    for (key, value) in words {
        options.set(key, value).unwrap();
    }
    options
}

fn run(table: &Table, words: &[(&str, &str)]) -> Learned {
    learn(table, &options(words), &mut ()).unwrap()
}

fn value(learned: &Learned) -> f64 {
    learned.network.score.as_ref().unwrap().value
}

fn file(learned: &Learned) -> String {
    learned.network.to_json().unwrap()
}

#[test]
fn no_search_finds_a_better_network() {
    for seed in 0..6 {
        let (_, linear) = linear_network(10, 60, 2.5, seed);
        let curved = sigmoids(6, 60, seed, false);
        let cases: [(&Table, &[(&str, &str)]); 4] = [
            (&linear, &[("score", "bic")]),
            (&linear, &[("score", "bge")]),
            (&curved, &[("cpd", "sigmoid")]),
            (&curved, &[("cpd", "linear,sigmoid"), ("max_parents", "2")]),
        ];
        for (table, words) in cases {
            let best = run(table, words);
            assert!(best.optimal && best.search == SearchKind::Exact);
            assert_eq!(best.ending, Ending::Maximum);
            for search in ["hill", "tabu", "anneal", "order"] {
                let other = run(table, &[words, &[("search", search)]].concat());
                assert!(value(&other) <= value(&best) + 1e-6, "{words:?} {search}");
                assert!(!other.optimal);
            }
        }
    }
}

/// The start of the search and the number of threads do not matter.
#[test]
fn the_best_network_is_always_the_same() {
    let (_, table) = linear_network(13, 200, 3.0, 4);
    let best = run(&table, &[]);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let again = pool.build().unwrap().install(|| run(&table, &[]));
        assert_eq!(file(&again), file(&best));
        assert_eq!(again.evaluations, best.evaluations);
    }
    let mut from = options(&[]);
    let edge = |a: &str, b: &str| (a.to_string(), b.to_string());
    from.start = vec![edge("X0", "X1"), edge("X1", "X2"), edge("X5", "X3")].into();
    let started = learn(&table, &from, &mut ()).unwrap();
    assert_eq!(started.network.dag(), best.network.dag());
}

#[test]
fn prior_knowledge_holds() {
    let (_, table) = linear_network(10, 60, 2.5, 8);
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let pair = |&(a, b): &(&str, &str)| (a.to_string(), b.to_string());
        pairs.iter().map(pair).collect()
    };
    let mut options = options(&[("score", "bic"), ("max_parents", "3")]);
    options.require = pairs(&[("X3", "X1"), ("X1", "X7"), ("X9", "X3")]).into();
    options.forbid = pairs(&[("*", "X0"), ("X4", "X5"), ("X5", "X4")]).into();
    options.tiers = vec![vec!["X2".to_string()], vec!["X8".to_string()]].into();
    let best = learn(&table, &options, &mut ()).unwrap();
    let dag = best.network.dag();
    assert!(best.optimal);
    for (parent, child) in [(3, 1), (1, 7), (9, 3)] {
        assert!(dag.has_edge(parent, child));
    }
    assert!(dag.parents(0).is_empty() && !dag.has_edge(8, 2));
    assert!(!dag.has_edge(4, 5) && !dag.has_edge(5, 4));
    assert!((0..10).all(|v| dag.parents(v).len() <= 3));
    options.search = SearchKind::Order;
    let other = learn(&table, &options, &mut ()).unwrap();
    assert!(value(&other) <= value(&best) + 1e-6);
}

/// With missing values the network is the best for its expectations only.
#[test]
fn missing_values_are_completed_first() {
    let (_, table) = linear_network(8, 80, 2.0, 2);
    let learned = run(&with_holes(&table, 0.1, 5), &[]);
    assert!(!learned.optimal && learned.iterations > 0);
    assert_eq!(learned.ending, Ending::Maximum);
}

#[test]
fn options_that_contradict_it_and_too_large_problems_are_errors() {
    let (_, table) = linear_network(34, 300, 12.0, 2);
    let refused = |words: &[(&str, &str)]| {
        let error = learn(&table, &options(words), &mut ()).unwrap_err();
        assert!(error.is_usage());
        error.to_string()
    };
    let line = refused(&[("hidden", "1")]);
    assert!(
        line.starts_with("`search = exact` cannot be combined with `hidden`"),
        "{line}"
    );
    let line = refused(&[("restarts", "3")]);
    assert!(
        line.ends_with("cannot be combined with `restarts`"),
        "{line}"
    );
    let line = refused(&[("max_parents", "2"), ("score", "aic")]);
    assert!(
        line.contains("34 variables ('X0', 'X1', 'X2', 'X3', …)"),
        "{line}"
    );
    assert!(line.contains("lower `max_parents`"), "{line}");
}

/// Keeps all checkpoints, and may stop when the families have been listed.
#[derive(Default)]
struct Recorder {
    kept: Vec<String>,
    stops: bool,
    memory: u64,
}

impl Observer for Recorder {
    fn needs_memory(&mut self, bytes: u64) {
        self.memory = bytes;
    }

    fn stop(&mut self) -> bool {
        self.stops && self.memory > 0
    }

    fn wants_checkpoint(&mut self, _last: bool) -> bool {
        true
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.kept.push(checkpoint.to_json());
    }
}

#[test]
fn a_stopped_search_returns_the_network_of_the_climb_and_can_be_resumed() {
    let (_, table) = linear_network(13, 200, 3.0, 4);
    let options = options(&[]);
    let mut all = Recorder::default();
    let best = learn(&table, &options, &mut all).unwrap();
    assert_eq!(all.memory, 8 << 13);
    let hill = run(&table, &[("search", "hill")]);
    let mut recorder = Recorder {
        stops: true,
        ..Recorder::default()
    };
    let stopped = learn(&table, &options, &mut recorder).unwrap();
    assert_eq!(stopped.ending, Ending::Stopped);
    assert!(!stopped.optimal);
    assert_eq!(stopped.network.dag(), hill.network.dag());
    for text in all.kept.iter().chain(&recorder.kept) {
        let from = Checkpoint::from_json(text).unwrap();
        let again = from.resume(&table, &options, &mut ()).unwrap();
        assert_eq!(file(&again), file(&best));
        assert!(again.optimal);
    }
}
