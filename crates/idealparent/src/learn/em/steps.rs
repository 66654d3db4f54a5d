//! The halves of an iteration: expectations for a network, parameters for expectations.

use rayon::prelude::*;

use super::relax::{GROWTH, LONGEST, PATIENCE, relaxed};
use super::units::{anchored, normalise};
use crate::cpd::Cpd;
use crate::data::{Column, Completed};
use crate::error::Result;
use crate::family::{FamilyData, FamilyModel, Gram, Profiles, fit_linear};
use crate::inference::{
    Completion, Wanted, entropy, exact, expected_family, expected_log_likelihood, mean_field,
};
use crate::learn::learner::Learner;
use crate::learn::strategy::unusable;
use crate::learn::{Observer, PosteriorKind};
use crate::network::Network;
use crate::numerics::mean_and_variance;
use crate::search::Ending;

/// A missing value of what has to be positive is expected to be at least this share of the least
/// one observed.
const SHARE_OF_LEAST: f64 = 0.5;

/// Likewise of a hidden variable, whose noise has variance 1.
pub(in crate::learn) const LEAST_HIDDEN: f64 = 0.05;

/// A network, the expectations it is learned from, and their free energy.
#[derive(Clone, Debug)]
pub(in crate::learn) struct CompletedNetwork {
    pub(in crate::learn) network: Network,
    pub(in crate::learn) completion: Completion,
    pub(in crate::learn) free_energy: f64,
}

/// When turns of expectations and parameters end.
#[derive(Clone, Copy, Debug)]
pub(in crate::learn) struct EmLimits {
    /// A turn that gains less than this, in nats, is the last.
    pub(in crate::learn) least: f64,
    /// At most so many.
    pub(in crate::learn) most: usize,
}

/// Where they ended.
pub(in crate::learn) struct EmOutcome {
    pub(in crate::learn) state: CompletedNetwork,
    pub(in crate::learn) ending: Ending,
    /// Whether the last turn gained next to nothing.
    pub(in crate::learn) in_time: bool,
}

/// EM over one table.
pub(in crate::learn) struct Em<'a> {
    pub(in crate::learn) learner: Learner<'a>,
    /// Expectations of what is missing are kept at or above these; empty where no density needs
    /// that.
    least: Vec<f64>,
    models: Vec<Box<dyn FamilyModel>>,
}

impl<'a> Em<'a> {
    pub(in crate::learn) fn new(learner: Learner<'a>) -> Self {
        let Learner {
            prepared, options, ..
        } = learner;
        let least = |v: usize| {
            let observed = prepared.table.column(v).iter().copied();
            if prepared.columns.hidden[v] {
                LEAST_HIDDEN
            } else {
                SHARE_OF_LEAST
                    * observed
                        .filter(|x| !x.is_nan())
                        .fold(f64::INFINITY, f64::min)
            }
        };
        let least = if options.needs_positive() {
            (0..prepared.table.width()).map(least).collect()
        } else {
            Vec::new()
        };
        Em {
            learner,
            least,
            models: options.models(),
        }
    }

    /// Whether expectations follow from the network alone, and not from those before.
    pub(in crate::learn) fn is_exact(&self) -> bool {
        self.learner.options.is_linear()
    }

    /// A network learned from complete data.
    pub(in crate::learn) fn without_holes(&self, network: Network) -> Result<CompletedNetwork> {
        let columns = self.learner.prepared.table.columns().to_vec();
        let variances = vec![Vec::new(); columns.len()];
        let mut state = CompletedNetwork {
            network,
            completion: Completion {
                data: Completed::new(columns, variances, Default::default()),
                entropy: 0.0,
            },
            free_energy: 0.0,
        };
        self.expect(&mut state)?;
        Ok(state)
    }

    /// Every hole at its column's mean, with its variance: what the network without edges says.
    pub(super) fn first_completion(&self) -> Completion {
        let columns = self.learner.prepared.table.columns();
        let moments = |column: &Column| {
            let observed: Vec<f64> = column.iter().copied().filter(|x| !x.is_nan()).collect();
            mean_and_variance(&observed)
        };
        let moments: Vec<(f64, f64)> = columns.iter().map(moments).collect();
        self.completion(|v, _| moments[v])
    }

