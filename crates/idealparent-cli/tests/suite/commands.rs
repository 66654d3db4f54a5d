//! The other commands: the form of their output, and that it is correct.

use crate::common::{Folder, assert_finite, cells, close, keys, tree};
use serde_json::{Value, json};

/// A network A -> B with round numbers.
fn pair() -> String {
    json!({
        "format": "idealparent-network",
        "version": 1,
        "variables": [{"name": "A"}, {"name": "B"}],
        "families": [
            {"variable": "A", "parents": [],
             "cpd": {"type": "linear", "intercept": 1.0, "weights": [], "variance": 2.0}},
            {"variable": "B", "parents": ["A"],
             "cpd": {"type": "linear", "intercept": -1.0, "weights": [0.5], "variance": 0.5}},
        ],
    })
    .to_string()
}

fn numbers(row: &[&str]) -> Vec<f64> {
    row.iter()
        .map(|cell| cell.parse().expect("a number"))
        .collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn score_prints_the_total_and_the_parts() {
    let folder = Folder::with_data();
    let net = folder.learn("data.tsv", &["-q", "--gamma", "1"]);
    let report = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    assert_eq!(keys(&report["per_variable"]), net.names());
    assert!(report["log_likelihood"].is_number() && report["score"].is_number());
    let text = folder.ok(&["score", "net.json", "data.tsv"]);
    assert!(text.starts_with("log-likelihood -") && text.contains("\nscore (ebic) -"));
    assert!(text.contains("\nvariable\tlog_likelihood\nV0\t-"));
    // BIC is higher than EBIC by the price of the edges.
    let bic = folder.ok_json(&["score", "net.json", "data.tsv", "--json", "--score", "bic"]);
    let price = 6f64.ln() * net.edges().len() as f64;
    assert!(close(
        &bic["score"],
        &(report["score"].as_f64().unwrap() + price).into()
    ));
    assert_eq!(bic["log_likelihood"], report["log_likelihood"]);
    // Additional columns and the order of columns do not matter.
    let names = ["V5", "extra", "V4", "V3", "V2", "V1", "V0"];
    let rows = crate::common::tree_rows(6, 60).into_iter();
    let mixed: Vec<Vec<f64>> = rows
        .map(|r| vec![r[5], 7.0, r[4], r[3], r[2], r[1], r[0]])
        .collect();
    folder.write("mixed.csv", crate::common::table(&names, &mixed, ','));
    assert_eq!(
        folder.ok_json(&["score", "net.json", "mixed.csv", "--json"]),
        report
    );
}

#[test]
fn score_integrates_missing_values_out_exactly() {
    let folder = Folder::with(&[("net.json", &pair()), ("data.csv", "A,B\n3,\n,2\n,\n")]);
    let report = folder.ok_json(&["score", "net.json", "data.csv", "--json"]);
    let density = |x: f64, mean: f64, variance: f64| {
        -0.5 * ((std::f64::consts::TAU * variance).ln() + (x - mean).powi(2) / variance)
    };
    let expected = density(3.0, 1.0, 2.0) + density(2.0, -0.5, 1.0);
    assert!(near(report["log_likelihood"].as_f64().unwrap(), expected));
    assert_eq!(report["instances"], 2);
}

#[test]
fn fit_keeps_the_structure_and_finds_the_parameters() {
    let folder = Folder::with_data();
    let learned = folder.learn("data.tsv", &["-q"]);
    let edges: String = learned
        .edges()
        .iter()
        .map(|(from, to)| format!("{from}\t{to}\n"))
        .collect();
    folder.write("edges.tsv", format!("from\tto\n{edges}"));
    for structure in ["net.json", "edges.tsv"] {
        let args = ["fit", structure, "data.tsv", "-o", "fitted.json", "--json"];
        let report = folder.ok_json(&args);
        assert_finite(&report, "report");
        let fitted = folder.net("fitted.json");
        assert_eq!(fitted.0["families"], learned.0["families"], "{structure}");
        assert_eq!(fitted.0["score"], learned.0["score"]);
    }
    // A network file lists its variables, and other columns are ignored.
    folder.write("wide.tsv", tree(9, 60));
    folder.ok(&["fit", "net.json", "wide.tsv", "-o", "fitted.json", "-q"]);
    assert_eq!(folder.net("fitted.json").names().len(), 6);
    folder.ok(&["fit", "edges.tsv", "wide.tsv", "-o", "fitted.json", "-q"]);
    assert_eq!(folder.net("fitted.json").names().len(), 9);
}

#[test]
fn samples_are_the_same_for_the_same_seed() {
    let folder = Folder::with_data();
    let net = folder.learn("data.tsv", &["-q"]);
    let draw = |seed| folder.ok(&["sample", "net.json", "-n", "20", "--seed", seed]);
    assert_eq!(draw("1"), draw("1"));
    assert_ne!(draw("1"), draw("2"));
    let text = draw("1");
    let drawn = cells(&text);
    assert_eq!(drawn[0], net.names());
    assert_eq!(drawn.len(), 21);
    folder.ok(&[
        "sample",
        "net.json",
        "-n",
        "20",
        "--seed",
        "1",
        "-o",
        "sample.tsv",
    ]);
    assert_eq!(folder.read("sample.tsv"), text);
    folder.ok(&[
        "sample",
        "net.json",
        "-n",
        "20",
        "--seed",
        "1",
        "-o",
        "sample.csv",
    ]);
    assert_eq!(folder.read("sample.csv"), text.replace('\t', ","));
    assert_eq!(folder.ok(&["sample", "net.json"]).lines().count(), 1001);
}

#[test]
fn samples_come_from_the_network() {
    let folder = Folder::with(&[("net.json", &pair())]);
    folder.ok(&["sample", "net.json", "-n", "20000", "-o", "sample.tsv"]);
    folder.ok(&["fit", "net.json", "sample.tsv", "-o", "fitted.json", "-q"]);
    let fitted = folder.net("fitted.json");
    let found = |name: &str, key: &str| fitted.family(name)["cpd"][key].as_f64().unwrap();
    assert!((found("A", "intercept") - 1.0).abs() < 0.05);
    assert!((found("A", "variance") - 2.0).abs() < 0.1);
    assert!((found("B", "intercept") + 1.0).abs() < 0.05);
    assert!((found("B", "variance") - 0.5).abs() < 0.05);
    let weight = fitted.family("B")["cpd"]["weights"][0].as_f64().unwrap();
    assert!((weight - 0.5).abs() < 0.02);
}

#[test]
fn predictions_are_posteriors() {
    let folder = Folder::with(&[("net.json", &pair()), ("data.csv", "B,A\n0.5,2\n,4\n1,\n")]);
    let predict = |target: &str| folder.run(&["predict", "net.json", "data.csv", target]);
    let child = predict("B");
    assert_eq!(child.err, "");
    let child = cells(&child.out);
    assert_eq!(child[0], ["mean", "sd"]);
    // Given A, B has mean -1 + A/2 and variance 1/2; without A, mean -1/2 and variance 1.
    for (row, (mean, sd)) in
        child[1..]
            .iter()
            .zip([(0.0, 0.5f64.sqrt()), (1.0, 0.5f64.sqrt()), (-0.5, 1.0)])
    {
        assert!(
            near(numbers(row)[0], mean) && near(numbers(row)[1], sd),
            "{row:?}"
        );
    }
    // Given B, A has variance 1 and mean 1 + (B + 1/2).
    let parent = predict("A").out;
    for (row, (mean, sd)) in
        cells(&parent)[1..]
            .iter()
            .zip([(2.0, 1.0), (1.0, 2f64.sqrt()), (2.5, 1.0)])
    {
        assert!(
            near(numbers(row)[0], mean) && near(numbers(row)[1], sd),
            "{row:?}"
        );
    }
    folder.ok(&["predict", "net.json", "data.csv", "A", "-o", "p.csv"]);
    assert!(folder.read("p.csv").starts_with("mean,sd\n"));
    // Variables not in the data are treated as missing, but at least one must be there.
    folder.write("other.csv", "X\n1\n2\n");
    folder.fails(
        &["predict", "net.json", "other.csv", "A"],
        1,
        "the data have none of the network's other variables",
    );
}

#[test]
fn rank_puts_the_largest_change_first() {
    let folder = Folder::with(&[("data.tsv", &tree(8, 80))]);
    let net = folder.learn("data.tsv", &["-q"]);
    let child = "V2";
    let text = folder.ok(&["rank", "net.json", "data.tsv", child]);
    let rows = cells(&text);
    assert_eq!(
        rows[0],
        ["candidate", "c1", "c2", "tangent", "delta", "legal"]
    );
    let mut before = f64::INFINITY;
    for row in &rows[1..] {
        let [c1, c2, tangent, delta] = numbers(&row[1..5])[..] else {
            panic!("{row:?}");
        };
        assert!(delta <= before && delta >= 0.0);
        // For linear CPDs the tangent measure is the exact change, and C1 and C2 are at most that.
        assert!(
            (tangent - delta).abs() < 1e-5 && c1 <= c2 + 1e-6 && c2 <= delta + 1e-6,
            "{row:?}"
        );
        before = delta;
    }
    let candidates: Vec<&str> = rows[1..].iter().map(|row| row[0]).collect();
    let is_candidate = |name: &&str| *name != child && !net.has(name, child);
    assert_eq!(
        candidates.len(),
        net.names().iter().filter(|name| is_candidate(name)).count()
    );
    assert!(candidates.iter().all(is_candidate));
    for row in &rows[1..] {
        assert!(
            !net.has(child, row[0]) || row[5] == "no",
            "a child cannot become a parent"
        );
    }
    let list = folder.ok_json(&["rank", "net.json", "data.tsv", child, "--json"]);
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), candidates.len());
    for (item, row) in list.iter().zip(&rows[1..]) {
        assert_eq!(keys(item), rows[0]);
        assert_eq!(item["candidate"], row[0]);
        assert!(item["legal"].is_boolean());
        assert_finite(item, "rank");
    }
}

