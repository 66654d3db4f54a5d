//! A table gives the same network in every file format.

use std::io::Write;

use crate::common::{Folder, Net, table, tree, tree_rows};
use flate2::{Compression, write::GzEncoder};

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The table with another separator.
fn separated(separator: char) -> String {
    tree(5, 30).replace('\t', &separator.to_string())
}

/// The network learned from the plain table.
fn expected() -> Net {
    Folder::with(&[("data.tsv", &tree(5, 30))]).learn("data.tsv", &[])
}

#[test]
fn every_file_format_gives_the_same_network() {
    let folder = Folder::new();
    let expected = expected();
    folder.write("data.tsv", tree(5, 30));
    folder.write("data.csv", separated(','));
    folder.write("comma.txt", separated(','));
    folder.write("tab.txt", separated('\t'));
    folder.write("semicolon.txt", separated(';'));
    folder.write("space.dat", separated(' '));
    folder.write("none", separated('\t'));
    folder.write("DATA.CSV", separated(',').replace('\n', "\r\n"));
    folder.write("bom.csv", format!("\u{feff}{}", separated(',')));
    folder.write("blank.tsv", separated('\t').replace('\n', "\n\n"));
    folder.write("data.tsv.gz", gzip(&separated('\t')));
    folder.write("data.csv.gz", gzip(&separated(',')));
    folder.write("unnamed-gzip.csv", gzip(&separated(',')));
    let padded = [gzip(&separated(',')), vec![0; 700]].concat();
    folder.write("padded.csv.gz", padded);
    let all = folder.names();
    assert_eq!(all.len(), 14);
    for data in &all {
        let net = folder.learn(data, &["-q"]);
        assert_eq!(net.0, expected.0, "{data}");
    }
}

#[test]
fn a_delimiter_overrides_the_extension() {
    let folder = Folder::new();
    for (word, separator) in [
        ("tab", '\t'),
        ("\\t", '\t'),
        ("comma", ','),
        (",", ','),
        ("semicolon", ';'),
        ("space", ' '),
        ("|", '|'),
    ] {
        folder.write("data.csv", separated(separator));
        let net = folder.learn("data.csv", &["-q", "--delimiter", word]);
        assert_eq!(net.0, expected().0, "{word}");
    }
}

#[test]
fn the_delimiter_of_standard_input_is_detected() {
    let folder = Folder::new();
    for separator in ['\t', ',', ';', ' '] {
        let text = separated(separator);
        for bytes in [text.clone().into_bytes(), gzip(&text)] {
            let run = folder.run_with(&["learn", "-", "-q", "-o", "net.json"], &bytes);
            assert_eq!((run.code, run.err.as_str()), (0, ""));
            assert_eq!(folder.net("net.json").0, expected().0);
            let run = folder.run_with(&["score", "net.json", "-", "--json"], &bytes);
            assert_eq!(run.code, 0, "{}", run.err);
        }
    }
}

