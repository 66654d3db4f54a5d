//! Reading tables: the results, and the messages for tables that cannot be read.

mod errors;
mod formats;
mod properties;
mod selection;

#[cfg(feature = "arrow")]
mod columnar;

use idealparent::Table;
use idealparent::data::{NameList, ReadOptions, ReadOutcome, read_bytes};

/// Reads a text with the name `origin`.
fn outcome(text: &str, origin: &str, options: &ReadOptions) -> ReadOutcome {
    match read_bytes(text.into(), origin, options) {
        Ok(outcome) => outcome,
        Err(error) => panic!("{origin}: {error}"),
    }
}

/// The table in a text with the name `origin`, read with default options.
fn table(text: &str, origin: &str) -> Table {
    outcome(text, origin, &ReadOptions::default()).table
}

/// The error message for a text that cannot be read.
fn refusal_with(text: impl Into<Vec<u8>>, origin: &str, options: &ReadOptions) -> String {
    match read_bytes(text.into(), origin, options) {
        Ok(outcome) => panic!("{origin} was read: {:?}", outcome.table),
        Err(error) => error.to_string(),
    }
}

/// The error message for a text that cannot be read with default options.
fn refusal(text: impl Into<Vec<u8>>, origin: &str) -> String {
    refusal_with(text, origin, &ReadOptions::default())
}

/// A list of names.
fn listed(names: &[&str]) -> Option<NameList> {
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    Some(names.into())
}

/// The table as one string per row, for comparisons. Missing values are NaN.
fn rows(table: &Table) -> Vec<String> {
    let row = |i: usize| {
        let cells = table.columns().iter().map(|column| column[i].to_string());
        cells.collect::<Vec<String>>().join(" ")
    };
    (0..table.rows()).map(row).collect()
}
