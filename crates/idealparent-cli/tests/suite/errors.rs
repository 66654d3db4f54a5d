//! Bad data and bad files: exit code 1, one line with the place and the remedy, no new files.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use crate::common::{Folder, tree};

/// Asserts that `learn data.tsv -o net.json` on this text fails with this line.
fn refused(text: &str, line: &str) {
    let folder = Folder::with(&[("data.tsv", text)]);
    let line = format!("data.tsv{line}");
    folder.fails(&["learn", "data.tsv", "-o", "net.json"], 1, &line);
}

/// Like [`refused`], for a line that does not name a place in the file.
fn refused_without_place(text: &str, options: &[&str], line: &str) {
    let folder = Folder::with(&[("data.tsv", text)]);
    let args = ["learn", "data.tsv", "-o", "net.json"];
    folder.fails(&[&args, options].concat(), 1, line);
}

/// The system's error message for reading this path, without the number of the error.
fn reading(folder: &Folder, name: &str) -> String {
    let error = std::fs::read(folder.at(name)).expect_err("it cannot be read");
    let text = error.to_string();
    let words = text.split(" (os error").next().expect("one part");
    format!("{name}: {words}")
}

#[test]
fn cells_that_are_not_numbers_are_refused() {
    refused(
        "YAL001C\tB\n1\t2\n2\t3\nabc\t4\n5\t5\n",
        ":4: column 'YAL001C': 'abc' is not a number (leave it empty or write NA for a missing value)",
    );
    refused(
        "A\tB\n1\t2\n2\tinf\n",
        ":3: column 'B': 'inf' is an infinite value (leave it empty or write NA for a missing value)",
    );
    refused(
        "A\tB\n1\t2\n\n2\t-1e999\n",
        ":4: column 'B': '-1e999' is too large (leave it empty or write NA for a missing value)",
    );
}

#[test]
fn for_text_columns_the_error_suggests_drop() {
    refused(
        "A\tsex\n1\tf\n2\tm\n3\tf\n",
        ":2: column 'sex': 'f' is not a number (a text column? leave it out with --drop sex)",
    );
    refused(
        "A\tsex\tcity, state\n1\tf\tX\n2\tm\tY\n",
        ":2: column 'sex': 'f' is not a number (one of 2 text columns? leave them out with --drop 'sex,\"city, state\"')",
    );
}

#[test]
fn malformed_tables_are_refused() {
    refused(
        "A\tB\tA\n1\t2\t3\n",
        ":1: two columns are called 'A' (rename one)",
    );
    refused(
        "A\tB\n1\t2\n1\t2\t3\n",
        ":3: 3 fields where the header has 2",
    );
    refused("A\tB\n1\t2\n1\n", ":3: 1 field where the header has 2");
    refused("A\tB\n", ": no rows below the header");
    refused(
        "\"A\tB\n1\t2\n3\t4\n",
        ": no rows below the header (is a closing quotation mark missing?)",
    );
    refused(
        "\"A\tB\tC\n1\t2\t\"3\n4\t5\t6\n",
        ":3: 3 fields where the header has 1 (is a closing quotation mark missing?)",
    );
    let empty = ": the table is empty (expected a header line and rows of numbers)";
    refused("", empty);
    refused("\n\n", empty);
    refused(
        "A\t\tB\n1\t2\t3\n",
        ":1: column 2 has no name (name it or delete it)",
    );
}

#[test]
fn line_breaks_in_names_are_escaped() {
    refused(
        "A\t\"b\nc\"\n1\tx\n2\t1\n3\t1\n",
        ":3: column 'b\\nc': 'x' is not a number (leave it empty or write NA for a missing value)",
    );
}

