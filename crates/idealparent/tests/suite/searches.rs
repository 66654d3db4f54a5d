//! All searches over linear and sigmoid networks: properties of their results, and resuming from
//! checkpoints.

use idealparent::learn::{Checkpoint, Observer};
use idealparent::score::ScoreKind;
use idealparent::search::{Ending, Step};
use idealparent::{LearnOptions, Learned, SearchKind, Structure, Table, learn};

const SEARCHES: [&str; 4] = ["hill", "tabu", "anneal", "order"];

fn options(words: &[(&str, &str)]) -> LearnOptions {
    let mut options = LearnOptions::default();
    for (key, value) in words {
        options.set(key, value).unwrap();
    }
    options
}

fn value(learned: &Learned) -> f64 {
    learned.network.score.as_ref().unwrap().value
}

fn file(learned: &Learned) -> String {
    learned.network.to_json().unwrap()
}

/// Small tables sampled from a linear network and from a network of sigmoids.
fn cases() -> Vec<(&'static str, Table)> {
    vec![
        ("linear", crate::common::linear_network(14, 80, 2.0, 3).1),
        (
            "sigmoid",
            crate::common::nonlinear::sigmoids(9, 70, 5, false),
        ),
    ]
}

/// For every K, no search returns a lower score than the hill climbing it starts from, and the
/// number of threads changes nothing.
#[test]
fn no_search_scores_lower_than_hill_climbing() {
    for (cpd, table) in cases() {
        for k in ["all", "1", "2", "auto"] {
            let hill = options(&[("cpd", cpd), ("k", k), ("search", "hill")]);
            let hill = learn(&table, &hill, &mut ()).unwrap();
            for search in SEARCHES {
                for restarts in ["0", "2"] {
                    let words = [
                        ("cpd", cpd),
                        ("k", k),
                        ("search", search),
                        ("restarts", restarts),
                    ];
                    let options = options(&words);
                    let mut files = Vec::new();
                    for threads in [1, 3] {
                        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                        let pool = pool.build().unwrap();
                        let learned = pool.install(|| learn(&table, &options, &mut ()).unwrap());
                        assert!(value(&learned) >= value(&hill) - 1e-6, "{words:?}");
                        assert_eq!(learned.ending, Ending::Maximum);
                        files.push((file(&learned), learned.evaluations, learned.moves));
                    }
                    assert_eq!(files[0], files[1], "{words:?}");
                }
            }
        }
    }
}

/// Every search satisfies the user's prior knowledge.
#[test]
fn constraints_hold_in_every_search() {
    let (_, table) = crate::common::linear_network(12, 60, 2.5, 8);
    let own = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let pair = |&(a, b): &(&str, &str)| (a.to_string(), b.to_string());
        pairs.iter().map(pair).collect()
    };
    let tier = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    for search in SEARCHES {
        let mut options = options(&[("search", search), ("restarts", "3"), ("score", "bic")]);
        options.require = own(&[("X3", "X1"), ("X1", "X7"), ("X9", "X3")]).into();
        options.forbid = own(&[("*", "X0"), ("X4", "X5"), ("X5", "X4")]).into();
        options.tiers = vec![tier(&["X2", "X6"]), tier(&["X8", "X10"])].into();
        options.max_parents = Some(3);
        let network = learn(&table, &options, &mut ()).unwrap().network;
        let dag = network.dag();
        for (parent, child) in [(3, 1), (1, 7), (9, 3)] {
            assert!(dag.has_edge(parent, child), "{search}");
        }
        assert!(dag.parents(0).is_empty(), "{search}");
        assert!(!dag.has_edge(4, 5) && !dag.has_edge(5, 4), "{search}");
        for (late, early) in [(8, 2), (8, 6), (10, 2), (10, 6)] {
            assert!(!dag.has_edge(late, early), "{search}");
        }
        assert!((0..12).all(|v| dag.parents(v).len() <= 3), "{search}");
    }
}

/// Keeps a checkpoint of every step, and stops the search after `patience` calls of `stop`.
#[derive(Default)]
struct Recorder {
    kept: Vec<String>,
    patience: Option<usize>,
    asked: usize,
    best: f64,
}

impl Observer for Recorder {
    fn started(&mut self, score: f64, _: usize) {
        self.best = score;
    }

    fn step(&mut self, step: &Step) {
        self.best = self.best.max(step.score);
    }

    fn stop(&mut self) -> bool {
        self.asked += 1;
        self.patience.is_some_and(|most| self.asked > most)
    }

