//! Parts of error messages, which stay one short line whatever a file holds.

use crate::error::{option, option_list, quoted};
pub(crate) use crate::error::{shorten, shorten_to};

/// Longest list of names, in characters, that a message shows in full for copying.
const LONGEST_OPTION: usize = 80;

/// Number of names that a message lists before it only counts the others.
const LISTED: usize = 3;

/// The full text with control characters escaped.
pub(crate) fn escape(text: &str) -> String {
    shorten_to(text, usize::MAX)
}

/// Lists names in a message: `'a', 'b', 'c' and 12 more`.
pub(crate) fn list<S: AsRef<str>>(names: &[S]) -> String {
    let shown = names.iter().take(LISTED).map(|name| quoted(name.as_ref()));
    let shown: Vec<String> = shown.collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The option `drop` in a message, with the given names if they are short enough and printable.
pub(crate) fn drop_option(names: &[&str]) -> String {
    let joined = names.join(",");
    let printable = escape(&joined) == joined && joined.chars().count() <= LONGEST_OPTION;
    if printable && !joined.is_empty() {
        option_list("drop", names)
    } else {
        option("drop")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_shortened() {
        assert_eq!(shorten(&"x".repeat(40)), "x".repeat(40));
        assert_eq!(shorten(&"é".repeat(41)), "é".repeat(39) + "…");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(shorten("a\nb\u{2028}\0"), "a\\nb\\u{2028}\\u{0}");
        assert_eq!(escape("tab\there"), "tab\\there");
    }

    #[test]
    fn long_lists_end_with_a_count() {
        assert_eq!(list(&["a", "b"]), "'a', 'b'");
        assert_eq!(list(&["a", "b", "c", "d", "e"]), "'a', 'b', 'c' and 2 more");
    }

    #[test]
    fn long_or_unprintable_names_are_left_out() {
        assert_eq!(drop_option(&["a", "b"]), option_list("drop", &["a", "b"]));
        assert_eq!(drop_option(&["a\nb"]), option("drop"));
        assert_eq!(drop_option(&[&"x".repeat(99)]), option("drop"));
    }
}