#[test]
fn files_that_are_not_text_are_refused() {
    let folder = Folder::new();
    folder.write("latin.tsv", b"A\tB\n1\t\xe9\n");
    folder.write("wide.csv", b"\xff\xfeA\0,\0B\0");
    folder.write("cut.tsv.gz", b"\x1f\x8b\x08\0\0");
    folder.fails(
        &["learn", "latin.tsv"],
        1,
        "latin.tsv:2: the text is not UTF-8 (save it as UTF-8)",
    );
    folder.fails(
        &["learn", "wide.csv"],
        1,
        "wide.csv:1: the text is UTF-16 (save it as UTF-8)",
    );
    folder.write("plain.csv.gz", "A,B\n1,2\n2,1\n");
    folder.fails(
        &["learn", "plain.csv.gz"],
        1,
        "plain.csv.gz: not gzip data, although the name ends in .gz (rename or compress it)",
    );
    folder.write("nul.csv", b"A\0,B\n1,x\n2,1\n3,2\n");
    folder.fails(
        &["learn", "nul.csv"],
        1,
        "nul.csv:2: column 'B': 'x' is not a number (leave it empty or write NA for a missing value)",
    );
    let run = folder.run(&["learn", "cut.tsv.gz"]);
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .starts_with("error: cut.tsv.gz: damaged or incomplete gzip data")
    );
    assert_eq!(run.err.lines().count(), 1);
}

#[test]
fn errors_name_standard_input() {
    let folder = Folder::new();
    let run = folder.run_with(&["learn", "-", "-o", "net.json"], b"A,B\n1,2\n1,x\n1,3\n");
    let line = "column 'B': 'x' is not a number (leave it empty or write NA for a missing value)";
    assert_eq!(run.err, format!("error: <stdin>:3: {line}\n"));
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    let run = folder.run_with(&["learn", "-"], b"");
    let line = "the table is empty (expected a header line and rows of numbers)";
    assert_eq!(run.err, format!("error: <stdin>: {line}\n"));
    assert!(folder.names().is_empty());
}

#[test]
fn unreadable_files_are_refused() {
    let folder = Folder::with_data();
    std::fs::create_dir(folder.at("folder")).unwrap();
    folder.ok(&["learn", "data.tsv", "-o", "net.json", "-q"]);
    for name in ["nowhere.tsv", "folder"] {
        let line = reading(&folder, name);
        for args in [
            ["learn", name].as_slice(),
            &["score", "net.json", name],
            &["score", name, "data.tsv"],
            &["fit", name, "data.tsv"],
            &["fit", "net.json", name],
            &["rank", "net.json", name, "V0"],
            &["predict", "net.json", name, "V0"],
            &["sample", name],
            &["compare", name, "net.json"],
            &["compare", "net.json", name],
            &["cv", name],
            &["export", name, "--format", "dot"],
        ] {
            folder.fails(args, 1, &line);
        }
    }
    for (option, content) in [
        ("--variables", "a file with one name per line"),
        ("--instances", "a file with one name per line"),
        ("--require", "a table with the columns from and to"),
        ("--forbid", "a table with the columns from and to"),
        ("--tiers", "a file with one tier per line"),
        (
            "--start",
            "a network file, or a table with the columns from and to",
        ),
    ] {
        let learn = |name| ["learn", "data.tsv", option, name];
        folder.fails(&learn("folder"), 1, &reading(&folder, "folder"));
        let line = format!("{option}: there is no file 'V0,V1' (expected {content})");
        folder.fails(&learn("V0,V1"), 1, &line);
    }
}

#[test]
fn a_network_in_place_of_a_table_is_refused() {
    let folder = Folder::with_data();
    folder.ok(&["learn", "data.tsv", "-o", "net.json", "-q"]);
    let network = folder.read("net.json");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(network.as_bytes()).unwrap();
    folder.write("net.txt", format!("\n {network}"));
    folder.write("net.gz", packed.finish().unwrap());
    let problem = "expected a table, but this is a JSON file (a network?)";
    for name in ["net.json", "net.txt", "net.gz"] {
        let line = format!("{name}: {problem}");
        folder.fails(&["learn", name], 1, &line);
        folder.fails(&["score", "net.json", name], 1, &line);
    }
    let run = folder.run_with(&["learn", "-"], network.as_bytes());
    assert_eq!(run.err, format!("error: <stdin>: {problem}\n"));
    assert_eq!(run.code, 1);
}

