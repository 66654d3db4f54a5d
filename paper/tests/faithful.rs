//! The paper's procedures compared with naive implementations and with the library's procedures.

#[path = "../../crates/idealparent/tests/suite/common/mod.rs"]
mod common;

use common::checkpoints::Checkpoints;
use common::climbing::{Reading, naive_ideal};
use common::holes::with_holes;
use common::nonlinear::sigmoids;
use common::{Moves, hill_climb};
use idealparent::family::Gram;
use idealparent::graph::{Constraints, Dag};
use idealparent::ideal::{Budget, GramSelector, Measure};
use idealparent::learn::{Observer, Strategy, learn_by};
use idealparent::score::{GramScorer, ScoreKind, ScoreOptions};
use idealparent::search::{Move, MoveSet, Neighbourhood};
use idealparent::{LearnOptions, Learned, SearchKind, Table};
use paper::faithful::{AtOnce, Faithful, PaperMethod, Queue};

/// Learns with a method; returns the result and the moves of the search.
fn run(table: &Table, words: &str) -> (Learned, Vec<Move>) {
    let method = PaperMethod::parse(words, &LearnOptions::default()).unwrap();
    let mut moves = Moves::default();
    let learned = method.learn(table, &mut moves).unwrap();
    (learned, moves.0)
}

#[test]
fn queues_take_the_moves_of_naive_implementations() {
    for seed in 0..10 {
        let (n, m) = [(8, 40), (12, 100), (15, 30)][seed as usize % 3];
        let (_, table) = common::linear_network(n, m, 2.0, 300 + seed);
        let gram = Gram::new(table.columns());
        let options = ScoreOptions {
            kind: ScoreKind::Bic,
            ..ScoreOptions::default()
        };
        let scorer = GramScorer::new(&gram, n, &options).unwrap();
        let limits = Constraints::none(n);
        for measure in [Measure::C1, Measure::C2, Measure::Tangent] {
            for k in [1, 2, 5] {
                let inner = GramSelector::ideal(&scorer, measure, Budget::Top(k));
                let legal = Queue::of_legal(&inner, k);
                let moves = MoveSet::all();
                let mut around =
                    Neighbourhood::new(&scorer, &legal, &limits, moves, Dag::new(n)).unwrap();
                let taken = hill_climb(&mut around);
                let slow = naive_ideal(&scorer, measure, (k, Reading::QueueOfLegal), n);
                assert_eq!((around.dag().clone(), taken), slow.0);
                assert_eq!(around.evaluations().add_replace, slow.1);

                let all = Queue::of_all(&inner, k);
                let at_once = AtOnce::new(&all, &scorer);
                let mut around =
                    Neighbourhood::new(&scorer, &at_once, &limits, moves, Dag::new(n)).unwrap();
                let taken = hill_climb(&mut around);
                let slow = naive_ideal(&scorer, measure, (k, Reading::QueueOfAll), n);
                assert_eq!((around.dag().clone(), taken), slow.0);
                assert_eq!(at_once.scored(), slow.1);
            }
        }
    }
}

/// Greedy search takes the same moves whether it fits candidates from the data or from moments.
#[test]
fn resolving_greedy_takes_the_same_moves() {
    let mut tables = vec![
        common::linear_network(25, 60, 2.0, 500).1,
        common::linear_network(30, 500, 2.0, 501).1,
    ];
    tables.extend(common::yeast("aa_rebuild_nomiss.txt"));
    for table in tables {
        let fast = run(&table, "greedy:score=bic:search=hill");
        let slow = run(&table, "greedy:score=bic:resolve");
        assert_eq!(slow.1, fast.1);
        assert_eq!(slow.0.search, SearchKind::Hill);
        assert_eq!(slow.0.network.dag(), fast.0.network.dag());
    }
}

