//! Small files that name variables: lists of names, edges, tiers.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use super::fields::lines_of_names;
use super::read::delimiter::{delimiter_of, records, squeeze};
use super::read::message::escape;
use super::read::unpack::{Lines, decode, gunzip, read_file};
use crate::error::{Error, Origin, Result, quoted};
use crate::options::{OptionKind, OptionValue};

/// Names from a file, or from wherever a program has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameList {
    /// The file, for messages.
    pub origin: String,
    /// The names.
    pub names: Vec<String>,
}

/// Edges from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// The edges, `(from, to)`.
    pub edges: Vec<(String, String)>,
    /// Where each was read.
    pub origin: Origin,
}

/// Tiers from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TierList {
    /// The names in each tier.
    pub tiers: Vec<Vec<String>>,
    /// Where each was read.
    pub origin: Origin,
}

/// A file of names.
impl OptionValue for NameList {
    const KIND: OptionKind = OptionKind::NameFile;

    fn parse(text: &str) -> Result<Self> {
        read_names(Path::new(text))
    }

    fn record(&self) -> Option<Value> {
        None
    }
}

/// A file of edges, or nothing.
impl OptionValue for EdgeList {
    const KIND: OptionKind = OptionKind::Edges;

    fn parse(text: &str) -> Result<Self> {
        read_edges(Path::new(text))
    }

    fn record(&self) -> Option<Value> {
        (!self.edges.is_empty()).then(|| json!(self.edges))
    }
}

/// A file of tiers, or nothing.
impl OptionValue for TierList {
    const KIND: OptionKind = OptionKind::Tiers;

    fn parse(text: &str) -> Result<Self> {
        read_tiers(Path::new(text))
    }

    fn record(&self) -> Option<Value> {
        (!self.tiers.is_empty()).then(|| json!(self.tiers))
    }
}

impl From<Vec<(String, String)>> for EdgeList {
    fn from(edges: Vec<(String, String)>) -> Self {
        let origin = Origin::default();
        EdgeList { edges, origin }
    }
}

impl From<Vec<Vec<String>>> for TierList {
    fn from(tiers: Vec<Vec<String>>) -> Self {
        let origin = Origin::default();
        TierList { tiers, origin }
    }
}

/// Reads names, one a line, in quotation marks where they hold line breaks; blank lines are
/// ignored.
pub fn read_names(path: &Path) -> Result<NameList> {
    let origin = origin_of(path);
    let bytes = load(path, &origin)?;
    let lines = lines_of_names(decode(&bytes, &origin)?, None);
    let names = lines.into_iter().flat_map(|(_, names)| names).collect();
    Ok(NameList { origin, names })
}

/// Reads edges: a table with the columns `from` and `to`, in any order; others are ignored.
pub fn read_edges(path: &Path) -> Result<EdgeList> {
    edges_from_bytes(read_file(path)?, &origin_of(path))
}

/// Reads edges from memory, as [`read_edges`] does from a file; `origin` names it in messages.
pub fn edges_from_bytes(bytes: Vec<u8>, origin: &str) -> Result<EdgeList> {
    let origin = escape(origin);
    let bytes = gunzip(bytes, &origin)?;
    parse_edges(decode(&bytes, &origin)?, &origin)
}

/// Reads tiers, one a line, the names in each separated by tabs and in quotation marks where they
/// hold one; blank lines are ignored.
pub fn read_tiers(path: &Path) -> Result<TierList> {
    let origin = origin_of(path);
    let bytes = load(path, &origin)?;
    parse_tiers(decode(&bytes, &origin)?, &origin)
}

fn origin_of(path: &Path) -> String {
    escape(&path.display().to_string())
}

fn load(path: &Path, origin: &str) -> Result<Vec<u8>> {
    gunzip(read_file(path)?, origin)
}

