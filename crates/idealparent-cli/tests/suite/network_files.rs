//! The network file: its content, and errors on reading.

use crate::common::{Folder, assert_finite, keys};
use serde_json::{Value, json};

/// A small valid network.
fn valid() -> Value {
    json!({
        "format": "idealparent-network",
        "version": 1,
        "transform": "none",
        "variables": [
            {"name": "A", "hidden": false},
            {"name": "B", "hidden": false},
            {"name": "C", "hidden": false},
        ],
        "families": [
            {"variable": "A", "parents": [], "cpd": root()},
            {"variable": "B", "parents": ["A"], "cpd": linear(&[0.5])},
            {"variable": "C", "parents": ["A", "B"], "cpd": linear(&[1.0, -1.0])},
        ],
    })
}

fn root() -> Value {
    linear(&[])
}

fn linear(weights: &[f64]) -> Value {
    json!({"type": "linear", "intercept": 1.0, "weights": weights, "variance": 2.0})
}

const DATA: &str = "A\tB\tC\n1\t2\t3\n2\t1\t0\n0\t0\t1\n4\t2\t2\n1\t5\t1\n";

/// Asserts that every command that reads networks refuses the text with this line.
fn refused_text(text: &str, line: &str) {
    let folder = Folder::with(&[("data.tsv", DATA), ("net.json", text)]);
    for args in [
        ["score", "net.json", "data.tsv"].as_slice(),
        &["rank", "net.json", "data.tsv", "A"],
        &["predict", "net.json", "data.tsv", "A", "-o", "p.tsv"],
        &["sample", "net.json", "-o", "sample.tsv"],
        &["export", "net.json", "--format", "dot", "-o", "net.dot"],
    ] {
        folder.fails(args, 1, &format!("net.json: {line}"));
    }
}

/// Asserts that the valid network, after this change, is refused with this line.
fn refused(change: impl FnOnce(&mut Value), line: &str) {
    let mut network = valid();
    change(&mut network);
    refused_text(&network.to_string(), line);
}

#[test]
fn a_valid_file_is_read() {
    let folder = Folder::with(&[("data.tsv", DATA), ("net.json", &valid().to_string())]);
    let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    // Residuals of A: 0 1 -1 3 0; of B: .5 -1 -1 -1 3.5; of C: 3 -2 0 -1 4.
    let squares = [11.0, 0.25 + 3.0 + 12.25, 9.0 + 4.0 + 1.0 + 16.0];
    for (name, square) in ["A", "B", "C"].into_iter().zip(squares) {
        let expected = -2.5 * (4.0 * std::f64::consts::PI).ln() - square / 4.0;
        let found = score["per_variable"][name].as_f64().unwrap();
        assert!(
            (found - expected).abs() < 1e-9,
            "{name}: {found} {expected}"
        );
    }
    assert_eq!(score["dimension"], 9);
    // A byte-order mark, which some editors write, is ignored.
    folder.write("net.json", format!("\u{feff}{}", valid()));
    folder.ok(&["score", "net.json", "data.tsv"]);
}

#[test]
fn invalid_structures_are_refused() {
    refused(
        |n| {
            n["families"][0]["parents"] = json!(["C"]);
            n["families"][0]["cpd"] = linear(&[1.0]);
        },
        "the network has a cycle: A -> B -> C -> A",
    );
    refused(
        |n| n["families"][1]["parents"] = json!(["B"]),
        "the network has a cycle: B -> B",
    );
    refused(
        |n| n["families"][1]["parents"] = json!(["X"]),
        "'B' has the unknown parent 'X'",
    );
    refused(
        |n| n["families"][2]["parents"] = json!(["A", "A"]),
        "'C' has the parent 'A' twice",
    );
    refused(
        |n| n["variables"][1]["name"] = json!("A"),
        "two variables are called 'A'",
    );
    refused(
        |n| drop(n["families"].as_array_mut().unwrap().pop()),
        "'C' has no family",
    );
    refused(
        |n| n["families"][2] = n["families"][1].clone(),
        "'B' has two families",
    );
    refused(
        |n| n["families"][2]["variable"] = json!("X"),
        "a family of the unknown variable 'X'",
    );
    refused(
        |n| n["families"][1]["inactive"] = json!(true),
        "'B' is inactive but has parents",
    );
    refused(
        |n| n["families"][2]["strengths"] = json!([1.0]),
        "'C': 2 parents but 1 strength",
    );
}

