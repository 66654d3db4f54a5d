//! Structural EM: searching with missing values (section 4.3).
//!
//! The distribution Q of the missing values, given a network, replaces them by expectations. With
//! these fixed, a search runs as over complete data, and its network gives a new Q. The free energy
//! `F = E_Q log p + H(Q) - penalty` never falls: the search and the M-step raise
//! `E_Q log p - penalty`, and the E-step raises `E_Q log p + H(Q)`. With the exact posterior, F is
//! the penalised likelihood of the observed values.

use super::steps::{CompletedNetwork, Em, EmLimits};
use super::units::{anchor, normalise};
use crate::cpd::CpdKind;
use crate::data::Completed;
use crate::error::Result;
use crate::inference::Completion;
use crate::learn::checkpoint::{EmState, WorkCounts};
use crate::learn::learner::{LearnedNetwork, Learner, SearchRequest};
use crate::learn::price::{Density, GammaChoice};
use crate::learn::strategy::{if_fitted, unusable};
use crate::learn::watch::{OneSearch, StopOnly};
use crate::learn::{Checkpoint, Iteration, LearnOptions, Observer, PosteriorKind};
use crate::network::Network;
use crate::score::Gamma;
use crate::search::{Ending, Plan, SearchKind, SearchState};

/// Maximum number of iterations of structural EM, which is rarely reached.
const MAX_ITERATIONS: usize = 50;

/// Limits of EM between two searches.
const INNER: EmLimits = EmLimits {
    least: 0.01,
    most: 20,
};

/// Limits of EM after the last search. If it raises the free energy much, there is another search.
const FINAL: EmLimits = EmLimits {
    least: 1e-5,
    most: 1000,
};

/// Final EM tolerance, in nats, if the E-step only gives a lower bound.
const BOUND_TOLERANCE: f64 = 1e-4;

/// Limits of the final EM of an attempt to add a hidden variable.
const TRIAL: EmLimits = EmLimits {
    least: 1e-3,
    most: 200,
};

/// Limits that run a single E-step.
const E_STEP: EmLimits = EmLimits {
    least: 0.0,
    most: 0,
};

/// Structural EM stops if the search does not change the structure and the iteration gains less
/// than this, in nats.
const TOLERANCE: f64 = 0.01;

/// Limits of EM in structural EM.
#[derive(Clone, Copy, Debug)]
pub(in crate::learn) struct EmSchedule {
    /// Between two searches.
    pub(in crate::learn) between: EmLimits,
    /// After the last one.
    pub(in crate::learn) last: EmLimits,
    /// Maximum number of an iteration; the first has number 1.
    pub(in crate::learn) most: usize,
}

impl EmSchedule {
    /// For the final network.
    pub(in crate::learn) const FULL: EmSchedule = EmSchedule {
        between: INNER,
        last: FINAL,
        most: MAX_ITERATIONS,
    };
    /// For an attempt to add a hidden variable.
    pub(in crate::learn) const QUICK: EmSchedule = EmSchedule {
        between: INNER,
        last: TRIAL,
        most: MAX_ITERATIONS,
    };
    /// For comparing many proposals.
    pub(in crate::learn) const GLANCE: EmSchedule = EmSchedule {
        between: INNER,
        last: E_STEP,
        most: 3,
    };
}

/// The state of structural EM between two iterations.
pub(in crate::learn) struct Iterations {
    /// Number of the next iteration.
    pub(in crate::learn) number: usize,
    /// Work done so far.
    pub(in crate::learn) counts: WorkCounts,
    /// The current network and its free energy, if there is one.
    pub(in crate::learn) state: Option<(Network, f64)>,
    /// Expectations of the missing values.
    pub(in crate::learn) completion: Completion,
}

