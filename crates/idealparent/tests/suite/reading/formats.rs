//! Tables that can be read, and the result.

use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use idealparent::data::{Delimiter, ReadOptions, read_bytes, read_path};

use super::{outcome, rows, table};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn delimiters_are_recognised_by_extension_and_header() {
    for (text, origin) in [
        ("a,b\n1,2\n", "x.csv"),
        ("a\tb\n1\t2\n", "x.tsv"),
        ("a\tb\n1\t2\n", "x.TSV"),
        ("a,b\n1,2\n", "x.txt"),
        ("a\tb\n1\t2\n", "x.txt"),
        ("a;b\n1;2\n", "<stdin>"),
        ("  a   b\n  1   2  \n", "x.dat"),
        ("\"a\" \"b\"\n1 2\n", "<stdin>"),
    ] {
        let table = table(text, origin);
        assert_eq!(table.names(), ["a", "b"], "{origin}");
        assert_eq!(rows(&table), ["1 2"], "{origin}");
    }
    let options = ReadOptions {
        delimiter: Some(Delimiter::new(b'|').unwrap()),
        ..ReadOptions::default()
    };
    let table = outcome("a|b\n1|2\n", "x.csv", &options).table;
    assert_eq!(rows(&table), ["1 2"]);
}

#[test]
fn byte_order_marks_blank_lines_and_line_ends_are_ignored() {
    for text in [
        "\u{feff}\"a\",b\r\n1,2\r\n3,4\r\n",
        "a,b\n\n1,2\n  \n,\n3,4\n\n\n",
        "\n\r\n , \na,b\n1,2\n\"\",\"\"\n3,4",
        "a,b\r1,2\r3,4\r",
    ] {
        let table = table(text, "x.csv");
        assert_eq!(table.names(), ["a", "b"], "{text:?}");
        assert_eq!(rows(&table), ["1 2", "3 4"], "{text:?}");
    }
}

#[test]
fn names_are_kept_and_cells_trimmed() {
    let table = table("\" a \",\"b, \"\"c\"\"\",µ\n 1 , 2 ,\" 3 \"\n", "x.csv");
    assert_eq!(table.names(), [" a ", "b, \"c\"", "µ"]);
    assert_eq!(rows(&table), ["1 2 3"]);
}

#[test]
fn every_word_for_missing_is_recognised() {
    let words = ["", " ", "NA", "n/a", "NaN", "nan", "NULL", "None", "."];
    let mut text = "a\tb\n".to_string();
    for word in words {
        text += &format!("1\t{word}\n");
    }
    let table = table(&text, "x.tsv");
    assert_eq!(table.missing(), words.len());
    assert_eq!(table.rows(), words.len());
}

#[test]
fn row_names_are_recognised() {
    for (text, names) in [
        // The first column has no heading.
        (",a,b\n1,2,3\n4,5,6\n", Some(["1", "4"])),
        ("\"\",a,b\nx,2,3\ny,5,6\n", Some(["x", "y"])),
        // One heading fewer than columns, as R writes it.
        ("a,b\n1,2,3\n4,5,6\n", Some(["1", "4"])),
        // No value of the first column is a number.
        ("id,a,b\nx,2,3\ny,5,6\n", Some(["x", "y"])),
        ("id,a,b\nx,2,3\nNA,5,6\n", Some(["x", "NA"])),
        ("id,a,b\ninf,2,3\n1e999,5,6\n", Some(["inf", "1e999"])),
        // Row names keep their spaces. In a column without a heading they need not be unique.
        ("id,a,b\nx ,2,3\nx,5,6\n", Some(["x ", "x"])),
        (",a,b\nx ,2,3\nx ,5,6\n", Some(["x ", "x "])),
        // A value of the first column is a number.
        ("id,a,b\n1,2,3\n,5,6\n", None),
    ] {
        let table = table(text, "x.csv");
        let expected = names.map(|names| names.map(String::from).to_vec());
        assert_eq!(
            table.row_names().map(<[String]>::to_vec),
            expected,
            "{text:?}"
        );
        assert_eq!(
            table.width(),
            if names.is_some() { 2 } else { 3 },
            "{text:?}"
        );
    }
}