#[test]
fn names_not_in_the_data_are_refused() {
    let folder = Folder::with_data();
    folder.write("some.txt", "V1\nV9\nV8\n");
    folder.write("none.txt", "\n");
    folder.write("named.tsv", "\tA\tB\nr1\t1\t2\nr2\t2\t5\nr3\t4\t1\n");
    let fails = |args: &[&str], code, line| folder.fails(&[&["learn"], args].concat(), code, line);
    fails(
        &["data.tsv", "--variables", "some.txt"],
        1,
        "some.txt: data.tsv has no variable 'V9', 'V8'",
    );
    fails(
        &["data.tsv", "--variables", "none.txt"],
        1,
        "none.txt: no names are listed",
    );
    fails(
        &["named.tsv", "--instances", "some.txt"],
        1,
        "some.txt: named.tsv has no instance 'V1', 'V9', 'V8'",
    );
    fails(
        &["data.tsv", "--instances", "some.txt"],
        1,
        "data.tsv: --instances needs row names, but the table has none (if its first column holds them: --row-names yes)",
    );
    // A wrong name on the command line is a usage error.
    fails(
        &["data.tsv", "--drop", "V1,V9"],
        2,
        "--drop: data.tsv has no column 'V9'",
    );
}

#[test]
fn unsuitable_data_are_refused() {
    refused_without_place(
        "A\tB\n1\t2\n",
        &[],
        "the data have one instance; at least two are required",
    );
    refused_without_place(
        "A\tB\n1\tx\n2\ty\n",
        &["--drop", "A,B"],
        "data.tsv: no column of numbers is left",
    );
    refused_without_place(
        "A\tB\n1e200\t1\n2\t3\n",
        &[],
        "column 'A' holds values beyond 1e140: rescale it",
    );
    refused_without_place(
        "A\tB\n2000\t1\n2\t3\n3\t3\n",
        &["--exp2"],
        "column 'A': 2^x of its values is too large (are they log-ratios?)",
    );
}

#[test]
fn networks_that_do_not_match_the_data_are_refused() {
    let folder = Folder::with_data();
    folder.ok(&["learn", "data.tsv", "-o", "net.json", "-q"]);
    folder.write("few.tsv", tree(3, 10));
    folder.write("holes.tsv", "V0\tV1\n1\t\n2\t3\n4\t3\n9\t4\n5\t6\n7\t1\n");
    let lacking = "the data lack 3 of the network's variables: 'V3', 'V4', 'V5'";
    folder.fails(&["score", "net.json", "few.tsv"], 1, lacking);
    folder.fails(&["fit", "net.json", "few.tsv"], 1, lacking);
    let lacking = "the data lack the network's variable 'V3'";
    folder.fails(&["rank", "net.json", "few.tsv", "V0"], 1, lacking);
    folder.write("edges.tsv", "from\tto\nV0\tV7\n");
    folder.fails(
        &["fit", "edges.tsv", "data.tsv", "-o", "fitted.json"],
        1,
        "the structure has a variable 'V7' that is not in the data",
    );
    folder.write("edges.tsv", "from\tto\nV0\tV1\nV1\tV0\n");
    folder.fails(
        &["fit", "edges.tsv", "data.tsv", "-o", "fitted.json"],
        1,
        "the structure has a cycle: V0 -> V1 -> V0",
    );
    folder.write("two.tsv", "from\tto\nV0\tV1\n");
    folder.ok(&[
        "fit", "two.tsv", "few.tsv", "-o", "two.json", "--drop", "V2", "-q",
    ]);
    folder.ok(&["rank", "two.json", "holes.tsv", "V1"]);
}

#[test]
fn invalid_tables_of_edges_are_refused() {
    let folder = Folder::with_data();
    let fails = |text: &str, line: &str| {
        folder.write("edges.tsv", text);
        for option in ["--require", "--forbid", "--start"] {
            let args = ["learn", "data.tsv", "-o", "net.json", option, "edges.tsv"];
            folder.fails(&args, 1, &format!("edges.tsv{line}"));
        }
        folder.fails(
            &["compare", "edges.tsv", "edges.tsv"],
            1,
            &format!("edges.tsv{line}"),
        );
    };
    let hint = "(the first line must name the columns from and to)";
    fails("", &format!(": the file is empty {hint}"));
    fails("A\tB\nV0\tV1\n", &format!(":1: no column 'from' {hint}"));
    fails("from\tto\nV0\tV1\n\tV2\n", ":3: no name in column 'from'");
}