    /// Independent missing entries with given means and variances.
    ///
    /// Asked for in the order of the patterns, their rows and what these lack.
    pub(super) fn completion(
        &self,
        mut entry: impl FnMut(usize, usize) -> (f64, f64),
    ) -> Completion {
        let mut means = self.learner.prepared.table.columns().to_vec();
        let mut variances = vec![Vec::new(); means.len()];
        let mut total = 0.0;
        for (row, unobserved) in self.learner.prepared.holes.rows() {
            for &v in unobserved {
                let (mean, variance) = entry(v, row);
                means[v][row] = mean;
                variances[v].resize(self.learner.prepared.table.rows(), 0.0);
                variances[v][row] = variance;
                total += entropy([variance]);
            }
        }
        Completion {
            data: Completed::new(means, variances, Default::default()),
            entropy: total,
        }
    }

    /// Means kept within their bounds.
    pub(super) fn bounded(&self, completion: Completion) -> Completion {
        if self.least.is_empty() {
            return completion;
        }
        let data = &completion.data;
        self.completion(|v, row| {
            (
                data.means()[v][row].max(self.least[v]),
                data.variances(v)[row],
            )
        })
    }

    /// Penalty of a network.
    fn price(&self, network: &Network) -> f64 {
        let prices = self.learner.prices();
        prices.total(self.dimension(network), network.edge_count())
    }

    /// Number of free parameters.
    fn dimension(&self, network: &Network) -> usize {
        let options = self.learner.options;
        network.free_parameters(options.bias, options.baseline)
    }

    /// `E_Q log p + H(Q) - penalty`.
    pub(in crate::learn) fn free_energy(&self, network: &Network, completion: &Completion) -> f64 {
        let expected = expected_log_likelihood(network, &completion.data);
        expected + completion.entropy - self.price(network)
    }

    /// A network with the expectations it was learned from.
    pub(super) fn at(&self, network: Network, completion: Completion) -> CompletedNetwork {
        CompletedNetwork {
            free_energy: self.free_energy(&network, &completion),
            network,
            completion,
        }
    }

    /// The E-step.
    pub(in crate::learn) fn expect(&self, state: &mut CompletedNetwork) -> Result<()> {
        let columns = self.learner.prepared.table.columns();
        let holes = &self.learner.prepared.holes;
        let network = &state.network;
        let bound = if network.is_linear() && self.least.is_empty() {
            let exactly = self.is_exact() && self.learner.options.missing == PosteriorKind::Exact;
            let wanted = if exactly {
                Wanted::Exact
            } else {
                Wanted::Factorised
            };
            let posterior = exact(network, columns, holes, wanted).map_err(unusable)?;
            state.completion = Completion {
                data: posterior.data.expect("moments were asked for"),
                entropy: posterior.entropy,
            };
            posterior.log_likelihood.iter().sum()
        } else {
            let (completion, bound) =
                mean_field(network, columns, holes, &state.completion, &self.least);
            state.completion = completion;
            bound
        };
        state.free_energy = bound - self.price(network);
        Ok(())
    }

    /// The M-step.
    pub(super) fn maximise(&self, state: &mut CompletedNetwork) {
        let data = &state.completion.data;
        let old = &state.network.families;
        let gram;
        let profiles = if self.learner.options.is_linear() {
            None
        } else {
            gram = Gram::without_correlations(data);
            Some(Profiles::expected(data, &gram))
        };
        let cpd = |v: usize| {
            let family = &old[v];
            // Where nothing is uncertain the density is the best one already.
            let is_certain = data.are_certain(&[v]) && data.are_certain(&family.parents);
            if family.inactive || is_certain {
                return family.cpd.clone();
            }
            let (parents, old) = (&family.parents, &family.cpd);
            let new = self.improved(data, profiles.as_ref(), v, parents, old);
            if self.learner.prepared.columns.hidden[v] {
                anchored(data, v, parents, new, old)
            } else {
                new
            }
        };
        let cpds: Vec<Cpd> = (0..old.len()).into_par_iter().map(cpd).collect();
        for (family, cpd) in state.network.families.iter_mut().zip(cpds) {
            family.cpd = cpd;
        }
        state.free_energy = self.free_energy(&state.network, &state.completion);
        normalise(state);
    }

