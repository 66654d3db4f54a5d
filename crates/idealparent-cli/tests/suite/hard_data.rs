//! Difficult data: either all learned numbers are finite, or there is a clear error.

use crate::common::{Folder, Noise, assert_finite, cells, close, table, tree, tree_rows};

/// Learns in several ways and uses the networks; every number must be finite.
fn assert_finite_results(names: &[&str], rows: &[Vec<f64>]) -> Folder {
    let folder = Folder::with(&[("data.tsv", &table(names, rows, '\t'))]);
    for options in [
        ["--score", "ebic"].as_slice(),
        &["--score", "aic", "--method", "greedy"],
        &["--score", "bic", "--method", "greedy"],
        &["--score", "bge"],
        &["--score", "bge", "--standardize"],
    ] {
        let start = ["learn", "data.tsv", "-o", "net.json", "--json"];
        let report = folder.ok_json(&[&start, options].concat());
        assert_finite(&report, "report");
        let net = folder.net("net.json");
        assert_finite(&net.0, "net.json");
        let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
        assert_finite(&score, "score");
        assert!(close(&score["score"], &report["score"]), "{options:?}");
        let last = names[names.len() - 1];
        for text in [
            folder.ok(&["predict", "net.json", "data.tsv", last]),
            folder.ok(&["sample", "net.json", "-n", "5"]),
        ] {
            for row in &cells(&text)[1..] {
                let finite = |cell: &&str| cell.parse::<f64>().is_ok_and(f64::is_finite);
                assert!(row.iter().all(finite), "{options:?}: {row:?}");
            }
        }
    }
    folder
}

fn mapped(width: usize, rows: usize, change: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
    tree_rows(width, rows)
        .iter()
        .map(|row| change(row))
        .collect()
}

#[test]
fn collinear_columns_give_finite_results() {
    let rows = mapped(4, 40, |r| {
        vec![r[0], 2.0 * r[0] + 3.0, -r[0], r[3], 1e3 * r[3]]
    });
    assert_finite_results(&["A", "B", "C", "D", "E"], &rows);
}

#[test]
fn a_sum_of_two_columns_gives_finite_results() {
    let rows = mapped(4, 50, |r| vec![r[0], r[1], r[0] + r[1], r[3]]);
    assert_finite_results(&["A", "B", "S", "D"], &rows);
}

