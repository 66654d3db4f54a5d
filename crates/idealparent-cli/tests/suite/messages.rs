//! Messages say what to do, and no note comes before an error that makes it irrelevant.

use crate::common::{Folder, tree, tree_rows};

/// A table with a first column of these words, repeated as often as needed.
fn with_first_column(heading: &str, words: &[&str]) -> String {
    let data = tree(3, 30);
    let mut lines = data.lines();
    let mut text = format!("{heading}\t{}\n", lines.next().expect("a header"));
    for (row, line) in lines.enumerate() {
        let (word, round) = (words[row % words.len()], row / words.len());
        let word = if words.len() == 1 {
            format!("{word}{round}")
        } else {
            word.to_string()
        };
        text += &format!("{word}\t{line}\n");
    }
    text
}

/// A complete table and one with nine missing values, in every fold some.
fn with_holes() -> Folder {
    let folder = Folder::with_data();
    let mut rows = tree_rows(4, 60);
    for row in (0..54).step_by(6) {
        rows[row][row % 4] = f64::NAN;
    }
    let names: Vec<String> = (0..4).map(|j| format!("V{j}")).collect();
    folder.write("holes.tsv", crate::common::table(&names, &rows, '\t'));
    folder
}

#[test]
fn exact_missing_values_with_other_densities_name_the_alternative() {
    let folder = with_holes();
    for (cpd, others) in [
        ("sigmoid", "sigmoid"),
        ("linear,sigmoid", "sigmoid"),
        ("sigmoid,linear,product", "sigmoid and product"),
    ] {
        let line = format!(
            "--missing exact needs --cpd linear (for {others} densities use --missing mean-field)"
        );
        let args = ["learn", "holes.tsv", "--missing", "exact", "--cpd", cpd];
        folder.fails(&args, 2, &line);
    }
}

#[test]
fn missing_values_of_the_whole_table_are_counted() {
    let folder = with_holes();
    let line = "--score bge needs complete data, but 9 values are missing (impute them first, or use another score)";
    for command in ["learn", "cv", "bootstrap"] {
        folder.fails(&[command, "holes.tsv", "--score", "bge"], 2, line);
    }
    let methods = ["cv", "holes.tsv", "--methods", "greedy ideal:score=bge"];
    folder.fails(&methods, 2, line);
}

#[test]
fn structures_without_common_variables_are_not_compared() {
    let folder = Folder::with(&[
        ("a.tsv", "from\tto\nA\tB\n"),
        ("w.tsv", "from\tto\nW\tX\nX\tY\nZ\tY\n"),
        ("none.tsv", "from\tto\n"),
    ]);
    let line = "the two structures have no variable in common (one has 'A', 'B', the other 'W', 'X', 'Y' and 1 more)";
    folder.fails(&["compare", "a.tsv", "w.tsv"], 1, line);
    // A list of edges that is empty has no names, but can be compared.
    for pair in [["a.tsv", "none.tsv"], ["none.tsv", "a.tsv"]] {
        let found = folder.ok_json(&["compare", pair[0], pair[1], "--json"]);
        assert_eq!(found["skeleton"]["shd"], 1);
    }
}

#[test]
fn a_text_column_read_as_row_names_is_noted() {
    let folder = Folder::with(&[("data.tsv", &with_first_column("gene", &["g"]))]);
    let run = folder.run(&["learn", "data.tsv"]);
    let note = "note: the first column, 'gene', is text and was read as row names\n";
    assert_eq!((run.code, run.err.as_str()), (0, note));
    for args in [
        &["learn", "data.tsv", "--quiet"][..],
        &["learn", "data.tsv", "--row-names", "yes"],
    ] {
        let run = folder.run(args);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    }
    folder.write("data.tsv", with_first_column("", &["g"]));
    assert_eq!(folder.run(&["learn", "data.tsv"]).err, "");
}

#[test]
fn a_text_column_of_repeated_words_is_not_read_as_row_names() {
    let folder = Folder::with(&[("data.tsv", &with_first_column("sex", &["f", "m"]))]);
    folder.fails(
        &["learn", "data.tsv"],
        1,
        "data.tsv:2: column 'sex': 'f' is not a number (a text column? leave it out with --drop sex; if it holds row names, use --row-names yes)",
    );
    let run = folder.run(&["learn", "data.tsv", "--drop", "sex"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let run = folder.run(&["learn", "data.tsv", "--row-names", "yes"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

#[test]
fn no_note_comes_before_an_error_about_the_options() {
    let folder = Folder::with(&[("named.tsv", &with_first_column("gene", &["g"]))]);
    let fails = |args: &[&str], line: &str| folder.fails(args, 2, line);
    let limit = "--time-limit must be from 0 to 1e9 seconds";
    fails(&["learn", "named.tsv", "--time-limit", "-5"], limit);
    fails(
        &["cv", "named.tsv", "--folds", "1"],
        "--folds must be at least 2",
    );
    let count = "--replicates must be from 1 to 1000000";
    fails(&["bootstrap", "named.tsv", "-n", "0"], count);
}

#[test]
fn notes_on_the_result_are_dropped_if_there_is_none() {
    let folder = Folder::with(&[("start.tsv", "from\tto\nA\tV0\n")]);
    let mut rows = tree_rows(3, 30);
    rows.iter_mut().for_each(|row| row[2] = 1.0);
    folder.write(
        "constant.tsv",
        crate::common::table(&["V0", "V1", "V2"], &rows, '\t'),
    );
    let line = "start.tsv:2: the start network has a variable 'A' that is not in the data";
    folder.fails(
        &["bootstrap", "constant.tsv", "--start", "start.tsv"],
        1,
        line,
    );
    let run = folder.run(&["bootstrap", "constant.tsv", "-n", "3"]);
    assert_eq!(
        run.err,
        "note: column 'V2' is constant: kept without edges\n"
    );
}

#[test]
fn notes_on_reading_explain_errors_about_the_data() {
    // The header line is missing, so the names in the list are not those of the table.
    let folder = Folder::with(&[
        ("data.csv", "1,2\n3,4\n5,7\n"),
        ("start.csv", "from,to\nA,B\n"),
    ]);
    let run = folder.run(&["learn", "data.csv", "--start", "start.csv"]);
    let note = "note: line 1 was read as the header, although all its fields are numbers";
    let error =
        "error: start.csv:2: the start network has 2 variables that are not in the data: 'A', 'B'";
    assert_eq!((run.code, run.err), (1, format!("{note}\n{error}\n")));
}