impl Em<'_> {
    /// Learns structure and parameters from a table with missing values, or resumes from a
    /// checkpoint. The score of the network is left to [`Em::recorded`].
    pub(in crate::learn) fn structural(
        &self,
        request: SearchRequest,
        resume: Option<&Checkpoint>,
        observer: &mut dyn Observer,
    ) -> Result<(LearnedNetwork, CompletedNetwork)> {
        let from = match resume {
            Some(from) => {
                let em = from.parts.em.as_ref().ok_or_else(SearchState::damaged)?;
                self.resumed(em)?
            }
            None => self.opening(&request, observer)?,
        };
        self.iterate(request, from, EmSchedule::FULL, observer)
    }

    /// Fits the parameters of a given structure to a table with missing values; `fit` fits them to
    /// completed data. The score of the network is left to [`Em::recorded`].
    pub(in crate::learn) fn settled(
        &self,
        fit: impl Fn(&Completed) -> Result<Network>,
    ) -> Result<CompletedNetwork> {
        let completion = self.first_completion();
        let network = fit(&completion.data)?;
        let last = self.limits(FINAL);
        let state = self.at(network, completion);
        let mut state = self.settle(state, last, &mut ())?.state;
        // Fit non-linear densities once more from scratch, now that the expectations are better.
        if !self.learner.options.is_linear() {
            let mut network = fit(&state.completion.data)?;
            self.keep_better(&mut network, &state.network, &state.completion);
            let free_energy = self.free_energy(&network, &state.completion);
            if free_energy > state.free_energy {
                state.network = network;
                state.free_energy = free_energy;
                state = self.settle(state, last, &mut ())?.state;
            }
        }
        // The strengths of the edges, given the final expectations.
        let strengths = fit(&state.completion.data)?;
        for (family, fitted) in state.network.families.iter_mut().zip(strengths.families) {
            family.strengths = fitted.strengths;
        }
        Ok(state)
    }
}

