//! Files that list variables by name: name lists, edge lists and tiers.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use super::fields::lines_of_names;
use super::read::delimiter::{delimiter_of, records, squeeze};
use super::read::message::escape;
use super::read::unpack::{Lines, decode, gunzip, read_file};
use crate::error::{Error, Origin, Result, quoted};
use crate::options::{OptionKind, OptionValue, restored};

/// A list of names, read from a file or given by a program.
///
/// ```
/// use idealparent::{NameList, ReadOptions, read_bytes};
///
/// let mut options = ReadOptions::default();
/// options.variables = Some(NameList::from(vec!["B".to_string()]));
/// let table = read_bytes(b"A,B\n1.5,2\n3,4".to_vec(), "ab.csv", &options)?.table;
/// assert_eq!(table.names(), ["B"]);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameList {
    /// The file of the names, for messages; empty if there is none.
    pub(crate) origin: String,
    /// The names.
    pub names: Vec<String>,
}

/// A list of edges, read from a file or given by a program.
///
/// ```
/// use idealparent::EdgeList;
///
/// let list = EdgeList::from(vec![("A".to_string(), "B".to_string())]);
/// assert_eq!(list.edges.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EdgeList {
    /// The edges, `(from, to)`.
    pub edges: Vec<(String, String)>,
    /// File and line of each edge, for messages.
    pub(crate) origin: Origin,
}

/// A list of tiers, read from a file or given by a program.
///
/// ```
/// use idealparent::TierList;
///
/// // Edges may go from age to weight, but not from weight to age.
/// let list = TierList::from(vec![vec!["age".to_string()], vec!["weight".to_string()]]);
/// assert_eq!(list.tiers.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TierList {
    /// The names in each tier.
    pub tiers: Vec<Vec<String>>,
    /// File and line of each tier, for messages.
    pub(crate) origin: Origin,
}

/// Parsed from the path of a file.
impl OptionValue for NameList {
    const KIND: OptionKind = OptionKind::NameFile;

    fn parse(text: &str) -> Result<Self> {
        NameList::read(Path::new(text))
    }

    fn record(&self) -> Option<Value> {
        Some(json!(self.names))
    }

    fn restore(value: &Value) -> Result<Self> {
        restored::<Vec<String>>(value, "is not a list of names").map(NameList::from)
    }
}

/// Parsed from the path of a file; an empty list is not recorded in network files.
impl OptionValue for EdgeList {
    const KIND: OptionKind = OptionKind::Edges;

    fn parse(text: &str) -> Result<Self> {
        EdgeList::read(Path::new(text))
    }

    fn record(&self) -> Option<Value> {
        (!self.edges.is_empty()).then(|| json!(self.edges))
    }

    fn restore(value: &Value) -> Result<Self> {
        restored::<Vec<(String, String)>>(value, "is not a list of edges").map(EdgeList::from)
    }
}

/// Parsed from the path of a file; an empty list is not recorded in network files.
impl OptionValue for TierList {
    const KIND: OptionKind = OptionKind::Tiers;

    fn parse(text: &str) -> Result<Self> {
        TierList::read(Path::new(text))
    }

    fn record(&self) -> Option<Value> {
        (!self.tiers.is_empty()).then(|| json!(self.tiers))
    }

    fn restore(value: &Value) -> Result<Self> {
        restored::<Vec<Vec<String>>>(value, "is not a list of tiers").map(TierList::from)
    }
}