#[test]
fn invalid_densities_are_refused() {
    refused(
        |n| n["families"][2]["cpd"] = linear(&[1.0]),
        "'C': 2 parents but 1 weight",
    );
    refused(
        |n| n["families"][0]["cpd"] = linear(&[1.0]),
        "'A': 0 parents but 1 weight",
    );
    for (variance, shown) in [(0.0, "0"), (-1.5, "-1.5")] {
        refused(
            |n| n["families"][1]["cpd"]["variance"] = json!(variance),
            &format!("'B': variance {shown} is not above 0"),
        );
    }
    refused(
        |n| drop(n["families"][1].as_object_mut().unwrap().remove("cpd")),
        "'B' has no cpd",
    );
    for key in ["intercept", "variance"] {
        let text = valid()
            .to_string()
            .replace(&format!("\"{key}\":"), &format!("\"{key}\":1e999,\"x\":"));
        assert_not_a_network(&text, "number out of range");
    }
    let text = valid().to_string().replace("[0.5]", "[-1e999]");
    assert_not_a_network(&text, "number out of range");
    let text = valid().to_string().replace("[0.5]", "[NaN]");
    assert_not_a_network(&text, "expected value");
    let text = valid().to_string().replace("[0.5]", "[null]");
    assert_needs_number(&text, "null");
    let text = valid().to_string().replace("[0.5]", "[\"0.5\"]");
    assert_needs_number(&text, "\"0.5\"");
}

/// Asserts that the text is refused because of a value that is not a number.
fn assert_needs_number(text: &str, found: &str) {
    let folder = Folder::with(&[("data.tsv", DATA), ("net.json", text)]);
    let run = folder.run(&["score", "net.json", "data.tsv"]);
    let end = format!(": expected a number, not {found}\n");
    assert!(
        run.err.starts_with("error: net.json: line 1, column ") && run.err.ends_with(&end),
        "{}",
        run.err
    );
    assert_eq!((run.code, run.err.lines().count()), (1, 1));
}

/// Asserts that the text is refused with the reason, line and column of the JSON parser.
fn assert_not_a_network(text: &str, reason: &str) {
    let folder = Folder::with(&[("data.tsv", DATA), ("net.json", text)]);
    let run = folder.run(&["score", "net.json", "data.tsv"]);
    let end = format!(": invalid JSON: {reason}\n");
    assert!(
        run.err.starts_with("error: net.json: line 1, column ") && run.err.ends_with(&end),
        "{}",
        run.err
    );
    assert_eq!(
        (run.code, run.out.as_str(), run.err.lines().count()),
        (1, "", 1)
    );
}

#[test]
fn other_files_are_refused() {
    let other = "not a network file: \"format\" is not \"idealparent-network\"";
    refused(|n| n["format"] = json!("another-network"), other);
    refused(|n| drop(n.as_object_mut().unwrap().remove("format")), other);
    let table = "not a network file (it looks like a table: are the network and the data swapped?)";
    refused_text("A\tB\n1\t2\n", table);
    for text in ["[]", "3"] {
        refused_text(text, "not a network file");
    }
    let incomplete = "the file is incomplete: it ends at line 1";
    for text in ["{", "{\"format\": \"idealparent-network\","] {
        refused_text(text, incomplete);
    }
    let folder = Folder::with(&[("data.tsv", DATA), ("empty.json", "")]);
    let line = "empty.json: the file is empty";
    folder.fails(&["score", "empty.json", "data.tsv"], 1, line);
    folder.write("net.json", [0xff, 0xfe, 0x00]);
    folder.fails(
        &["score", "net.json", "data.tsv"],
        1,
        "net.json: not a text file",
    );
}

