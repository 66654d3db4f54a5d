//! Proposals for a new hidden variable: its children, and the estimated rise of the score.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::cliques::Cliques;
use super::insert::HiddenModel;
use super::residuals::profiles;
use super::{Agglomeration, Cluster, HiddenFactor, ProfileSimilarities, agglomerate};
use crate::data::Completed;
use crate::family::{Gram, enough_instances};
use crate::learn::learner::Learner;
use crate::learn::prepared::Prepared;
use crate::learn::{ClusterScore, Method};
use crate::network::Network;

/// Number of times the profiles are shuffled to estimate the gain by chance.
const SHUFFLES: u64 = 3;
/// With more profiles than this, they are shuffled only once, and clustering is approximate.
const MANY_PROFILES: usize = 1000;

/// Largest number of proposals from profiles that ignore the observed parents.
const MAX_BARE: usize = 8;

/// Largest number of densely connected groups that are proposed regardless of their estimate.
const MAX_DENSE: usize = 24;

/// A proposed hidden variable.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) factor: HiddenFactor,
    /// Estimated rise of the score.
    pub(super) estimate: f64,
    /// The parents that each child keeps; `None` if it keeps all.
    pub(super) parents: Option<Vec<Vec<usize>>>,
}

/// Proposals for a network, the most promising first.
pub(super) fn propose(base: Learner, model: &HiddenModel) -> Vec<Proposal> {
    let Learner {
        prepared, options, ..
    } = base;
    let (network, completion) = (&model.state.network, &model.state.completion);
    let limit = prepared.constraints.max_parents();
    let is_observed = |v: usize| !network.families[v].inactive && !network.variables[v].hidden;
    // Only one of several identical columns is used: their agreement is no evidence of a cause.
    let is_copy = |v: usize| prepared.columns.is_copy(v);
    let has_room = |v: &usize| {
        let k = network.families[*v].parents.len();
        is_observed(*v) && !is_copy(*v) && k < limit && supports(prepared, *v, k + 1)
    };
    let variables: Vec<usize> = (0..network.len()).filter(has_room).collect();
    let clusters = Clusters::new(base, (network, &completion.data), &variables);
    let hidden = model.hidden().len();
    let first = options.two_layer && hidden == 0;
    let mut proposals = if options.method == Method::Greedy || first {
        // As in the paper.
        clusters.parent_of_all()
    } else {
        clusters.promising(options.seed, hidden as u64)
    };
    for proposal in &mut proposals {
        for member in &mut proposal.factor.members {
            *member = variables[*member];
        }
    }
    if options.method == Method::Ideal && !options.two_layer {
        proposals.extend(with_cliques(base, model, |cliques| {
            let dense = cliques.dense().into_iter().take(MAX_DENSE);
            let judged = dense.filter_map(|members| cliques.judge(&members));
            [cliques.find(), judged.collect()].concat()
        }));
        proposals.extend(bare(base, model));
    }
    proposals.sort_by(|a, b| {
        let by_estimate = b.estimate.total_cmp(&a.estimate);
        by_estimate.then(a.factor.members.cmp(&b.factor.members))
    });
    proposals
}

/// Proposals from clusters of profiles that ignore the observed parents. The edges inside each
/// cluster are cut.
///
/// If a few edges between the children of a hidden variable stand in for it, their residuals no
/// longer agree. Without these edges they do.
fn bare(base: Learner, model: &HiddenModel) -> Vec<Proposal> {
    let (network, completion) = (&model.state.network, &model.state.completion);
    let mut bare = network.clone();
    let mut changed = Vec::new();
    let mut variables = Vec::new();
    for (v, family) in network.families.iter().enumerate() {
        if family.inactive || network.variables[v].hidden || !supports(base.prepared, v, 1) {
            continue;
        }
        variables.push(v);
        let is_hidden = |p: &&usize| network.variables[**p].hidden;
        let parents: Vec<usize> = family.parents.iter().filter(is_hidden).copied().collect();
        if parents.len() < family.parents.len() {
            changed.push((v, parents));
        }
    }
    if changed.is_empty() {
        return Vec::new();
    }
    let learner = base.on(&model.prepared);
    if learner.refit(&mut bare, &completion.data, changed).is_err() {
        return Vec::new();
    }
    let clusters = Clusters::new(base, (&bare, &completion.data), &variables);
    let mut found = clusters.of(&clusters.profiles);
    found.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
    let with_cut_edges = |proposal: Proposal| {
        let members = proposal.factor.members.iter().map(|&i| variables[i]);
        propose_again(base, model, &members.collect::<Vec<_>>())
    };
    found
        .into_iter()
        .take(MAX_BARE)
        .filter_map(with_cut_edges)
        .collect()
}

