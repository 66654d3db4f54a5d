//! Hidden variables: learning them, and using networks that have them.

use crate::common::{Folder, Noise, table};
use serde_json::Value;

/// Data of two hidden variables with five children each.
fn data(rows: usize) -> String {
    let names: Vec<String> = (0..10).map(|v| format!("V{v}")).collect();
    let mut noise = Noise::new(11);
    let mut lines = Vec::new();
    for _ in 0..rows {
        let causes = [noise.draw(), noise.draw()];
        let value = |v: usize, noise: &mut Noise| {
            let sign = if v.is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * 1.3 * causes[v / 5] + 0.6 * noise.draw()
        };
        lines.push((0..10).map(|v| value(v, &mut noise)).collect());
    }
    table(&names, &lines, '\t')
}

fn folder() -> Folder {
    Folder::with(&[("data.tsv", &data(150))])
}

const LEARN: [&str; 7] = [
    "learn",
    "data.tsv",
    "--hidden",
    "auto",
    "--two-layer",
    "-o",
    "net.json",
];

#[test]
fn hidden_variables_are_found_reported_and_written() {
    let folder = folder();
    let printed = folder.ok(&[&LEARN[..], &["--trace", "t.jsonl", "--profiles", "p.tsv"]].concat());
    assert!(
        printed.contains("hidden variables: H1 (5 children), H2 (5 children)"),
        "{printed}"
    );
    assert!(
        printed.contains("  H1 proposed for 10 children: estimated "),
        "{printed}"
    );
    assert!(!printed.contains("directions: "), "{printed}");
    let trace = folder.read("t.jsonl");
    let lines: Vec<Value> = trace
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let outcomes: Vec<&Value> = lines.iter().filter(|l| !l["hidden"].is_null()).collect();
    let added = |l: &&&Value| l["outcome"] == "added";
    assert_eq!(outcomes.iter().filter(added).count(), 2);
    assert!(
        outcomes
            .iter()
            .filter(added)
            .all(|l| l["achieved"].as_f64().unwrap() > 0.0)
    );
    assert!(outcomes.iter().all(|l| l["estimated"].is_number()));
    let profiles = folder.read("p.tsv");
    assert_eq!(profiles.lines().next().unwrap(), "H1\tH1_sd\tH2\tH2_sd");
    assert_eq!(profiles.lines().count(), 151);
    let object = folder.ok_json(&[&LEARN[..], &["--json"]].concat());
    assert_eq!(
        (object["hidden"].as_u64(), object["variables"].as_u64()),
        (Some(2), Some(10))
    );
}

#[test]
fn commands_that_use_a_network_handle_hidden_variables() {
    let folder = folder();
    let learned = folder.ok_json(&[&LEARN[..], &["--json"]].concat());
    let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    for key in ["score", "log_likelihood", "dimension"] {
        assert_eq!(score[key], learned[key], "{key}");
    }
    // A column with the name of a hidden variable is not used.
    let with_profile = folder.read("data.tsv").replace('\n', "\t1.5\n");
    folder.write("with.tsv", with_profile.replacen("1.5", "H1", 1));
    let output = folder.run(&["score", "net.json", "with.tsv", "--json"]);
    let note = output.err;
    assert_eq!(
        note,
        "note: hidden in the network, so not taken from the data: H1\n"
    );
    folder.ok(&["sample", "net.json", "-n", "5", "-o", "s.tsv"]);
    let header = folder.read("s.tsv").lines().next().unwrap().to_string();
    assert!(header.starts_with("V0\t") && !header.contains("H1"));
    let holes = folder.read("data.tsv").replacen(
        folder
            .read("data.tsv")
            .lines()
            .nth(1)
            .unwrap()
            .split('\t')
            .next()
            .unwrap(),
        "",
        1,
    );
    folder.write("holes.tsv", &holes);
    folder.ok(&["impute", "net.json", "holes.tsv", "-o", "filled.tsv"]);
    let filled = folder.read("filled.tsv");
    assert!(
        filled
            .lines()
            .skip(1)
            .all(|l| l.split('\t').count() == 10 && !l.starts_with('\t'))
    );
    folder.ok(&["predict", "net.json", "data.tsv", "H2", "-o", "h2.tsv"]);
    folder.ok(&["predict", "net.json", "data.tsv", "V3", "-o", "v3.tsv"]);
    let ranked = folder.ok(&["rank", "net.json", "data.tsv", "V3"]);
    assert!(
        ranked.contains("\nH1\t") || ranked.contains("\nH2\t"),
        "{ranked}"
    );
    folder.ok(&["export", "net.json", "--format", "dot", "-o", "net.dot"]);
    assert!(folder.read("net.dot").contains("hidden=true"));
}

