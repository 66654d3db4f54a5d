//! Exports, embedded data sets, help and version.

use crate::common::Folder;
use serde_json::Value;

#[test]
fn every_format_is_exported() {
    let folder = Folder::with_data();
    let net = folder.learn("data.tsv", &["-q"]);
    let edges = net.edges().len();
    for (format, mark, count) in [
        ("dot", " -> ", edges),
        ("graphml", "<edge ", edges),
        ("gexf", "<edge ", edges),
        ("cyjs", "\"source\"", edges),
        ("sif", "\tregulates\t", edges),
        ("bnlearn", "list(coef = ", 6),
        ("lavaan", " ~~ ", 6),
    ] {
        let text = folder.ok(&["export", "net.json", "--format", format]);
        assert_eq!(text.matches(mark).count(), count, "{format}: {text}");
        let file = format!("net.{format}");
        folder.ok(&["export", "net.json", "--format", format, "-o", &file]);
        assert_eq!(folder.read(&file), text);
        if ["dot", "graphml", "gexf", "cyjs"].contains(&format) {
            for attribute in [
                "weight",
                "sign",
                "strength",
                "hidden",
                "direction",
                "reversible",
            ] {
                assert!(text.contains(attribute), "{format}: {attribute}");
            }
        }
    }
    let page: Value = folder.json("net.cyjs");
    assert_eq!(page["elements"]["nodes"].as_array().unwrap().len(), 6);
}

#[test]
fn examples_are_listed_and_written() {
    let folder = Folder::new();
    let list = folder.ok(&["examples"]);
    for name in ["sachs", "ecoli70", "ecoli70-holes", "twolayer"] {
        assert!(list.contains(&format!("{name}: ")), "{name}");
    }
    let text = folder.ok(&["examples", "sachs"]);
    assert_eq!(text.lines().count(), 854);
    let args = [
        "examples",
        "sachs",
        "-o",
        "sachs.tsv",
        "--truth",
        "truth.tsv",
    ];
    assert_eq!(folder.ok(&args), "");
    assert_eq!(folder.read("sachs.tsv"), text);
    folder.ok(&["examples", "sachs", "-o", "sachs.csv"]);
    folder.ok(&["examples", "sachs", "-o", "sachs.csv.gz"]);
    folder.ok(&["learn", "--example", "sachs", "-q", "-o", "embedded.json"]);
    for data in ["sachs.tsv", "sachs.csv", "sachs.csv.gz"] {
        assert_eq!(
            folder.learn(data, &["-q"]).0,
            folder.json("embedded.json"),
            "{data}"
        );
    }
    let report = folder.ok_json(&["compare", "net.json", "truth.tsv", "--json"]);
    assert!(report["skeleton"]["precision"].as_f64() > Some(0.5));
    let ranked = folder.ok(&["rank", "net.json", "--example", "sachs", "Raf"]);
    assert!(ranked.lines().count() > 5);
    assert_eq!(
        folder
            .ok(&["predict", "net.json", "--example", "sachs", "Raf"])
            .lines()
            .count(),
        854
    );
}

#[test]
fn every_command_has_help() {
    let folder = Folder::new();
    let version = format!("idealparent {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(folder.ok(&["--version"]), version);
    for command in [
        "learn", "fit", "score", "rank", "sample", "predict", "compare", "cv", "export", "examples",
    ] {
        assert!(folder.ok(&["--help"]).contains(command));
        assert!(folder.ok(&[command, "--help"]).contains("Usage:"));
    }
    let run = folder.run(&[]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("Usage:"));
}