/// A search without a cache takes the same moves, but scores more families.
#[test]
fn forgetting_changes_only_the_number_of_fits() {
    for cpd in ["sigmoid", "linear,sigmoid", "linear"] {
        let table = sigmoids(9, 80, 11, false);
        for method in ["greedy", "ideal"] {
            let words = format!("{method}:cpd={cpd}:score=bic:search=hill");
            let scored = |run: &(Learned, Vec<Move>)| run.0.evaluations.add_replace;
            let own = run(&table, &words);
            let forgetful = run(&table, &format!("{words}:forget"));
            assert_eq!(forgetful.1, own.1, "{words}");
            if cpd != "linear" {
                assert!(scored(&forgetful) > scored(&own), "{words}");
            }
            if method == "greedy" {
                // Scoring illegal candidates does not change the moves either.
                let blind = run(&table, &format!("{words}:forget:illegal=keep"));
                assert_eq!(blind.1, own.1, "{words}");
                assert!(scored(&blind) > scored(&forgetful), "{words}");
            }
        }
    }
}

#[test]
fn number_of_threads_does_not_change_the_result() {
    let (_, table) = common::linear_network(40, 120, 2.0, 600);
    for words in [
        "greedy:score=bic:resolve",
        "ideal:k=2:measure=c2:illegal=keep:forget",
    ] {
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            let (learned, moves) = pool.install(|| run(&table, words));
            let text = learned.network.to_json().unwrap();
            (text, moves, learned.evaluations)
        };
        assert_eq!(of(1), of(3), "{words}");
    }
}

#[test]
fn sparse_candidate_is_no_worse_than_hill_climbing() {
    for seed in 0..4 {
        let (_, table) = common::linear_network(20, 100, 2.0, 40 + seed);
        for method in ["greedy", "ideal"] {
            let value = |words: &str| {
                let (learned, _) = run(&table, &format!("{method}:score=bic:{words}"));
                learned.network.score.unwrap().value
            };
            assert!(value("search=sparse") >= value("search=hill") - 1e-6);
        }
    }
}

#[test]
fn the_papers_cluster_score_finds_hidden_variables() {
    let (table, _) = common::hidden::two_layers(2, 6, 120, 12);
    let mut options = LearnOptions::default();
    options.set("hidden", "auto").unwrap();
    options.two_layer = true;
    let faithful = Faithful {
        clusters: true,
        ..Faithful::default()
    };
    let learned = learn_by(&faithful, &table, &options, None, &mut ()).unwrap();
    let hidden = learned
        .network
        .variables
        .iter()
        .filter(|v| v.hidden)
        .count();
    assert!((1..=2).contains(&hidden), "{hidden}");
}

#[test]
fn invalid_combinations_are_refused() {
    for (words, line) in [
        ("ideal:resolve", "--resolve needs --method greedy"),
        (
            "greedy:resolve:cpd=sigmoid",
            "--resolve needs --cpd linear (other densities are always fitted from the data)",
        ),
        (
            "greedy:forget:score=bge",
            "--score bge cannot be computed from fits",
        ),
        (
            "ideal:illegal=keep:search=order",
            "--illegal needs a search over edges (within an order, no candidate is illegal)",
        ),
        (
            "greedy:illegal=drop",
            "--illegal drop needs --method ideal and a number of candidates",
        ),
        (
            "greedy:illegal=keep",
            "--illegal keep needs a number of candidates, or --method greedy with candidates that are fitted",
        ),
        (
            "ideal:illegal=never",
            "illegal: 'never' is not one of refill, drop, keep",
        ),
        ("ideal:moments=all", "moments: 'all' is not full or means"),
        (
            "greedy:moments=means",
            "--moments means needs --method ideal (greedy search does not rank candidates)",
        ),
        ("ideal:forget=perhaps", "forget: 'perhaps' is not yes or no"),
    ] {
        let error = PaperMethod::parse(words, &LearnOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), line, "{words}");
    }
}

