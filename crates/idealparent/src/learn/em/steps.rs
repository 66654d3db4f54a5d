//! The steps of EM: the E-step computes expectations from a network, the M-step parameters from
//! expectations.

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

/// If a density needs positive parents, expectations of missing values are at least this share of
/// the smallest observed value.
const SHARE_OF_LEAST: f64 = 0.5;

/// Smallest expectation of a hidden variable in this case; its noise has variance 1.
pub(in crate::learn) const LEAST_HIDDEN: f64 = 0.05;

/// A network, the expectations of the missing values, and the free energy.
#[derive(Clone, Debug)]
pub(in crate::learn) struct CompletedNetwork {
    pub(in crate::learn) network: Network,
    pub(in crate::learn) completion: Completion,
    pub(in crate::learn) free_energy: f64,
}

/// When EM stops.
#[derive(Clone, Copy, Debug)]
pub(in crate::learn) struct EmLimits {
    /// EM stops if an iteration gains less than this, in nats.
    pub(in crate::learn) least: f64,
    /// Maximum number of iterations.
    pub(in crate::learn) most: usize,
}

/// The result of EM.
pub(in crate::learn) struct EmOutcome {
    pub(in crate::learn) state: CompletedNetwork,
    pub(in crate::learn) ending: Ending,
    /// Whether EM converged within the maximum number of iterations.
    pub(in crate::learn) in_time: bool,
}

/// EM over one table.
pub(in crate::learn) struct Em<'a> {
    pub(in crate::learn) learner: Learner<'a>,
    /// Lower bounds of the expectations of each variable; empty if no density needs positive
    /// parents.
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

    /// Whether expectations follow from the network alone, and do not depend on earlier ones.
    pub(in crate::learn) fn is_exact(&self) -> bool {
        self.learner.options.is_linear()
    }

    /// The state of a network that was learned from complete data.
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

    /// The expectations of a network without edges: each missing value has the mean and variance of
    /// its column.
    pub(super) fn first_completion(&self) -> Completion {
        let columns = self.learner.prepared.table.columns();
        let moments = |column: &Column| {
            let observed: Vec<f64> = column.iter().copied().filter(|x| !x.is_nan()).collect();
            mean_and_variance(&observed)
        };
        let moments: Vec<(f64, f64)> = columns.iter().map(moments).collect();
        self.completion(|v, _| moments[v])
    }

    /// Expectations of independent missing entries; `entry` returns the mean and variance of an
    /// entry.
    ///
    /// `entry` is called in the order of the patterns, then of their rows, then of the unobserved
    /// variables.
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

    /// Raises means to their lower bounds.
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
        network.price(&self.learner.prices(), self.dimension(network))
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

    /// The state of a network with given expectations.
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
            let exactly =
                self.is_exact() && self.learner.options.missing != Some(PosteriorKind::MeanField);
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
            // If the family has no missing values, its density is optimal already.
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

    /// Refits a density locally, starting from an old one. Returns the old density if it fits
    /// better: the floor of the variance and the bounds of the weights change with the
    /// expectations, so the refit may be worse.
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

    /// Replaces densities of the new network by those of the old one if the family is the same and
    /// the old density fits better. Fits from scratch may end in different local minima.
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

    /// Runs EM for a fixed structure: alternates E-steps and M-steps until the limits are reached.
    /// The last step is an E-step.
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
                // An extended step may miss the gain of a plain one, so try a plain step next.
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

    /// Extends the step from `old` to the parameters of `state` by the factor `length`, and runs
    /// the E-step. `None` unless the free energy rises above that of `state`.
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

    /// The network with its score on the observed values recorded, as scoring the same table later
    /// gives it: exact for linear networks, otherwise the lower bound.
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

/// The data of a family.
fn on<'a>(data: &'a Profiles<'a>, child: usize, parents: &'a [usize]) -> FamilyData<'a> {
    FamilyData {
        data,
        child,
        parents,
    }
}
