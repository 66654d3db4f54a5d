//! What GraphML, GEXF and pictures share: XML 1.0 and its escapes.

use super::{refuse, view};
use crate::error::{Result, quoted};
use crate::network::{Network, Variable};

/// Refuses a network that a format written in XML cannot hold.
///
/// That is an empty or repeated name, a parameter that is not finite, or a name with a character
/// that XML 1.0 has no way to write. `format` is the word for the format in the message.
pub fn check_xml(network: &Network, format: &str) -> Result<()> {
    view::check(network, format)?;
    check_names(network, format, "XML")
}

/// Refuses a name with a character XML 1.0 has no way to write, not even as a reference.
/// `language` is what the message says cannot write it.
pub(super) fn check_names(network: &Network, format: &str, language: &str) -> Result<()> {
    for Variable { name, .. } in &network.variables {
        if let Some(c) = name.chars().find(|&c| !is_xml(c)) {
            let problem = format!(
                "the name of variable {} holds the character U+{:04X}, which {language} cannot \
                 write (rename the variable)",
                quoted(name),
                c as u32,
            );
            return Err(refuse(format, problem));
        }
    }
    Ok(())
}

/// The `Char` production of XML 1.0.
fn is_xml(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{FFFE}' | '\u{FFFF}' => false,
        c => c >= ' ',
    }
}

/// Text escaped for an XML element or a double-quoted attribute.
///
/// Line breaks and tabs become references, since readers turn bare ones in attributes into spaces.
pub fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", c as u32)),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, export, testing};
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            escape_xml("<script>alert(1)</script>"),
            "&lt;script&gt;alert(1)&lt;/script&gt;"
        );
        assert_eq!(
            escape_xml("\"a\" & 'b'\t\r\n"),
            "&quot;a&quot; &amp; &apos;b&apos;&#9;&#13;&#10;"
        );
        assert_eq!(escape_xml("β ]]>"), "β ]]&gt;");
    }

    #[test]
    fn what_xml_cannot_hold_is_refused_by_name() {
        use ExportFormat::*;
        for bad in ['\0', '\u{8}', '\u{1b}', '\u{fffe}'] {
            let mut network = testing::plain();
            network.variables[4].name = format!("x{bad}y");
            for format in [Dot, Graphml, Gexf] {
                let text = export(&network, format).unwrap_err().to_string();
                assert!(text.contains(&format!("U+{:04X}", bad as u32)), "{text}");
                assert!(text.contains("variable 'x") && !text.contains('\n'));
            }
            assert!(
                export(&network, Cyjs).is_ok(),
                "JSON can hold any character"
            );
        }
    }
}
