//! The simple interaction format of Cytoscape.

use super::view::View;
use crate::error::{Result, quoted};

/// One line per edge, `parent<TAB>regulates<TAB>child`; variables without edges alone on a line.
///
/// The format has no escapes, so names with tabs or line breaks are refused.
pub(super) fn write(view: &View) -> Result<String> {
    // Some readers end a line at any of these.
    let breaks = |c: char| matches!(c, '\t'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    for node in &view.nodes {
        if node.name.contains(breaks) {
            return Err(view.format.refuse(format!(
                "the name of variable {} holds a tab or a line break, which SIF cannot write \
                 (rename the variable)",
                quoted(node.name)
            )));
        }
    }
    let mut joined = vec![false; view.nodes.len()];
    let mut out = String::new();
    for edge in &view.edges {
        joined[edge.parent] = true;
        joined[edge.child] = true;
        let [parent, child] = [edge.parent, edge.child].map(|v| view.name(v));
        out.push_str(&format!("{parent}\tregulates\t{child}\n"));
    }
    // A file without any tab is split at spaces; a trailing tab, which readers drop, prevents it.
    let spaced = |node: &super::view::Node| node.name.contains(char::is_whitespace);
    let end = if view.edges.is_empty() && view.nodes.iter().any(spaced) {
        "\t\n"
    } else {
        "\n"
    };
    for (node, _) in view
        .nodes
        .iter()
        .zip(&joined)
        .filter(|(_, joined)| !**joined)
    {
        out.push_str(node.name);
        out.push_str(end);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, export, testing};

    #[test]
    fn edges_then_the_lonely() {
        let text = export(&testing::plain(), ExportFormat::Sif).unwrap();
        let wanted = "A\tregulates\tB c\nif\tregulates\tB c\nB c\tregulates\t1st\nalone\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn no_edges_no_split_names() {
        let mut network = testing::plain();
        for at in 0..network.len() {
            network.families[at].parents.clear();
            testing::linear(&mut network, at).weights.clear();
        }
        let text = export(&network, ExportFormat::Sif).unwrap();
        assert!(text.starts_with("A\t\nB c\t\n"));
        network.variables[1].name = "B".into();
        let text = export(&network, ExportFormat::Sif).unwrap();
        assert_eq!(text, "A\nB\n1st\nif\nalone\n");
    }

    #[test]
    fn tabs_and_line_breaks_are_refused() {
        let text = export(&testing::hostile(), ExportFormat::Sif)
            .unwrap_err()
            .to_string();
        assert!(text.contains(r"'two\nlines\r\tand a tab'"), "{text}");
        for bad in ["\u{b}", "\u{85}", "\u{2028}"] {
            let mut network = testing::plain();
            network.variables[0].name = format!("a{bad}b");
            assert!(export(&network, ExportFormat::Sif).is_err(), "{bad:?}");
        }
    }
}
