//! Pieces of error messages: whatever a file holds, a message stays one short line.

/// Longest piece of a file that a message repeats, in characters.
const LONGEST: usize = 40;

/// Names a message lists before it says how many more there are.
const LISTED: usize = 3;

/// Text from a file, shortened, with control characters escaped.
pub(crate) fn shorten(text: &str) -> String {
    shorten_to(text, LONGEST)
}

/// Text of any length in at most so many characters, with control characters escaped.
pub(crate) fn shorten_to(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count + 1 == longest && text.chars().nth(longest).is_some() {
            shown.push('…');
            break;
        }
        push_escaped(&mut shown, character);
    }
    shown
}

/// Text from a user in full, with control characters escaped.
pub(crate) fn escape(text: &str) -> String {
    shorten_to(text, usize::MAX)
}

fn push_escaped(shown: &mut String, character: char) {
    // The two separators break lines without being control characters.
    if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
        shown.extend(character.escape_default());
    } else {
        shown.push(character);
    }
}

/// `'a', 'b', 'c' and 12 more`.
pub(crate) fn list<S: AsRef<str>>(names: &[S]) -> String {
    let quoted = |name: &S| format!("'{}'", shorten(name.as_ref()));
    let shown: Vec<String> = names.iter().take(LISTED).map(quoted).collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// `--drop species,island`, ready to be pasted into a shell; plain `--drop` where that cannot be.
pub(crate) fn drop_option(names: &[&str]) -> String {
    let joined = names.join(",");
    let printable = escape(&joined) == joined && joined.chars().count() <= 2 * LONGEST;
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
        assert_eq!(drop_option(&["a\nb"]), "--drop");
        assert_eq!(drop_option(&[&"x".repeat(99)]), "--drop");
    }
}
