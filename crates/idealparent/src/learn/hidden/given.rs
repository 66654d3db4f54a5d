//! Parameters of a given structure with hidden variables.

use std::cmp::Reverse;

use super::insert::HiddenModel;
use super::propose::Proposal;
use super::residuals::profiles;
use super::{Cluster, HiddenFactor};
use crate::error::Result;
use crate::graph::Dag;
use crate::ideal::Measure;
use crate::learn::em::{CompletedNetwork, EmLimits, EmSchedule};
use crate::learn::learner::Learner;
use crate::learn::{ClusterScore, IntegratedScore};
use crate::network::Network;

/// Turns at the end.
const LAST: EmLimits = EmLimits {
    least: 1e-5,
    most: 2000,
};

/// Fits a structure whose hidden variables come after the observed ones.
///
/// `state` is the network without them. They come in one by one, those with most children first, each with the profile that its children's
/// ideal parents agree on.
pub(in crate::learn) fn fit_hidden(
    base: Learner,
    state: CompletedNetwork,
    structure: &Dag,
) -> Result<Network> {
    let observed = base.prepared.table.width();
    let children = |v: usize| -> Vec<usize> {
        let of = structure.children(v).iter().copied();
        of.filter(|&child| child < observed).collect()
    };
    let mut order: Vec<usize> = (observed..structure.len()).collect();
    // Those with only hidden children after these: a cause of causes.
    let depth = |v: usize| match children(v).len() {
        0 => {
            let below = |&w: &usize| w != v && structure.reaches(v, w);
            1 + (observed..structure.len()).filter(below).count()
        }
        _ => 0,
    };
    order.sort_by_key(|&v| (depth(v), Reverse(children(v).len()), v));
    let mut model = HiddenModel {
        prepared: base.prepared.with_hidden(0, false),
        state,
    };
    for (inserted, &v) in order.iter().enumerate() {
        let mut members = children(v);
        if members.is_empty() {
            let before = order[..inserted].iter().enumerate();
            let is_child = |(_, w): &(usize, &usize)| structure.has_edge(v, **w);
            members.extend(before.filter(is_child).map(|(at, _)| observed + at));
        }
        let (network, completion) = (&model.state.network, &model.state.completion);
        let profiles = profiles(network, &completion.data, &members, Measure::Tangent);
        let all: Vec<usize> = (0..members.len()).collect();
        let (eigenvalue, vector) = match all.len() {
            0 => (1.0, Vec::new()),
            _ => profiles.leading(&all, vec![1.0; all.len()]),
        };
        let cluster = Cluster {
            members: all,
            eigenvalue,
            vector,
            worth: IntegratedScore.worth(profiles.instances(), eigenvalue),
        };
        let mut factor = HiddenFactor::new(&profiles, &cluster, f64::NEG_INFINITY);
        factor.members = members;
        let proposal = Proposal {
            factor,
            estimate: 0.0,
            parents: None,
        };
        model = model.insert(base, &proposal)?;
        model.settle(base, EmSchedule::FULL.between)?;
    }
    // Where each stands now: the observed as they were, the hidden in the order in which they came.
    let place = |v: usize| {
        if v < observed {
            v
        } else {
            observed + order.iter().position(|&w| w == v).expect("it came in")
        }
    };
    let families = (0..structure.len()).map(|v| {
        let mut parents: Vec<usize> = structure.parents(v).iter().map(|&p| place(p)).collect();
        parents.sort_unstable();
        (place(v), parents)
    });
    model.restructure(base, families.collect())?;
    model.settle(base, LAST)?;
    model.finish(base)?;
    // In the order and with the parents' order of the structure.
    let found = model.state.network;
    let back = |place: usize| {
        if place < observed {
            place
        } else {
            order[place - observed]
        }
    };
    let mut network = found.clone();
    for v in observed..structure.len() {
        network.families[v] = found.families[place(v)].clone();
    }
    for family in &mut network.families {
        for parent in &mut family.parents {
            *parent = back(*parent);
        }
    }
    Ok(network)
}
