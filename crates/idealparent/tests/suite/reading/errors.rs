//! Tables that cannot be read, and their error messages.

use idealparent::data::ReadOptions;

use super::{refusal, refusal_with};

#[test]
fn a_stray_word_is_reported_with_its_line_and_column() {
    let mut text = "id\tYAL001C\tb\n".to_string();
    for row in 2..=30 {
        text += &format!("g{row}\t{}\t2\n", if row == 17 { "abc" } else { "1" });
    }
    assert_eq!(
        refusal(text, "data.tsv"),
        "data.tsv:17: column 'YAL001C': 'abc' is not a number \
         (leave it empty or write NA for a missing value)"
    );
}

#[test]
fn reported_lines_are_those_of_the_file() {
    let message = refusal(
        "\r\n\r\na,b\r\n\r\n1,2\r\n\"3\r\n\",4\r\n\r\n,\r\n5,x\r\n",
        "d.csv",
    );
    assert!(
        message.starts_with("d.csv:10: column 'b': 'x' is not"),
        "{message}"
    );
    let message = refusal("\u{feff}a,b\r1,2\r1,x\r", "d.csv");
    assert!(
        message.starts_with("d.csv:3: column 'b': 'x' is not"),
        "{message}"
    );
}

#[test]
fn text_columns_are_suggested_for_drop() {
    assert_eq!(
        refusal("a\tspecies\n1\tsetosa\n2\tsetosa\n", "data.tsv"),
        "data.tsv:2: column 'species': 'setosa' is not a number \
         (a text column? leave it out with `drop = species`)"
    );
    // A few numbers do not make a text column numeric.
    assert_eq!(
        refusal("a,my notes\n1,7\n2,good\n3,bad\n4,fair\n", "data.csv"),
        "data.csv:3: column 'my notes': 'good' is not a number \
         (a text column? leave it out with `drop = my notes`)"
    );
    assert_eq!(
        refusal("a,b,c\n1,x,y\n", "data.csv"),
        "data.csv:2: column 'b': 'x' is not a number \
         (one of 2 text columns? leave them out with `drop = b, c`)"
    );
    assert_eq!(
        refusal("a\nx\ny\n", "data.csv"),
        "data.csv:2: column 'a': 'x' is not a number \
         (a text column? leave it out with `drop = a`)"
    );
}

#[test]
fn wrong_delimiters_and_decimal_commas_are_recognised() {
    assert_eq!(
        refusal("a;b\n1;2\n", "data.tsv"),
        "data.tsv:2: column 'a;b': '1;2' is not a number \
         (is the delimiter a semicolon? then use `delimiter = semicolon`)"
    );
    assert_eq!(
        refusal("a;b\n1,5;2\n", "data.csv"),
        "data.csv:2: column 'a': '1,5' is not a number \
         (a decimal comma? write numbers with a point, as in 1.5)"
    );
    assert_eq!(
        refusal("a;b\n950;1\n1,234;2\n", "data.csv"),
        "data.csv:3: column 'a': '1,234' is not a number \
         (a decimal comma or a thousands separator? write 1.234 or 1234)"
    );
    assert_eq!(
        refusal("a;b\nmg;cm\n1;2\n3;4\n", "data.csv"),
        "data.csv:2: column 'a': 'mg' is not a number \
         (the whole line is text: delete it, or if it is the header, the lines above it)"
    );
    // Columns of numbers with a decimal comma are not suggested for `drop`.
    assert!(refusal("a;b;c\n1,5;x;2,5\n", "data.csv").contains("decimal comma"));
    assert_eq!(
        refusal("n;b;a;c\n1;x;1,5;2,5\n", "data.csv"),
        "data.csv:2: column 'b': 'x' is not a number (a text column? leave it out with `drop = b`)"
    );
    let error = idealparent::data::Delimiter::new(b'e').unwrap_err();
    assert_eq!(
        error.to_string(),
        "'e' cannot separate numbers (use a tab, a comma, a semicolon or a space)"
    );
}

#[test]
fn the_first_error_is_reported() {
    let text = "a,b,c\n1,2,3\n1,2,x\n1,y,3\n1,2,3\n";
    assert!(refusal(text, "d.csv").starts_with("d.csv:3: column 'c': 'x' is not"));
    let text = "a,b,c\n1,2,3\n1,y,x\n1,2,3\n";
    assert!(refusal(text, "d.csv").starts_with("d.csv:3: column 'b': 'y' is not"));
}

#[test]
fn infinite_values_are_refused() {
    for (cell, what) in [
        ("inf", "an infinite value"),
        ("-Inf", "an infinite value"),
        ("Infinity", "an infinite value"),
        ("1e999", "too large"),
        ("-1e999", "too large"),
    ] {
        assert_eq!(
            refusal(format!("a,b\n1,2\n3,{cell}\n"), "d.csv"),
            format!(
                "d.csv:3: column 'b': '{cell}' is {what} \
                 (leave it empty or write NA for a missing value)"
            )
        );
    }
}