    fn wants_checkpoint(&mut self, _last: bool) -> bool {
        true
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.kept.push(checkpoint.to_json());
    }
}

/// A search that is resumed from any checkpoint ends at the same network.
#[test]
fn resumed_searches_end_at_the_same_network() {
    for (cpd, table) in cases() {
        let variants = |search| ["2", "auto", "all"].map(|k| (k, search));
        for (k, search) in SEARCHES.iter().flat_map(variants) {
            let words = [
                ("cpd", cpd),
                ("k", k),
                ("search", *search),
                ("restarts", "2"),
                ("score", "bic"),
            ];
            let options = options(&words);
            let mut recorder = Recorder::default();
            let whole = learn(&table, &options, &mut recorder).unwrap();
            let count = recorder.kept.len();
            assert!(count > 5, "{words:?}");
            for at in (0..count).step_by(count.div_ceil(7)).chain([count - 1]) {
                let from = Checkpoint::from_json(&recorder.kept[at]).unwrap();
                let again = from.resume(&table, &options, &mut ()).unwrap();
                assert_eq!(
                    file(&again),
                    file(&whole),
                    "{words:?}, checkpoint {at} of {count}"
                );
                assert_eq!(again.moves, whole.moves);
            }
        }
    }
}

/// The last checkpoint of a run is that of a complete search. Resuming from it changes nothing, as
/// often as it is done.
#[test]
fn complete_searches_can_be_resumed_again_and_again() {
    let (_, table) = crate::common::linear_network(14, 80, 2.0, 3);
    for search in SEARCHES {
        for k in ["2", "auto"] {
            let words = [
                ("search", search),
                ("k", k),
                ("restarts", "2"),
                ("score", "bic"),
            ];
            let options = options(&words);
            let mut recorder = Recorder::default();
            let whole = learn(&table, &options, &mut recorder).unwrap();
            let last = recorder.kept.last().unwrap();
            let mut text = last.clone();
            for _ in 0..4 {
                let mut again = Recorder::default();
                let from = Checkpoint::from_json(&text).unwrap();
                let learned = from.resume(&table, &options, &mut again).unwrap();
                assert_eq!(file(&learned), file(&whole), "{words:?}");
                assert_eq!(learned.candidates, whole.candidates, "{words:?}");
                assert_eq!(again.kept, std::slice::from_ref(last), "{words:?}");
                text = again.kept.remove(0);
            }
        }
    }
}

/// Families of dense networks end in different maxima if they are grown anew. So a resumed search
/// must not do so in the middle of a sweep.
#[test]
fn searches_over_orders_resume_from_every_checkpoint_of_dense_networks() {
    let (_, linear) = crate::common::linear_network(24, 400, 9.0, 4);
    let curved = crate::common::nonlinear::sigmoids(10, 60, 6, true);
    for (table, words) in [
        (&linear, vec![("restarts", "0"), ("score", "bic")]),
        (
            &linear,
            vec![("restarts", "1"), ("measure", "tangent"), ("gamma", "0")],
        ),
        (
            &curved,
            vec![("restarts", "1"), ("cpd", "sigmoid"), ("score", "aic")],
        ),
    ] {
        let options = options(&[&words[..], &[("search", "order")]].concat());
        let mut recorder = Recorder::default();
        let whole = learn(table, &options, &mut recorder).unwrap();
        for (at, text) in recorder.kept.iter().enumerate() {
            let from = Checkpoint::from_json(text).unwrap();
            let again = from.resume(table, &options, &mut ()).unwrap();
            assert_eq!(file(&again), file(&whole), "{words:?}, checkpoint {at}");
            assert_eq!(again.moves, whole.moves);
            assert_eq!(again.rounds, whole.rounds);
        }
    }
}

