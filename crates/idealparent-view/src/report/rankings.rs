//! Estimated and true gains of candidate parents, as in the paper's Figure 1, for as many children
//! as a fixed amount of work allows.

use idealparent::extend::{Completed, Reach};
use idealparent::internal::rank_completed;
use idealparent::{CpdKind, CpdSettings, Network, RankedParent, Table};
use serde_json::{Map, Value, json};

use super::values::short;

/// Maximum work, in families fitted times instances: for linear densities, and for others.
const MAX_WORK_LINEAR: f64 = 8e6;
const MAX_WORK_OTHERS: f64 = 6e5;

/// Maximum number of candidates shown per child, the best ones.
const MAX_SHOWN: usize = 300;

/// The ranking of each child: rows `[parent, c1, c2, tangent, delta, obstacle]`, largest change
/// first. `obstacle` is empty if the edge is allowed.
///
/// If not all children can be ranked in reasonable time, those with the largest sum of strengths of
/// their edges are; children without parents come last.
pub(super) fn rankings(network: &Network, table: &Table, data: &Completed) -> Map<String, Value> {
    let recorded = network.recorded_options().unwrap_or_default();
    let reach = Reach::new(&network.dag());
    let constraints = network.constraints();
    let hidden: Vec<bool> = network.variables.iter().map(|v| v.hidden).collect();
    let mut order: Vec<usize> = (0..network.len())
        .filter(|&v| !hidden[v] && !network.families[v].inactive)
        .collect();
    let worth = |v: usize| network.families[v].strengths.iter().sum::<f64>();
    let parents = |v: usize| network.families[v].parents.len();
    order.sort_by(|&a, &b| {
        let by_size = (parents(b) > 0).cmp(&(parents(a) > 0));
        by_size.then(worth(b).total_cmp(&worth(a))).then(a.cmp(&b))
    });
    let mut rankings = Map::new();
    let mut spent = 0.0;
    for child in order {
        let family = &network.families[child];
        let kind = if family.parents.is_empty() {
            recorded.cpd[0].clone()
        } else {
            family.cpd.kind_to_learn()
        };
        let most = if kind == CpdKind::Linear {
            MAX_WORK_LINEAR
        } else {
            MAX_WORK_OTHERS
        };
        spent += (network.len() * table.rows()) as f64 / most;
        if spent > 1.0 && !rankings.is_empty() {
            break;
        }
        let mut density = CpdSettings::from(kind);
        (density.bias, density.baseline) = (recorded.bias, recorded.baseline);
        let found = rank_completed(table, data, &hidden, child, &family.parents, &density);
        // Families that cannot be fitted to these data have no ranking.
        let Ok(found) = found else { continue };
        let row = |r: &RankedParent| {
            let delta = r.delta.map_or(Value::Null, short);
            let obstacle = match () {
                _ if !reach.allows(r.parent, child) => "would close a cycle",
                _ if !constraints.allows(r.parent, child) => "not allowed",
                _ if family.parents.len() >= constraints.max_parents() => "too many parents",
                _ => "",
            };
            json!([
                r.parent,
                short(r.c1),
                short(r.c2),
                short(r.tangent),
                delta,
                obstacle
            ])
        };
        let rows: Vec<Value> = found.candidates.iter().take(MAX_SHOWN).map(row).collect();
        rankings.insert(child.to_string(), Value::Array(rows));
    }
    rankings
}
