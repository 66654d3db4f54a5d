//! Detects the delimiter of a text table, and splits the text into records.

use std::borrow::Cow;

use csv::{Reader, ReaderBuilder, StringRecord};

/// Delimiters looked for in a header line, in order of preference.
const CANDIDATES: [u8; 4] = [b'\t', b',', b';', b' '];

/// The extension of a file in lower case; of `x.tsv.gz` it is `tsv`.
pub(crate) fn extension(origin: &str) -> String {
    let lower = origin.to_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.unwrap_or_default().to_string()
}

/// The delimiter of a table: the one requested, the one that belongs to the extension, or the one
/// found in the header line.
pub(crate) fn delimiter_of(text: &str, origin: &str, requested: Option<u8>) -> u8 {
    if let Some(delimiter) = requested {
        return delimiter;
    }
    let found = header_separators(text);
    let first = found.first().copied().unwrap_or(b',');
    match extension(origin).as_str() {
        // In many locales, spreadsheets write .csv files with semicolons; the header then has no
        // comma.
        "csv" if found.contains(&b',') || first == b' ' => b',',
        "tsv" | "pcl" | "cdt" => b'\t',
        _ => first,
    }
}

/// The candidates in the first line that holds more than delimiters and quotation marks, in order
/// of preference.
fn header_separators(text: &str) -> Vec<u8> {
    let filler = |byte: u8| CANDIDATES.contains(&byte) || byte == b'"';
    let header = text
        .split(['\n', '\r'])
        .find(|line| !line.bytes().all(filler))
        .unwrap_or_default();
    separators_in(header)
}

/// The candidates that occur in a line outside quotation marks, in order of preference.
pub(crate) fn separators_in(line: &str) -> Vec<u8> {
    // Split at quotation marks, the odd parts are quoted. A doubled mark adds an empty part, which
    // keeps the parity.
    let outside = || line.split('"').step_by(2).flat_map(str::bytes);
    let holds = |candidate: &u8| outside().any(|byte| byte == *candidate);
    CANDIDATES.into_iter().filter(holds).collect()
}

/// If the delimiter is a space, merges runs of spaces outside quotation marks, and removes spaces
/// at the start and end of lines.
///
/// Programs that separate fields by spaces often align them by spaces too. Line endings are kept,
/// so that line numbers stay right.
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

/// A reader of records, including the first one, with any number of fields. Callers check that
/// number, because their messages can say more.
pub(crate) fn records(text: &str, delimiter: u8) -> Reader<&[u8]> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(text.as_bytes());
    // If headers are set, the reader does not keep two copies of the first record, which may be by
    // far the longest.
    reader.set_headers(StringRecord::new());
    reader
}

#[cfg(test)]
mod tests {
    use super::super::Delimiter;
    use super::*;

    #[test]
    fn the_extension_is_the_one_before_gz() {
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
    fn the_extension_or_the_header_determines_the_delimiter() {
        let chosen = |text, origin| delimiter_of(text, origin, None);
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
        assert_eq!(delimiter_of("a,b", "x.csv", Some(b'|')), b'|');
    }

    #[test]
    fn a_delimiter_that_can_occur_in_numbers_is_an_error() {
        for bad in *b"e5.-+\"\n\xe9" {
            assert!(Delimiter::new(bad).unwrap_err().is_usage());
        }
    }

    #[test]
    fn the_first_record_is_returned_like_the_others() {
        let all = records("a,b\n1\n\n2,3,4\n", b',').into_records();
        let all: Vec<Vec<String>> = all
            .map(|record| record.unwrap().iter().map(str::to_string).collect())
            .collect();
        assert_eq!(all, [vec!["a", "b"], vec!["1"], vec!["2", "3", "4"]]);
        assert_eq!(records("", b',').into_records().count(), 0);
    }

    #[test]
    fn spaces_that_align_fields_are_merged() {
        assert_eq!(squeeze("  a   b \n1  2\r\n  3 4", b' '), "a b\n1 2\r\n3 4");
        assert_eq!(squeeze("\"a  b\"  c ", b' '), "\"a  b\" c");
        assert_eq!(squeeze("a  b", b','), "a  b");
    }
}
