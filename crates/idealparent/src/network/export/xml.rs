//! XML 1.0 escapes and checks, shared by GraphML, GEXF and SVG.

use super::{refuse, view};
use crate::error::{Result, quoted};
use crate::network::{Network, Variable};

/// Checks that an XML format can represent a network.
///
/// # Errors
///
/// A name is empty or repeated, a parameter is not finite, or a name contains a character that XML
/// 1.0 cannot represent. `format` names the format in the message.
pub fn check_xml(network: &Network, format: &str) -> Result<()> {
    view::check(network, format)?;
    check_names(network, format, "XML")
}

/// Returns an error if a name contains a character that XML 1.0 cannot represent, not even as a
/// character reference. `language` is the format or program that the message names as the reason.
pub(super) fn check_names(network: &Network, format: &str, language: &str) -> Result<()> {
    for Variable { name, .. } in &network.variables {
        if let Some(c) = name.chars().find(|&c| !is_xml(c)) {
            let problem = format!(
                "the name of variable {} contains the character U+{:04X}, which {language} cannot \
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

/// Escapes text for an XML element or a double-quoted attribute.
///
/// Line breaks and tabs become character references, because XML readers replace unescaped ones in
/// attributes with spaces.
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
    use super::super::{ExportFormat, testing};
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
    fn characters_that_xml_cannot_represent_are_rejected() {
        use ExportFormat::*;
        for bad in ['\0', '\u{8}', '\u{1b}', '\u{fffe}'] {
            let mut network = testing::plain();
            network.variables[4].name = format!("x{bad}y");
            for format in [Dot, Graphml, Gexf] {
                let text = network.export(format).unwrap_err().to_string();
                assert!(text.contains(&format!("U+{:04X}", bad as u32)), "{text}");
                assert!(text.contains("variable 'x") && !text.contains('\n'));
            }
            assert!(
                network.export(Cyjs).is_ok(),
                "JSON can represent any character"
            );
        }
    }
}