impl Em<'_> {
    /// Alternates searches and EM until neither changes the network.
    pub(in crate::learn) fn iterate(
        &self,
        request: SearchRequest,
        from: Iterations,
        schedule: EmSchedule,
        observer: &mut dyn Observer,
    ) -> Result<(LearnedNetwork, CompletedNetwork)> {
        let Iterations {
            mut number,
            mut counts,
            mut state,
            mut completion,
        } = from;
        let mut resume = request.resume;
        loop {
            let plan = self.plan(request.plan, number);
            let start = match &state {
                None => request.start.clone(),
                Some((network, _)) => network.dag(),
            };
            let before = start.clone();
            let em = self.em_state(number, &counts, state.as_ref(), &completion)?;
            let inside = OneSearch::new(observer, self.learner.fingerprint).with_em(em);
            let mut inside = inside.with_price(self.learner.gamma_choice(), None);
            let inner = SearchRequest {
                plan: &plan,
                start,
                resume: resume.take(),
            };
            let mut learned = self.learner.learn(&completion.data, inner, &mut inside)?;
            let stopped = learned.found.ending == Ending::Stopped;
            let known = state.as_ref().map_or(f64::NEG_INFINITY, |(_, f)| *f);
            let next = self.better(&learned, state.take(), completion);
            observer.free_energy(next.free_energy);
            let changed = next.network.dag() != before;
            let limits = if stopped { E_STEP } else { schedule.between };
            let settled = self.settle(next, limits, observer)?;
            let mut next = settled.state;
            let mut ending = if stopped {
                Ending::Stopped
            } else {
                settled.ending
            };
            observer.iteration(&Iteration {
                number,
                free_energy: next.free_energy,
                edges: next.network.edge_count(),
                changed,
            });
            learned.count(&mut counts);
            let mut done = !changed && next.free_energy - known < TOLERANCE && number > 1;
            let guarded = number == schedule.most;
            if (done || guarded) && ending != Ending::Stopped {
                let before = next.free_energy;
                let settled = self.settle(next, self.limits(schedule.last), observer)?;
                (next, ending) = (settled.state, settled.ending);
                // If the parameters changed much, another structure may be better.
                done &= next.free_energy - before < TOLERANCE;
                let is_last = (done || guarded) && ending != Ending::Stopped;
                if is_last && !(done && settled.in_time) {
                    let words = "structural EM stopped before it had fully converged";
                    learned.notes.push(words.into());
                }
            }
            if ending == Ending::Stopped || done || guarded {
                learned.network = next.network.clone();
                learned.found.ending = ending;
                learned.iterations = number;
                return Ok((learned, next));
            }
            number += 1;
            state = Some((next.network, next.free_energy));
            completion = next.completion;
        }
    }

    /// The limits of the final EM. With a mean-field bound the tolerance is larger, since the error
    /// of the bound exceeds it by far.
    fn limits(&self, last: EmLimits) -> EmLimits {
        if self.is_exact() {
            last
        } else {
            EmLimits {
                least: last.least.max(BOUND_TOLERANCE),
                ..last
            }
        }
    }

    /// The search plan of an iteration.
    fn plan(&self, plan: &Plan, number: usize) -> Plan {
        if number == 1 && self.learner.options.is_linear() {
            // The first expectations are rough and not worth a long search.
            plan.hill()
        } else {
            // An exact search is not worth its time: the best network also depends on the
            // expectations.
            plan.heuristic()
        }
    }

    /// The initial state of structural EM.
    ///
    /// If all densities are linear, this is the better of two networks: the start of the search,
    /// and a network found from pairwise correlations. Otherwise a linear network is learned by
    /// hill climbing, and its expectations are used.
    fn opening(&self, request: &SearchRequest, observer: &mut dyn Observer) -> Result<Iterations> {
        let mut counts = WorkCounts::default();
        if self.learner.options.is_linear() {
            let state = self.linear_opening(request, &mut counts, observer)?;
            return Ok(Iterations {
                number: 1,
                counts,
                state: Some((state.network, state.free_energy)),
                completion: state.completion,
            });
        }
        let linear = LearnOptions {
            cpd: vec![CpdKind::Linear],
            bias: false,
            baseline: false,
            missing: Some(PosteriorKind::MeanField),
            search: SearchKind::Hill,
            effort: None,
            restarts: None,
            perturb: None,
            tabu_length: None,
            ..self.learner.options.clone()
        };
        let prepared = self.learner.prepared;
        let plan = linear.plan(prepared.columns.active(), prepared.table.rows());
        let inner = SearchRequest {
            plan: &plan,
            start: request.start.clone(),
            resume: None,
        };
        let em = Em::new(Learner {
            options: &linear,
            ..self.learner
        });
        let (learned, state) = em.structural(inner, None, &mut StopOnly(observer))?;
        counts.add_unobserved(&learned.found);
        let completion = self.bounded(state.completion);
        // Never return a worse network than the user's starting point.
        let network = match request.start.edge_count() {
            0 => None,
            _ => {
                let network = self.learner.parameters(&completion.data, &request.start)?;
                let free_energy = self.free_energy(&network, &completion);
                Some((network, free_energy))
            }
        };
        Ok(Iterations {
            number: 1,
            counts,
            state: network,
            completion,
        })
    }

    /// The better of two linear networks after EM.
    fn linear_opening(
        &self,
        request: &SearchRequest,
        counts: &mut WorkCounts,
        observer: &mut dyn Observer,
    ) -> Result<CompletedNetwork> {
        let first = self.first_completion();
        let network = self.learner.parameters(&first.data, &request.start)?;
        let start = self.at(network, first.clone());
        let start = self.settle(start, INNER, &mut StopOnly(observer))?.state;
        let found = self
            .learner
            .pairwise_structure(request, &mut StopOnly(observer))?;
        let Some(found) = found else {
            return Ok(start);
        };
        counts.add_unobserved(&found);
        // The pairwise search may join columns that are collinear in the completed data.
        let network = if_fitted(self.learner.parameters(&first.data, &found.dag))?;
        let Some(network) = network else {
            return Ok(start);
        };
        let pairs = self.at(network, first);
        let pairs = self.settle(pairs, INNER, &mut StopOnly(observer))?.state;
        Ok(if pairs.free_energy > start.free_energy {
            pairs
        } else {
            start
        })
    }

    /// The better of two networks: the one that a search found, and the one before the search.
    fn better(
        &self,
        learned: &LearnedNetwork,
        old: Option<(Network, f64)>,
        completion: Completion,
    ) -> CompletedNetwork {
        let mut network = learned.network.clone();
        if let Some((old, _)) = &old {
            self.keep_better(&mut network, old, &completion);
        }
        anchor(&mut network, &completion.data);
        let mut state = self.at(network, completion);
        // Possible only if fits end in different local minima, or if a variance is at its floor.
        if let Some((old, known)) = old
            && known > state.free_energy
        {
            (state.network, state.free_energy) = (old, known);
        }
        normalise(&mut state);
        state
    }

    /// The part of a checkpoint that describes structural EM, without the state of the search.
    pub(in crate::learn) fn em_state(
        &self,
        iteration: usize,
        counts: &WorkCounts,
        state: Option<&(Network, f64)>,
        completion: &Completion,
    ) -> Result<EmState> {
        let network = match state {
            None => None,
            Some((network, free_energy)) => {
                Some((network.to_json().map_err(unusable)?, *free_energy))
            }
        };
        let data = &completion.data;
        let entry = |(v, row): (usize, usize)| (data.means()[v][row], data.variances(v)[row]);
        Ok(EmState {
            iteration,
            network,
            entries: (!self.is_exact()).then(|| self.entries().map(entry).collect()),
            entropy: completion.entropy,
            counts: *counts,
        })
    }

    /// Variable and row of every missing entry.
    fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.learner.prepared.holes.rows();
        rows.flat_map(|(row, unobserved)| unobserved.iter().map(move |&v| (v, row)))
    }

    /// Restores the state of a checkpoint.
    pub(in crate::learn) fn resumed(&self, em: &EmState) -> Result<Iterations> {
        if !(1..=MAX_ITERATIONS).contains(&em.iteration) {
            return Err(SearchState::damaged());
        }
        let state = match &em.network {
            None => None,
            Some((text, free_energy)) => {
                let network =
                    Network::from_json_with(text, "checkpoint", &self.learner.options.own_links())?;
                let fits = network.variables.len() == self.learner.prepared.table.width();
                if !fits || !free_energy.is_finite() {
                    return Err(SearchState::damaged());
                }
                Some((network, *free_energy))
            }
        };
        let completion = match (&em.entries, &state) {
            (Some(entries), _) => {
                let sound = |&(mean, variance): &(f64, f64)| mean.is_finite() && variance > 0.0;
                if entries.len() != self.learner.prepared.holes.count || !entries.iter().all(sound)
                {
                    return Err(SearchState::damaged());
                }
                let mut given = entries.iter();
                // The entries are in the order in which `completion` asks for them.
                let next = |_, _| *given.next().expect("one entry per missing value");
                Completion {
                    entropy: em.entropy,
                    ..self.completion(next)
                }
            }
            (None, None) => self.first_completion(),
            (None, Some((network, _))) => {
                let mut state = CompletedNetwork {
                    network: network.clone(),
                    completion: self.first_completion(),
                    free_energy: 0.0,
                };
                self.expect(&mut state)?;
                state.completion
            }
        };
        Ok(Iterations {
            number: em.iteration,
            counts: em.counts,
            state,
            completion,
        })
    }
}

