//! Tables with missing values.

use crate::common::{Folder, Noise, cells, table, tree_rows};
use serde_json::Value;

/// Rows of a tree with about a tenth of the entries missing.
fn holes(variables: usize, rows: usize) -> String {
    let names: Vec<String> = (0..variables).map(|v| format!("V{v}")).collect();
    let mut noise = Noise::new(7);
    let mut data = tree_rows(variables, rows);
    for row in &mut data {
        for value in row.iter_mut() {
            if noise.draw() > 1.3 {
                *value = f64::NAN;
            }
        }
    }
    table(&names, &data, '\t')
}

fn folder() -> Folder {
    Folder::with(&[("data.tsv", &holes(6, 80))])
}

#[test]
fn tables_with_missing_values_are_learned() {
    let folder = folder();
    let printed = folder.ok(&["learn", "data.tsv", "-o", "net.json", "--trace", "t.jsonl"]);
    assert!(
        printed.contains(" of structural EM; the likelihood is of the observed values"),
        "{printed}"
    );
    let object = folder.ok_json(&["learn", "data.tsv", "-o", "net.json", "--json"]);
    assert!(object["iterations"].as_u64().unwrap() >= 2);
    assert!(object["missing"].as_u64().unwrap() > 10);
    let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    for key in ["score", "log_likelihood", "dimension"] {
        assert_eq!(score[key], object[key], "{key}");
    }
    let trace = folder.read("t.jsonl");
    let lines: Vec<Value> = trace
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let energies: Vec<f64> = lines
        .iter()
        .filter_map(|line| line["free_energy"].as_f64())
        .collect();
    assert_eq!(
        energies.len() as u64,
        object["iterations"].as_u64().unwrap()
    );
    assert!(
        energies
            .windows(2)
            .all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs())
    );
    let numbers: Vec<u64> = lines
        .iter()
        .filter_map(|line| line["step"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    // Other posteriors, measures, methods and densities.
    for options in [
        vec!["--posterior", "mean-field"],
        vec!["--measure", "c2", "--search", "hill"],
        vec!["--method", "greedy"],
        vec!["--cpd", "sigmoid"],
        vec!["--cpd", "linear,sigmoid"],
    ] {
        folder.learn("data.tsv", &[options, vec!["-q"]].concat());
    }
    folder.ok(&["fit", "net.json", "data.tsv", "-o", "fitted.json", "-q"]);
    folder.ok(&[
        "cv",
        "data.tsv",
        "--folds",
        "3",
        "--methods",
        "greedy ideal",
        "-q",
    ]);
}

#[test]
fn usage_errors_are_one_line() {
    let folder = folder();
    let wrong = |options: &[&str], line: &str| {
        let args = [&["learn", "data.tsv", "-o", "net.json"], options].concat();
        folder.misused(&args, line);
    };
    wrong(
        &["--posterior", "best"],
        "--missing: 'best' is not one of exact, mean-field",
    );
    wrong(&["--score", "bge"], "--score bge needs complete data, but ");
    folder.learn("data.tsv", &["-q"]);
    let wrong = |args: &[&str], line: &str| folder.misused(&[&["impute"], args].concat(), line);
    wrong(
        &["net.json"],
        "give one or more networks and the data, or networks and --example NAME",
    );
    wrong(
        &["net.json", "data.tsv", "--draws", "3"],
        "--draws needs -o FILE: its tables are written next to that file",
    );
    wrong(
        &["net.json", "data.tsv", "-o", "data.tsv"],
        "-o data.tsv: this file is also an input",
    );
    wrong(
        &["net.json", "data.tsv", "-o", "a.tsv", "--sd", "a.tsv"],
        "--sd a.tsv: this file is also written by -o",
    );
    folder.write("other.tsv", "Q\n1\n\n3\n");
    folder.fails(
        &["impute", "net.json", "other.tsv"],
        1,
        "the data have none of the network's variables",
    );
}

/// Missing values are filled in; observed values are unchanged.
#[test]
fn only_missing_values_are_imputed() {
    let folder = folder();
    folder.learn("data.tsv", &["-q"]);
    folder.ok(&[
        "learn",
        "data.tsv",
        "-o",
        "other.json",
        "-q",
        "--score",
        "bic",
    ]);
    let one = [
        "impute",
        "net.json",
        "data.tsv",
        "-o",
        "filled.tsv",
        "--sd",
        "sd.tsv",
    ];
    folder.ok(&[&one[..], &["--draws", "3", "--seed", "4"]].concat());
    let (before, after) = (folder.read("data.tsv"), folder.read("filled.tsv"));
    let (sd, drawn) = (folder.read("sd.tsv"), folder.read("filled-3.tsv"));
    let all = [&before, &after, &sd, &drawn].map(|text| cells(text));
    assert!(all.iter().all(|table| table.len() == 81));
    let mut filled = 0;
    for row in 1..81 {
        for column in 0..6 {
            let [given, mean, sd, drawn] =
                [0, 1, 2, 3].map(|i: usize| all[i][row][column].parse::<f64>());
            let (mean, sd, drawn) = (mean.unwrap(), sd.unwrap(), drawn.unwrap());
            match given {
                Ok(given) if !given.is_nan() => {
                    assert_eq!((mean, sd, drawn), (given, 0.0, given));
                }
                _ => {
                    filled += 1;
                    assert!(sd > 0.0 && (drawn - mean).abs() < 6.0 * sd && drawn != mean);
                }
            }
        }
    }
    assert!(filled > 10);
    // Several networks: the mean of their imputed values.
    folder.ok(&["impute", "other.json", "data.tsv", "-o", "b.tsv"]);
    folder.ok(&[
        "impute",
        "net.json",
        "other.json",
        "data.tsv",
        "-o",
        "both.tsv",
    ]);
    let (a, b, both) = (
        folder.read("filled.tsv"),
        folder.read("b.tsv"),
        folder.read("both.tsv"),
    );
    let number = |text: &str| text.parse::<f64>().unwrap();
    for ((a, b), both) in cells(&a).iter().zip(cells(&b)).zip(cells(&both)).skip(1) {
        for ((a, b), both) in a.iter().zip(b).zip(both) {
            assert!((0.5 * (number(a) + number(b)) - number(both)).abs() < 1e-9);
        }
    }
    // An embedded data set, written to standard output.
    folder.ok(&["learn", "--example", "ecoli70-holes", "-o", "e.json", "-q"]);
    let out = folder.ok(&["impute", "e.json", "--example", "ecoli70-holes"]);
    assert!(
        cells(&out)
            .iter()
            .flatten()
            .all(|cell| !cell.is_empty() && *cell != "NA")
    );
}

/// Columns that are not in the network stay incomplete; variables that are not in the table are
/// treated as missing.
#[test]
fn columns_not_shared_by_table_and_network_are_noted() {
    let folder = folder();
    folder.learn("data.tsv", &["-q", "--drop", "V5"]);
    folder.write("few.tsv", "V0\tV1\tV5\n1\t\t\n\t2\t3\n0.5\t1\t\n");
    let run = folder.run(&["impute", "net.json", "few.tsv"]);
    assert_eq!(run.code, 0);
    assert!(
        run.err.contains("not in any network, left unfilled: V5"),
        "{}",
        run.err
    );
    assert!(
        run.err
            .contains("not in the data, treated as missing: V2, V3, V4"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("2 of 4 missing values filled in"),
        "{}",
        run.err
    );
    let rows = cells(&run.out);
    assert_eq!(rows[2][1..], ["2.0", "3.0"]);
    assert!(rows[1][1].parse::<f64>().is_ok() && rows[1][2].parse::<f64>().is_err());
}

/// For non-linear networks `score` gives a bound and an estimate of the likelihood.
#[test]
fn scores_of_non_linear_networks_are_a_bound_and_an_estimate() {
    let folder = folder();
    folder.learn("data.tsv", &["-q", "--cpd", "sigmoid"]);
    let object = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    let (bound, estimate) = (
        object["bound"].as_f64().unwrap(),
        object["estimate"].as_f64().unwrap(),
    );
    assert!(bound <= estimate && object.get("log_likelihood").is_none());
    let text = folder.ok(&["score", "net.json", "data.tsv"]);
    assert!(
        text.contains("log-likelihood, mean field bound ")
            && text.contains("log-likelihood, estimate ")
    );
    let predicted = folder.ok(&["predict", "net.json", "data.tsv", "V2"]);
    assert!(
        cells(&predicted)[1..]
            .iter()
            .flatten()
            .all(|cell| cell.parse::<f64>().is_ok())
    );
    let ranked = folder.ok(&["rank", "net.json", "data.tsv", "V2"]);
    assert_eq!(cells(&ranked)[0][0], "candidate");
}

/// A resumed run finds the network of an uninterrupted run, also if it was stopped within
/// structural EM.
#[test]
fn resumed_runs_find_the_same_network() {
    let folder = folder();
    for options in [
        vec![],
        vec!["--cpd", "sigmoid", "--restarts", "1"],
        vec!["--search", "tabu"],
    ] {
        let args = |more: &[&'static str]| {
            let all = ["learn", "data.tsv", "-q", "-o"]
                .into_iter()
                .chain(more.iter().copied());
            all.chain(options.iter().copied()).collect::<Vec<_>>()
        };
        folder.ok(&args(&["whole.json"]));
        // A time limit of zero stops at once, with or without a checkpoint.
        for limit in ["0", "0.002", "0.01", "0.03"] {
            folder.ok(&[
                args(&[
                    "net.json",
                    "--checkpoint",
                    "c",
                    "--checkpoint-every",
                    "0",
                    "--resume",
                ]),
                vec!["--time-limit", limit],
            ]
            .concat());
        }
        folder.ok(&args(&["net.json", "--checkpoint", "c", "--resume"]));
        assert_eq!(folder.read("net.json"), folder.read("whole.json"));
        std::fs::remove_file(folder.at("c")).ok();
    }
}