    /// The density next to an old one that fits best, and never one that fits worse: a variance at
    /// its floor moves with the expectations, and so do the bounds of weights.
    fn improved(
        &self,
        data: &Completed,
        profiles: Option<&Profiles>,
        v: usize,
        parents: &[usize],
        old: &Cpd,
    ) -> Cpd {
        let linear = || fit_linear(data, v, parents).map(|fit| Cpd::Linear(fit.cpd));
        let new = match profiles {
            Some(profiles) if !parents.is_empty() && !self.learner.prepared.columns.hidden[v] => {
                let mut models = self.models.iter();
                models.find_map(|model| model.refine(on(profiles, v, parents), old))
            }
            _ => linear(),
        };
        let kept = profiles.map(|profiles| on(profiles, v, parents).with_variance(old.clone()));
        let energy = |cpd: &Cpd| expected_family(data, v, parents, cpd);
        let mut best = (old.clone(), energy(old));
        for cpd in [kept, new].into_iter().flatten() {
            let energy = energy(&cpd);
            if energy >= best.1 {
                best = (cpd, energy);
            }
        }
        best.0
    }

    /// Takes an old network's densities where they fit better than a new one's of the same
    /// families: fits from scratch may end in other local minima.
    pub(super) fn keep_better(&self, new: &mut Network, old: &Network, completion: &Completion) {
        if self.learner.options.is_linear() {
            return;
        }
        let data = &completion.data;
        let gram = Gram::without_correlations(data);
        let profiles = Profiles::expected(data, &gram);
        let both = new.families.iter_mut().zip(&old.families);
        for (v, (new, old)) in both.enumerate() {
            if new.parents == old.parents && new.cpd.kind() == old.cpd.kind() && !new.inactive {
                let kept = on(&profiles, v, &new.parents).with_variance(old.cpd.clone());
                if kept.variance() < new.cpd.variance() {
                    new.cpd = kept;
                }
            }
        }
    }

    /// Expectations and parameters in turn, for a fixed structure; in the end expectations. Ends
    /// when a turn gains less than the least nats, or after the most turns.
    pub(in crate::learn) fn settle(
        &self,
        mut state: CompletedNetwork,
        limits: EmLimits,
        observer: &mut dyn Observer,
    ) -> Result<EmOutcome> {
        self.expect(&mut state)?;
        observer.free_energy(state.free_energy);
        let mut ending = Ending::Maximum;
        let mut in_time = limits.most == 0;
        let mut length = 1.0;
        for turn in 0..limits.most {
            if observer.stop() {
                ending = Ending::Stopped;
                break;
            }
            let before = state.free_energy;
            let old = (turn >= PATIENCE).then(|| state.network.clone());
            self.maximise(&mut state);
            observer.free_energy(state.free_energy);
            let further = match old {
                Some(old) if length > 1.0 => self.further(&old, &state, length),
                _ => None,
            };
            if turn >= PATIENCE {
                let went_well = length == 1.0 || further.is_some();
                length = if went_well {
                    f64::min(length * GROWTH, LONGEST)
                } else {
                    1.0
                };
            }
            let is_plain = further.is_none();
            match further {
                Some(further) => state = further,
                None => self.expect(&mut state)?,
            }
            observer.free_energy(state.free_energy);
            if state.free_energy - before < limits.least {
                // A longer step may miss what a plain one would gain.
                in_time = is_plain;
                length = 1.0;
                if in_time {
                    break;
                }
            }
        }
        Ok(EmOutcome {
            state,
            ending,
            in_time,
        })
    }

    /// Where a step to a state's parameters, made so much longer, leads; `None` if to less than
    /// those parameters give with the expectations before.
    fn further(
        &self,
        old: &Network,
        state: &CompletedNetwork,
        length: f64,
    ) -> Option<CompletedNetwork> {
        let data = &state.completion.data;
        let mut further = CompletedNetwork {
            network: relaxed(old, &state.network, data, length),
            ..state.clone()
        };
        let sound = self.expect(&mut further).is_ok() && further.free_energy.is_finite();
        (sound && further.free_energy > state.free_energy).then_some(further)
    }

    /// The network with the score of what is observed, as any later look at the same table will
    /// find it: exactly where that can be, else the bound.
    pub(in crate::learn) fn recorded(&self, state: CompletedNetwork) -> Result<Network> {
        let price = self.price(&state.network);
        let mut network = state.network;
        let reached = network.bound(self.learner.prepared.table.columns())?;
        let dimension = self.dimension(&network);
        if let Some(score) = &mut network.score {
            score.value = reached - price;
            score.log_likelihood = reached;
            score.dimension = dimension;
        }
        Ok(network)
    }
}

/// A family on data.
fn on<'a>(data: &'a Profiles<'a>, child: usize, parents: &'a [usize]) -> FamilyData<'a> {
    FamilyData {
        data,
        child,
        parents,
    }
}
