//! Cytoscape's simple interaction format (SIF).

use crate::error::{Result, quoted};
use crate::network::{ExportFormat, Network, Variable};

/// Writes one line per edge, `parent<TAB>regulates<TAB>child`, then one line per isolated variable.
///
/// The format has no escapes, so names with tabs or line breaks are an error.
pub(super) fn write(network: &Network) -> Result<String> {
    // Some readers treat any of these as a line break.
    let breaks = |c: char| matches!(c, '\t'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    for Variable { name, .. } in &network.variables {
        if name.contains(breaks) {
            return Err(ExportFormat::Sif.refuse(format!(
                "the name of variable {} contains a tab or a line break, which SIF cannot write \
                 (rename the variable)",
                quoted(name)
            )));
        }
    }
    let mut has_edge = vec![false; network.len()];
    let mut out = String::new();
    for edge in network.edge_views() {
        has_edge[edge.parent] = true;
        has_edge[edge.child] = true;
        let [parent, child] = [edge.parent, edge.child].map(|v| network.name(v));
        out.push_str(&format!("{parent}\tregulates\t{child}\n"));
    }
    // Readers split the lines of a file without tabs at spaces. A trailing tab, which they ignore,
    // prevents this.
    let spaced = |variable: &Variable| variable.name.contains(char::is_whitespace);
    let end = if network.edge_count() == 0 && network.variables.iter().any(spaced) {
        "\t\n"
    } else {
        "\n"
    };
    for v in (0..network.len()).filter(|&v| !has_edge[v]) {
        out.push_str(network.name(v));
        out.push_str(end);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, testing};

    #[test]
    fn isolated_variables_follow_the_edges() {
        let text = testing::plain().export(ExportFormat::Sif).unwrap();
        let wanted = "A\tregulates\tB c\nif\tregulates\tB c\nB c\tregulates\t1st\nalone\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn names_with_spaces_are_not_split_without_edges() {
        let mut network = testing::plain();
        for at in 0..network.len() {
            network.families[at].parents.clear();
            testing::linear(&mut network, at).weights.clear();
        }
        let text = network.export(ExportFormat::Sif).unwrap();
        assert!(text.starts_with("A\t\nB c\t\n"));
        network.variables[1].name = "B".into();
        let text = network.export(ExportFormat::Sif).unwrap();
        assert_eq!(text, "A\nB\n1st\nif\nalone\n");
    }

    #[test]
    fn tabs_and_line_breaks_are_rejected() {
        let text = testing::hostile()
            .export(ExportFormat::Sif)
            .unwrap_err()
            .to_string();
        assert!(text.contains(r"'two\nlines\r\tand a tab'"), "{text}");
        for bad in ["\u{b}", "\u{85}", "\u{2028}"] {
            let mut network = testing::plain();
            network.variables[0].name = format!("a{bad}b");
            assert!(network.export(ExportFormat::Sif).is_err(), "{bad:?}");
        }
    }
}