#[test]
fn repeated_words_are_not_row_names() {
    let text = "sex,a\nf,1\nm,2\nf,3\n";
    let error = read_bytes(text.into(), "x.csv", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.csv:2: column 'sex': 'f' is not a number (a text column? leave it out with `drop = sex`; if it holds row names, use `row_names = yes`)"
    );
    // Missing names do not count.
    let named = table("id,a\nx,1\n,2\nNA,3\n,4\n", "x.csv");
    assert_eq!(named.row_names().unwrap(), ["x", "", "NA", ""]);
    // With `transpose` the column holds the names of the variables.
    let transposed = ReadOptions {
        transpose: true,
        ..ReadOptions::default()
    };
    let error = read_bytes(text.into(), "x.csv", &transposed).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.csv:4: two rows are called 'f' (rename one)"
    );
}

#[test]
fn row_names_can_be_forced() {
    let with = |answer| ReadOptions {
        row_names: Some(answer),
        ..ReadOptions::default()
    };
    let table = outcome("id,a\n7,1\n8,2\n", "x.csv", &with(true)).table;
    assert_eq!(table.row_names().unwrap(), ["7", "8"]);
    assert_eq!(table.names(), ["a"]);
    let table = outcome("id,a\nNA,1\n,2\n", "x.csv", &with(false)).table;
    assert_eq!(table.names(), ["id", "a"]);
    assert_eq!((table.missing(), table.row_names()), (2, None));
}

#[test]
fn guesses_are_noted() {
    let notes = |text| outcome(text, "x.csv", &ReadOptions::default()).notes;
    assert!(notes("a,b\n1,2\n").is_empty());
    assert_eq!(
        notes("x,a\nNA,1\n,2\n"),
        [
            "the first column, 'x', holds no values and was read as row names (with `row_names = no` it is a variable)"
        ]
    );
    let last = "the last column has neither a name nor values and was left out";
    assert_eq!(notes("a,b,\n1,2,\n3,4,NA\n"), [last]);
    assert_eq!(notes("a,b\n1,2,\n3,4,\n"), [last]);
    assert_eq!(
        notes("a,b,, \n1,2,,\n"),
        ["the last 2 columns have neither names nor values and were left out"]
    );
    assert_eq!(
        notes("1,2\n3,4\n"),
        ["line 1 was read as the header, although all its fields are numbers"]
    );
    assert_eq!(
        notes("g1,0.5,2\ng2,1,2.5\n"),
        ["line 1 was read as the header, although all fields after 'g1' are numbers"]
    );
    assert_eq!(
        notes("gene,1,2\ng2,1,2.5\n"),
        ["the first column, 'gene', is text and was read as row names"]
    );
    assert!(notes(",a,b\nx,1,2\n").is_empty());
    // A delimiter at the end of every row does not mean that there are row names.
    let ending = table("a,b\n1,2,\n3,4,\n", "x.csv");
    assert_eq!(
        (ending.names(), ending.row_names()),
        (&["a".into(), "b".into()][..], None)
    );
}

#[test]
fn one_column_is_a_table() {
    let single = table("a\n1\nNA\n3\n", "x.txt");
    assert_eq!((single.width(), single.rows(), single.missing()), (1, 3, 1));
    let named = table("a\nx,1\ny,2\n", "x.csv");
    assert_eq!(named.row_names().unwrap(), ["x", "y"]);
    // The only column is not read as row names.
    assert_eq!(table("a\nNA\n", "x.csv").missing(), 1);
}

#[test]
fn pcl_and_cdt_files_are_read() {
    let pcl = "YORF\tNAME\tGWEIGHT\tcond 1\tcond 2\n\
               EWEIGHT\t\t\t1\t1\n\
               YAL001C\tTFC3 subunit\t1\t0.5\t\n\
               YAL002W\tVPS8 sorting\t1\t-1\t2\n";
    let cdt = "GID\tUID\tNAME\tGWEIGHT\tGORDER\tcond 1\tcond 2\n\
               AID\t\t\t\t\tARRY0X\tARRY1X\n\
               EWEIGHT\t\t\t\t\t1\t1\n\
               GENE0X\tYAL001C\tTFC3\t1\t1\t0.5\t\n\
               GENE1X\tYAL002W\tVPS8\t1\t2\t-1\t2\n";
    let transposed = ReadOptions {
        transpose: true,
        ..ReadOptions::default()
    };
    for (text, origin) in [
        (pcl, "x.pcl"),
        (pcl, "<stdin>"),
        (cdt, "x.cdt"),
        (cdt, "x.txt"),
    ] {
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let table = read_bytes(bytes, origin, &ReadOptions::default())
                .unwrap()
                .table;
            assert_eq!(table.names(), ["cond 1", "cond 2"], "{origin}");
            assert_eq!(
                table.row_names().unwrap(),
                ["YAL001C", "YAL002W"],
                "{origin}"
            );
            assert_eq!(rows(&table), ["0.5 NaN", "-1 2"], "{origin}");
        }
        let table = outcome(text, origin, &transposed).table;
        assert_eq!(table.names(), ["YAL001C", "YAL002W"], "{origin}");
        assert_eq!(table.row_names().unwrap(), ["cond 1", "cond 2"], "{origin}");
    }
    // The id is a row name even if it is a number, and several arrays may have the same name.
    let table = outcome("UID\tNAME\ta\ta\n12\tx\t1\t2\n", "x.pcl", &transposed).table;
    assert_eq!(table.names(), ["12"]);
    assert_eq!(table.row_names().unwrap(), ["a", "a"]);
}

