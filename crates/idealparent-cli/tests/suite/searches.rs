//! Search procedures and checkpoints.

use crate::common::{Folder, tree};
use serde_json::Value;

#[test]
fn usage_errors_are_one_line() {
    let folder = Folder::with(&[("data.tsv", &tree(6, 30))]);
    let wrong = |options: &[&str], line: &str| {
        let args = [&["learn", "data.tsv", "-o", "net.json"], options].concat();
        folder.misused(&args, line);
    };
    wrong(
        &["--search", "best"],
        "--search: 'best' is not one of auto, hill, tabu, anneal, order, exact",
    );
    wrong(&["--tabu-length", "5"], "--tabu-length needs --search tabu");
    wrong(
        &["--search", "hill", "--perturb", "5"],
        "--perturb needs --restarts 1 or more",
    );
    wrong(
        &["--restarts", "0", "--perturb", "5"],
        "--perturb needs --restarts 1 or more",
    );
    wrong(
        &["--restarts", "99999999"],
        "--restarts must be at most 1000000",
    );
    wrong(
        &["--restarts", "-1"],
        "--restarts: '-1' is not a whole number of at least 0",
    );
    wrong(&["--resume"], "--resume needs --checkpoint FILE");
    wrong(
        &["--checkpoint-every=3"],
        "--checkpoint-every needs --checkpoint FILE",
    );
    wrong(
        &["--checkpoint", "c", "--checkpoint-every", "nan"],
        "--checkpoint-every must be",
    );
    wrong(&["--checkpoint", "net.json"], "--checkpoint net.json: ");
    wrong(&["--checkpoint", "data.tsv"], "--checkpoint data.tsv: ");
}

#[test]
fn the_summary_names_the_search() {
    let folder = Folder::with(&[("data.tsv", &tree(8, 40))]);
    let printed = folder.ok(&["learn", "data.tsv"]);
    assert!(printed.contains("search: exact, "), "{printed}");
    let printed = folder.ok(&["learn", "data.tsv", "--gamma", "1"]);
    assert!(printed.contains("search: exact, 1 round, "), "{printed}");
    assert!(printed.contains("none scores higher"), "{printed}");
    let printed = folder.ok(&["learn", "data.tsv", "--restarts", "10", "--gamma", "1"]);
    assert!(printed.contains("search: order, 11 rounds, "), "{printed}");
    let printed = folder.ok(&["learn", "data.tsv", "--search", "hill", "--gamma", "1"]);
    assert!(printed.contains("search: hill, 1 round, "), "{printed}");
    let printed = folder.ok(&[
        "learn",
        "data.tsv",
        "--search",
        "tabu",
        "--restarts",
        "2",
        "--gamma",
        "1",
    ]);
    assert!(printed.contains("search: tabu, 3 rounds, "), "{printed}");
}

/// For every search, the changes of the steps add up to the score of the network.
#[test]
fn traces_of_every_search_add_up() {
    let folder = Folder::with(&[("data.tsv", &tree(10, 60))]);
    for search in ["auto", "hill", "tabu", "anneal", "order", "exact"] {
        let mut args = vec![
            "learn", "data.tsv", "--json", "--trace", "t.jsonl", "--search", search,
        ];
        if search != "exact" {
            args.extend(["--restarts", "2"]);
        }
        let report = folder.ok_json(&args);
        let mut before: Option<f64> = None;
        let trace = folder.read("t.jsonl");
        for (index, line) in trace.lines().enumerate() {
            let step: Value = serde_json::from_str(line).unwrap();
            assert_eq!(step["step"], index + 1, "{search}");
            let [delta, score] = ["delta", "score"].map(|key| step[key].as_f64().unwrap());
            assert!(before.is_none_or(|before| (score - before - delta).abs() < 1e-6));
            before = Some(score);
        }
        let end = report["score"].as_f64().unwrap();
        assert!((before.unwrap() - end).abs() < 1e-6, "{search}");
        assert_eq!(report["moves"], trace.lines().count(), "{search}");
    }
}

/// A resumed run may use a different number of threads. It leaves no temporary files.
#[test]
fn a_resumed_run_finds_the_same_network() {
    let folder = Folder::with(&[("data.tsv", &tree(10, 60))]);
    let whole = folder.learn("data.tsv", &["-q"]);
    std::fs::remove_file(folder.at("net.json")).unwrap();
    let args = ["-q", "--checkpoint", "state", "--checkpoint-every", "0"];
    let part = [&args[..], &["--stop-after-checkpoints", "3"]].concat();
    let part = folder.learn("data.tsv", &part);
    assert_ne!(part.edges(), whole.edges(), "stopped too late");
    assert!(folder.at("state").exists());
    let again = folder.learn(
        "data.tsv",
        &[&args[..], &["--resume", "--threads", "1"]].concat(),
    );
    assert_eq!(again.edges(), whole.edges());
    assert_eq!(folder.names(), ["data.tsv", "net.json", "state"]);
    // Without a checkpoint the run starts from the beginning.
    std::fs::remove_file(folder.at("state")).unwrap();
    let again = folder.learn("data.tsv", &[&args[..], &["--resume"]].concat());
    assert_eq!(again.edges(), whole.edges());
    // A checkpoint that cannot be written is an error.
    let args = ["learn", "data.tsv", "--checkpoint", "nowhere/state"];
    folder.fails(&args, 1, "nowhere/state: there is no such folder");
}
