//! Candidate parents beside their true worth, for as many children as there is time for: the
//! paper's Figure 1.

use idealparent::cpd::CpdKind;
use idealparent::data::Completed;
use idealparent::evaluate::{RankedParent, rank_completed};
use idealparent::graph::{Constraints, Knowledge, Reach};
use idealparent::{LearnOptions, Network, Table};
use serde_json::{Map, Value, json};

use super::values::short;

/// Families that are fitted for this at most, times instances: of linear densities, and of others.
const MOST_LINEAR: f64 = 8e6;
const MOST_OTHERS: f64 = 6e5;

/// Candidates of one child that the page shows: those that are worth most.
const MOST_SHOWN: usize = 300;

/// By child: `[parent, c1, c2, tangent, delta, what forbids it]`, largest change first. Those with
/// the strongest families come first.
pub(super) fn rankings(network: &Network, table: &Table, data: &Completed) -> Map<String, Value> {
    let recorded = network.recorded_options().unwrap_or_default();
    let reach = Reach::new(&network.dag());
    let constraints = constraints(network);
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
            MOST_LINEAR
        } else {
            MOST_OTHERS
        };
        spent += (network.len() * table.rows()) as f64 / most;
        if spent > 1.0 && !rankings.is_empty() {
            break;
        }
        let mut options = LearnOptions::default();
        options.cpd = vec![kind.clone()];
        options.bias = recorded.bias;
        options.baseline = recorded.baseline;
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
        let rows: Vec<Value> = found.candidates.iter().take(MOST_SHOWN).map(row).collect();
        rankings.insert(child.to_string(), Value::Array(rows));
    }
    rankings
}

/// What the search was told beforehand, as far as the network remembers it.
fn constraints(network: &Network) -> Constraints {
    let free = Constraints::none(network.len());
    let Some(provenance) = &network.provenance else {
        return free;
    };
    let options = &provenance.options;
    let list = |key: &str| {
        options
            .get(key)
            .cloned()
            .unwrap_or(Value::Array(Vec::new()))
    };
    let pairs = |key: &str| serde_json::from_value(list(key)).unwrap_or_default();
    let knowledge = Knowledge {
        require: Vec::new(),
        forbid: pairs("forbid"),
        tiers: serde_json::from_value(list("tiers")).unwrap_or_default(),
        max_parents: options
            .get("max_parents")
            .and_then(Value::as_u64)
            .map(|most| most as usize),
        origins: Default::default(),
    };
    let names: Vec<String> = network.variables.iter().map(|v| v.name.clone()).collect();
    let inactive: Vec<bool> = network
        .families
        .iter()
        .map(|family| family.inactive)
        .collect();
    Constraints::new(&names, &knowledge, &inactive, &[]).unwrap_or(free)
}
