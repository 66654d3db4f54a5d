//! `report`, `learn --report`, plots, completions and manual pages.

use crate::common::Folder;
use serde_json::Value;

/// The JSON content of a report page.
fn content(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"content\">").expect("the content");
    let (text, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(text).expect("JSON")
}

/// Traces of structural EM and of hidden variables have additional kinds of lines.
#[test]
fn report_reads_every_trace_that_learn_writes() {
    let folder = Folder::with_data();
    for options in [
        ["--example", "ecoli70-holes"].as_slice(),
        &["--example", "twolayer", "--two-layer", "--hidden", "2"],
    ] {
        let written = [
            "-q",
            "--restarts",
            "5",
            "-o",
            "net.json",
            "--trace",
            "t.jsonl",
        ];
        folder.ok(&[&["learn"], options, &written].concat());
        let kinds = folder.read("t.jsonl");
        assert!(kinds.contains("\"iteration\"") || kinds.contains("\"hidden\""));
        let page = ["--trace", "t.jsonl", "-o", "page.html"];
        folder.ok(&[&["report", "net.json"], &options[..2], &page].concat());
        let shown = content(&folder.read("page.html"));
        assert_eq!(
            shown["trace"].as_array().unwrap().len(),
            kinds.lines().count()
        );
    }
}

#[test]
fn learn_and_report_write_the_same_page() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &["--report", "page.html", "--trace", "t.jsonl"]);
    let page = content(&folder.read("page.html"));
    let net = folder.json("net.json");
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|v| v["name"].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(names(&page["variables"]), names(&net["variables"]));
    let families = net["families"].as_array().unwrap();
    let edges: usize = families
        .iter()
        .map(|f| f["parents"].as_array().unwrap().len())
        .sum();
    assert_eq!(page["edges"].as_array().unwrap().len(), edges);
    let steps = folder.read("t.jsonl").lines().count();
    assert_eq!(page["trace"].as_array().unwrap().len(), steps);
    assert_eq!(page["trace"][0]["edges"], 1);
    assert_eq!(page["title"], "Network of data");
    assert_eq!(page["command"], "idealparent learn data.tsv -o net.json");
    assert_eq!(
        (
            &page["data"]["total"],
            page["data"]["rankings"].as_object().unwrap().len()
        ),
        (&Value::from(60), 6)
    );
    // `report` makes the same page from the files, for any number of threads.
    for threads in ["1", "3"] {
        folder.ok(&[
            "report",
            "net.json",
            "data.tsv",
            "--trace",
            "t.jsonl",
            "-o",
            "again.html",
            "--threads",
            threads,
        ]);
        let again = content(&folder.read("again.html"));
        for part in [
            "variables",
            "families",
            "edges",
            "data",
            "command",
            "title",
            "notes",
        ] {
            assert_eq!(again[part], page[part], "{part}");
        }
    }
}

#[test]
fn the_command_on_the_page_repeats_the_run() {
    let folder = Folder::with_data();
    let options = [
        "--cpd",
        "sigmoid",
        "--bias",
        "--score",
        "bic",
        "--penalty",
        "1.5",
        "--search",
        "hill",
        "--max-parents",
        "2",
        "--seed",
        "7",
        "--drop",
        "V5",
        "-k",
        "all",
        "--moves",
        "add,delete",
    ];
    folder.learn(
        "data.tsv",
        &[&options[..], &["--report", "page.html"]].concat(),
    );
    let first = folder.read("net.json");
    let page = content(&folder.read("page.html"));
    let command = page["command"].as_str().unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    std::fs::remove_file(folder.at("net.json")).unwrap();
    folder.ok(&words);
    assert_eq!(folder.read("net.json"), first, "{command}");
}

#[test]
fn pages_show_other_data_missing_values_and_hidden_variables() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &[]);
    let text = folder.read("data.tsv");
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let fields: Vec<&str> = lines[3].split('\t').collect();
    let holed = [&["NA"], &fields[1..]].concat().join("\t");
    lines[3] = holed;
    folder.write("holes.tsv", lines.join("\n") + "\n");
    folder.ok(&["report", "net.json", "holes.tsv", "-o", "page.html"]);
    let page = content(&folder.read("page.html"));
    assert_eq!(page["data"]["missing"][0], 1);
    assert!(page["notes"][0].as_str().unwrap().contains("not the data"));
    folder.ok(&[
        "learn",
        "--example",
        "twolayer",
        "--hidden",
        "2",
        "--two-layer",
        "-o",
        "two.json",
        "--report",
        "two.html",
    ]);
    let page = content(&folder.read("two.html"));
    assert_eq!(page["data"]["deviations"].as_object().unwrap().len(), 2);
    let lines = page["trace"].as_array().unwrap().iter();
    assert_eq!(lines.filter(|line| line["outcome"] == "added").count(), 2);
}

