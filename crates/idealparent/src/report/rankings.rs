//! Candidate parents beside their true worth, for as many children as there is time for: the paper's Figure 1.

use serde_json::{Map, Value, json};

use super::values::short;
use crate::cpd::CpdKind;
use crate::data::{Completed, Table};
use crate::graph::Reach;
use crate::ideal::rank_completed;
use crate::network::Network;
use crate::options::LearnOptions;

/// Families that are fitted for this at most: of linear densities, and of others.
const MOST_LINEAR: usize = 30_000;
const MOST_OTHERS: usize = 3_000;

/// Candidates of one child that the page shows: the best by any measure are among them.
const MOST_SHOWN: usize = 300;

/// By child: `[parent, c1, c2, tangent, delta, legal]`, largest change first. Those with the strongest families come first.
pub(super) fn rankings(network: &Network, table: &Table, data: &Completed) -> Map<String, Value> {
    let recorded = network.recorded_options().unwrap_or_default();
    let reach = Reach::new(&network.dag());
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
        let kind = match family.parents.is_empty() {
            true => recorded.cpds[0].clone(),
            false => family.cpd.kind_to_learn(),
        };
        let most = if kind == CpdKind::Linear {
            MOST_LINEAR
        } else {
            MOST_OTHERS
        };
        spent += network.len() as f64 / most as f64;
        if spent > 1.0 && !rankings.is_empty() {
            break;
        }
        let options = LearnOptions {
            cpds: vec![kind.clone()],
            bias: recorded.bias,
            baseline: recorded.baseline,
            ..LearnOptions::default()
        };
        let found = rank_completed(
            table,
            data,
            &hidden,
            child,
            &family.parents,
            &kind,
            &options,
        );
        // A family that these data cannot fit has no ranking.
        let Ok(found) = found else { continue };
        let row = |r: &crate::ideal::RankedParent| {
            let delta = r.delta.map_or(Value::Null, short);
            let legal = reach.allows(r.parent, child);
            json!([
                r.parent,
                short(r.c1),
                short(r.c2),
                short(r.tangent),
                delta,
                legal
            ])
        };
        let rows: Vec<Value> = found.candidates.iter().take(MOST_SHOWN).map(row).collect();
        rankings.insert(child.to_string(), Value::Array(rows));
    }
    rankings
}
