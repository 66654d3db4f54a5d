//! Selection of variables, instances and columns.

use std::fs;

use idealparent::data::{EdgeList, NameList, ReadOptions, TierList};

use super::{listed, outcome, refusal_with, rows};

const FLOWERS: &str = "id,length,species,width\nf1,1,setosa,2\nf2,3,virginica,4\nf3,5,setosa,6\n";

fn drop(names: &[&str]) -> ReadOptions {
    ReadOptions {
        drop: names.iter().map(|name| name.to_string()).collect(),
        ..ReadOptions::default()
    }
}

#[test]
fn dropped_columns_are_not_parsed() {
    let table = outcome(FLOWERS, "x.csv", &drop(&["species"])).table;
    assert_eq!(table.names(), ["length", "width"]);
    assert_eq!(rows(&table), ["1 2", "3 4", "5 6"]);
    // The column of row names can be dropped too.
    let table = outcome(FLOWERS, "x.csv", &drop(&["id", "species"])).table;
    assert_eq!((table.width(), table.row_names()), (2, None));
    // All columns with the name are dropped.
    let table = outcome("a,b,a\nx,1,y\n", "x.csv", &drop(&["a"])).table;
    assert_eq!(table.names(), ["b"]);
}

#[test]
fn listed_variables_keep_the_order_of_the_table() {
    let options = ReadOptions {
        variables: listed(&["width", "length"]),
        instances: listed(&["f3", "f1"]),
        ..ReadOptions::default()
    };
    let table = outcome(FLOWERS, "x.csv", &options).table;
    assert_eq!(table.names(), ["length", "width"]);
    assert_eq!(table.row_names().unwrap(), ["f1", "f3"]);
    assert_eq!(rows(&table), ["1 2", "5 6"]);
    // A variable that is both listed and dropped is dropped.
    let options = ReadOptions {
        drop: vec!["width".into()],
        ..options
    };
    assert_eq!(
        outcome(FLOWERS, "x.csv", &options).table.names(),
        ["length"]
    );
}

#[test]
fn rows_that_are_not_listed_are_not_parsed() {
    let options = ReadOptions {
        instances: listed(&["b"]),
        ..ReadOptions::default()
    };
    let table = outcome("id,v,w\na,oops,1\nb,2,3\n", "x.csv", &options).table;
    assert_eq!(rows(&table), ["2 3"]);
}

#[test]
fn lists_and_drop_apply_to_transposed_tables() {
    let text = "gene\tsymbol\ts1\ts2\ts3\ng1\tA\t1\t2\t3\ng2\tB\t4\t5\t6\ng3\tC\tx\t8\t9\n";
    let options = ReadOptions {
        transpose: true,
        variables: listed(&["g2", "g1"]),
        instances: listed(&["s3", "s1"]),
        ..ReadOptions::default()
    };
    let table = outcome(text, "x.tsv", &options).table;
    assert_eq!(table.names(), ["g1", "g2"]);
    assert_eq!(table.row_names().unwrap(), ["s1", "s3"]);
    assert_eq!(rows(&table), ["1 4", "3 6"]);
    // `drop` can name a column of the file, or a variable, which is a row here.
    let options = ReadOptions {
        transpose: true,
        ..drop(&["symbol", "g3"])
    };
    let table = outcome(text, "x.tsv", &options).table;
    assert_eq!(table.names(), ["g1", "g2"]);
    assert_eq!(rows(&table), ["1 4", "2 5", "3 6"]);
}

#[test]
fn transposed_rows_without_names_are_numbered() {
    let options = ReadOptions {
        transpose: true,
        variables: listed(&["R3", "R1"]),
        ..ReadOptions::default()
    };
    let table = outcome("a,b\n1,2\n3,4\n5,6\n", "x.csv", &options).table;
    assert_eq!(table.names(), ["R1", "R3"]);
    assert_eq!(rows(&table), ["1 5", "2 6"]);
}

#[test]
fn a_listed_column_without_values_is_a_variable() {
    let options = ReadOptions {
        variables: listed(&["a", "b"]),
        ..ReadOptions::default()
    };
    let outcome = outcome("a,b\n,1\n,2\n", "x.csv", &options);
    assert_eq!(outcome.table.names(), ["a", "b"]);
    assert!(outcome.notes.is_empty());
}

