//! A tab-separated table of edges, for spreadsheets, R, pandas and the commands that read edges.

use crate::data::text_cell;
use crate::network::Network;

/// Writes one line per edge: from, to, weight, strength (empty if unknown), direction.
pub(super) fn write(network: &Network) -> String {
    let mut out = "from\tto\tweight\tstrength\tdirection\n".to_string();
    for edge in network.edge_views() {
        let [parent, child] = [edge.parent, edge.child].map(|v| text_cell(network.name(v), '\t'));
        let strength = edge.strength.map_or(String::new(), |s| format!("{s:?}"));
        out += &format!(
            "{parent}\t{child}\t{:?}\t{strength}\t{}\n",
            edge.weight,
            edge.direction()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, testing};
    use crate::data::edges_from_bytes;

    #[test]
    fn exported_tables_are_read_back_as_edges() {
        let network = testing::plain();
        let text = network.export(ExportFormat::Tsv).unwrap();
        assert!(text.starts_with("from\tto\tweight\tstrength\tdirection\n"));
        let edges = edges_from_bytes(text.into_bytes(), "edges.tsv").unwrap();
        let dag = network.dag();
        let wanted: Vec<(String, String)> = dag
            .edges()
            .map(|(p, c)| (network.name(p).to_string(), network.name(c).to_string()))
            .collect();
        assert_eq!(edges.edges, wanted);
    }
}