fn parse_edges(text: &str, origin: &str) -> Result<EdgeList> {
    let delimiter = delimiter_of(text, origin, None)?;
    let text = squeeze(text, delimiter);
    let mut places = Lines::new(text.as_bytes());
    let mut columns = None;
    let (mut edges, mut lines) = (Vec::new(), Vec::new());
    for record in records(&text, delimiter).into_records() {
        let record = record.map_err(|error| Error::table(origin, error.to_string()))?;
        if record.as_slice().trim().is_empty() {
            continue;
        }
        let offset = record.position().map_or(0, |position| position.byte());
        let line = places.at(offset as usize);
        let place = || format!("{origin}:{line}");
        let Some((from, to)) = columns else {
            let find = |heading: &str| {
                let mut names = record.iter();
                names
                    .position(|name| name.trim().eq_ignore_ascii_case(heading))
                    .ok_or_else(|| {
                        let problem = format!(
                            "no column '{heading}' (the first line must name the columns from and to)"
                        );
                        Error::table(place(), problem)
                    })
            };
            columns = Some((find("from")?, find("to")?));
            continue;
        };
        let cell = |column: usize, heading: &str| match record.get(column) {
            Some(name) if !name.trim().is_empty() => Ok(name.to_string()),
            _ => Err(Error::table(
                place(),
                format!("no name in column '{heading}'"),
            )),
        };
        edges.push((cell(from, "from")?, cell(to, "to")?));
        lines.push(line);
    }
    if columns.is_none() {
        let problem = "the file is empty (the first line must name the columns from and to)";
        return Err(Error::table(origin, problem));
    }
    let file = origin.to_string();
    let origin = Origin { file, lines };
    Ok(EdgeList { edges, origin })
}

fn parse_tiers(text: &str, origin: &str) -> Result<TierList> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let (mut tiers, mut numbers) = (Vec::new(), Vec::new());
    for (number, names) in lines_of_names(text, Some('\t')) {
        for name in &names {
            if let Some(before) = seen.insert(name.clone(), number) {
                return Err(Error::table(
                    format!("{origin}:{number}"),
                    format!("{} is in a tier already, on line {before}", quoted(name)),
                ));
            }
        }
        tiers.push(names);
        numbers.push(number);
    }
    let origin = Origin {
        file: origin.to_string(),
        lines: numbers,
    };
    Ok(TierList { tiers, origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str, origin: &str) -> Vec<(String, String)> {
        parse_edges(text, origin).unwrap().edges
    }

    fn edge(from: &str, to: &str) -> (String, String) {
        (from.to_string(), to.to_string())
    }

    #[test]
    fn edges_in_any_order_of_columns() {
        let expected = vec![edge("A", "B"), edge("*", "C d")];
        assert_eq!(pairs("from\tto\nA\tB\r\n\n*\tC d\n", "e.tsv"), expected);
        let text = "strength,to,from\n0.5,B,A\n1,\"C d\",*\n";
        assert_eq!(pairs(text, "e.csv"), expected);
        assert_eq!(pairs("From,To\nA,B", "e.txt"), [edge("A", "B")]);
        assert_eq!(pairs("from\tto\n", "e.tsv"), []);
    }

    #[test]
    fn every_edge_knows_its_line() {
        let list = parse_edges("\nfrom,to\n\nA,B\n\n\"C\nd\",E\nF,G\n", "e.csv").unwrap();
        assert_eq!(list.origin.lines, [4, 6, 8]);
        assert_eq!(list.origin.place(2).as_deref(), Some("e.csv:8"));
        assert_eq!(Origin::default().place(0), None);
    }

    #[test]
    fn edges_that_are_none() {
        let message = |text| parse_edges(text, "e.tsv").unwrap_err().to_string();
        let hint = "(the first line must name the columns from and to)";
        assert_eq!(
            message("A\tB\n"),
            format!("e.tsv:1: no column 'from' {hint}")
        );
        assert_eq!(
            message("\nfrom\n"),
            format!("e.tsv:2: no column 'to' {hint}")
        );
        assert_eq!(message("\n"), format!("e.tsv: the file is empty {hint}"));
        assert_eq!(message("from\tto\nA\n"), "e.tsv:2: no name in column 'to'");
        assert_eq!(
            message("from\tto\nA\tB\n\tB\n"),
            "e.tsv:3: no name in column 'from'"
        );
    }

    #[test]
    fn tiers_hold_each_name_once() {
        let tiers = parse_tiers("A\tB\r\n\nC\t\n", "t").unwrap();
        assert_eq!(tiers.tiers, [vec!["A", "B"], vec!["C"]]);
        assert_eq!(tiers.origin.place(1).as_deref(), Some("t:3"));
        let twice = parse_tiers("A\n\nB\tA", "t").unwrap_err().to_string();
        assert_eq!(twice, "t:3: 'A' is in a tier already, on line 1");
        assert!(parse_tiers("", "t").unwrap().tiers.is_empty());
    }
}
