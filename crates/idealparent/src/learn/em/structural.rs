//! Structural EM: searching while values are missing (section 4.3).
//!
//! The distribution Q of what is missing, given a network, makes expectations of the data; with
//! these frozen a search goes as over complete data; its network gives a new Q. What never falls
//! through all of this is the free energy `F = E_Q log p + H(Q) - penalty`: the search and new
//! parameters raise its first term, new expectations the sum of the first two. With the exact
//! posterior F is then the penalised likelihood of what is observed.

use super::steps::{CompletedNetwork, Em, EmLimits};
use super::units::{anchor, normalise};
use crate::cpd::CpdKind;
use crate::data::Completed;
use crate::error::Result;
use crate::inference::Completion;
use crate::learn::checkpoint::{EmState, WorkCounts};
use crate::learn::learner::{LearnedNetwork, Learner, SearchRequest};
use crate::learn::strategy::{if_fitted, unusable};
use crate::learn::watch::{OneSearch, StopOnly};
use crate::learn::{Checkpoint, Iteration, LearnOptions, Observer, PosteriorKind};
use crate::network::Network;
use crate::search::{Ending, Plan, SearchKind, SearchState};

/// Iterations of structure search; a guard only.
const MOST_ITERATIONS: usize = 50;

/// For how long parameters and expectations take turns between two searches.
const INNER: EmLimits = EmLimits {
    least: 0.01,
    most: 20,
};

/// Likewise after the last one, which is the last only if they do not gain much then.
const FINAL: EmLimits = EmLimits {
    least: 1e-5,
    most: 1000,
};

/// Final tolerance, in nats, where the E-step only gives a lower bound.
const ROUGHLY: f64 = 1e-4;

/// Likewise of a network that is only tried.
const TRIAL: EmLimits = EmLimits {
    least: 1e-3,
    most: 200,
};

/// Expectations alone.
const NONE: EmLimits = EmLimits {
    least: 0.0,
    most: 0,
};

/// A search that leaves the structure as it is, in an iteration that gains less than this, in nats,
/// is the last.
const SETTLED: f64 = 0.01;

/// When parameters and expectations stop taking turns.
#[derive(Clone, Copy, Debug)]
pub(in crate::learn) struct EmSchedule {
    /// Between two searches.
    pub(in crate::learn) between: EmLimits,
    /// After the last one.
    pub(in crate::learn) last: EmLimits,
    /// Iterations; the first has number 1.
    pub(in crate::learn) most: usize,
}

impl EmSchedule {
    /// For a network that is to be kept.
    pub(in crate::learn) const FULL: EmSchedule = EmSchedule {
        between: INNER,
        last: FINAL,
        most: MOST_ITERATIONS,
    };
    /// For one that has to prove itself first.
    pub(in crate::learn) const QUICK: EmSchedule = EmSchedule {
        between: INNER,
        last: TRIAL,
        most: MOST_ITERATIONS,
    };
    /// For one of many that are compared.
    pub(in crate::learn) const GLANCE: EmSchedule = EmSchedule {
        between: INNER,
        last: NONE,
        most: 3,
    };
}

/// Where iterations stand.
pub(in crate::learn) struct Iterations {
    /// Number of the next one.
    pub(in crate::learn) number: usize,
    /// What was done before.
    pub(in crate::learn) counts: WorkCounts,
    /// The network before, with its free energy.
    pub(in crate::learn) state: Option<(Network, f64)>,
    /// Expectations.
    pub(in crate::learn) completion: Completion,
}