/// Chooses EBIC's gamma for data with missing values: by short runs of structural EM, each from the
/// network of the one before.
pub(in crate::learn) fn choose_gamma(
    learner: Learner,
    request: &SearchRequest,
    observer: &mut dyn Observer,
) -> Result<Gamma> {
    let density = Density::new(learner.prepared);
    let plan = request.plan.hill();
    let mut choice = GammaChoice::begin(&density, &request.start);
    let mut state: Option<CompletedNetwork> = None;
    loop {
        let em = Em::new(learner.at(choice.gamma()));
        let from = match state.take() {
            None => em.opening(request, observer)?,
            Some(CompletedNetwork {
                network,
                completion,
                ..
            }) => {
                let free_energy = em.free_energy(&network, &completion);
                Iterations {
                    number: 2,
                    counts: WorkCounts::default(),
                    state: Some((network, free_energy)),
                    completion,
                }
            }
        };
        let inner = SearchRequest {
            plan: &plan,
            start: request.start.clone(),
            resume: None,
        };
        let short = EmSchedule::GLANCE;
        let (learned, next) = em.iterate(inner, from, short, &mut StopOnly(observer))?;
        let implied = density.gamma(&next.network.dag());
        if learned.found.ending == Ending::Stopped
            || !choice.advance(implied, density.scale(), &plan, false)
        {
            return Ok(choice.gamma());
        }
        state = Some(next);
    }
}

impl LearnedNetwork {
    /// Adds this search to the counts, and sets its own counts to the totals.
    pub(in crate::learn) fn count(&mut self, counts: &mut WorkCounts) {
        let found = &mut self.found;
        counts.add(found);
        counts.rounds += found.rounds;
        counts.rejected += self.rejected;
        found.moves = counts.moves + counts.unobserved_moves;
        found.rounds = counts.rounds;
        found.evaluations = counts.evaluations;
        self.rejected = counts.rejected;
    }
}
