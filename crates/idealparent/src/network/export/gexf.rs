//! GEXF 1.2, the version that Gephi and all versions of networkx can read.

use std::fmt::Write;

use super::escape_xml;
use super::view::{edge_id_prefix, number};
use crate::network::{Network, Variable};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.gexf.net/1.2draft http://www.gexf.net/1.2draft/gexf.xsd" version="1.2">
  <graph mode="static" defaultedgetype="directed">
    <attributes class="node" mode="static">
      <attribute id="hidden" title="hidden" type="boolean"/>
      <attribute id="inactive" title="inactive" type="boolean"/>
    </attributes>
    <attributes class="edge" mode="static">
      <attribute id="sign" title="sign" type="string"/>
      <attribute id="strength" title="strength" type="double"/>
      <attribute id="direction" title="direction" type="string"/>
    </attributes>
"#;

/// Node ids and labels are the variables' names. The edge weight uses GEXF's built-in `weight`,
/// which is not declared among the attributes.
pub(super) fn write(network: &Network) -> String {
    let mut out = String::from(HEAD);
    out.push_str("    <nodes>\n");
    for (Variable { name, hidden }, family) in network.variables.iter().zip(&network.families) {
        let name = escape_xml(name);
        let _ = writeln!(out, r#"      <node id="{name}" label="{name}">"#);
        out.push_str("        <attvalues>\n");
        value(&mut out, "hidden", hidden);
        value(&mut out, "inactive", family.inactive);
        out.push_str("        </attvalues>\n      </node>\n");
    }
    out.push_str("    </nodes>\n    <edges>\n");
    let prefix = edge_id_prefix(network);
    for (at, edge) in network.edge_views().iter().enumerate() {
        let [source, target] = [edge.parent, edge.child].map(|v| escape_xml(network.name(v)));
        let weight = number(edge.weight);
        let _ = writeln!(
            out,
            r#"      <edge id="{prefix}{at}" source="{source}" target="{target}" weight="{weight}">"#
        );
        out.push_str("        <attvalues>\n");
        value(&mut out, "sign", edge.sign());
        if let Some(strength) = edge.strength {
            value(&mut out, "strength", number(strength));
        }
        value(&mut out, "direction", edge.direction());
        out.push_str("        </attvalues>\n      </edge>\n");
    }
    out.push_str("    </edges>\n  </graph>\n</gexf>\n");
    out
}

fn value(out: &mut String, of: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, r#"          <attvalue for="{of}" value="{value}"/>"#);
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, testing};

    #[test]
    fn names_and_attributes_are_written() {
        let text = testing::hostile().export(ExportFormat::Gexf).unwrap();
        assert!(!text.contains("<script>"));
        assert!(text.contains(r#"label="two&#10;lines&#13;&#9;and a tab""#));
        assert!(
            text.contains(r#"id="e_0" source="say &quot;hi&quot; "#),
            "{text}"
        );
        assert!(text.contains(r#"weight="-2.5""#));
        assert_eq!(text.matches(r#"for="strength" value="#).count(), 2);
        assert_eq!(text.matches(r#"for="inactive" value="true""#).count(), 1);
    }
}