#[test]
fn unknown_versions_and_transforms_are_refused() {
    refused(
        |n| n["version"] = json!(2),
        "written by a newer version (format version 2, this program reads 1)",
    );
    for version in [json!(0), json!("1"), json!(null)] {
        refused(
            |n| n["version"] = version,
            "\"version\" is missing or unknown",
        );
    }
    refused(|n| n["transform"] = json!("log"), "unknown transform 'log'");
}

#[test]
fn control_characters_in_names_are_escaped() {
    refused(
        |n| n["families"][1]["parents"] = json!(["X\nerror: Y\u{1b}[31m"]),
        "'B' has the unknown parent 'X\\nerror: Y\\u{1b}[31m'",
    );
}

#[test]
fn fit_needs_no_densities() {
    let mut network = valid();
    for family in network["families"].as_array_mut().unwrap() {
        family.as_object_mut().unwrap().remove("cpd");
    }
    let folder = Folder::with(&[("data.tsv", DATA), ("net.json", &network.to_string())]);
    folder.ok(&["fit", "net.json", "data.tsv", "-o", "fitted.json", "-q"]);
    let fitted = folder.net("fitted.json");
    assert_eq!(fitted.edges(), [("A", "B"), ("A", "C"), ("B", "C")]);
    let score = folder.ok_json(&["score", "fitted.json", "data.tsv", "--json"]);
    assert!(crate::common::close(
        &score["score"],
        &fitted.0["score"]["value"]
    ));
    // `compare` ignores densities, but an invalid structure is always refused.
    let same = folder.ok_json(&["compare", "net.json", "fitted.json", "--json"]);
    assert_eq!(same["directed"]["shd"], 0);
    network["families"][0]["parents"] = json!(["C"]);
    folder.write("net.json", network.to_string());
    let args = ["fit", "net.json", "data.tsv", "-o", "again.json"];
    folder.fails(
        &args,
        1,
        "net.json: the network has a cycle: A -> B -> C -> A",
    );
}

