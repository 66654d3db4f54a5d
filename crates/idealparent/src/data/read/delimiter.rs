//! What separates the fields of a text table, and the reader that splits it there.

use std::borrow::Cow;

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::error::{Error, Result};

/// Separators a header line is searched for, in this order.
const CANDIDATES: [u8; 4] = [b'\t', b',', b';', b' '];

/// The extension of a file in small letters, the one before `.gz` where there is one.
pub(crate) fn extension(origin: &str) -> String {
    let lower = origin.to_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.unwrap_or_default().to_string()
}

/// The separator of a table: the one asked for, that of the extension, or that of the header line.
pub(crate) fn delimiter_of(text: &str, origin: &str, asked: Option<u8>) -> Result<u8> {
    if let Some(delimiter) = asked {
        return check(delimiter);
    }
    let found = header_separators(text);
    let first = found.first().copied().unwrap_or(b',');
    Ok(match extension(origin).as_str() {
        // Spreadsheets of half the world write semicolons into .csv; a header without any comma
        // says so.
        "csv" if found.contains(&b',') || first == b' ' => b',',
        "tsv" | "pcl" | "cdt" => b'\t',
        _ => first,
    })
}

/// Refuses separators that occur in numbers or end a line.
fn check(delimiter: u8) -> Result<u8> {
    let usable = delimiter.is_ascii()
        && !delimiter.is_ascii_alphanumeric()
        && !b"+-.\"\r\n\0".contains(&delimiter);
    if usable {
        return Ok(delimiter);
    }
    Err(Error::Options(format!(
        "the delimiter '{}' cannot separate numbers (use a tab, a comma, a semicolon or a space)",
        delimiter.escape_ascii()
    )))
}

/// The candidates in the first line that holds more than separators, best first.
fn header_separators(text: &str) -> Vec<u8> {
    let filler = |byte: u8| CANDIDATES.contains(&byte) || byte == b'"';
    let header = text
        .split(['\n', '\r'])
        .find(|line| !line.bytes().all(filler))
        .unwrap_or_default();
    separators_in(header)
}

/// The candidates that a line holds outside quotation marks, best first.
pub(crate) fn separators_in(line: &str) -> Vec<u8> {
    // What lies between quotation marks has an odd number; a doubled mark falls between two parts.
    let outside = || line.split('"').step_by(2).flat_map(str::bytes);
    let holds = |candidate: &u8| outside().any(|byte| byte == *candidate);
    CANDIDATES.into_iter().filter(holds).collect()
}

/// The text as the reader wants it: between spaces that separate, there are no empty fields.
///
/// Programs that separate by spaces align by them too. Lines stay what they are, so that their
/// numbers do.
pub(crate) fn squeeze(text: &str, delimiter: u8) -> Cow<'_, str> {
    if delimiter != b' ' {
        return Cow::Borrowed(text);
    }
    let mut squeezed = String::with_capacity(text.len());
    let mut quoted = false;
    for character in text.chars() {
        match character {
            '"' => quoted = !quoted,
            ' ' if !quoted && (squeezed.is_empty() || squeezed.ends_with([' ', '\n', '\r'])) => {
                continue;
            }
            '\n' | '\r' if !quoted && squeezed.ends_with(' ') => {
                squeezed.pop();
            }
            _ => {}
        }
        squeezed.push(character);
    }
    if !quoted && squeezed.ends_with(' ') {
        squeezed.pop();
    }
    Cow::Owned(squeezed)
}

/// A reader of records of any width: their widths are checked where the message can say more.
///
/// Every record is returned, the first one too.
pub(crate) fn records(text: &str, delimiter: u8) -> Reader<&[u8]> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(text.as_bytes());
    // With headers already there, the reader does not keep two copies of the first record, which
    // may be the longest by far.
    reader.set_headers(StringRecord::new());
    reader
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions() {
        for (origin, expected) in [
            ("data.CSV", "csv"),
            ("dir.csv/data.tsv.gz", "tsv"),
            ("data", ""),
            ("dir.tsv/data", ""),
            ("<stdin>", ""),
            (".gz", ""),
        ] {
            assert_eq!(extension(origin), expected, "{origin}");
        }
    }

    #[test]
    fn the_extension_or_the_header_decides() {
        let chosen = |text, origin| delimiter_of(text, origin, None).unwrap();
        assert_eq!(chosen("a,b\t", "x.csv.gz"), b',');
        assert_eq!(chosen("a\tb", "x.csv.gz"), b'\t');
        assert_eq!(chosen("a;b c", "x.csv"), b';');
        assert_eq!(chosen("a b", "x.csv"), b',');
        assert_eq!(chosen("a,b", "x.pcl"), b'\t');
        assert_eq!(chosen("a,b;\tc", "x.txt"), b'\t');
        assert_eq!(chosen("a b,c;d\n1\t2", "-"), b',');
        assert_eq!(chosen("a b;c", "-"), b';');
        assert_eq!(chosen("\n \t\n\r\na b", "-"), b' ');
        assert_eq!(chosen("\"x, kg\";\"y\"\"\t\"", "-"), b';');
        assert_eq!(chosen("", "-"), b',');
        assert_eq!(delimiter_of("a,b", "x.csv", Some(b'|')).unwrap(), b'|');
    }

    #[test]
    fn a_separator_must_not_occur_in_numbers() {
        for bad in *b"e5.-+\"\n\xe9" {
            assert!(delimiter_of("", "x", Some(bad)).unwrap_err().is_usage());
        }
    }

    #[test]
    fn the_first_record_is_one_like_the_others() {
        let all = records("a,b\n1\n\n2,3,4\n", b',').into_records();
        let all: Vec<Vec<String>> = all
            .map(|record| record.unwrap().iter().map(str::to_string).collect())
            .collect();
        assert_eq!(all, [vec!["a", "b"], vec!["1"], vec!["2", "3", "4"]]);
        assert_eq!(records("", b',').into_records().count(), 0);
    }

    #[test]
    fn spaces_may_align() {
        assert_eq!(squeeze("  a   b \n1  2\r\n  3 4", b' '), "a b\n1 2\r\n3 4");
        assert_eq!(squeeze("\"a  b\"  c ", b' '), "\"a  b\" c");
        assert_eq!(squeeze("a  b", b','), "a  b");
    }
}
