//! Prior knowledge, start networks and allowed moves.

use crate::common::{Folder, tree};
use serde_json::Value;

fn folder() -> Folder {
    Folder::with(&[("data.tsv", &tree(8, 80))])
}

#[test]
fn a_search_begins_from_the_start_network() {
    let folder = folder();
    let net = folder.learn("data.tsv", &[]);
    std::fs::rename(folder.at("net.json"), folder.at("start.json")).unwrap();
    let edges = net
        .edges()
        .into_iter()
        .map(|(from, to)| format!("{from}\t{to}\n"));
    folder.write(
        "start.tsv",
        format!("from\tto\n{}", edges.collect::<String>()),
    );
    for start in ["start.json", "start.tsv"] {
        let args = [
            "learn", "data.tsv", "-o", "net.json", "--json", "--search", "hill", "--start", start,
        ];
        let report = folder.ok_json(&args);
        assert_eq!(report["moves"], 0, "the start is already a maximum");
        assert_eq!(folder.net("net.json").edges(), net.edges());
    }
    // With a time limit of zero the start network is the result.
    folder.write("start.tsv", "from\tto\nV7\tV0\nV0\tV3\n");
    let args = ["--start", "start.tsv", "--time-limit", "0", "-q"];
    let net = folder.learn("data.tsv", &args);
    assert_eq!(net.edges(), [("V7", "V0"), ("V0", "V3")]);
    let recorded = &net.0["provenance"]["options"]["start"];
    assert_eq!(recorded.to_string(), r#"[["V7","V0"],["V0","V3"]]"#);
}

#[test]
fn required_edges_are_in_the_network() {
    let folder = folder();
    let free = folder.learn("data.tsv", &["-q"]);
    assert!(!free.has("V7", "V0"));
    folder.write("require.tsv", "from\tto\nV7\tV0\nV6\tV0\n");
    for method in ["ideal", "greedy"] {
        let args = ["-q", "--require", "require.tsv", "--method", method];
        let net = folder.learn("data.tsv", &args);
        assert!(net.has("V7", "V0") && net.has("V6", "V0"));
        assert!(net.edges().len() > 2);
    }
    // A star matches all other variables.
    folder.write("require.tsv", "from\tto\nV7\t*\n");
    let net = folder.learn("data.tsv", &["-q", "--require", "require.tsv"]);
    assert!(
        net.names()
            .iter()
            .all(|name| *name == "V7" || net.has("V7", name))
    );
    folder.write("require.csv", "to,from\nV0,*\n");
    let net = folder.learn("data.tsv", &["-q", "--require", "require.csv"]);
    assert_eq!(net.parents("V0").len(), 7);
}

#[test]
fn forbidden_edges_are_not_in_the_network() {
    let folder = folder();
    let free = folder.learn("data.tsv", &["-q"]);
    let (from, to) = free.edges()[0];
    folder.write("forbid.tsv", format!("from\tto\n{from}\t{to}\n"));
    let net = folder.learn("data.tsv", &["-q", "--forbid", "forbid.tsv"]);
    assert!(!net.has(from, to));
    folder.write("forbid.tsv", "from\tto\n*\tV1\nV2\t*\n");
    for method in ["ideal", "greedy"] {
        let net = folder.learn(
            "data.tsv",
            &["-q", "--forbid", "forbid.tsv", "--method", method],
        );
        assert!(net.parents("V1").is_empty());
        assert!(net.edges().iter().all(|(from, _)| *from != "V2"));
        assert!(!net.edges().is_empty());
    }
    folder.write("forbid.tsv", "from\tto\n*\t*\n");
    let net = folder.learn("data.tsv", &["-q", "--forbid", "forbid.tsv"]);
    assert!(net.edges().is_empty());
}

#[test]
fn with_a_variable_called_star_a_star_means_that_variable() {
    let folder = Folder::with(&[("data.tsv", &tree(3, 80).replacen("V1", "*", 1))]);
    folder.write("forbid.tsv", "from\tto\n*\tV2\nV0\t*\n*\tV0\nV2\t*\n");
    let args = ["learn", "data.tsv", "-o", "net.json"];
    let run = folder.run(&[args.as_slice(), &["--forbid", "forbid.tsv"]].concat());
    assert_eq!(
        run.err,
        "note: a variable is called '*', so * in lists of edges means only this variable\n"
    );
    let net = folder.net("net.json");
    assert_eq!(net.names(), ["V0", "*", "V2"]);
    assert!(net.has("V0", "V2") || net.has("V2", "V0"));
    assert!(
        net.edges()
            .iter()
            .all(|(from, to)| *from != "*" && *to != "*")
    );
}

#[test]
fn edges_go_to_the_same_or_a_later_tier() {
    let folder = folder();
    folder.write("tiers.txt", "V7\tV6\n\nV5\tV4\tV3\r\nV1\n");
    let tier = |name: &str| match name {
        "V7" | "V6" => Some(0),
        "V5" | "V4" | "V3" => Some(1),
        "V1" => Some(2),
        _ => None,
    };
    for method in ["ideal", "greedy"] {
        let net = folder.learn(
            "data.tsv",
            &["-q", "--tiers", "tiers.txt", "--method", method],
        );
        for (from, to) in net.edges() {
            let backwards = tier(from).zip(tier(to)).is_some_and(|(from, to)| from > to);
            assert!(!backwards, "{from} -> {to}");
        }
        assert!(net.edges().len() >= 5, "{:?}", net.edges());
    }
}

#[test]
fn max_parents_limits_the_number_of_parents() {
    let folder = folder();
    folder.write("order.txt", "V7\nV6\nV5\nV4\nV3\nV2\nV1\nV0\n");
    // An order against the direction of the tree makes families large.
    let free = folder.learn(
        "data.tsv",
        &["-q", "--tiers", "order.txt", "--score", "aic"],
    );
    let most =
        |net: &crate::common::Net| net.names().iter().map(|name| net.parents(name).len()).max();
    assert!(most(&free) > Some(2));
    for limit in ["0", "1", "2"] {
        let args = [
            "-q",
            "--tiers",
            "order.txt",
            "--score",
            "aic",
            "--max-parents",
            limit,
        ];
        let net = folder.learn("data.tsv", &args);
        assert_eq!(most(&net), limit.parse().ok());
    }
}

#[test]
fn only_allowed_moves_are_made() {
    let folder = folder();
    folder.write(
        "start.tsv",
        "from\tto\nV7\tV0\nV6\tV0\nV5\tV1\nV4\tV3\nV0\tV2\n",
    );
    for moves in [
        "add",
        "delete",
        "add,delete",
        "add,reverse",
        "add,replace",
        "replace,reverse",
    ] {
        let args = [
            "-q",
            "--start",
            "start.tsv",
            "--moves",
            moves,
            "--gamma",
            "1",
            "--trace",
            "trace.jsonl",
        ];
        let net = folder.learn("data.tsv", &args);
        let allowed: Vec<&str> = moves.split(',').collect();
        let trace = folder.read("trace.jsonl");
        assert!(!trace.is_empty(), "{moves}");
        for line in trace.lines() {
            let step: Value = serde_json::from_str(line).unwrap();
            assert!(
                allowed.contains(&step["move"].as_str().unwrap()),
                "{moves}: {step}"
            );
        }
        let recorded: Vec<&str> = net.0["provenance"]["options"]["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        assert!(allowed.iter().all(|word| recorded.contains(word)));
        assert_eq!(recorded.len(), allowed.len());
    }
}