#[test]
fn the_file_has_these_keys() {
    let folder = Folder::with_data();
    let net = folder.learn("data.tsv", &["--seed", "11"]).0;
    assert_eq!(
        keys(&net),
        [
            "format",
            "version",
            "transform",
            "variables",
            "families",
            "score",
            "provenance"
        ]
    );
    assert_eq!(net["format"], "idealparent-network");
    assert_eq!(
        (&net["version"], &net["transform"]),
        (&json!(1), &json!("none"))
    );
    assert_eq!(net["variables"][0], json!({"name": "V0", "hidden": false}));
    for (variable, family) in std::iter::zip(
        net["variables"].as_array().unwrap(),
        net["families"].as_array().unwrap(),
    ) {
        assert_eq!(
            variable["name"], family["variable"],
            "families are in the order of the variables"
        );
        assert_eq!(
            keys(&family["cpd"]),
            ["type", "intercept", "weights", "variance"]
        );
        let [weights, parents] = [&family["cpd"]["weights"], &family["parents"]];
        assert_eq!(
            weights.as_array().unwrap().len(),
            parents.as_array().unwrap().len()
        );
        assert!(family["cpd"]["variance"].as_f64().unwrap() > 0.0);
        assert!(family.get("inactive").is_none());
    }
    assert_eq!(
        keys(&net["score"]),
        ["name", "value", "log_likelihood", "dimension", "gamma"]
    );
    let provenance = &net["provenance"];
    assert_eq!(keys(provenance), ["version", "options", "seed", "data"]);
    assert_eq!(provenance["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(provenance["seed"], 11);
    let data = &provenance["data"];
    assert_eq!(keys(data), ["rows", "columns", "missing", "sha256"]);
    assert_eq!(
        (&data["rows"], &data["columns"], &data["missing"]),
        (&json!(60), &json!(6), &json!(0))
    );
    assert_eq!(data["sha256"].as_str().unwrap().len(), 64);
    assert_finite(&net, "net.json");
}

#[test]
fn only_options_that_affect_the_result_are_recorded() {
    let folder = Folder::with_data();
    folder.write("forbid.tsv", "from\tto\nV0\tV5\n");
    folder.write("tiers.txt", "V0\nV1\n");
    let plain = folder.learn("data.tsv", &[]).0;
    let options = &plain["provenance"]["options"];
    let expected = json!({
        "cpd": "linear", "method": "ideal", "candidates": 2, "measure": "tangent",
        "score": "ebic", "gamma": "auto", "penalty": 1.0, "search": "auto",
        "moves": ["add", "delete", "reverse", "replace"],
    });
    assert_eq!(*options, expected);
    let noise = [
        "--threads",
        "2",
        "--json",
        "--quiet",
        "--time-limit",
        "900",
        "--trace",
        "t.jsonl",
    ];
    assert_eq!(folder.learn("data.tsv", &noise).0, plain);
    let full = [
        "--forbid",
        "forbid.tsv",
        "--tiers",
        "tiers.txt",
        "--max-parents",
        "3",
        "--score",
        "bge",
    ];
    let net = folder.learn("data.tsv", &full);
    let options = &net.0["provenance"]["options"];
    assert_eq!(options["forbid"], json!([["V0", "V5"]]));
    assert_eq!(options["tiers"], json!([["V0"], ["V1"]]));
    assert_eq!(options["max_parents"], 3);
    folder.ok(&["fit", "net.json", "data.tsv", "-o", "fitted.json", "-q"]);
    let fitted = folder.json("fitted.json");
    let expected = json!({"cpd": "linear", "score": "ebic", "gamma": "auto", "penalty": 1.0});
    assert_eq!(fitted["provenance"]["options"], expected);
    let text = options.to_string();
    for word in [".tsv", ".txt", ".json", "thread", "null"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn the_hash_depends_on_names_and_values_only() {
    let folder = Folder::with(&[
        ("a.tsv", "A\tB\n1\t2.50\n2\t1\n3\t0\n"),
        ("b.csv", "A,B\n1.0,2.5\n\n2,1\n3,-0\n"),
        ("c.csv", "A,B\n1.0,2.5\n2,1\n3,1e-300\n"),
        ("d.csv", "A,C\n1.0,2.5\n2,1\n3,0\n"),
    ]);
    let hash = |data| folder.learn(data, &["-q"]).0["provenance"]["data"]["sha256"].clone();
    assert_eq!(hash("a.tsv"), hash("b.csv"));
    assert_ne!(hash("a.tsv"), hash("c.csv"));
    assert_ne!(hash("a.tsv"), hash("d.csv"));
}

#[test]
fn an_infinite_likelihood_is_an_error() {
    let mut network = valid();
    network["families"][0]["cpd"]["variance"] = json!(1e-300);
    let folder = Folder::with(&[("data.tsv", "A\tB\tC\n1e10\t1\t2\n")]);
    folder.write("net.json", network.to_string());
    let line = "the log-likelihood is not a finite number: the data are too far from what the network expects";
    folder.fails(&["score", "net.json", "data.tsv", "--json"], 1, line);
}

#[test]
fn duplicate_keys_are_refused() {
    let text = valid().to_string();
    for (key, line) in [
        ("\"version\":1", "version"),
        ("\"hidden\":false", "hidden"),
        ("\"variance\":2.0", "variance"),
        ("\"parents\":[]", "parents"),
    ] {
        let twice = text.replacen(key, &format!("{key},{key}"), 1);
        let folder = Folder::with(&[("data.tsv", DATA), ("net.json", &twice)]);
        for args in [
            ["score", "net.json", "data.tsv"].as_slice(),
            &["fit", "net.json", "data.tsv"],
            &["compare", "net.json", "net.json"],
        ] {
            let run = folder.run(args);
            let end = format!(": duplicate key '{line}'\n");
            assert!(
                run.err.starts_with("error: net.json: line 1, column ") && run.err.ends_with(&end),
                "{}",
                run.err
            );
            assert_eq!((run.code, run.err.lines().count()), (1, 1));
        }
    }
}

#[test]
fn values_of_the_wrong_type_are_refused() {
    for inactive in [json!("yes"), json!(1), json!(null)] {
        let mut network = valid();
        network["families"][0]["inactive"] = inactive;
        let text = network.to_string();
        let folder = Folder::with(&[("data.tsv", DATA), ("net.json", &text)]);
        let run = folder.run(&["score", "net.json", "data.tsv"]);
        assert_eq!((run.code, run.err.lines().count()), (1, 1));
        assert!(
            run.err.contains("expected true or false, not "),
            "{}",
            run.err
        );
    }
}

#[test]
fn invalid_recorded_options_are_refused() {
    let wrong = |options: Value, line: &str| {
        let mut network = valid();
        network["provenance"] = json!({
            "version": "0", "options": options, "seed": 0,
            "data": {"rows": 5, "columns": 3, "missing": 0, "sha256": ""},
        });
        let text = network.to_string();
        let folder = Folder::with(&[("data.tsv", DATA), ("net.json", &text)]);
        folder.fails(
            &["score", "net.json", "data.tsv"],
            1,
            &format!("net.json: the recorded options are wrong: {line}"),
        );
    };
    wrong(
        json!({"gamma": -5}),
        "--gamma must be a number from 0 to 1e6, not -5.0",
    );
    wrong(
        json!({"penalty": 1e300}),
        "--penalty must be a number from 0 to 1e6, not 1e300",
    );
    wrong(
        json!({"gamma": "1"}),
        "--gamma: '\"1\"' is neither a number nor 'auto'",
    );
    wrong(
        json!({"score": "best"}),
        "--score: 'best' is not one of ebic, bic, aic, bge",
    );
    wrong(
        json!({"score": "bge", "alpha_w": 1e30}),
        "--alpha-w must be a number from 0 to 1e6, not 1e30",
    );
}

#[test]
fn a_child_with_very_many_parents_is_read() {
    let n = 30_000;
    let name = |v: usize| format!("V{v}");
    let mut network = valid();
    network["variables"] = (0..=n).map(|v| json!({"name": name(v)})).collect();
    let mut families: Vec<Value> = (0..n)
        .map(|v| json!({"variable": name(v), "parents": [], "cpd": root()}))
        .collect();
    let parents: Vec<String> = (0..n).rev().map(name).collect();
    families.push(json!({"variable": name(n), "parents": parents, "cpd": linear(&vec![0.5; n])}));
    network["families"] = json!(families);
    let folder = Folder::with(&[("net.json", &network.to_string())]);
    let text = folder.ok(&["export", "net.json", "--format", "tsv"]);
    assert_eq!(text.lines().count(), n + 1);
    network["families"][n]["parents"][7] = json!(name(0));
    folder.write("net.json", network.to_string());
    folder.fails(
        &["export", "net.json", "--format", "tsv"],
        1,
        &format!("net.json: 'V{n}' has the parent 'V0' twice"),
    );
}

#[test]
fn the_gamma_of_the_score_must_be_in_range() {
    for (gamma, shown) in [(-1.0, "-1.0"), (2e6, "2000000.0")] {
        let change = |network: &mut Value| {
            network["score"] = json!({
                "name": "ebic", "value": -9.0, "log_likelihood": -5.0, "dimension": 9, "gamma": gamma
            });
        };
        let line = format!("the score's gamma must be a number from 0 to 1e6, not {shown}");
        refused(change, &line);
    }
}

/// JSON has no infinity, and null would look like an unknown score.
#[test]
fn a_score_of_minus_infinity_is_a_text() {
    let table = "A\tB\tC\n1\t2\t3\n2\t1\t0\n0\t0\t1\n";
    let folder = Folder::with(&[("data.tsv", table), ("net.json", &valid().to_string())]);
    let auto = ["score", "net.json", "data.tsv", "--gamma", "auto"];
    let score = folder.ok_json(&[&auto[..], &["--json"]].concat());
    assert_eq!(score["score"], "-inf");
    assert!(score["log_likelihood"].is_number());
    assert!(folder.ok(&auto).contains("score (ebic) -inf,"));
    let bic = folder.ok_json(&["score", "net.json", "data.tsv", "--json", "--score", "bic"]);
    assert!(bic["score"].is_number());
}