#[test]
fn more_variables_than_instances_give_small_families() {
    let names: Vec<String> = (0..50).map(|j| format!("V{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = assert_finite_results(&names, &tree_rows(50, 10));
    // A family of k parents needs more than k + 2 instances.
    let net = folder.learn("data.tsv", &["--score", "aic", "-q"]);
    assert!(names.iter().all(|name| net.parents(name).len() < 8));
}

#[test]
fn two_or_three_instances_give_no_edges() {
    for count in [2, 3] {
        let folder = assert_finite_results(&["A", "B", "C", "D"], &tree_rows(4, count));
        assert!(folder.net("net.json").edges().is_empty());
    }
}

#[test]
fn huge_and_tiny_columns_give_the_same_edges() {
    let rows = mapped(4, 40, |r| {
        vec![1e12 * r[0], 1e-12 * r[1], 1e12 * (1.0 + r[2]), 1e-12 * r[3]]
    });
    let folder = assert_finite_results(&["A", "B", "C", "D"], &rows);
    let plain = Folder::with(&[(
        "data.tsv",
        &table(&["A", "B", "C", "D"], &tree_rows(4, 40), '\t'),
    )]);
    // The scale of a column does not affect the learned edges.
    let [scaled, plain] = [&folder, &plain].map(|folder| folder.learn("data.tsv", &["-q"]));
    assert_eq!(scaled.edges(), plain.edges());
}

#[test]
fn a_single_variable_is_learned() {
    assert_finite_results(&["A"], &tree_rows(1, 5));
}

#[test]
fn constant_data_give_an_empty_network() {
    let folder = Folder::with(&[("data.tsv", "A\tB\n1\t2\n1\t2\n")]);
    let report = folder.ok_json(&["learn", "data.tsv", "-o", "net.json", "--json"]);
    assert_finite(&report, "report");
    assert_eq!(
        (&report["edges"], &report["dimension"]),
        (&0.into(), &0.into())
    );
    assert_finite(&folder.net("net.json").0, "net.json");
    folder.ok(&["score", "net.json", "data.tsv"]);
}

#[test]
fn a_constant_column_is_kept_with_a_note() {
    let rows: Vec<Vec<f64>> = tree_rows(3, 30)
        .into_iter()
        .map(|row| vec![row[0], 5.5, row[1], row[2], 0.0])
        .collect();
    let folder = Folder::with(&[("data.tsv", &table(&["A", "K", "B", "C", "Z"], &rows, '\t'))]);
    let run = folder.run(&["learn", "data.tsv", "-o", "net.json"]);
    assert_eq!(
        run.err,
        "note: column 'K' is constant: kept without edges\nnote: column 'Z' is constant: kept without edges\n"
    );
    let net = folder.net("net.json");
    assert_eq!(net.names(), ["A", "K", "B", "C", "Z"]);
    let family = net.family("K");
    assert_eq!(
        (&family["inactive"], &family["cpd"]["intercept"]),
        (&true.into(), &5.5.into())
    );
    assert!(close(
        &family["cpd"]["variance"],
        &(1e-12 * 5.5 * 5.5).into()
    ));
    assert_eq!(net.family("Z")["cpd"]["variance"], 1e-12);
    assert!(
        net.edges()
            .iter()
            .all(|(from, to)| ![from, to].contains(&&"K"))
    );
    assert_eq!(net.0["score"]["dimension"], 6 + net.edges().len());
    let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    assert!(close(&score["score"], &net.0["score"]["value"]));
    assert_eq!(score["per_variable"]["K"], 0.0);
    // Samples repeat the constant.
    let drawn = folder.ok(&["sample", "net.json", "-n", "3"]);
    assert!(
        crate::common::cells(&drawn)[1..]
            .iter()
            .all(|row| row[1] == "5.5")
    );
}

#[test]
fn duplicate_columns_are_noted_and_not_joined() {
    let rows: Vec<Vec<f64>> = tree_rows(3, 30)
        .into_iter()
        .map(|row| vec![row[0], row[1], row[2], row[1]])
        .collect();
    let folder = Folder::with(&[("data.tsv", &table(&["A", "B", "C", "B2"], &rows, '\t'))]);
    for method in ["ideal", "greedy"] {
        let run = folder.run(&["learn", "data.tsv", "-o", "net.json", "--method", method]);
        let note = "note: column 'B2' is an exact duplicate of 'B', so there is no edge between them (consider leaving it out with --drop B2)\n";
        assert_eq!(run.err, note);
        let net = folder.net("net.json");
        assert!(!net.has("B", "B2") && !net.has("B2", "B"));
        assert!(!net.edges().is_empty());
        assert_finite(&net.0, "net.json");
    }
}

#[test]
fn notes_are_one_line() {
    let folder = Folder::with(&[("data.csv", "A,\"K\nnote: \u{1b}[31m\"\n1,5\n2,5\n4,5\n")]);
    let run = folder.run(&["learn", "data.csv"]);
    assert_eq!(
        run.err,
        "note: column 'K\\nnote: \\u{1b}[31m' is constant: kept without edges\n"
    );
}

/// Names with separators, quotation marks, line breaks, markup and non-ASCII characters.
const HOSTILE: [&str; 9] = [
    "say \"hi\"",
    "comma, space",
    "tab\there",
    "two\nlines\r\nand three",
    "日本語 é \u{1F600}",
    "<script>alert('x')</script>",
    "--option",
    " blanks ",
    "C:\\new\\table",
];

#[test]
fn unusual_names_are_kept_by_every_command() {
    let quoted: Vec<String> = HOSTILE
        .iter()
        .map(|name| format!("\"{}\"", name.replace('"', "\"\"")))
        .collect();
    let folder = Folder::with(&[("data.csv", &table(&quoted, &tree_rows(9, 60), ','))]);
    let first = folder.learn("data.csv", &[]);
    assert_eq!(first.names(), HOSTILE);
    let plain = Folder::with(&[("data.tsv", &tree(9, 60))]).learn("data.tsv", &[]);
    let number = |name: &str| HOSTILE.iter().position(|own| *own == name).unwrap();
    let by_number = |(from, to)| (format!("V{}", number(from)), format!("V{}", number(to)));
    let edges: Vec<(String, String)> = first.edges().into_iter().map(by_number).collect();
    let plain: Vec<(&str, &str)> = plain.edges();
    assert_eq!(edges.len(), plain.len());
    assert!(
        edges
            .iter()
            .zip(plain)
            .all(|((from, to), plain)| (from.as_str(), to.as_str()) == plain)
    );

    let score = folder.ok_json(&["score", "net.json", "data.csv", "--json"]);
    assert_eq!(crate::common::keys(&score["per_variable"]), HOSTILE);
    for sample in ["sample.tsv", "sample.csv", "sample.csv.gz"] {
        folder.ok(&["sample", "net.json", "-n", "50", "-o", sample]);
        assert_eq!(folder.learn(sample, &["-q"]).names(), HOSTILE, "{sample}");
        folder.ok(&["score", "net.json", sample]);
        folder.learn("data.csv", &["-q"]);
    }
    for name in HOSTILE {
        // After --, a name that looks like an option is taken as a name.
        let out = folder.ok(&["predict", "net.json", "--", "data.csv", name]);
        assert_eq!(out.lines().count(), 61);
        folder.ok(&["rank", "net.json", "--json", "--", "data.csv", name]);
    }
    let compared = folder.ok_json(&["compare", "net.json", "net.json", "--json"]);
    assert_eq!(compared["directed"]["shd"], 0);
    for format in ["dot", "graphml", "gexf", "cyjs"] {
        let text = folder.ok(&["export", "net.json", "--format", format]);
        assert!(text.contains("日本語"), "{format}");
        let raw = text.contains("<script>");
        assert!(!raw || !["graphml", "gexf"].contains(&format), "{format}");
    }
    folder.fails(
        &["export", "net.json", "--format", "sif", "-o", "net.sif"],
        1,
        "sif export: the name of variable 'tab\\there' contains a tab or a line break, which SIF cannot write (rename the variable)",
    );
}

#[test]
fn unusual_names_can_be_listed_in_files() {
    let quoted: Vec<String> = HOSTILE
        .iter()
        .map(|name| format!("\"{}\"", name.replace('"', "\"\"")))
        .collect();
    let folder = Folder::with(&[("data.csv", &table(&quoted, &tree_rows(9, 60), ','))]);
    folder.write(
        "edges.csv",
        format!("from,to\n{},{}\n", quoted[3], quoted[1]),
    );
    let net = folder.learn("data.csv", &["-q", "--require", "edges.csv"]);
    assert!(net.has(HOSTILE[3], HOSTILE[1]));
    let list = format!("{},{},{}", quoted[0], quoted[1], HOSTILE[4]);
    let net = folder.learn("data.csv", &["-q", "--drop", &list]);
    assert_eq!(net.names()[..2], HOSTILE[2..4]);
    assert_eq!(net.names().len(), 6);
    folder.write(
        "names.txt",
        format!("{}\n{}\n{}\n", HOSTILE[0], HOSTILE[1], HOSTILE[7]),
    );
    let net = folder.learn("data.csv", &["-q", "--variables", "names.txt"]);
    assert_eq!(net.names(), [HOSTILE[0], HOSTILE[1], HOSTILE[7]]);
    // With quotation marks any name can be listed.
    folder.write("names.txt", quoted[1..].join("\r\n"));
    let net = folder.learn("data.csv", &["-q", "--variables", "names.txt"]);
    assert_eq!(net.names(), HOSTILE[1..]);
    folder.write(
        "tiers.txt",
        format!("{}\n{}\n", quoted[1..].join("\t"), quoted[0]),
    );
    let net = folder.learn("data.csv", &["-q", "--tiers", "tiers.txt"]);
    assert!(!net.edges().is_empty());
    assert!(net.edges().iter().all(|(from, _)| *from != HOSTILE[0]));
    let args = [
        "learn",
        "data.csv",
        "--transpose",
        "--row-names",
        "no",
        "-q",
    ];
    folder.ok(&[&args, ["--instances", "names.txt"].as_slice()].concat());
}

#[test]
fn long_names_are_cut_in_messages() {
    let name = "x".repeat(100_000);
    let folder = Folder::with(&[("data.tsv", &format!("{name}\tB\n1e200\t1\n2\t3\n"))]);
    let shown = "x".repeat(39) + "…";
    folder.fails(
        &["learn", "data.tsv"],
        1,
        &format!("column '{shown}' holds values beyond 1e140: rescale it"),
    );
    folder.write("few.tsv", "A\tB\n1\t2\n2\t1\n3\t5\n");
    folder.write("edges.tsv", format!("from\tto\n{name}\tB\n"));
    for args in [
        ["fit", "edges.tsv", "few.tsv"].as_slice(),
        &["learn", "few.tsv", "--require", "edges.tsv"],
        &["learn", "few.tsv", "--start", "edges.tsv"],
        &["learn", "few.tsv", "--variables", "edges.tsv"],
        &["learn", "few.tsv", "--tiers", "edges.tsv"],
        &["learn", "few.tsv", "--score", &name],
        &["score", &name, "few.tsv"],
    ] {
        let run = folder.run(args);
        assert!(run.code == 1 || run.code == 2);
        assert_eq!(run.err.lines().count(), 1);
        assert!(run.err.chars().count() < 1100, "{args:?}");
    }
}

#[test]
fn a_column_without_values_is_kept_with_a_note() {
    let rows: Vec<String> = tree_rows(2, 30)
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let some = if i % 2 == 0 { "7" } else { "NA" };
            format!("{}\t\t{}\t{some}\n", row[0], row[1])
        })
        .collect();
    let folder = Folder::with(&[("data.tsv", &format!("A\tE\tB\tC\n{}", rows.concat()))]);
    for options in [["--score", "ebic"], ["--score", "bge"]] {
        let run = folder.run(&[&["learn", "data.tsv", "-o", "net.json"], &options[..]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(
            run.err,
            "note: column 'E' has no values: kept without edges\n\
             note: column 'C' is constant: kept without edges\n"
        );
        let net = folder.net("net.json");
        assert!(net.has("A", "B") != net.has("B", "A"));
        assert_eq!(net.edges().len(), 1);
        for (name, mean, variance) in [("E", 0.0, 1.0), ("C", 7.0, 49e-12)] {
            let family = net.family(name);
            assert_eq!(family["inactive"], true);
            assert_eq!(family["cpd"]["intercept"], mean);
            assert_eq!(family["cpd"]["variance"], variance);
        }
        assert_eq!(net.0["provenance"]["data"]["missing"], 45);
        let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json", "-q"]);
        assert!(crate::common::close(
            &score["score"],
            &net.0["score"]["value"]
        ));
    }
}

#[test]
fn far_from_zero_the_written_network_has_the_reported_score() {
    let mut noise = Noise::new(3);
    let rows: Vec<Vec<f64>> = (0..500)
        .map(|_| {
            let a = noise.draw();
            vec![1e12 + a, -3e12 + 5.0 * a + noise.draw(), noise.draw()]
        })
        .collect();
    let folder = Folder::with(&[("data.tsv", &table(&["A", "B", "C"], &rows, '\t'))]);
    let run = folder.run(&["learn", "data.tsv", "-o", "net.json", "--json"]);
    assert_eq!(run.err.matches("centre it to keep precision").count(), 2);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let score = folder.ok_json(&["score", "net.json", "data.tsv", "--json"]);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    for key in ["log_likelihood", "score"] {
        let difference = number(&score[key]) - number(&report[key]);
        assert!(difference.abs() < 1e-9, "{key}: {difference}");
    }
}

#[test]
fn cv_of_networks_without_edges_prints_finite_numbers() {
    let mut noise = Noise::new(5);
    let rows: Vec<Vec<f64>> = (0..40)
        .map(|_| vec![noise.draw(), noise.draw(), noise.draw()])
        .collect();
    let folder = Folder::with(&[("data.tsv", &table(&["A", "B", "C"], &rows, '\t'))]);
    let args = [
        "cv",
        "data.tsv",
        "--folds",
        "4",
        "--methods",
        "greedy ideal",
    ];
    let text = folder.ok(&[args.as_slice(), &["--penalty", "9"]].concat());
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let list = folder.ok_json(&[args.as_slice(), &["--penalty", "9", "--json"]].concat());
    assert!(
        list.as_array()
            .unwrap()
            .iter()
            .all(|fold| fold["edges"] == 0)
    );
    assert_finite(&list, "cv");
}
