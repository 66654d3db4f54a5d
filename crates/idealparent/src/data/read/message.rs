//! Pieces of error messages: whatever a file holds, a message stays one short line.

use crate::error::quoted;
pub(crate) use crate::error::{shorten, shorten_to};

/// Longest list of names that is offered for pasting, in characters.
const LONGEST_OPTION: usize = 80;

/// Names a message lists before it says how many more there are.
const LISTED: usize = 3;

/// Text from a user in full, with control characters escaped.
pub(crate) fn escape(text: &str) -> String {
    shorten_to(text, usize::MAX)
}

/// `'a', 'b', 'c' and 12 more`.
pub(crate) fn list<S: AsRef<str>>(names: &[S]) -> String {
    let shown = names.iter().take(LISTED).map(|name| quoted(name.as_ref()));
    let shown: Vec<String> = shown.collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// `--drop species,island`, ready to be pasted into a shell; plain `--drop` where that cannot be.
pub(crate) fn drop_option(names: &[&str]) -> String {
    let listed = |name: &&str| {
        if name.contains(',') || name.starts_with('"') {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            name.to_string()
        }
    };
    let joined = names.iter().map(listed).collect::<Vec<_>>().join(",");
    let printable = escape(&joined) == joined && joined.chars().count() <= LONGEST_OPTION;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.,:+@%/-".contains(&byte);
    if !printable || joined.is_empty() {
        "--drop".to_string()
    } else if joined.bytes().all(plain) {
        format!("--drop {joined}")
    } else {
        format!("--drop '{}'", joined.replace('\'', r"'\''"))
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
    fn a_message_stays_one_line() {
        assert_eq!(shorten("a\nb\u{2028}\0"), "a\\nb\\u{2028}\\u{0}");
        assert_eq!(escape("tab\there"), "tab\\there");
    }

    #[test]
    fn long_lists_are_counted() {
        assert_eq!(list(&["a", "b"]), "'a', 'b'");
        assert_eq!(list(&["a", "b", "c", "d", "e"]), "'a', 'b', 'c' and 2 more");
    }

    #[test]
    fn the_option_can_be_pasted() {
        assert_eq!(drop_option(&["species"]), "--drop species");
        assert_eq!(drop_option(&["a", "b"]), "--drop a,b");
        assert_eq!(drop_option(&["it's"]), r"--drop 'it'\''s'");
        assert_eq!(drop_option(&["a, b", "c"]), r#"--drop '"a, b",c'"#);
        assert_eq!(drop_option(&["a\nb"]), "--drop");
        assert_eq!(drop_option(&[&"x".repeat(99)]), "--drop");
    }
}