/// Whether a variable has enough observed values for this number of parents.
fn supports(base: &Prepared, v: usize, parents: usize) -> bool {
    let observed = base.table.column(v).iter().filter(|x| !x.is_nan()).count();
    enough_instances(observed as f64, parents)
}

/// Proposes a hidden parent of given children, replacing the edges between them, regardless of the
/// estimate. `None` if this is not possible.
pub(super) fn propose_again(
    base: Learner,
    model: &HiddenModel,
    children: &[usize],
) -> Option<Proposal> {
    with_cliques(base, model, |cliques| cliques.judge(children))
}

fn with_cliques<T>(base: Learner, model: &HiddenModel, ask: impl Fn(&Cliques) -> T) -> T {
    let (network, completion) = (&model.state.network, &model.state.completion);
    let is_observed = |v: usize| {
        let family = &network.families[v];
        let is_copy = base.prepared.columns.is_copy(v);
        let is_there = !family.inactive && !network.variables[v].hidden && !is_copy;
        is_there && supports(base.prepared, v, family.parents.len() + 1)
    };
    let may_join: Vec<bool> = (0..network.len()).map(is_observed).collect();
    ask(&Cliques {
        gram: &Gram::expected(&completion.data),
        dag: &network.dag(),
        constraints: &model.prepared.constraints,
        prices: base.prices(),
        may_join: &may_join,
        fewest: base.options.hidden_options().fewest(),
    })
}

/// Clusters of ideal profiles.
struct Clusters<'a> {
    profiles: ProfileSimilarities,
    score: &'a dyn ClusterScore,
    /// Penalty per edge, including its parameter.
    price: f64,
    fewest: usize,
}

impl<'a> Clusters<'a> {
    /// Clusters of the profiles of some variables in a network.
    fn new(
        base: Learner<'a>,
        (network, data): (&Network, &Completed),
        variables: &[usize],
    ) -> Self {
        Clusters {
            profiles: profiles(network, data, variables, base.options.measure),
            score: base.strategy.cluster_score(),
            price: base.prices().parents(0, 1),
            fewest: base.options.hidden_options().fewest(),
        }
    }

    fn proposal(&self, factor: HiddenFactor, cluster: &Cluster) -> Proposal {
        let estimate = if self.score.takes_whole() {
            cluster.worth - self.price * cluster.members.len() as f64
        } else {
            factor.gain - self.price * factor.members.len() as f64
        };
        Proposal {
            factor,
            estimate,
            parents: None,
        }
    }

    fn parent_of_all(&self) -> Vec<Proposal> {
        if self.profiles.count() < self.fewest {
            return Vec::new();
        }
        let cluster = Cluster::of_all(&self.profiles, self.score);
        let factor = HiddenFactor::new(&self.profiles, &cluster, f64::NEG_INFINITY);
        vec![self.proposal(factor, &cluster)]
    }

    /// Clusters with a positive estimate that is larger than the estimate by chance.
    fn promising(&self, seed: u64, stream: u64) -> Vec<Proposal> {
        let mut proposals = self.of(&self.profiles);
        let most = proposals.iter().map(|p| p.estimate).fold(0.0, f64::max);
        if most > 0.0 {
            let chance = self.gain_by_chance(seed, stream);
            proposals.retain(|proposal| proposal.estimate > chance.max(0.0));
        }
        proposals
    }

    fn of(&self, profiles: &ProfileSimilarities) -> Vec<Proposal> {
        let how = Agglomeration {
            score: self.score,
            quick: profiles.count() > MANY_PROFILES,
        };
        let found = agglomerate(profiles, how);
        let propose = |cluster: &Cluster| {
            let least = if self.score.takes_whole() {
                f64::NEG_INFINITY
            } else {
                self.price
            };
            let factor = HiddenFactor::new(profiles, cluster, least);
            self.proposal(factor, cluster)
        };
        found
            .par_iter()
            .filter(|cluster| cluster.members.len() >= self.fewest)
            .map(propose)
            .filter(|proposal| {
                proposal.factor.members.len() >= self.fewest && proposal.estimate > 0.0
            })
            .collect()
    }

    /// The largest estimate of any cluster after shuffling each profile independently.
    fn gain_by_chance(&self, seed: u64, stream: u64) -> f64 {
        let shuffles = if self.profiles.count() > MANY_PROFILES {
            1
        } else {
            SHUFFLES
        };
        let best = |number: u64| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream * SHUFFLES + number);
            let shuffled = self.profiles.shuffled(|column| column.shuffle(&mut random));
            let proposals = self.of(&shuffled);
            proposals.iter().map(|p| p.estimate).fold(0.0, f64::max)
        };
        (0..shuffles).map(best).fold(0.0, f64::max)
    }
}