#[test]
fn transposed_tables_give_the_same_network() {
    let rows = tree_rows(5, 30);
    let column = |j: usize| rows.iter().map(move |row| row[j].to_string());
    let samples: Vec<String> = (0..30).map(|i| format!("s{i}")).collect();
    let line = |j: usize| format!("V{j}\t{}\n", column(j).collect::<Vec<_>>().join("\t"));
    let body: String = (0..5).map(line).collect();
    let folder = Folder::new();
    folder.write("named.tsv", format!("gene\t{}\n{body}", samples.join("\t")));
    folder.write("unnamed.tsv", format!("\t{}\n{body}", samples.join("\t")));
    folder.write("short.tsv", format!("{}\n{body}", samples.join("\t")));
    let weights = format!("EWEIGHT\t\t{}\n", vec!["1"; 30].join("\t"));
    let annotated: String = (0..5)
        .map(|j| line(j).replacen('\t', "\tsome gene\t", 1))
        .collect();
    let header = format!("YORF\tNAME\t{}\n", samples.join("\t"));
    folder.write("yeast.pcl", header + &weights + &annotated);
    for data in ["named.tsv", "unnamed.tsv", "short.tsv", "yeast.pcl"] {
        let net = folder.learn(data, &["-q", "--transpose"]);
        assert_eq!(net.0, expected().0, "{data}");
    }
    folder.write("genes.txt", "V1\nV3\n");
    folder.write("arrays.txt", "s3\ns1\ns2\ns9\ns5\n");
    let lists = [
        "-q",
        "--transpose",
        "--variables",
        "genes.txt",
        "--instances",
        "arrays.txt",
    ];
    let net = folder.learn("named.tsv", &lists);
    assert_eq!(net.names(), ["V1", "V3"]);
    assert_eq!(net.0["provenance"]["data"]["rows"], 5);
    // With --transpose, --drop takes names of columns of the file and of variables.
    let net = folder.learn("named.tsv", &["-q", "--transpose", "--drop", "V2,s4"]);
    assert_eq!(net.names(), ["V0", "V1", "V3", "V4"]);
    assert_eq!(net.0["provenance"]["data"]["rows"], 29);
}

#[test]
fn row_names_are_recognised() {
    let rows = tree_rows(5, 30);
    let text = table(&["V0", "V1", "V2", "V3", "V4"], &rows, '\t');
    let label = |index: usize, line: &str, label: &dyn Fn(usize) -> String| match index {
        0 => format!("id\t{line}\n"),
        _ => format!("{}\t{line}\n", label(index)),
    };
    let labelled = |name: &dyn Fn(usize) -> String| -> String {
        let lines = text.lines().enumerate();
        lines
            .map(|(index, line)| label(index, line, name))
            .collect()
    };
    let folder = Folder::new();
    folder.write("words.tsv", labelled(&|i| format!("cell {i}")));
    folder.write("numbers.tsv", labelled(&|i| i.to_string()));
    folder.write(
        "headless.tsv",
        labelled(&|i| i.to_string()).replacen("id", "", 1),
    );
    assert_eq!(folder.learn("words.tsv", &["-q"]).0, expected().0);
    assert_eq!(folder.learn("headless.tsv", &["-q"]).0, expected().0);
    let yes = folder.learn("numbers.tsv", &["-q", "--row-names", "yes"]);
    assert_eq!(yes.0, expected().0);
    for options in [["-q"].as_slice(), &["-q", "--row-names", "no"]] {
        let net = folder.learn("numbers.tsv", options);
        assert_eq!(net.names(), ["id", "V0", "V1", "V2", "V3", "V4"]);
    }
    let line = "words.tsv:2: column 'id': 'cell 1' is not a number (a text column? leave it out with --drop id)";
    folder.fails(&["learn", "words.tsv", "--row-names", "no"], 1, line);
    // Predictions keep the names of the rows.
    let predicted = folder.ok(&["predict", "net.json", "words.tsv", "V1"]);
    let cells = crate::common::cells(&predicted);
    assert_eq!(
        (cells[0].as_slice(), cells[1][0]),
        (["", "mean", "sd"].as_slice(), "cell 1")
    );
    folder.write("cells.txt", "cell 3\ncell 30\ncell 7\n");
    let net = folder.learn("words.tsv", &["-q", "--instances", "cells.txt"]);
    assert_eq!(net.0["provenance"]["data"]["rows"], 3);
}