/// Resumed searches end at the same network if the lists of candidates depend on earlier steps, and
/// if estimates are inaccurate.
#[test]
fn larger_resumed_searches_end_at_the_same_network() {
    let (_, table) = crate::common::linear_network(50, 120, 2.0, 7);
    for words in [
        [
            ("search", "anneal"),
            ("method", "greedy"),
            ("score", "bic"),
            ("restarts", "1"),
        ],
        [
            ("search", "hill"),
            ("k", "auto"),
            ("measure", "c1"),
            ("restarts", "8"),
        ],
        [
            ("search", "tabu"),
            ("k", "auto"),
            ("measure", "c2"),
            ("restarts", "3"),
        ],
        [
            ("search", "hill"),
            ("method", "greedy"),
            ("perturb", "9"),
            ("restarts", "9"),
        ],
        [
            ("search", "order"),
            ("k", "auto"),
            ("measure", "c1"),
            ("restarts", "2"),
        ],
    ] {
        let options = options(&words);
        let mut recorder = Recorder::default();
        let whole = learn(&table, &options, &mut recorder).unwrap();
        let count = recorder.kept.len();
        for at in (0..count).step_by(count.div_ceil(9)) {
            let from = Checkpoint::from_json(&recorder.kept[at]).unwrap();
            let mut second = Recorder::default();
            let again = from.resume(&table, &options, &mut second).unwrap();
            assert_eq!(
                file(&again),
                file(&whole),
                "{words:?}, checkpoint {at} of {count}"
            );
            assert!(again.evaluations.all >= whole.evaluations.all, "{words:?}");
            // Interrupted a second time.
            let from = Checkpoint::from_json(&second.kept[second.kept.len() / 2]).unwrap();
            let again = from.resume(&table, &options, &mut ()).unwrap();
            assert_eq!(file(&again), file(&whole), "{words:?}, twice after {at}");
        }
    }
}

/// With nearly collinear columns, some moves that are proposed cannot be fitted.
#[test]
fn nearly_collinear_columns_can_be_searched() {
    let (_, table) = crate::common::linear_network(8, 40, 2.0, 3);
    let mut columns = table.columns().to_vec();
    for v in 0..4 {
        let tiny = |t: usize| 2e-5 * (t as f64 * (v + 1) as f64).sin();
        let sum = (0..40).map(|t| columns[v][t] + columns[v + 1][t] + tiny(t));
        columns.push(sum.collect());
        columns.push((0..40).map(|t| columns[v][t] + 0.7 * tiny(t)).collect());
    }
    let table = Table::new(crate::common::names(columns.len()), columns).unwrap();
    for search in SEARCHES {
        for method in ["greedy", "ideal"] {
            for (score, seed) in [("bic", 1), ("aic", 2), ("bge", 3)] {
                let words = [
                    ("search", search),
                    ("method", method),
                    ("score", score),
                    ("restarts", "10"),
                ];
                let mut options = options(&words);
                options.seed = seed;
                let learned = learn(&table, &options, &mut ()).unwrap();
                assert!(value(&learned).is_finite(), "{words:?}");
            }
        }
    }
}

/// Wherever a search is stopped, it returns the best network so far, and a run that is resumed from
/// its last checkpoint ends at the same network.
#[test]
fn stopped_searches_return_the_best_so_far() {
    let (_, table) = crate::common::linear_network(14, 80, 2.0, 3);
    for search in SEARCHES {
        let options = options(&[("search", search), ("restarts", "2"), ("score", "bic")]);
        let mut all = Recorder::default();
        let whole = learn(&table, &options, &mut all).unwrap();
        for part in 0..12 {
            let mut recorder = Recorder {
                patience: Some(part * all.asked / 12),
                ..Recorder::default()
            };
            let learned = learn(&table, &options, &mut recorder).unwrap();
            assert_eq!(learned.ending, Ending::Stopped, "{search} {part}");
            let score = value(&learned);
            assert!(
                score >= recorder.best - 1e-6,
                "{search} {part}: {score}, {}",
                recorder.best
            );
            if let Some(last) = recorder.kept.last() {
                let from = Checkpoint::from_json(last).unwrap();
                let again = from.resume(&table, &options, &mut ()).unwrap();
                assert_eq!(file(&again), file(&whole), "{search} {part}");
            }
        }
    }
}