#[test]
fn structures_with_hidden_variables_are_compared_and_fitted() {
    let folder = folder();
    let learned = folder.ok_json(&[&LEARN[..], &["--json"]].concat());
    let found = folder.ok(&["compare", "net.json", "net.json"]);
    assert!(
        found.contains("hidden variables: 2 learned, 2 in the reference"),
        "{found}"
    );
    let found = folder.ok_json(&["compare", "net.json", "net.json", "--json"]);
    assert_eq!(found["directed"]["shd"], 0);
    assert_eq!(found["hidden"]["matches"][0]["jaccard"], 1.0);
    folder.write("edges.tsv", edges(&folder));
    let fitted = folder.ok_json(&[
        "fit",
        "edges.tsv",
        "data.tsv",
        "--hidden",
        "H1,H2",
        "-o",
        "fit.json",
        "--json",
    ]);
    let difference = fitted["score"].as_f64().unwrap() - learned["score"].as_f64().unwrap();
    assert!(difference.abs() < 1e-3, "{difference}");
    let again = folder.ok_json(&["fit", "net.json", "data.tsv", "-o", "fit.json", "--json"]);
    assert_eq!(again["hidden"], 2);
}

#[test]
fn cross_validation_handles_hidden_variables() {
    folder().ok(&[
        "cv",
        "data.tsv",
        "--hidden",
        "auto",
        "--two-layer",
        "--methods",
        "greedy ideal",
        "--folds",
        "2",
    ]);
}

/// The edges of the learned network, as a table.
fn edges(folder: &Folder) -> String {
    let net: Value = serde_json::from_str(&folder.read("net.json")).unwrap();
    let mut text = "from\tto\n".to_string();
    for family in net["families"].as_array().unwrap() {
        for parent in family["parents"].as_array().unwrap() {
            let name = |v: &Value| v.as_str().unwrap().to_string();
            text += &format!("{}\t{}\n", name(parent), name(&family["variable"]));
        }
    }
    text
}

#[test]
fn errors_are_one_line() {
    let folder = folder();
    let usage = |arguments: &[&str], line: &str| folder.fails(arguments, 2, line);
    usage(
        &["learn", "data.tsv", "--hidden", "-1"],
        "--hidden: '-1' is not a whole number or 'auto'",
    );
    usage(
        &["learn", "data.tsv", "--two-layer"],
        "--two-layer needs --hidden auto or a number",
    );
    usage(
        &["learn", "data.tsv", "--min-children", "3"],
        "--min-children needs --hidden auto or a number",
    );
    usage(
        &["learn", "data.tsv", "--profiles", "p.tsv"],
        "--profiles needs --hidden",
    );
    usage(
        &["learn", "data.tsv", "--hidden", "1", "--score", "bge"],
        "--hidden cannot be combined with --score bge, which needs complete data",
    );
    usage(
        &["learn", "data.tsv", "--hidden", "1", "--min-children", "1"],
        "--min-children must be at least 2 (a hidden variable with one child is noise)",
    );
    folder.ok(&LEARN);
    folder.fails(
        &["learn", "data.tsv", "--start", "net.json"],
        1,
        "net.json: 'H1' is hidden, but a search starts from observed variables only",
    );
    folder.fails(
        &["rank", "net.json", "data.tsv", "H1"],
        1,
        "'H1' is hidden, so it has no ideal parent to rank",
    );
    folder.fails(
        &["export", "net.json", "--format", "bnlearn"],
        1,
        "bnlearn export: variable 'H1' is hidden; this format supports observed variables only (use graphml)",
    );
}

#[test]
fn too_few_instances_give_no_hidden_variables_and_a_note() {
    let folder = Folder::with(&[("data.tsv", &data(4))]);
    let output = folder.run(&[&LEARN[..], &["--profiles", "p.tsv"]].concat());
    let printed = output.err;
    assert_eq!(output.code, 0);
    assert!(
        printed.contains(
            "note: no hidden variable was added: 4 instances of 10 variables are too few for one\n"
        ),
        "{printed}"
    );
    assert!(
        printed.contains("note: p.tsv: not written (no hidden variables)\n"),
        "{printed}"
    );
}