#[test]
fn compare_counts_the_differences() {
    let folder = Folder::with(&[
        ("a.tsv", "from\tto\nA\tB\nB\tC\nC\tD\n"),
        ("b.tsv", "from\tto\nB\tA\nB\tC\nE\tD\n"),
    ]);
    let report = folder.ok_json(&["compare", "a.tsv", "b.tsv", "--json"]);
    assert_eq!(keys(&report), ["skeleton", "directed", "cpdag"]);
    for kind in ["skeleton", "directed", "cpdag"] {
        assert_eq!(keys(&report[kind]), ["shd", "precision", "recall", "f1"]);
        assert!(
            report[kind]
                .as_object()
                .unwrap()
                .values()
                .all(Value::is_number)
        );
    }
    assert_eq!(
        (&report["skeleton"]["shd"], &report["directed"]["shd"]),
        (&json!(2), &json!(3))
    );
    assert!(near(
        report["skeleton"]["precision"].as_f64().unwrap(),
        2.0 / 3.0
    ));
    assert!(near(
        report["directed"]["recall"].as_f64().unwrap(),
        1.0 / 3.0
    ));
    let run = folder.run(&["compare", "a.tsv", "b.tsv"]);
    assert_eq!(run.err, "note: only in one of the two networks: E\n");
    let first: Vec<&str> = run
        .out
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(first, ["SHD", "skeleton", "directed", "CPDAG"]);
    folder.write("cycle.tsv", "from\tto\nA\tB\nB\tA\n");
    folder.fails(
        &["compare", "a.tsv", "cycle.tsv"],
        1,
        "cycle.tsv: the edges form a cycle: A -> B -> A (a Bayesian network must be acyclic; remove one of these edges)",
    );
}