#[test]
fn unknown_names_are_refused() {
    assert_eq!(
        refusal_with(FLOWERS, "x.csv", &drop(&["colour", "species"])),
        "`drop`: x.csv has no column 'colour'"
    );
    let variables = |names: &[&str]| ReadOptions {
        variables: listed(names),
        ..ReadOptions::default()
    };
    assert_eq!(
        refusal_with(
            FLOWERS,
            "x.csv",
            &variables(&["p", "length", "q", "r", "s", "t"])
        ),
        "`variables`: x.csv has no variable 'p', 'q', 'r' and 2 more"
    );
    assert_eq!(
        refusal_with(FLOWERS, "x.csv", &variables(&["f2"])),
        "`variables`: x.csv has no variable 'f2' (found among the rows: add `transpose`?)"
    );
    assert_eq!(
        refusal_with(FLOWERS, "x.csv", &variables(&["id", "length"])),
        "`variables`: x.csv has no variable 'id' ('id' is the column of row names)"
    );
    assert_eq!(
        refusal_with(FLOWERS, "x.csv", &variables(&[])),
        "`variables`: no names are listed"
    );
    let instances = ReadOptions {
        instances: listed(&["f9"]),
        ..drop(&["species"])
    };
    assert_eq!(
        refusal_with(FLOWERS, "x.csv", &instances),
        "`instances`: x.csv has no instance 'f9'"
    );
    let transposed = ReadOptions {
        transpose: true,
        ..variables(&["length"])
    };
    assert_eq!(
        refusal_with(FLOWERS, "x.csv", &transposed),
        "`variables`: x.csv has no variable 'length' \
         (found among the columns: leave out `transpose`?)"
    );
}

#[test]
fn listed_instances_need_unique_names() {
    let options = ReadOptions {
        instances: listed(&["x"]),
        ..ReadOptions::default()
    };
    assert_eq!(
        refusal_with("a,b\n1,2\n", "x.csv", &options),
        "x.csv: `instances` needs row names, but the table has none \
         (if its first column holds them: `row_names = yes`)"
    );
    let repeated = "id,b\nx,2\ny,3\n\nx,4\n";
    assert_eq!(
        refusal_with(repeated, "x.csv", &options),
        "x.csv: `instances` needs row names, but the table has none \
         (if its first column holds them: `row_names = yes`)"
    );
    let named = ReadOptions {
        row_names: Some(true),
        ..options.clone()
    };
    assert_eq!(
        refusal_with(repeated, "x.csv", &named),
        "x.csv:5: two rows are called 'x' (rename one)"
    );
    let transposed = ReadOptions {
        transpose: true,
        ..options
    };
    assert_eq!(
        refusal_with("id,x,x\na,2,3\n", "x.csv", &transposed),
        "x.csv:1: two columns are called 'x' (rename one)"
    );
}

#[test]
fn variables_in_rows_need_unique_names() {
    let options = ReadOptions {
        transpose: true,
        ..ReadOptions::default()
    };
    assert_eq!(
        refusal_with("id,s\ng,2\nh,3\ng,4\n", "x.csv", &options),
        "x.csv:4: two rows are called 'g' (rename one)"
    );
    assert_eq!(
        refusal_with("id,s\ng,2\n,3\n", "x.csv", &options),
        "x.csv:3: the row has no name (with `transpose` it is a variable and needs one)"
    );
}

#[test]
fn selections_that_leave_nothing_are_refused() {
    assert_eq!(
        refusal_with(FLOWERS, "x.csv", &drop(&["length", "species", "width"])),
        "x.csv: no column of numbers is left"
    );
    let options = ReadOptions {
        transpose: true,
        ..drop(&["g"])
    };
    assert_eq!(
        refusal_with("id,s\ng,2\n", "x.csv", &options),
        "x.csv: no rows are left"
    );
}

#[test]
fn lists_are_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.tsv");
    fs::write(&path, "\u{feff}A\r\n\r\nB b\n \n C").unwrap();
    let names = NameList::read(&path).unwrap();
    assert_eq!(names.names, ["A", "B b", " C"]);
    let options = ReadOptions {
        variables: Some(names),
        ..ReadOptions::default()
    };
    let error = refusal_with("A\n1\n2\n", "x.csv", &options);
    assert!(error.ends_with("list.tsv: x.csv has no variable 'B b', ' C'"));
    fs::write(&path, "to\tfrom\tstrength\nB\tA\t0.5\n").unwrap();
    assert_eq!(
        EdgeList::read(&path).unwrap().edges,
        [("A".to_string(), "B".to_string())]
    );
    fs::write(&path, "A\tB\nC\n").unwrap();
    assert_eq!(
        TierList::read(&path).unwrap().tiers,
        [vec!["A", "B"], vec!["C"]]
    );
    let error = EdgeList::read(&path).unwrap_err().to_string();
    assert!(error.ends_with(
        "list.tsv:1: no column 'from' (the first line must name the columns from and to)"
    ));
    assert!(NameList::read(folder.path()).is_err());
}
