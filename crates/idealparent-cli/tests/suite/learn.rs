//! `learn`: its printed numbers, network file and trace agree.

use crate::common::{Folder, assert_finite, close, keys, table, tree, tree_rows};
use serde_json::Value;

#[test]
fn json_has_exactly_these_keys() {
    let folder = Folder::with_data();
    let report = folder.ok_json(&["learn", "data.tsv", "-o", "net.json", "--json"]);
    let expected = [
        "score",
        "log_likelihood",
        "dimension",
        "edges",
        "moves",
        "evaluations",
        "evaluations_all",
        "seconds",
        "variables",
        "instances",
        "missing",
        "hidden",
        "hidden_tried",
        "rounds",
        "iterations",
        "rejected",
        "candidates",
        "scans",
        "scan_misses",
        "clamped",
        "optimal",
    ];
    assert_eq!(keys(&report), expected);
    assert!(expected[..20].iter().all(|key| report[key].is_number()));
    assert_eq!(report["optimal"], true);
    let net = folder.net("net.json");
    assert_eq!(report["edges"], net.edges().len());
    assert_eq!(report["dimension"], 2 * 6 + net.edges().len());
    for (key, value) in [
        ("variables", 6),
        ("instances", 60),
        ("missing", 0),
        ("hidden", 0),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    assert_eq!(report["score"], net.0["score"]["value"]);
    assert_eq!(report["log_likelihood"], net.0["score"]["log_likelihood"]);
    assert!(report["evaluations"].as_u64() <= report["evaluations_all"].as_u64());
}

#[test]
fn a_tree_is_found_from_its_data() {
    let folder = Folder::with(&[("data.tsv", &tree(6, 400))]);
    folder.write(
        "truth.tsv",
        "from\tto\nV0\tV1\nV1\tV2\nV1\tV3\nV2\tV4\nV2\tV5\n",
    );
    folder.learn("data.tsv", &["-q"]);
    let found = folder.ok_json(&["compare", "net.json", "truth.tsv", "--json"]);
    assert_eq!(
        (&found["skeleton"]["shd"], &found["cpdag"]["shd"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn the_result_does_not_depend_on_threads() {
    for options in [
        ["--method", "ideal"].as_slice(),
        &["--method", "greedy", "--cpd", "sigmoid"],
    ] {
        let folder = Folder::with(&[("data.tsv", &tree(40, 50))]);
        let text = |threads| {
            folder.learn("data.tsv", &[&["--threads", threads], options].concat());
            folder.read("net.json")
        };
        let one = text("1");
        assert_eq!(one, text("2"));
        assert_eq!(one, text("7"));
    }
}

#[test]
fn scores_agree_between_summary_file_trace_and_score() {
    let folder = Folder::with(&[("data.tsv", &tree(8, 40))]);
    for options in [
        ["--score", "ebic"].as_slice(),
        &["--score", "ebic", "--gamma", "0.5", "--penalty", "2"],
        &["--score", "bic", "--method", "greedy"],
        &["--score", "aic", "--measure", "c1", "-k", "1"],
        &["--score", "bge"],
        &["--score", "bge", "--alpha-w", "12.5"],
        &["--score", "ebic", "--standardize"],
        &["--score", "bge", "--standardize"],
        &["--score", "bic", "--exp2"],
    ] {
        let start = [
            "learn",
            "data.tsv",
            "-o",
            "net.json",
            "--json",
            "--trace",
            "trace.jsonl",
        ];
        let report = folder.ok_json(&[&start, options].concat());
        assert_finite(&report, "report");
        let net = folder.net("net.json").0;
        assert_finite(&net, "net.json");
        assert_eq!(report["score"], net["score"]["value"]);
        let trace = folder.read("trace.jsonl");
        let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
        assert!(close(&last["score"], &report["score"]), "{options:?}");
        assert_eq!(last["step"], report["moves"]);
        assert_eq!(last["evaluations"], report["evaluations"]);
        // By default `score` uses the score that the network was learned with.
        let again = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
        assert!(close(&again["score"], &report["score"]), "{options:?}");
        assert!(
            close(&again["log_likelihood"], &report["log_likelihood"]),
            "{options:?}"
        );
        let parts: f64 = again["per_variable"]
            .as_object()
            .unwrap()
            .values()
            .map(|v| v.as_f64().unwrap())
            .sum();
        assert!(
            close(&parts.into(), &report["log_likelihood"]),
            "{options:?}"
        );
    }
}

#[test]
fn greedy_and_all_candidates_give_the_same_score() {
    let folder = Folder::with(&[("data.tsv", &tree(10, 80))]);
    let score = |options: &[&str]| {
        let args = [&["learn", "data.tsv", "--json"], options].concat();
        folder.ok_json(&args)["score"].clone()
    };
    for search in ["hill", "tabu", "order"] {
        let score = |options: &[&str]| score(&[&["--search", search], options].concat());
        let greedy = score(&["--method", "greedy"]);
        assert!(close(&greedy, &score(&["-k", "all"])));
        assert!(close(&greedy, &score(&["-k", "99"])));
    }
}

#[test]
fn a_trace_has_every_step() {
    let folder = Folder::with(&[("data.tsv", &tree(10, 60))]);
    // A start against the direction of the tree needs other moves than adding edges.
    folder.write("start.tsv", "from\tto\nV9\tV0\nV8\tV0\nV7\tV1\nV6\tV2\n");
    let args = [
        "--start",
        "start.tsv",
        "--search",
        "hill",
        "--gamma",
        "1",
        "--trace",
        "trace.jsonl",
        "-q",
    ];
    let net = folder.learn("data.tsv", &args);
    let trace = folder.read("trace.jsonl");
    let steps: Vec<Value> = trace
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut edges = vec![("V9", "V0"), ("V8", "V0"), ("V7", "V1"), ("V6", "V2")];
    let mut before: Option<f64> = None;
    for (index, step) in steps.iter().enumerate() {
        assert_eq!(
            keys(step),
            [
                "step",
                "move",
                "child",
                "parent",
                "replaced",
                "delta",
                "score",
                "evaluations"
            ]
        );
        assert_eq!(step["step"], index + 1);
        let [delta, score] = ["delta", "score"].map(|key| step[key].as_f64().unwrap());
        assert!(delta > 0.0);
        assert!(before.is_none_or(|before| (score - before - delta).abs() < 1e-6));
        before = Some(score);
        let [child, parent] = ["child", "parent"].map(|key| step[key].as_str().unwrap());
        let mut remove = |edge| {
            let at = edges.iter().position(|&own| own == edge);
            edges.remove(at.expect("the removed edge exists"));
        };
        match step["move"].as_str().unwrap() {
            "add" => edges.push((parent, child)),
            "delete" => remove((parent, child)),
            "reverse" => {
                remove((parent, child));
                edges.push((child, parent));
            }
            "replace" => {
                remove((step["replaced"].as_str().unwrap(), child));
                edges.push((parent, child));
            }
            other => panic!("{other}"),
        }
        assert_eq!(step["replaced"].is_string(), step["move"] == "replace");
    }
    let mut learned = net.edges();
    learned.sort();
    edges.sort();
    assert_eq!(learned, edges, "the trace leads to the network");
}

#[test]
fn with_a_time_limit_of_zero_a_network_is_still_written() {
    let folder = Folder::with_data();
    let args = [
        "learn",
        "data.tsv",
        "-o",
        "net.json",
        "--time-limit",
        "0",
        "--json",
    ];
    let run = folder.run(&args);
    assert_eq!(run.code, 0);
    assert_eq!(
        run.err,
        "note: the time limit was reached: this is the best network so far\n"
    );
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&report["moves"], &report["edges"]), (&0.into(), &0.into()));
    assert_eq!(folder.net("net.json").edges(), []);
    folder.ok(&["score", "net.json", "data.tsv"]);
    let run = folder.run(&["learn", "data.tsv", "--time-limit", "600"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

#[test]
fn exp2_learns_from_powers_of_two() {
    let folder = Folder::with(&[("data.tsv", &tree(4, 50))]);
    let powers: Vec<Vec<f64>> = tree_rows(4, 50)
        .into_iter()
        .map(|row| row.into_iter().map(f64::exp2).collect())
        .collect();
    folder.write(
        "powers.tsv",
        table(&["V0", "V1", "V2", "V3"], &powers, '\t'),
    );
    let raised = folder.learn("data.tsv", &["--exp2", "-q"]);
    assert_eq!(raised.0["transform"], "exp2");
    let plain = folder.learn("powers.tsv", &["-q"]);
    assert_eq!(raised.edges(), plain.edges());
    assert!(close(
        &raised.0["score"]["value"],
        &plain.0["score"]["value"]
    ));
}
