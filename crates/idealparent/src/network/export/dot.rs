//! Graphviz DOT.

use std::fmt::Write;

use super::view::number;
use crate::network::{Network, Variable};

/// Writes a directed graph whose node ids are the variables' names.
///
/// Names are quoted strings, never HTML-like ones, so that no name is interpreted as markup. Hidden
/// variables are drawn dashed, and negative edges end in a bar.
pub(super) fn write(network: &Network) -> String {
    let mut out = String::from("digraph network {\n");
    for (Variable { name, hidden }, family) in network.variables.iter().zip(&network.families) {
        let _ = write!(
            out,
            "  {} [label={}, hidden={hidden}, inactive={}",
            id(name),
            label(name),
            family.inactive
        );
        if *hidden {
            out.push_str(", style=dashed");
        }
        out.push_str("];\n");
    }
    for edge in network.edge_views() {
        let _ = write!(
            out,
            "  {} -> {} [weight={}, sign={}",
            id(network.name(edge.parent)),
            id(network.name(edge.child)),
            weight(edge.weight),
            edge.sign()
        );
        if let Some(strength) = edge.strength {
            let _ = write!(out, ", strength={}", quoted(&number(strength)));
        }
        let _ = write!(out, ", direction={}", edge.direction());
        if edge.is_negative {
            out.push_str(", arrowhead=tee");
        }
        out.push_str("];\n");
    }
    out.push_str("}\n");
    out
}

/// Formats an edge weight, using scientific notation for large ones.
///
/// Graphviz's layout uses the leading integer of `weight` as the importance of the edge, at least
/// 0, and a large one overflows. With an exponent, the leading integer is a single digit.
fn weight(value: f64) -> String {
    if value.abs() < 1000.0 {
        quoted(&number(value))
    } else {
        quoted(&format!("{value:e}"))
    }
}

/// Escapes a name for use as an id. Graphviz keeps the doubled backslashes in the id, but ids stay
/// distinct, and no name can close its string early or continue past its end.
fn id(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        match c {
            // Graphviz treats ids that begin with % as anonymous and replaces them.
            '%' if at == 0 => escaped.push_str("\\%"),
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '\n' => escaped.push_str("\\n"),
            c => escaped.push(c),
        }
    }
    quoted(&escaped)
}

/// Escapes a name for use as a label. Graphviz expands character entities in labels, so an
/// ampersand that would begin an entity is written as `&amp;`.
fn label(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        text.push(c);
        if c == '&' && begins_entity(&name[at + 1..]) {
            text.push_str("amp;");
        }
    }
    id(&text)
}

fn begins_entity(rest: &str) -> bool {
    rest.split_once(';').is_some_and(|(word, _)| {
        let name = word.strip_prefix('#').unwrap_or(word);
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

fn quoted(escaped: &str) -> String {
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, testing};
    use super::*;

    #[test]
    fn nodes_and_edges_are_written() {
        let text = testing::plain().export(ExportFormat::Dot).unwrap();
        let wanted = r#"  "A" -> "B c" [weight="0.53", sign=positive, direction=compelled];"#;
        assert!(text.contains(wanted), "{text}");
        assert!(text.contains(r#"  "alone" [label="alone", hidden=false, inactive=false];"#));
        assert!(
            text.contains(r#"[weight="-1.2", sign=negative, direction=compelled, arrowhead=tee]"#)
        );
    }

    #[test]
    fn names_stay_inside_their_strings() {
        assert_eq!(id("a\"];b"), r#""a\"];b""#);
        assert_eq!(id("ends in \\"), r#""ends in \\""#);
        assert_eq!(id("\\\""), r#""\\\"""#);
        assert_eq!(id("a\nb"), r#""a\nb""#);
        assert_eq!(id("%1 %"), r#""\%1 %""#);
        assert_eq!(
            label("R&D &lt; &#60; &; & x;"),
            r#""R&D &amp;lt; &amp;#60; &; & x;""#
        );
        let text = testing::hostile().export(ExportFormat::Dot).unwrap();
        assert_eq!(
            text.lines().count(),
            2 + 7 + 4,
            "one line per node and edge"
        );
    }

    #[test]
    fn large_weights_are_in_scientific_notation() {
        assert_eq!(weight(2147483647.0), "\"2.147483647e9\"");
        assert_eq!(weight(-1e300), "\"-1e300\"");
        assert_eq!(weight(999.5), "\"999.5\"");
    }
}