impl From<Vec<String>> for NameList {
    fn from(names: Vec<String>) -> Self {
        let origin = String::new();
        NameList { origin, names }
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

impl NameList {
    /// Reads a file with one name per line. Names with line breaks must be in quotation marks;
    /// blank lines are ignored.
    ///
    /// ```
    /// use idealparent::NameList;
    ///
    /// let file = tempfile::NamedTempFile::new()?;
    /// std::fs::write(file.path(), "YAL001C\nYAL002W\n")?;
    /// assert_eq!(NameList::read(file.path())?.names, ["YAL001C", "YAL002W"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: &Path) -> Result<Self> {
        let origin = origin_of(path);
        let bytes = load(path, &origin)?;
        let lines = lines_of_names(decode(&bytes, &origin)?, None);
        let names = lines.into_iter().flat_map(|(_, names)| names).collect();
        Ok(NameList { origin, names })
    }
}

impl EdgeList {
    /// Reads edges from a table with the columns `from` and `to`, in any order. Other columns are
    /// ignored.
    ///
    /// ```
    /// use idealparent::EdgeList;
    ///
    /// let file = tempfile::NamedTempFile::new()?;
    /// std::fs::write(file.path(), "from,to\nA,B\n")?;
    /// assert_eq!(EdgeList::read(file.path())?.edges, [("A".to_string(), "B".to_string())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: &Path) -> Result<Self> {
        edges_from_bytes(read_file(path)?, &origin_of(path))
    }
}

impl TierList {
    /// Reads a file with one tier per line. Names are separated by tabs, and those that contain a
    /// tab must be in quotation marks; blank lines are ignored.
    ///
    /// ```
    /// use idealparent::TierList;
    ///
    /// let file = tempfile::NamedTempFile::new()?;
    /// std::fs::write(file.path(), "age\tsex\nweight\n")?;
    /// assert_eq!(TierList::read(file.path())?.tiers, [vec!["age", "sex"], vec!["weight"]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: &Path) -> Result<Self> {
        let origin = origin_of(path);
        let bytes = load(path, &origin)?;
        parse_tiers(decode(&bytes, &origin)?, &origin)
    }
}

/// Reads edges from memory, as [`EdgeList::read`] does from a file. Messages name the source `origin`.
pub fn edges_from_bytes(bytes: Vec<u8>, origin: &str) -> Result<EdgeList> {
    let origin = escape(origin);
    let bytes = gunzip(bytes, &origin)?;
    parse_edges(decode(&bytes, &origin)?, &origin)
}

fn origin_of(path: &Path) -> String {
    escape(&path.display().to_string())
}

fn load(path: &Path, origin: &str) -> Result<Vec<u8>> {
    gunzip(read_file(path)?, origin)
}

fn parse_edges(text: &str, origin: &str) -> Result<EdgeList> {
    let delimiter = delimiter_of(text, origin, None);
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
                    format!("{} is already in the tier on line {before}", quoted(name)),
                ));
            }
        }
        tiers.push(names);
        numbers.push(number);
    }
    if tiers.is_empty() {
        return Err(Error::table(origin, "no names are listed"));
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
    fn columns_of_an_edge_list_may_come_in_any_order() {
        let expected = vec![edge("A", "B"), edge("*", "C d")];
        assert_eq!(pairs("from\tto\nA\tB\r\n\n*\tC d\n", "e.tsv"), expected);
        let text = "strength,to,from\n0.5,B,A\n1,\"C d\",*\n";
        assert_eq!(pairs(text, "e.csv"), expected);
        assert_eq!(pairs("From,To\nA,B", "e.txt"), [edge("A", "B")]);
        assert_eq!(pairs("from\tto\n", "e.tsv"), []);
    }

    #[test]
    fn every_edge_has_its_line_number() {
        let list = parse_edges("\nfrom,to\n\nA,B\n\n\"C\nd\",E\nF,G\n", "e.csv").unwrap();
        assert_eq!(list.origin.lines, [4, 6, 8]);
        assert_eq!(list.origin.place(2).as_deref(), Some("e.csv:8"));
        assert_eq!(Origin::default().place(0), None);
    }

    #[test]
    fn malformed_edge_lists_are_errors() {
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
    fn a_name_in_two_tiers_is_an_error() {
        let tiers = parse_tiers("A\tB\r\n\nC\t\n", "t").unwrap();
        assert_eq!(tiers.tiers, [vec!["A", "B"], vec!["C"]]);
        assert_eq!(tiers.origin.place(1).as_deref(), Some("t:3"));
        let twice = parse_tiers("A\n\nB\tA", "t").unwrap_err().to_string();
        assert_eq!(twice, "t:3: 'A' is already in the tier on line 1");
        let empty = parse_tiers("\n", "t").unwrap_err().to_string();
        assert_eq!(empty, "t: no names are listed");
    }
}
