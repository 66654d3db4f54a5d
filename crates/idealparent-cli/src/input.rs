//! Reading what the arguments name.

use std::io::Read;
use std::path::Path;

use idealparent::data::{self, ReadOptions, Table, example, read_bytes, read_names, read_path};
use idealparent::network::StructureFile;
use idealparent::{Error, Network, Result};

use crate::args::DataArgs;

/// The table that the arguments name, and lines worth telling.
pub fn table(path: Option<&Path>, args: &DataArgs) -> Result<(Table, Vec<String>)> {
    let options = read_options(args)?;
    let outcome = match (path, &args.example) {
        (Some(_), Some(_)) => {
            return usage("give either a data file or --example, not both");
        }
        (None, None) => {
            return usage("no data: give a file, - for standard input, or --example NAME");
        }
        (None, Some(name)) => {
            let text = example(name)?.table_tsv();
            read_bytes(text.into_bytes(), &format!("{name}.tsv"), &options)?
        }
        (Some(path), None) if path == Path::new("-") => {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| Error::io("<stdin>", error))?;
            read_bytes(bytes, "<stdin>", &options)?
        }
        (Some(path), None) => read_path(path, &options)?,
    };
    Ok((outcome.table, outcome.notes))
}

fn read_options(args: &DataArgs) -> Result<ReadOptions> {
    let delimiter = match args.delimiter.as_deref() {
        None => None,
        Some("tab" | "\\t" | "\t") => Some(b'\t'),
        Some("comma") => Some(b','),
        Some("semicolon") => Some(b';'),
        Some("space") => Some(b' '),
        Some(text) if text.len() == 1 && !matches!(text, "\"" | "\n" | "\r") => {
            Some(text.as_bytes()[0])
        }
        Some(text) => {
            return usage(&format!(
                "--delimiter '{text}': give one character, or tab, comma, semicolon, space"
            ));
        }
    };
    let row_names = match args.row_names.as_deref() {
        None => None,
        Some("yes") => Some(true),
        Some("no") => Some(false),
        Some(word) => return usage(&format!("--row-names '{word}': give yes or no")),
    };
    let list = |path: &Option<std::path::PathBuf>| path.as_deref().map(read_names).transpose();
    Ok(ReadOptions {
        delimiter,
        row_names,
        transpose: args.transpose,
        variables: list(&args.variables)?,
        instances: list(&args.instances)?,
        drop: args.drop.clone(),
    })
}

/// Splits `DATA NAME`, or `NAME` alone where the data are an example.
pub fn data_and_name<'a>(
    rest: &'a [String],
    args: &DataArgs,
    what: &str,
) -> Result<(Option<&'a Path>, &'a str)> {
    match (rest, &args.example) {
        ([name], Some(_)) => Ok((None, name)),
        ([data, name], None) => Ok((Some(Path::new(data)), name)),
        (_, Some(_)) => usage(&format!("with --example give the {what} alone")),
        (_, None) => usage(&format!(
            "give the data and the {what}, or --example NAME and the {what}"
        )),
    }
}

/// A whole file as text.
fn text(path: &Path) -> Result<(String, String)> {
    let place = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok((text, place)),
            Err(_) => Err(Error::network(place, "not a text file")),
        },
        Err(error) => Err(Error::io(place, error)),
    }
}

/// A network file.
pub fn network(path: &Path) -> Result<Network> {
    let (text, place) = text(path)?;
    Network::from_json(&text, &place)
}

/// Names and edges from a network file or a table of edges.
pub fn structure(path: &Path) -> Result<StructureFile> {
    let (text, place) = text(path)?;
    if text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('{')
    {
        return StructureFile::from_json(&text, &place);
    }
    Ok(StructureFile {
        variables: Vec::new(),
        edges: data::read_edges(path)?,
    })
}

/// A table of edges, where one is named.
pub fn edges(path: Option<&Path>) -> Result<Vec<(String, String)>> {
    path.map_or(Ok(Vec::new()), data::read_edges)
}

/// A file of tiers, where one is named.
pub fn tiers(path: Option<&Path>) -> Result<Vec<Vec<String>>> {
    path.map_or(Ok(Vec::new()), data::read_tiers)
}

/// A mistake of usage.
pub fn usage<T>(message: &str) -> Result<T> {
    Err(Error::Options(message.to_string()))
}