#[test]
fn names_cannot_break_out_of_the_json_content() {
    let hostile = "</script><script>alert(1)</script>\u{2028}<!--";
    let mut text = format!("\"{hostile}\",B\n");
    for i in 0..30 {
        text += &format!(
            "{},{}\n",
            (i * 7 % 11) as f64,
            (i * 7 % 11) as f64 + (i % 3) as f64
        );
    }
    let folder = Folder::with(&[("h.csv", &text)]);
    folder.learn("h.csv", &["--report", "page.html"]);
    let page = folder.read("page.html");
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--") && !page.contains('\u{2028}'));
    assert_eq!(content(&page)["variables"][0]["name"], hostile);
    assert!(!page.contains("http://www.w3.org/1999") && !page.contains("https://"));
}

#[test]
fn errors_are_one_line() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &["--trace", "t.jsonl"]);
    folder.write("bad.jsonl", "{\"step\":1}\n");
    folder.write("bad.tsv", "from\tto\tstrength\tdirection\nX0\tX1\t2\t0\n");
    folder.write("worse.tsv", "from\tto\nX0\tX1\n");
    let report = |more: &[&'static str]| {
        [&["report", "net.json", "data.tsv", "-o", "p.html"], more].concat()
    };
    folder.fails(
        &report(&["--trace", "bad.jsonl"]),
        1,
        "bad.jsonl:1: this is not a line of a trace",
    );
    folder.fails(
        &report(&["--bootstrap", "bad.tsv"]),
        1,
        "bad.tsv:2: '2' is not a number from 0 to 1",
    );
    folder.fails(
        &report(&["--bootstrap", "worse.tsv"]),
        1,
        "worse.tsv:1: there is no column 'strength'",
    );
    folder.fails(
        &["report", "nowhere.json", "data.tsv", "-o", "p.html"],
        1,
        "nowhere.json: No such file or directory",
    );
    let over = folder.run(&["report", "net.json", "data.tsv", "-o", "net.json"]);
    assert_eq!(over.code, 2, "{}", over.err);
    folder.misused(
        &["export", "net.json", "--format", "svg", "--scale", "2"],
        "--scale needs the format png",
    );
    folder.misused(
        &[
            "export", "net.json", "--format", "png", "--scale", "0", "-o", "x.png",
        ],
        "scale must be from 0.01",
    );
    folder.misused(
        &["cv", "data.tsv", "--plot", "x.pdf"],
        "--plot x.pdf: plots are written as .svg or .png",
    );
}

#[test]
fn exports_and_plots_are_written_as_png_and_svg() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &[]);
    folder.ok(&["export", "net.json", "--format", "png", "-o", "net.png"]);
    let bytes = std::fs::read(folder.at("net.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 2000);
    folder.ok(&[
        "cv",
        "data.tsv",
        "--methods",
        "greedy ideal:k=1",
        "--folds",
        "3",
        "--plot",
        "folds.svg",
    ]);
    let svg = folder.read("folds.svg");
    // Two methods and three folds in four panels, of which the first shows test and train.
    assert_eq!(svg.matches("<circle").count(), 2 * 3 * 5 + 2);
    assert!(svg.contains("ideal:k=1") && !svg.contains("NaN"));
    folder.ok(&["cv", "data.tsv", "--folds", "2", "--plot", "folds.png"]);
    assert!(
        std::fs::read(folder.at("folds.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.ok(&["completions", shell]);
        assert!(
            script.contains("bootstrap") && script.contains("max-parents"),
            "{shell}"
        );
    }
    assert!(folder.ok(&["man"]).contains(".TH idealparent 1"));
    folder.ok(&["man", "-o", "man"]);
    let page = folder.read("man/idealparent-learn.1");
    assert!(page.contains("\\-\\-max\\-parents"), "{page}");
    assert!(
        folder.at("man/idealparent.1").exists() && folder.at("man/idealparent-report.1").exists()
    );
    for hidden in ["options", "reproduce"] {
        let page = format!("man/idealparent-{hidden}.1");
        assert!(!folder.at(&page).exists(), "{page}");
    }
    let line = "man/idealparent.1: this is a file; name a folder instead";
    folder.fails(&["man", "-o", "man/idealparent.1"], 1, line);
}
