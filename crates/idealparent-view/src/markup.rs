//! Text inside pictures and pages.

use idealparent::network::escape_xml;

/// Escapes text that is only looked at: on one line, without characters that XML cannot write.
pub(crate) fn escape_shown(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    escape_xml(&shown.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_blanks() {
        assert_eq!(escape_shown("a\n<b>\u{1b}"), "a &lt;b&gt; ");
    }
}