#[test]
fn keywords_of_pcl_are_data_in_other_tables() {
    let table = table("gene\tNAME\tGID\nAID\t1\t2\nb\t3\t4\n", "x.tsv");
    assert_eq!(table.names(), ["NAME", "GID"]);
    assert_eq!(table.row_names().unwrap(), ["AID", "b"]);
}

#[test]
fn files_are_read_by_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any name");
    std::fs::write(&path, gzip(b"a;b\n1;2\n")).unwrap();
    let table = read_path(&path, &ReadOptions::default()).unwrap().table;
    assert_eq!(rows(&table), ["1 2"]);
    let absent = folder.path().join("absent.tsv");
    let error = read_path(&absent, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}: No such file or directory", absent.display())
    );
}

/// The folder of published tables. `None` if it does not exist; with `CI=true`, that is a failure.
fn published() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = env::var_os("IDEALPARENT_DATA").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        env::var("CI").as_deref() != Ok("true"),
        "no data in {}",
        folder.display()
    );
    println!("skipped: no data in {}", folder.display());
    None
}

#[test]
fn the_yeast_table_agrees_with_a_naive_reader() {
    let Some(folder) = published() else { return };
    let path = folder.join("gasch2000_yeast_stress/gasch2000_complete.tsv.gz");
    let table = read_path(&path, &ReadOptions::default()).unwrap().table;
    assert_eq!((table.rows(), table.width()), (6152, 173));

    let mut text = String::new();
    let bytes = std::fs::read(&path).unwrap();
    GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<&str>>());
    assert_eq!(table.names(), &lines.next().unwrap()[1..]);
    for (i, cells) in lines.enumerate() {
        assert_eq!(table.row_names().unwrap()[i], cells[0]);
        for (j, cell) in cells[1..].iter().enumerate() {
            let expected = cell.parse::<f64>().map(f64::to_bits).ok();
            let value = table.column(j)[i];
            assert_eq!(
                (!value.is_nan()).then_some(value.to_bits()),
                expected,
                "{i} {j}"
            );
        }
    }
}

#[test]
fn every_published_table_is_read() {
    let Some(folder) = published() else { return };
    for (file, transpose, shape) in [
        ("airquality/airquality.tsv", false, (153, 6)),
        ("bnlearn_small/gaussian_test.tsv.gz", false, (5000, 7)),
        ("sachs2005/sachs_full_7466.csv.gz", false, (7466, 11)),
        ("sachs2005/consensus_adjacency.csv", false, (11, 11)),
        ("genenet_ecoli_arth/arth800.tsv.gz", false, (22, 800)),
        (
            "spellman1998_cell_cycle/spellman1998.tsv.gz",
            true,
            (77, 6178),
        ),
        (
            "gasch2000_yeast_stress/gasch2000_complete.tsv.gz",
            true,
            (173, 6152),
        ),
    ] {
        let options = ReadOptions {
            transpose,
            ..ReadOptions::default()
        };
        let outcome = read_path(&folder.join(file), &options).unwrap();
        let table = outcome.table;
        assert_eq!((table.rows(), table.width()), shape, "{file}");
        let note = "the first column, 'time_rep', is text and was read as row names";
        let expected = if file.contains("arth800") {
            &[note][..]
        } else {
            &[]
        };
        assert_eq!(outcome.notes, expected, "{file}");
    }
}
