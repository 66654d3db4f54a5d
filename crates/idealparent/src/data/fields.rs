//! Files with lists of names, which may be in quotation marks as in a CSV file.

/// Line endings, including the lone carriage return of old Mac files.
const LINE_ENDS: [&str; 3] = ["\r\n", "\n", "\r"];

/// The names on each line that is not blank, with the line number, counted from 1.
///
/// A name in quotation marks may contain separators and line breaks; quotation marks inside it are
/// doubled. Quotation marks that do not enclose a name, and spaces, are part of the name.
pub(super) fn lines_of_names(text: &str, separator: Option<char>) -> Vec<(usize, Vec<String>)> {
    let mut lines = Vec::new();
    let (mut rest, mut number) = (text, 1);
    while !rest.is_empty() {
        let begin = number;
        let mut names = Vec::new();
        loop {
            let (name, length) = first_name(rest, separator);
            number += line_ends(&rest[..length]);
            rest = &rest[length..];
            if !name.trim().is_empty() {
                names.push(name);
            }
            match separator.and_then(|separator| rest.strip_prefix(separator)) {
                Some(after) => rest = after,
                None => break,
            }
        }
        if !names.is_empty() {
            lines.push((begin, names));
        }
        let mut ends = LINE_ENDS.iter();
        if let Some(after) = ends.find_map(|end| rest.strip_prefix(end)) {
            rest = after;
            number += 1;
        }
    }
    lines
}

/// The first name in a text, and its length in bytes there, quotation marks included.
fn first_name(text: &str, separator: Option<char>) -> (String, usize) {
    let ends = |rest: &str| {
        rest.is_empty()
            || rest.starts_with(['\n', '\r'])
            || separator.is_some_and(|separator| rest.starts_with(separator))
    };
    if let Some(end) = closing_mark(text).filter(|&end| ends(&text[end + 1..])) {
        return (text[1..end].replace("\"\"", "\""), end + 1);
    }
    let ending = |c: char| matches!(c, '\n' | '\r') || Some(c) == separator;
    let length = text.find(ending).unwrap_or(text.len());
    (text[..length].to_string(), length)
}

/// Number of line endings in a text.
fn line_ends(text: &str) -> usize {
    text.matches(['\n', '\r']).count() - text.matches("\r\n").count()
}

/// Position of the mark that closes a quotation mark at the start of the text, if there is one.
fn closing_mark(text: &str) -> Option<usize> {
    let mut from = text.strip_prefix('"').map(|_| 1)?;
    loop {
        let mark = from + text[from..].find('"')?;
        if !text[mark + 1..].starts_with('"') {
            return Some(mark);
        }
        from = mark + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str, separator: Option<char>) -> Vec<(usize, Vec<String>)> {
        lines_of_names(text, separator)
    }

    fn line(number: usize, names: &[&str]) -> (usize, Vec<String>) {
        (number, names.iter().map(|name| name.to_string()).collect())
    }

    #[test]
    fn blank_lines_are_skipped_and_spaces_kept() {
        assert_eq!(
            listed("A\r\n\n B c \n  \nlast", None),
            [line(1, &["A"]), line(3, &[" B c "]), line(5, &["last"])]
        );
        assert!(listed("\n\r\n", None).is_empty());
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line() {
        assert_eq!(
            listed("A\rB\r\r\"c\rd\r\ne\"\rf\r", None),
            [
                line(1, &["A"]),
                line(2, &["B"]),
                line(4, &["c\rd\r\ne"]),
                line(7, &["f"])
            ]
        );
        assert_eq!(
            listed("A\tB\rC", Some('\t')),
            [line(1, &["A", "B"]), line(2, &["C"])]
        );
    }

    #[test]
    fn names_may_be_quoted_as_in_csv() {
        assert_eq!(
            listed(
                "\"a\"\"b\"\r\n\"two\nlines\"\n\"x\ty\"\n\"\"\"q\"\"\"",
                None
            ),
            [
                line(1, &["a\"b"]),
                line(2, &["two\nlines"]),
                line(4, &["x\ty"]),
                line(5, &["\"q\""]),
            ]
        );
        // Quotation marks that do not enclose a name.
        assert_eq!(
            listed("5\" disk\n\"3\" disk\n\"open\n", None),
            [
                line(1, &["5\" disk"]),
                line(2, &["\"3\" disk"]),
                line(3, &["\"open"]),
            ]
        );
    }

    #[test]
    fn a_line_may_hold_several_names() {
        assert_eq!(
            listed("A\t\"b\tc\"\t\r\n\n\"d\"\te", Some('\t')),
            [line(1, &["A", "b\tc"]), line(3, &["d", "e"])]
        );
    }
}
