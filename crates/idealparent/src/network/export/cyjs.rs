//! Cytoscape.js JSON, which the Cytoscape desktop program reads as `.cyjs`.

use serde_json::{Map, Value, json};

use super::view::edge_id_prefix;
use crate::network::{Family, Network, Variable};

/// Node ids are the variables' names. `value`, `directed` and `multigraph` are required by the
/// reader of networkx; other programs ignore them.
pub(super) fn write(network: &Network) -> String {
    let node = |(Variable { name, hidden }, family): (&Variable, &Family)| {
        json!({"data": {
            "id": name,
            "name": name,
            "value": name,
            "label": name,
            "hidden": hidden,
            "inactive": family.inactive,
        }})
    };
    let nodes = network.variables.iter().zip(&network.families).map(node);
    let prefix = edge_id_prefix(network);
    let edges = network.edge_views();
    let edges = edges.iter().enumerate().map(|(at, edge)| {
        let mut data = Map::new();
        data.insert("id".into(), format!("{prefix}{at}").into());
        data.insert("source".into(), network.name(edge.parent).into());
        data.insert("target".into(), network.name(edge.child).into());
        data.insert("weight".into(), edge.weight.into());
        data.insert("sign".into(), edge.sign().into());
        if let Some(strength) = edge.strength {
            data.insert("strength".into(), strength.into());
        }
        data.insert("direction".into(), edge.direction().into());
        json!({ "data": data })
    });
    let document = json!({
        "data": {"name": "network"},
        "directed": true,
        "multigraph": false,
        "elements": {
            "nodes": nodes.collect::<Vec<Value>>(),
            "edges": edges.collect::<Vec<Value>>(),
        },
    });
    // Alternate formatting is indented JSON.
    format!("{document:#}\n")
}

#[cfg(test)]
mod tests {
    use super::super::{ExportFormat, testing};

    #[test]
    fn reads_back_as_json() {
        let network = testing::hostile();
        let text = network.export(ExportFormat::Cyjs).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let nodes = value["elements"]["nodes"].as_array().unwrap();
        for (node, variable) in nodes.iter().zip(&network.variables) {
            assert_eq!(node["data"]["id"], *variable.name);
            assert_eq!(node["data"]["hidden"], variable.hidden);
        }
        let edge = &value["elements"]["edges"][0]["data"];
        assert_eq!(edge["id"], "e_0", "e0 is a node");
        assert_eq!(edge["weight"], -2.5);
        assert_eq!(edge["strength"], 12.25);
        assert!(
            value["elements"]["edges"][3]["data"]
                .get("strength")
                .is_none()
        );
    }
}
