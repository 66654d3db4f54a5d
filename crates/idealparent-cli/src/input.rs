//! Reading the files that the arguments name.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use idealparent::internal::{read_file, read_stream};
use idealparent::{
    Error, Message, Network, ReadOptions, Result, Structure, Table, example, read_bytes,
};

use crate::args::DataArgs;

/// The table that the arguments name, and notes from reading it.
pub fn table(path: Option<&Path>, args: &DataArgs) -> Result<(Table, Vec<Message>)> {
    let mut options = ReadOptions::default();
    args.read.apply(&mut options)?;
    let (bytes, origin) = table_bytes(path, args)?;
    let outcome = read_bytes(bytes, &origin, &options)?;
    Ok((outcome.table, outcome.notes))
}

/// As [`table`], for use with networks: text columns that none of them contains are left out.
pub fn table_for(
    networks: &[Network],
    path: Option<&Path>,
    args: &DataArgs,
) -> Result<(Table, Vec<Message>)> {
    let mut options = ReadOptions::default();
    args.read.apply(&mut options)?;
    let (bytes, origin) = table_bytes(path, args)?;
    let variables = networks.iter().flat_map(|network| &network.variables);
    let names: Vec<String> = variables.map(|variable| variable.name.clone()).collect();
    let outcome = options.read_bytes_for(bytes, &origin, &names)?;
    Ok((outcome.table, outcome.notes))
}

/// The bytes of the table that the arguments name, and its name in messages.
fn table_bytes(path: Option<&Path>, args: &DataArgs) -> Result<(Vec<u8>, String)> {
    match (path, &args.example) {
        (Some(_), Some(_)) => usage("give either a data file or --example, not both"),
        (None, None) => usage("no data: give a file, - for standard input, or --example NAME"),
        (None, Some(name)) => {
            let text = example(name)?.table_tsv();
            Ok((text.into_bytes(), format!("{name}.tsv")))
        }
        (Some(path), None) => {
            let (bytes, origin) = bytes(path)?;
            let has_extension = path
                .extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("json"));
            if has_extension || is_object(&bytes) {
                // Most likely a network given in place of a table.
                let problem = "expected a table, but this is a JSON file (a network?)";
                return Err(Error::table(origin, problem));
            }
            Ok((bytes, origin))
        }
    }
}

/// Whether the content of a file, compressed or not, begins like a JSON object.
fn is_object(bytes: &[u8]) -> bool {
    // No network file begins with more blanks than this.
    const LOOKED_AT: u64 = 1024;
    let mut begin = Vec::new();
    // The reader of tables reports damaged data; what could be unpacked is looked at here.
    let _ = GzDecoder::new(bytes)
        .take(LOOKED_AT)
        .read_to_end(&mut begin);
    let plain = if begin.is_empty() { bytes } else { &begin };
    plain.trim_ascii_start().starts_with(b"{")
}

/// Splits the arguments `DATA NAME`, or `NAME` alone with `--example`.
pub fn data_and_name<'a>(
    rest: &'a [String],
    args: &DataArgs,
    what: &str,
) -> Result<(Option<&'a Path>, &'a str)> {
    match (rest, &args.example) {
        ([name], Some(_)) => Ok((None, name)),
        ([data, name], None) => Ok((Some(Path::new(data)), name)),
        (_, Some(_)) => usage(&format!("with --example, give only the {what}")),
        (_, None) => usage(&format!(
            "give the data and the {what}, or --example NAME and the {what}"
        )),
    }
}

/// The content of a file or of standard input (`-`), and its name for messages.
fn bytes(path: &Path) -> Result<(Vec<u8>, String)> {
    let place = path.display().to_string();
    if path == Path::new("-") {
        Ok((standard_input()?, "<stdin>".to_string()))
    } else {
        Ok((read_file(path)?, place))
    }
}

fn standard_input() -> Result<Vec<u8>> {
    read_stream(std::io::stdin().lock(), "<stdin>")
}

/// Reads a network file.
pub fn network(path: &Path) -> Result<Network> {
    let (bytes, place) = bytes(path)?;
    Network::from_bytes(bytes, &place)
}

/// Reads the names and edges of a network file or a table of edges.
pub fn structure(path: &Path) -> Result<Structure> {
    let (bytes, place) = bytes(path)?;
    Structure::from_bytes(bytes, &place)
}

/// A usage error with this message.
pub fn usage<T>(message: &str) -> Result<T> {
    Err(Error::options(message))
}
