//! What the readers accept, what they refuse and in which words.

mod errors;
mod formats;
mod properties;
mod selection;

#[cfg(feature = "arrow")]
mod columnar;

use idealparent::Table;
use idealparent::data::{NameList, ReadOptions, ReadOutcome, read_bytes};

/// Reads text that is called `origin`.
fn outcome(text: &str, origin: &str, options: &ReadOptions) -> ReadOutcome {
    match read_bytes(text.into(), origin, options) {
        Ok(outcome) => outcome,
        Err(error) => panic!("{origin}: {error}"),
    }
}

/// The table in text that is called `origin`, read without options.
fn table(text: &str, origin: &str) -> Table {
    outcome(text, origin, &ReadOptions::default()).table
}

/// The line a user sees when the text is refused.
fn refusal_with(text: impl Into<Vec<u8>>, origin: &str, options: &ReadOptions) -> String {
    match read_bytes(text.into(), origin, options) {
        Ok(outcome) => panic!("{origin} was read: {:?}", outcome.table),
        Err(error) => error.to_string(),
    }
}

/// The same without options.
fn refusal(text: impl Into<Vec<u8>>, origin: &str) -> String {
    refusal_with(text, origin, &ReadOptions::default())
}

/// Names as from a file.
fn listed(origin: &str, names: &[&str]) -> Option<NameList> {
    Some(NameList {
        origin: origin.to_string(),
        names: names.iter().map(|name| name.to_string()).collect(),
    })
}

/// Cells with NaN for what is missing, comparable: one string per row.
fn rows(table: &Table) -> Vec<String> {
    let row = |i: usize| {
        let cells = table.columns().iter().map(|column| column[i].to_string());
        cells.collect::<Vec<String>>().join(" ")
    };
    (0..table.rows()).map(row).collect()
}
