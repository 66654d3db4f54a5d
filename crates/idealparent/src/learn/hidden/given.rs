//! Fitting the parameters of a given structure with hidden variables.

use std::cmp::Reverse;

use super::insert::HiddenModel;
use super::propose::Proposal;
use super::residuals::profiles;
use super::{Cluster, HiddenFactor};
use crate::error::Result;
use crate::graph::Dag;
use crate::ideal::Measure;
use crate::learn::IntegratedScore;
use crate::learn::em::{CompletedNetwork, EmLimits, EmSchedule};
use crate::learn::learner::Learner;
use crate::network::Network;

/// Limits of the final EM.
const LAST: EmLimits = EmLimits {
    least: 1e-5,
    most: 2000,
};

/// Fits a structure whose hidden variables come after the observed ones; `state` is the network
/// without them.
///
/// Inserts the hidden variables one by one. The initial profile of each comes from the ideal
/// parents of its children.
pub(in crate::learn) fn fit_hidden(
    base: Learner,
    state: CompletedNetwork,
    structure: &Dag,
) -> Result<Network> {
    let insertion = Insertion::new(structure, base.prepared.table.width());
    let mut model = HiddenModel {
        prepared: base.prepared.with_hidden(0, false),
        state,
    };
    for inserted in 0..insertion.order.len() {
        let proposal = insertion.proposal(inserted, &model);
        model = model.insert(base, &proposal)?;
        model.settle(base, EmSchedule::FULL.between)?;
    }
    model.restructure(base, insertion.families())?;
    model.settle(base, LAST)?;
    model.finish(base)?;
    Ok(insertion.restored(model.state.network))
}

/// The order in which the hidden variables of a structure are inserted.
struct Insertion<'a> {
    structure: &'a Dag,
    observed: usize,
    /// The hidden variables, sorted by decreasing number of observed children. Those without any
    /// come last, children before parents.
    order: Vec<usize>,
}

impl<'a> Insertion<'a> {
    fn new(structure: &'a Dag, observed: usize) -> Self {
        let mut insertion = Insertion {
            structure,
            observed,
            order: Vec::new(),
        };
        let hidden = observed..structure.len();
        let depth = |v: usize| match insertion.children(v).len() {
            0 => {
                let below = |&w: &usize| w != v && structure.reaches(v, w);
                1 + hidden.clone().filter(below).count()
            }
            _ => 0,
        };
        let mut order: Vec<usize> = hidden.clone().collect();
        order.sort_by_key(|&v| (depth(v), Reverse(insertion.children(v).len()), v));
        insertion.order = order;
        insertion
    }

    /// The observed children of a variable.
    fn children(&self, v: usize) -> Vec<usize> {
        let of = self.structure.children(v).iter().copied();
        of.filter(|&child| child < self.observed).collect()
    }

    /// Proposes the next variable as a parent of its observed children or, if it has none, of its
    /// hidden children that are already in the model.
    fn proposal(&self, inserted: usize, model: &HiddenModel) -> Proposal {
        let v = self.order[inserted];
        let mut members = self.children(v);
        if members.is_empty() {
            let before = self.order[..inserted].iter().enumerate();
            let is_child = |(_, w): &(usize, &usize)| self.structure.has_edge(v, **w);
            members.extend(before.filter(is_child).map(|(at, _)| self.observed + at));
        }
        let (network, completion) = (&model.state.network, &model.state.completion);
        let profiles = profiles(network, &completion.data, &members, Measure::Tangent);
        let cluster = Cluster::of_all(&profiles, &IntegratedScore);
        let mut factor = HiddenFactor::new(&profiles, &cluster, f64::NEG_INFINITY);
        factor.members = members;
        Proposal {
            factor,
            estimate: 0.0,
            parents: None,
        }
    }

    /// The index in the model of a variable of the structure. In the model, hidden variables are in
    /// the order of insertion.
    fn place(&self, v: usize) -> usize {
        let rank = |v: usize| self.order.iter().position(|&w| w == v).expect("is hidden");
        if v < self.observed {
            v
        } else {
            self.observed + rank(v)
        }
    }

    /// The families of the structure, with the indices of the model.
    fn families(&self) -> Vec<(usize, Vec<usize>)> {
        let family = |v: usize| {
            let parents = self.structure.parents(v).iter();
            let mut parents: Vec<usize> = parents.map(|&p| self.place(p)).collect();
            parents.sort_unstable();
            (self.place(v), parents)
        };
        (0..self.structure.len()).map(family).collect()
    }

    /// The network of the model, with the indices of the structure.
    fn restored(&self, found: Network) -> Network {
        let mut network = found.clone();
        for v in self.observed..self.structure.len() {
            network.families[v] = found.families[self.place(v)].clone();
        }
        let parents = network.families.iter_mut().flat_map(|f| &mut f.parents);
        for parent in parents.filter(|p| **p >= self.observed) {
            *parent = self.order[*parent - self.observed];
        }
        network
    }
}