impl Em<'_> {
    /// Learns structure and parameters from a table with holes, or goes on from a checkpoint; the
    /// score of the network is left to [`Em::recorded`].
    pub(in crate::learn) fn structural(
        &self,
        request: SearchRequest,
        resume: Option<&Checkpoint>,
        observer: &mut dyn Observer,
    ) -> Result<(LearnedNetwork, CompletedNetwork)> {
        let from = match resume {
            Some(from) => {
                let em = from.em.as_ref().ok_or_else(SearchState::damaged)?;
                self.resumed(em)?
            }
            None => self.opening(&request, observer)?,
        };
        self.iterate(request, from, EmSchedule::FULL, observer)
    }

    /// Parameters of a given structure from a table with holes; `fit` gives those of completed
    /// data. The score of the network is left to [`Em::recorded`].
    pub(in crate::learn) fn settled(
        &self,
        fit: impl Fn(&Completed) -> Result<Network>,
    ) -> Result<CompletedNetwork> {
        let completion = self.first_completion();
        let network = fit(&completion.data)?;
        let last = self.limits(FINAL);
        let state = self.at(network, completion);
        let mut state = self.settle(state, last, &mut ())?.state;
        // Of non-linear densities: once more from scratch, now that something is known of what is
        // missing.
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
        // What edges are worth, by the expectations in the end.
        let strengths = fit(&state.completion.data)?;
        for (family, fitted) in state.network.families.iter_mut().zip(strengths.families) {
            family.strengths = fitted.strengths;
        }
        Ok(state)
    }
}

impl Em<'_> {
    /// Searches and takes turns of parameters and expectations until nothing changes any more.
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
            let mut inside = OneSearch {
                observer,
                fingerprint: self.learner.fingerprint,
                em: Some(self.em_state(number, &counts, state.as_ref(), &completion)?),
            };
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
            let limits = if stopped { NONE } else { schedule.between };
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
            let mut done = !changed && next.free_energy - known < SETTLED && number > 1;
            let guarded = number == schedule.most;
            if (done || guarded) && ending != Ending::Stopped {
                let before = next.free_energy;
                let settled = self.settle(next, self.limits(schedule.last), observer)?;
                (next, ending) = (settled.state, settled.ending);
                // Parameters that moved much may call for another structure.
                done &= next.free_energy - before < SETTLED;
                let is_last = (done || guarded) && ending != Ending::Stopped;
                if is_last && !(done && settled.in_time) {
                    let words = "structural EM ended before it had quite settled";
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

    /// When the last turns end: a bound by mean field is off by so much that its last digits are
    /// not worth waiting for.
    fn limits(&self, last: EmLimits) -> EmLimits {
        if self.is_exact() {
            last
        } else {
            EmLimits {
                least: last.least.max(ROUGHLY),
                ..last
            }
        }
    }

    /// The search of an iteration.
    fn plan(&self, plan: &Plan, number: usize) -> Plan {
        if number == 1 && self.learner.options.is_linear() {
            // The first expectations are rough: not worth a long search.
            plan.hill()
        } else {
            plan.clone()
        }
    }

    /// The expectations to begin from, with the network that gives them: the better one of two
    /// linear networks, the one that the search shall start from and one found from the
    /// correlations of pairs that were observed together. Where densities are not linear, the
    /// expectations of a linear network, quickly learned.
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
            missing: PosteriorKind::MeanField,
            search: SearchKind::Hill,
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

    /// Two linear networks, settled: the better one.
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
        // Columns that are collinear may be told apart by pairs alone.
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

    /// The better one of the network that a search found and the one before.
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
        // Possible only where fits end in different local minima, or a variance at its floor.
        if let Some((old, known)) = old
            && known > state.free_energy
        {
            (state.network, state.free_energy) = (old, known);
        }
        normalise(&mut state);
        state
    }

    /// What a checkpoint of an iteration's search needs besides that search.
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

    /// Goes back to where a checkpoint was made.
    pub(in crate::learn) fn resumed(&self, em: &EmState) -> Result<Iterations> {
        if !(1..=MOST_ITERATIONS).contains(&em.iteration) {
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
                // In the order in which they were written.
                let next = |_, _| *given.next().expect("as many as there are holes");
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

impl LearnedNetwork {
    /// Counts what was done before, and adds this search to it.
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
