//! Lines of names, any of them in quotation marks as in a CSV file.

/// What ends a line, a lone carriage return as in files of old Macs too.
const LINE_ENDS: [&str; 3] = ["\r\n", "\n", "\r"];

/// The names on each line that is not blank, with the number of the line, from 1.
///
/// A name in quotation marks may hold separators and line breaks; marks inside it are doubled.
/// Marks that do not enclose a name are part of it, and so are blanks.
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

/// The name at the beginning of a text, and the length of what stands for it.
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

/// How many lines end within a text.
fn line_ends(text: &str) -> usize {
    text.matches(['\n', '\r']).count() - text.matches("\r\n").count()
}

/// Where the quotation mark at the beginning is closed, if there is one and it is.
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
    fn names_one_a_line() {
        assert_eq!(
            listed("A\r\n\n B c \n  \nlast", None),
            [line(1, &["A"]), line(3, &[" B c "]), line(5, &["last"])]
        );
        assert!(listed("\n\r\n", None).is_empty());
    }

    #[test]
    fn lines_of_old_macs() {
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
    fn quoted_as_in_csv() {
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
        // Marks that enclose nothing.
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
    fn several_a_line() {
        assert_eq!(
            listed("A\t\"b\tc\"\t\r\n\n\"d\"\te", Some('\t')),
            [line(1, &["A", "b\tc"]), line(3, &["d", "e"])]
        );
    }
}