#[test]
fn compare_reads_networks_edges_and_pipes() {
    let folder = Folder::with_data();
    let net = folder.learn("data.tsv", &["-q"]);
    let edges: String = net
        .edges()
        .iter()
        .map(|(from, to)| format!("{from},{to}\n"))
        .collect();
    folder.write("edges.csv", format!("from,to\n{edges}"));
    let same = folder.ok_json(&["compare", "net.json", "edges.csv", "--json"]);
    assert_eq!(
        same["directed"],
        json!({"shd": 0, "precision": 1.0, "recall": 1.0, "f1": 1.0})
    );
    #[cfg(unix)]
    {
        // A pipe can be read only once.
        let text = format!("from,to\n{edges}");
        let args = ["compare", "net.json", "/dev/stdin", "--json"];
        let run = folder.run_with(&args, text.as_bytes());
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(serde_json::from_str::<Value>(&run.out).unwrap(), same);
    }
}

#[test]
fn cv_compares_methods_on_the_same_folds() {
    let folder = Folder::with(&[("data.tsv", &tree(6, 50))]);
    let methods = "greedy ideal:k=1:measure=c2 ideal:k=all";
    let args = ["cv", "data.tsv", "--folds", "3", "--methods", methods];
    let list = folder.ok_json(&[args.as_slice(), &["--json"]].concat());
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), 9);
    for (index, item) in list.iter().enumerate() {
        for key in [
            "method",
            "fold",
            "train",
            "test",
            "edges",
            "moves",
            "evaluations",
            "seconds",
        ] {
            assert!(item.get(key).is_some(), "{key}");
        }
        assert_eq!(item["method"], methods.split(' ').nth(index % 3).unwrap());
        assert_eq!(item["fold"], index / 3 + 1);
        assert_finite(item, "cv");
        assert!(item["train"].as_f64() > item["test"].as_f64());
    }
    for fold in list.chunks(3) {
        assert!(
            close(&fold[0]["test"], &fold[2]["test"]),
            "greedy and k=all must agree"
        );
    }
    let text = folder.ok(&args);
    let mut lines = text.lines();
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(lines.next().unwrap()),
        [
            "method", "train", "test", "edges", "moves", "eval", "seconds"
        ]
    );
    assert!(text.contains("\ngreedy") && text.contains("\nideal:k=1:measure=c2"));
    let other = ["--json", "--seed", "2"];
    let other = folder.ok_json(&[args.as_slice(), &other].concat());
    assert_ne!(
        other[0]["test"], list[0]["test"],
        "another seed gives other folds"
    );
    let args = [args.as_slice(), &["--time-limit", "0"]].concat();
    folder.fails(&args, 1, "no fold was finished in time");
}