/// A run that is stopped returns the network found so far.
#[test]
fn sparse_candidate_can_be_stopped() {
    struct After(usize);
    impl Observer for After {
        fn stop(&mut self) -> bool {
            self.0 = self.0.saturating_sub(1);
            self.0 == 0
        }
    }
    let (_, table) = common::linear_network(15, 80, 2.0, 3);
    let method = PaperMethod::parse("ideal:search=sparse", &LearnOptions::default()).unwrap();
    for patience in [1, 5, 20, 40] {
        let learned = method.learn(&table, &mut After(patience)).unwrap();
        assert!(learned.network.score.unwrap().value.is_finite());
    }
}

/// Different switches have different records. The library's defaults are not recorded.
#[test]
fn switches_are_recorded() {
    let record = |text: &str| {
        let mut faithful = Faithful::default();
        for part in text.split(':') {
            let (key, value) = part.split_once('=').unwrap_or((part, "yes"));
            assert!(faithful.set(key, value).unwrap(), "{part}");
        }
        serde_json::Value::Object(faithful.record()).to_string()
    };
    assert!(Faithful::default().record().is_empty());
    assert_eq!(record("illegal=refill:moments=full"), "{}");
    assert_eq!(
        record("resolve:forget:search=sparse"),
        r#"{"resolve":true,"forget":true,"sparse":true}"#
    );
    assert_eq!(
        record("illegal=keep:moments=means:cluster-score=paper"),
        r#"{"illegal":"keep","moments":"means","cluster_score":"paper"}"#
    );
}

/// With missing values, comparing candidates by expected values alone works for every density.
#[test]
fn comparing_by_means_works_with_missing_values() {
    let table = with_holes(&sigmoids(8, 120, 21, false), 0.05, 22);
    for words in [
        "ideal:moments=means:measure=c2:search=hill",
        "ideal:moments=means:cpd=sigmoid:search=hill",
        "ideal:moments=means:cpd=linear,sigmoid:search=hill",
    ] {
        let (learned, _) = run(&table, words);
        assert!(learned.network.edge_count() > 3, "{words}");
        assert!(learned.network.score.unwrap().value.is_finite(), "{words}");
    }
}

/// Collinear, duplicated and constant columns, and more variables than instances.
#[test]
fn resolving_greedy_copes_with_degenerate_data() {
    let (_, table) = common::linear_network(12, 9, 2.0, 700);
    let mut columns: Vec<Vec<f64>> = table.columns().iter().map(|c| c.to_vec()).collect();
    columns[3] = columns[0]
        .iter()
        .zip(&columns[1])
        .map(|(a, b)| a + b)
        .collect();
    columns[4] = columns[2].clone();
    columns[5] = vec![7.0; 9];
    let table = Table::new(table.names().to_vec(), columns).unwrap();
    for score in ["bic", "ebic", "aic"] {
        let (learned, _) = run(&table, &format!("greedy:resolve:score={score}"));
        let found = learned.network.score.as_ref().unwrap();
        assert!(found.value.is_finite() && found.log_likelihood.is_finite());
    }
}

/// A queue's choices and the state of Sparse Candidate are not part of a checkpoint.
#[test]
fn runs_with_state_outside_the_checkpoint_are_not_resumed() {
    let (_, table) = common::linear_network(10, 80, 2.0, 5);
    for (words, resumable) in [
        ("ideal:search=sparse", false),
        ("ideal:illegal=drop", false),
        ("ideal:illegal=keep:forget", false),
        ("greedy:resolve", true),
    ] {
        let method = PaperMethod::parse(words, &LearnOptions::default()).unwrap();
        let mut kept = Checkpoints::default();
        let options = LearnOptions {
            search: SearchKind::Hill,
            ..LearnOptions::default()
        };
        idealparent::learn(&table, &options, &mut kept).unwrap();
        let resumed = learn_by(&method.faithful, &table, &options, kept.0.last(), &mut ());
        let problem = resumed.unwrap_err().to_string();
        let is_refused = problem == "a run of this strategy cannot be resumed from a checkpoint";
        assert_eq!(is_refused, !resumable, "{words}: {problem}");
    }
}
