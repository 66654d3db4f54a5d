//! Reading traces and bootstraps of other runs.

use std::path::Path;

use idealparent::internal::{gunzip, quoted, read_file};
use idealparent::{Error, Result};
use serde_json::Value;

use super::BootstrapEdge;

/// Reads a trace written by `learn --trace`.
pub fn read_trace(path: &Path) -> Result<Vec<Value>> {
    let (text, origin) = text_of(path)?;
    check_trace(text.lines(), &origin)
}

/// Parses and checks the lines of a trace; `origin` names the trace in error messages.
pub fn check_trace<'a>(lines: impl Iterator<Item = &'a str>, origin: &str) -> Result<Vec<Value>> {
    let line = |(number, line): (usize, &str)| match serde_json::from_str::<Value>(line) {
        Ok(value) if is_trace_line(&value) => Ok(value),
        _ => Err(Error::table(
            format!("{origin}:{}", number + 1),
            "this is not a line of a trace",
        )),
    };
    let lines = lines.enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines.map(line).collect()
}

/// Whether a line has the fields that the page reads, with the right types.
fn is_trace_line(line: &Value) -> bool {
    let is_number = |key: &str| line[key].is_number();
    let is_text = |key: &str| line[key].is_string();
    let is_text_or_null = |key: &str| line[key].is_string() || line[key].is_null();
    let is_number_or_null = |key: &str| line[key].is_number() || line[key].is_null();
    if line.get("step").is_some() {
        let numbers = ["step", "evaluations"].iter().all(|key| is_number(key));
        let either = ["delta", "score"].iter().all(|key| is_number_or_null(key));
        let words = ["child", "parent", "replaced"]
            .iter()
            .all(|key| is_text_or_null(key));
        return numbers && either && words && is_text("move");
    }
    if line.get("iteration").is_some() {
        let numbers = is_number("iteration") && is_number("edges");
        let changed = line["changed"].is_boolean();
        return numbers && changed && is_number_or_null("free_energy");
    }
    let children = line["children"].as_array();
    let names = children.is_some_and(|list| list.iter().all(Value::is_string));
    let numbers = ["estimated", "achieved"]
        .iter()
        .all(|key| is_number_or_null(key));
    is_text("hidden") && is_text("outcome") && names && numbers
}

/// Reads the edges written by `bootstrap -o`: a table with the columns from, to, strength and
/// direction.
pub fn read_bootstrap(path: &Path) -> Result<Vec<BootstrapEdge>> {
    let (text, origin) = text_of(path)?;
    let header = text.lines().next().unwrap_or_default();
    let delimiter = if header.contains('\t') { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let wrong = |line: u64, problem: String| Error::table(format!("{origin}:{line}"), problem);
    let heads = reader
        .headers()
        .map_err(|error| wrong(1, error.to_string()))?
        .clone();
    let place = |name: &str| {
        let found = heads.iter().position(|head| head == name);
        found.ok_or_else(|| wrong(1, format!("there is no column {}", quoted(name))))
    };
    let places = [
        place("from")?,
        place("to")?,
        place("strength")?,
        place("direction")?,
    ];
    let mut edges = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, |position| position.line());
            let problem = "the number of fields differs from the header";
            wrong(line, problem.to_string())
        })?;
        let line = record.position().map_or(0, |position| position.line());
        let share = |at: usize| match record[at].parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
            _ => Err(wrong(
                line,
                format!("{} is not a number from 0 to 1", quoted(&record[at])),
            )),
        };
        edges.push(BootstrapEdge {
            from: record[places[0]].to_string(),
            to: record[places[1]].to_string(),
            strength: share(places[2])?,
            direction: share(places[3])?,
        });
    }
    Ok(edges)
}

fn text_of(path: &Path) -> Result<(String, String)> {
    let origin = path.display().to_string();
    let bytes = gunzip(read_file(path)?, &origin)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::table(&origin, "not a text file"))?;
    Ok((text, origin))
}