#[test]
fn invalid_files_of_prior_knowledge_are_refused() {
    let folder = Folder::with_data();
    let learn = ["learn", "data.tsv", "-o", "net.json"];
    let fails = |options: &[&str], line: &str| {
        folder.fails(&[&learn, options].concat(), 1, line);
    };
    folder.write("edges.tsv", "from\tto\n\nV0\t*\nV1\tX\n");
    folder.write("tiers.txt", "V1\n\nV2\tv0\n");
    let unknown = "edges.tsv:4: no variable is called 'X'";
    fails(&["--require", "edges.tsv"], unknown);
    fails(&["--forbid", "edges.tsv"], unknown);
    fails(
        &["--tiers", "tiers.txt"],
        "tiers.txt:3: no variable is called 'v0' (did you mean 'V0'?)",
    );
    folder.write("tiers.txt", "V1\tV0\nV0\n");
    fails(
        &["--tiers", "tiers.txt"],
        "tiers.txt:2: 'V0' is already in the tier on line 1",
    );
    let cv = ["cv", "data.tsv", "--require", "edges.tsv"];
    folder.fails(&cv, 1, unknown);
}

#[test]
fn required_edges_that_are_impossible_are_refused() {
    let folder = Folder::with_data();
    let require = |edges: &str, options: &[&str], line: &str| {
        folder.write("require.tsv", format!("from\tto\n{edges}"));
        let learn = ["learn", "data.tsv", "--require", "require.tsv"];
        folder.fails(
            &[&learn, options].concat(),
            1,
            &format!("require.tsv{line}"),
        );
    };
    folder.write("forbid.tsv", "from\tto\nV0\tV1\n");
    folder.write("tiers.txt", "V1\nV0\n");
    require(
        "V0\tV1\n",
        &["--forbid", "forbid.tsv"],
        ":2: 'V0' -> 'V1' is required, but also forbidden",
    );
    require(
        "V0\tV1\n",
        &["--tiers", "tiers.txt"],
        ":2: 'V0' -> 'V1' is required, but 'V1' is in an earlier tier",
    );
    require(
        "V0\tV1\nV1\tV2\nV2\tV0\n",
        &[],
        ": the required edges form a cycle: V0 -> V1 -> V2 -> V0",
    );
    require(
        "V1\tV2\nV3\tV3\n",
        &[],
        ":3: 'V3' -> 'V3': a variable cannot be its own parent",
    );
    folder.write("data.tsv", "A\tB\tC\n1\t2\t7\n2\t5\t7\n4\t4\t7\n");
    require(
        "A\tC\n",
        &[],
        ":2: 'A' -> 'C': 'C' never varies in the data",
    );
}

#[test]
fn unwritable_outputs_are_refused() {
    let folder = Folder::with_data();
    folder.ok(&["learn", "data.tsv", "-o", "net.json", "-q"]);
    std::fs::create_dir(folder.at("folder")).unwrap();
    for (place, problem) in [
        ("nowhere/out.txt", "there is no such folder"),
        ("data.tsv/out.txt", "there is no such folder"),
    ] {
        let line = format!("{place}: {problem}");
        for args in [
            ["learn", "data.tsv", "-o", place].as_slice(),
            &["learn", "data.tsv", "-o", "new.json", "--trace", place],
            &["fit", "net.json", "data.tsv", "-o", place],
            &["rank", "net.json", "data.tsv", "V0", "-o", place],
            &["sample", "net.json", "-o", place],
            &["predict", "net.json", "data.tsv", "V0", "-o", place],
            &["export", "net.json", "--format", "dot", "-o", place],
            &["examples", "sachs", "-o", place],
            &["examples", "sachs", "--truth", place],
        ] {
            folder.fails(args, 1, &line);
        }
    }
    let line = "folder: this is a folder; name a file instead";
    folder.fails(&["learn", "data.tsv", "-o", "folder"], 1, line);
    folder.fails(&["sample", "net.json", "-o", "folder"], 1, line);
    folder.fails(&["learn", "data.tsv", "--trace", "folder"], 1, line);
    assert!(
        std::fs::read_dir(folder.at("folder"))
            .unwrap()
            .next()
            .is_none()
    );
}