/// A checkpoint can only be resumed with its data and options, and if it is not damaged.
#[test]
fn checkpoints_of_other_runs_and_damaged_ones_are_refused() {
    let (_, table) = crate::common::linear_network(10, 60, 2.0, 1);
    let (_, other) = crate::common::linear_network(10, 60, 2.0, 2);
    let mut recorder = Recorder::default();
    let usual = options(&[]);
    learn(&table, &usual, &mut recorder).unwrap();
    let text = &recorder.kept[recorder.kept.len() / 2];
    let from = Checkpoint::from_json(text).unwrap();
    let refused = |table: &Table, options: &LearnOptions| {
        let error = from.resume(table, options, &mut ()).unwrap_err();
        error.to_string().contains("different data or options")
    };
    assert!(refused(&other, &usual));
    for word in [
        ("score", "bic"),
        ("search", "hill"),
        ("restarts", "3"),
        ("k", "1"),
        ("gamma", "1"),
    ] {
        assert!(refused(&table, &options(&[word])), "{word:?}");
    }
    let mut seeded = options(&[]);
    seeded.seed = 1;
    assert!(refused(&table, &seeded));
    let problem = |text: &str| Checkpoint::from_json(text).unwrap_err().to_string();
    assert_eq!(problem("{}"), "this is not a checkpoint file");
    assert_eq!(problem(""), "this is not a checkpoint file");
    for length in [text.len() - 9, text.len() / 2, 40] {
        assert_eq!(
            problem(&text[..length]),
            "a damaged checkpoint (delete it to start again)"
        );
    }
    assert!(problem(&text.replacen("\"version\":5", "\"version\":9", 1)).contains("version 9"));
    // A changed digit.
    let digit = text.replacen("\"moves\":", "\"moves\":1", 1);
    assert_eq!(
        problem(&digit),
        "a damaged checkpoint (delete it to start again)"
    );
    // Invalid contents with a valid checksum: a cycle, unknown variables, impossible numbers.
    let body = text.lines().next().unwrap();
    let value: serde_json::Value = serde_json::from_str(body).unwrap();
    for (place, with) in [
        ("/search", "null"),
        ("/search/current", "[[0,1],[1,0]]"),
        ("/search/current", "[[0,77]]"),
        ("/search/best", "[[0,1],[1,2],[2,0]]"),
        ("/search/mark", "[[3,3]]"),
        ("/search/round", "9223372036854775808"),
        ("/price", "null"),
        ("/price/tried", "[]"),
        ("/price/tried", "[-1.0]"),
        ("/search/memory/auto/oldest", "1000000"),
        (
            "/search/stage",
            "{\"Tabu\":{\"step\":1,\"reached\":5,\"changed\":[]}}",
        ),
        (
            "/search/stage",
            "{\"Order\":{\"order\":[0,0,1],\"families\":[],\"is_fresh\":true,\"next\":0,\"quiet\":0}}",
        ),
    ] {
        let mut broken = value.clone();
        *broken.pointer_mut(place).unwrap() = serde_json::from_str(with).unwrap();
        let text = Checkpoint::with_checksum(&broken.to_string());
        let from = Checkpoint::from_json(&text).unwrap();
        let error = from.resume(&table, &usual, &mut ()).unwrap_err();
        assert!(error.to_string().contains("damaged"), "{place}: {error}");
    }
}

#[test]
fn auto_reports_the_chosen_search() {
    let (_, table) = crate::common::linear_network(10, 60, 2.0, 1);
    let learned = learn(&table, &options(&[]), &mut ()).unwrap();
    assert_eq!(learned.search, SearchKind::Exact);
    assert!(learned.optimal);
    let fixed = options(&[("gamma", "1")]);
    let learned = learn(&table, &fixed, &mut ()).unwrap();
    assert!(learned.optimal && learned.rounds == 1);
    let (_, larger) = crate::common::linear_network(30, 60, 2.0, 1);
    let learned = learn(&larger, &options(&[]), &mut ()).unwrap();
    assert_eq!(learned.search, SearchKind::Order);
    assert!(learned.rounds > 50, "{}", learned.rounds);
    // A choice of moves needs hill climbing.
    let learned = learn(&table, &options(&[("moves", "add,delete")]), &mut ()).unwrap();
    assert_eq!(learned.search, SearchKind::Hill);
    // With many parents and instances, fits are expensive.
    let (_, dense) = crate::common::linear_network(60, 200, 20.0, 1);
    let expensive = options(&[
        ("cpd", "sigmoid"),
        ("score", "aic"),
        ("method", "greedy"),
        ("max-parents", "6"),
    ]);
    let learned = learn(&dense, &expensive, &mut ()).unwrap();
    assert_eq!(learned.search, SearchKind::Hill);
}

/// On sparse networks, the search over orders scores at least as high as the true network.
#[test]
fn searches_over_orders_reach_the_score_of_the_true_network() {
    for seed in [1, 2, 3] {
        let (dag, table) = crate::common::linear_network(40, 300, 2.0, seed);
        let mut words = options(&[]);
        words.score = ScoreKind::Ebic;
        let learned = learn(&table, &words, &mut ()).unwrap();
        let name = |v: usize| table.names()[v].clone();
        let edges: Vec<_> = dag.edges().map(|(p, c)| (name(p), name(c))).collect();
        let truth = idealparent::fit(&table, &Structure::of_edges(edges), &words);
        let truth = truth.unwrap().network.score.unwrap().value;
        assert!(value(&learned) >= truth - 1e-6, "seed {seed}");
    }
}
