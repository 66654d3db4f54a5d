//! Reading what the arguments name.

use std::path::Path;

use idealparent::data::{
    self, EdgeList, ReadOptions, Table, TierList, example, read_bytes, read_names, read_path,
};
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
            read_bytes(standard_input()?, "<stdin>", &options)?
        }
        (Some(path), None) => {
            refuse_network(path)?;
            read_path(path, &options)?
        }
    };
    Ok((outcome.table, outcome.notes))
}

/// A network file where a table belongs is a slip worth a word of its own.
fn refuse_network(path: &Path) -> Result<()> {
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"))
    {
        return Err(Error::table(
            path.display().to_string(),
            "a table is expected here, and this is a JSON file (a network?)",
        ));
    }
    Ok(())
}

fn read_options(args: &DataArgs) -> Result<ReadOptions> {
    let delimiter = args
        .delimiter
        .as_deref()
        .map(data::delimiter_of)
        .transpose()?;
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
        drop: args.drop.iter().flat_map(|names| split(names)).collect(),
    })
}

/// The names in a list with commas between them. One in quotation marks may hold commas; marks
/// inside it are doubled, as in a CSV file.
pub fn split(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = Some(list);
    while let Some(text) = rest {
        let quoted = text.strip_prefix('"').and_then(quoted_name);
        let (name, after) = quoted.unwrap_or_else(|| match text.split_once(',') {
            Some((name, after)) => (name.trim().to_string(), Some(after)),
            None => (text.trim().to_string(), None),
        });
        names.push(name);
        rest = after;
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The name up to its closing mark and what follows the comma there, if it is quoted at all.
fn quoted_name(text: &str) -> Option<(String, Option<&str>)> {
    let mut from = 0;
    loop {
        let mark = from + text[from..].find('"')?;
        let after = &text[mark + 1..];
        if after.starts_with('"') {
            from = mark + 2;
            continue;
        }
        let name = text[..mark].replace("\"\"", "\"");
        return match after.strip_prefix(',') {
            None if after.is_empty() => Some((name, None)),
            // Marks in the middle belong to the name.
            None => None,
            Some(rest) => Some((name, Some(rest))),
        };
    }
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

/// A whole file.
fn bytes(path: &Path) -> Result<(Vec<u8>, String)> {
    let place = path.display().to_string();
    if path == Path::new("-") {
        Ok((standard_input()?, "<stdin>".to_string()))
    } else {
        Ok((data::read_file(path)?, place))
    }
}

fn standard_input() -> Result<Vec<u8>> {
    data::read_stream(std::io::stdin().lock(), "<stdin>")
}

/// A network file.
pub fn network(path: &Path) -> Result<Network> {
    let (bytes, place) = bytes(path)?;
    Network::from_bytes(bytes, &place)
}

/// Names and edges from a network file or a table of edges.
pub fn structure(path: &Path) -> Result<StructureFile> {
    let (bytes, place) = bytes(path)?;
    StructureFile::from_bytes(bytes, &place)
}

/// A table of edges, where one is named.
pub fn edges(path: Option<&Path>) -> Result<EdgeList> {
    path.map_or(Ok(EdgeList::default()), data::read_edges)
}

/// A file of tiers, where one is named.
pub fn tiers(path: Option<&Path>) -> Result<TierList> {
    path.map_or(Ok(TierList::default()), data::read_tiers)
}

/// A mistake of usage.
pub fn usage<T>(message: &str) -> Result<T> {
    Err(Error::Options(message.to_string()))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn names_in_a_list() {
        assert_eq!(split("a,b c,"), ["a", "b c"]);
        assert_eq!(split(r#""a, b",c,"d""#), ["a, b", "c", "d"]);
        assert_eq!(
            split(r#""say ""hi"", she said",x"#),
            [r#"say "hi", she said"#, "x"]
        );
        // Marks that do not enclose a name are part of it.
        assert_eq!(
            split(r#"5" disk,"3" disk,"open"#),
            [r#"5" disk"#, r#""3" disk"#, r#""open"#]
        );
        assert_eq!(split(""), Vec::<String>::new());
    }
}