#[test]
fn ragged_rows_are_refused() {
    let text = "a\tb\tc\td\n1\t2\t3\t4\n\n1\t2\t3\t4\n1\t2\t3\n";
    assert_eq!(
        refusal(text, "data.tsv"),
        "data.tsv:5: 3 fields where the header has 4"
    );
    assert_eq!(
        refusal("a,b\n1,2\n1,2,3,4\n", "d.csv"),
        "d.csv:3: 4 fields where the header has 2 \
         (decimal commas? write numbers with a point)"
    );
    assert_eq!(
        refusal("a,b\n1,2,3\n1,2\n", "d.csv"),
        "d.csv:3: 2 fields where 3 are expected \
         (the header has 2 and the first row has one more)"
    );
    let options = ReadOptions {
        row_names: Some(false),
        ..ReadOptions::default()
    };
    assert_eq!(
        refusal_with("a,b\n1,2,3\n", "d.csv", &options),
        "d.csv:2: 3 fields where the header has 2"
    );
    assert_eq!(
        refusal("a,b\n1,2\n\"3,4\n5,6\n", "d.csv"),
        "d.csv:3: 1 field where the header has 2 (is a closing quotation mark missing?)"
    );
}

#[test]
fn duplicate_and_missing_names_are_refused() {
    assert_eq!(
        refusal("\na,b,a\n1,2,3\n", "d.csv"),
        "d.csv:2: two columns are called 'a' (rename one)"
    );
    assert_eq!(
        refusal("a,,b\n1,2,3\n", "d.csv"),
        "d.csv:1: column 2 has no name (name it or delete it)"
    );
    assert_eq!(
        refusal("a,b,,\n1,2,,\n1,2,,5\n", "d.csv"),
        "d.csv:1: column 4 has no name (name it or delete it)"
    );
    let options = ReadOptions {
        row_names: Some(false),
        ..ReadOptions::default()
    };
    assert_eq!(
        refusal_with(",b\n1,2\n", "d.csv", &options),
        "d.csv:1: column 1 has no name (name it or delete it)"
    );
}

#[test]
fn empty_tables_are_refused() {
    let empty = "d.csv: the table is empty (expected a header line and rows of numbers)";
    for text in ["", "\n\n", "\u{feff}", ",,\n , \n"] {
        assert_eq!(refusal(text, "d.csv"), empty, "{text:?}");
    }
    for text in ["a,b", "a,b\n", "a,b\n\n,\n"] {
        assert_eq!(refusal(text, "d.csv"), "d.csv: no rows below the header");
    }
    assert_eq!(
        refusal("YORF\tNAME\ta\nEWEIGHT\t\t1\n", "d.pcl"),
        "d.pcl: no rows below the header"
    );
    assert_eq!(
        refusal("YORF\tNAME\tGWEIGHT\nx\ty\t1\n", "d.pcl"),
        "d.pcl: no column of numbers is left"
    );
}

#[test]
fn bytes_that_are_not_utf8_text_are_refused() {
    let utf16: Vec<u8> = "a,b\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let message = "d.csv:1: the text is UTF-16 (save it as UTF-8)";
    assert_eq!(
        refusal([b"\xff\xfe".to_vec(), utf16.clone()].concat(), "d.csv"),
        message
    );
    assert_eq!(refusal(utf16, "d.csv"), message);
    assert_eq!(
        refusal(b"a,b\n1,2\nM\xfcller,3\n", "d.csv"),
        "d.csv:3: the text is not UTF-8 (save it as UTF-8)"
    );
    assert_eq!(
        refusal(b"PK\x03\x04\x14\0\xff", "d.xlsx"),
        "d.xlsx: a spreadsheet or zip file (save the table as CSV or TSV)"
    );
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03KL";
    let message = refusal(gzip, "d.csv.gz");
    assert!(
        message.starts_with("d.csv.gz: damaged or incomplete gzip data: "),
        "{message}"
    );
}

#[cfg(not(feature = "arrow"))]
#[test]
fn parquet_needs_the_feature_arrow() {
    assert_eq!(
        refusal(b"PAR1\x15\0\xff", "d.parquet"),
        "d.parquet: this build does not read Parquet and Arrow files \
         (convert the table to CSV, or build with the feature 'arrow')"
    );
}

#[test]
fn messages_are_single_short_lines() {
    let long = "x".repeat(5000);
    let message = refusal(format!("a,\"b\nb\"\n1,\"{long}\n\"\n"), "d\n.csv");
    let cell = format!("{}…", "x".repeat(39));
    assert_eq!(
        message,
        format!(
            "d\\n.csv:3: column 'b\\nb': '{cell}' is not a number \
             (a text column? leave it out with `drop`)"
        )
    );
}
