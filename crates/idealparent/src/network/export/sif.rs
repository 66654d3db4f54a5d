//! The simple interaction format of Cytoscape.

use super::edge_views;
use crate::error::{Result, quoted};
use crate::network::{ExportFormat, Network, Variable};

/// One line per edge, `parent<TAB>regulates<TAB>child`; variables without edges alone on a line.
///
/// The format has no escapes, so names with tabs or line breaks are refused.
pub(super) fn write(network: &Network) -> Result<String> {
    // Some readers end a line at any of these.
    let breaks = |c: char| matches!(c, '\t'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    for Variable { name, .. } in &network.variables {
        if name.contains(breaks) {
            return Err(ExportFormat::Sif.refuse(format!(
                "the name of variable {} holds a tab or a line break, which SIF cannot write \
                 (rename the variable)",
                quoted(name)
            )));
        }
    }
    let mut joined = vec![false; network.len()];
    let mut out = String::new();
    for edge in edge_views(network) {
        joined[edge.parent] = true;
        joined[edge.child] = true;
        let [parent, child] = [edge.parent, edge.child].map(|v| network.name(v));
        out.push_str(&format!("{parent}\tregulates\t{child}\n"));
    }
    // A file without any tab is split at spaces; a trailing tab, which readers drop, prevents it.
    let spaced = |variable: &Variable| variable.name.contains(char::is_whitespace);
    let end = if network.edge_count() == 0 && network.variables.iter().any(spaced) {
        "\t\n"
    } else {
        "\n"
    };
    for v in (0..network.len()).filter(|&v| !joined[v]) {
        out.push_str(network.name(v));
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