#[test]
fn columns_can_be_dropped_or_selected() {
    let rows = tree_rows(6, 30);
    let text = table(&["V0", "V1", "V2", "V3", "V4", "V5"], &rows, ',');
    let mut lines = text.lines().enumerate();
    let with_words: String = lines
        .by_ref()
        .map(|(i, line)| match i {
            0 => format!("{line},\"site, plot\",sex\n"),
            _ => format!("{line},north {i},{}\n", ["f", "m"][i % 2]),
        })
        .collect();
    let folder = Folder::with(&[("data.csv", &with_words)]);
    // The --drop that the message suggests works.
    let run = folder.run(&["learn", "data.csv"]);
    let offered = "--drop '\"site, plot\",sex'";
    assert!(
        run.err
            .ends_with(&format!("leave them out with {offered})\n")),
        "{}",
        run.err
    );
    let net = folder.learn("data.csv", &["-q", "--drop", "\"site, plot\",sex,V5"]);
    assert_eq!(net.0, expected_of_first_five(&rows).0);
    let net = folder.learn(
        "data.csv",
        &[
            "-q",
            "--drop",
            "sex",
            "--drop",
            "\"site, plot\"",
            "--drop",
            "V5",
        ],
    );
    assert_eq!(net.0, expected_of_first_five(&rows).0);
    folder.write("names.txt", "V4\r\nV3\n\nV2\nV1\nV0\n");
    let net = folder.learn("data.csv", &["-q", "--variables", "names.txt"]);
    assert_eq!(
        net.0,
        expected_of_first_five(&rows).0,
        "columns stay in the order of the data"
    );
}

fn expected_of_first_five(rows: &[Vec<f64>]) -> Net {
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row[..5].to_vec()).collect();
    let text = table(&["V0", "V1", "V2", "V3", "V4"], &rows, '\t');
    Folder::with(&[("data.tsv", &text)]).learn("data.tsv", &[])
}

#[test]
fn every_word_for_a_missing_value_is_recognised() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &["-q"]);
    let header = "V0\tV1\tV2\tV3\tV4\tV5\n";
    let with = |word: &str| format!("{header}1\t{word}\t3\t1\t2\t1\n2\t1\t1\t2\t1\t0\n");
    folder.write("holes.tsv", with(""));
    let expected = folder.ok_json(&["score", "net.json", "holes.tsv", "--json"]);
    assert!(expected["log_likelihood"].is_number() && expected.get("per_variable").is_none());
    for word in [
        "NA", "na", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", ".",
    ] {
        folder.write("holes.tsv", with(word));
        let score = folder.ok_json(&["score", "net.json", "holes.tsv", "--json"]);
        assert_eq!(score, expected, "{word}");
    }
}

/// The table with two more columns of text.
fn with_text(rows: &str) -> String {
    let mut text = String::new();
    for (number, line) in rows.lines().enumerate() {
        let cells = if number == 0 {
            "site\tcolour"
        } else {
            "north\tred"
        };
        text += &format!("{line}\t{cells}\n");
    }
    text
}

#[test]
fn text_columns_that_are_not_in_the_network_are_ignored() {
    let folder = Folder::with_data();
    folder.learn("data.tsv", &["-q"]);
    folder.write("text.tsv", with_text(&folder.read("data.tsv")));
    let note = "note: text columns that are not in the network are ignored: 'site', 'colour'\n";
    for command in [
        "score net.json DATA",
        "predict net.json DATA V1",
        "impute net.json DATA -o -",
        "rank net.json DATA V1",
    ] {
        let run = |data: &str| {
            let words = command.replace("DATA", data);
            folder.run(&words.split(' ').collect::<Vec<_>>())
        };
        let (plain, text) = (run("data.tsv"), run("text.tsv"));
        assert_eq!(text.code, 0, "{command}: {}", text.err);
        assert_eq!(text.out, plain.out, "{command}");
        assert!(text.err.contains(note), "{command}: {}", text.err);
    }
    // A text column that the network contains is an error.
    let other = folder.read("text.tsv").replacen("V1", "other", 1);
    folder.write("named.tsv", other.replacen("site", "V1", 1));
    let run = folder.run(&["score", "net.json", "named.tsv"]);
    let line = "error: named.tsv:2: column 'V1': 'north' is not a number";
    assert!(run.err.starts_with(line), "{}", run.err);
    assert_eq!(run.code, 1);
}
