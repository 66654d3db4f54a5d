//! GraphML.

use std::fmt::Write;

use super::escape_xml;
use super::view::number;
use crate::network::{Network, Variable};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"#;

/// Attributes: key, element (`node` or `edge`), type. The key is also the attribute's name.
const KEYS: [(&str, &str, &str); 8] = [
    ("name", "node", "string"),
    ("label", "node", "string"),
    ("hidden", "node", "boolean"),
    ("inactive", "node", "boolean"),
    ("weight", "edge", "double"),
    ("sign", "edge", "string"),
    ("strength", "edge", "double"),
    ("direction", "edge", "string"),
];

/// Node ids are the variables' names, as networkx shows ids. The names are repeated in `name`, for
/// igraph and Cytoscape, and in `label`, for Gephi and yEd.
pub(super) fn write(network: &Network) -> String {
    let mut out = String::from(HEAD);
    for (key, of, kind) in KEYS {
        let _ = writeln!(
            out,
            r#"  <key id="{key}" for="{of}" attr.name="{key}" attr.type="{kind}"/>"#
        );
    }
    out.push_str("  <graph id=\"network\" edgedefault=\"directed\">\n");
    for (Variable { name, hidden }, family) in network.variables.iter().zip(&network.families) {
        let name = escape_xml(name);
        let _ = writeln!(out, r#"    <node id="{name}">"#);
        data(&mut out, "name", &name);
        data(&mut out, "label", &name);
        data(&mut out, "hidden", hidden);
        data(&mut out, "inactive", family.inactive);
        out.push_str("    </node>\n");
    }
    for edge in network.edge_views() {
        let [source, target] = [edge.parent, edge.child].map(|v| escape_xml(network.name(v)));
        let _ = writeln!(out, r#"    <edge source="{source}" target="{target}">"#);
        data(&mut out, "weight", number(edge.weight));
        data(&mut out, "sign", edge.sign());
        if let Some(strength) = edge.strength {
            data(&mut out, "strength", number(strength));
        }
        data(&mut out, "direction", edge.direction());
        out.push_str("    </edge>\n");
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn data(out: &mut String, key: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, r#"      <data key="{key}">{value}</data>"#);
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, testing};

    #[test]
    fn names_and_attributes_are_written() {
        let text = testing::hostile().export(ExportFormat::Graphml).unwrap();
        assert!(!text.contains("<script>"));
        assert!(text.contains(r#"<node id="&lt;script&gt;alert(1)&lt;/script&gt;">"#));
        assert!(text.contains(r#"<data key="weight">1e300</data>"#));
        assert_eq!(text.matches(r#"<data key="strength">"#).count(), 2);
        assert_eq!(text.matches(r#"<data key="hidden">true<"#).count(), 1);
        assert_eq!(text.matches("<edge ").count(), 4);
    }
}
