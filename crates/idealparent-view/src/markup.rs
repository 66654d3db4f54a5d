//! Escaping of text in pictures and pages.

use idealparent::internal::escape_xml;

/// Escapes text for display only: control characters, including line breaks, become spaces.
pub(crate) fn escape_shown(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    escape_xml(&shown.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(escape_shown("a\n<b>\u{1b}"), "a &lt;b&gt; ");
    }
}
