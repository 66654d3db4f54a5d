//! Structural EM: searching while values are missing (section 4.3).
//!
//! The distribution Q of what is missing, given a network, makes expectations of the data; with these frozen a search
//! goes as over complete data; its network gives a new Q. What never falls through all of this is the free energy
//! `F = E_Q log p + H(Q) - penalty`: the search and new parameters raise its first term, new expectations the sum of the first
//! two. With the exact posterior F is then the penalised likelihood of what is observed.

use super::steps::{Completion, Em, Limits, State};
use super::watch::{Aside, Inside};
use crate::cpd::CpdKind;
use crate::data::Completed;
use crate::error::Result;
use crate::hidden::{anchor, normalise};
use crate::learn::{How, Pass, Prepared};
use crate::network::Network;
use crate::options::{LearnOptions, PosteriorKind};
use crate::search::{Around, Counts, Ending, Iteration, Observer, Plan, SearchKind, damaged};

/// Iterations of structure search; a guard only.
const MOST_ITERATIONS: usize = 50;

/// For how long parameters and expectations take turns between two searches.
const INNER: Limits = Limits {
    least: 0.01,
    most: 20,
};

/// Likewise after the last one, which is the last only if they do not gain much then.
const FINAL: Limits = Limits {
    least: 1e-5,
    most: 1000,
};

/// The least gain of a turn there is waited for in the end, where expectations are a bound's.
const ROUGHLY: f64 = 1e-4;

/// Likewise of a network that is only tried.
const TRIAL: Limits = Limits {
    least: 1e-3,
    most: 200,
};

/// Expectations alone.
const NONE: Limits = Limits {
    least: 0.0,
    most: 0,
};

/// A search that leaves the structure as it is, in an iteration that gains less than this, in nats, is the last.
const SETTLED: f64 = 0.01;

/// When parameters and expectations stop taking turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Care {
    /// Between two searches.
    pub(crate) between: Limits,
    /// After the last one.
    pub(crate) last: Limits,
    /// Iterations; the first has number 1.
    pub(crate) most: usize,
}

impl Care {
    /// For a network that is to be kept.
    pub(crate) const FULL: Care = Care {
        between: INNER,
        last: FINAL,
        most: MOST_ITERATIONS,
    };
    /// For one that has to prove itself first.
    pub(crate) const QUICK: Care = Care {
        between: INNER,
        last: TRIAL,
        most: MOST_ITERATIONS,
    };
    /// For one of many that are compared.
    pub(crate) const GLANCE: Care = Care {
        between: INNER,
        last: NONE,
        most: 3,
    };
}

/// Where iterations stand.
pub(crate) struct Iterations {
    /// Number of the next one.
    pub(crate) number: usize,
    /// What was done before.
    pub(crate) counts: Counts,
    /// The network before, with its free energy.
    pub(crate) state: Option<(Network, f64)>,
    /// Expectations.
    pub(crate) completion: Completion,
}

impl Prepared {
    /// Learns structure and parameters from a table with holes; the score of the network is left to [`Em::recorded`].
    pub(crate) fn structural(
        &self,
        options: &LearnOptions,
        how: How,
        observer: &mut dyn Observer,
    ) -> Result<(Pass, State)> {
        let em = Em::new(self, options);
        let around = how
            .resume
            .map(|from| from.around.clone().ok_or_else(damaged));
        let from = match around.transpose()? {
            Some(around) => em.resumed(&around)?,
            None => em.opening(&how, observer)?,
        };
        em.iterate(how, from, Care::FULL, observer)
    }

    /// Parameters of a given structure from a table with holes; `fit` gives those of completed data.
    pub(crate) fn fit_with_holes(
        &self,
        options: &LearnOptions,
        fit: impl Fn(&Completed) -> Result<Network>,
    ) -> Result<Network> {
        let state = self.settled(options, fit)?;
        Em::new(self, options).recorded(state)
    }

    /// The same with its expectations, the score not yet recorded.
    pub(crate) fn settled(
        &self,
        options: &LearnOptions,
        fit: impl Fn(&Completed) -> Result<Network>,
    ) -> Result<State> {
        let em = Em::new(self, options);
        let completion = em.first_completion();
        let network = fit(&completion.data)?;
        let state = State {
            free_energy: em.free_energy(&network, &completion),
            network,
            completion,
        };
        let last = em.limits(FINAL);
        let mut state = em.settle(state, last, &mut ())?.state;
        // Of non-linear densities: once more from scratch, now that something is known of what is missing.
        if !options.is_linear() {
            let mut network = fit(&state.completion.data)?;
            em.keep_better(&mut network, &state.network, &state.completion);
            let free_energy = em.free_energy(&network, &state.completion);
            if free_energy > state.free_energy {
                state.network = network;
                state.free_energy = free_energy;
                state = em.settle(state, last, &mut ())?.state;
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
    pub(crate) fn iterate(
        &self,
        how: How,
        from: Iterations,
        care: Care,
        observer: &mut dyn Observer,
    ) -> Result<(Pass, State)> {
        let Iterations {
            mut number,
            mut counts,
            mut state,
            mut completion,
        } = from;
        let mut resume = how.resume;
        loop {
            let plan = self.plan(how.plan, number);
            let start = match &state {
                None => how.start.clone(),
                Some((network, _)) => network.dag(),
            };
            let before = start.clone();
            let mut inside = Inside {
                around: self.around(number, &counts, state.as_ref(), &completion)?,
                entropy: completion.entropy,
                observer,
            };
            let inner = How {
                plan: &plan,
                start,
                resume: resume.take(),
            };
            let mut pass =
                self.prepared
                    .pass(&completion.data, self.options, inner, &mut inside)?;
            let stopped = pass.found.ending == Ending::Stopped;
            let known = state.as_ref().map_or(f64::NEG_INFINITY, |(_, f)| *f);
            let next = self.better(&pass, state.take(), completion);
            observer.free_energy(next.free_energy);
            let changed = next.network.dag() != before;
            let limits = if stopped { NONE } else { care.between };
            let settled = self.settle(next, limits, observer)?;
            let mut next = settled.state;
            let mut ending = match stopped {
                true => Ending::Stopped,
                false => settled.ending,
            };
            observer.iteration(&Iteration {
                number,
                free_energy: next.free_energy,
                edges: next.network.edge_count(),
                changed,
            });
            pass.count(&mut counts);
            let mut done = !changed && next.free_energy - known < SETTLED && number > 1;
            let guarded = number == care.most;
            if (done || guarded) && ending != Ending::Stopped {
                let before = next.free_energy;
                let settled = self.settle(next, self.limits(care.last), observer)?;
                (next, ending) = (settled.state, settled.ending);
                // Parameters that moved much may call for another structure.
                done &= next.free_energy - before < SETTLED;
                let is_last = (done || guarded) && ending != Ending::Stopped;
                if is_last && !(done && settled.in_time) {
                    let words = "structural EM ended before it had quite settled";
                    pass.notes.push(words.to_string());
                }
            }
            if ending == Ending::Stopped || done || guarded {
                pass.network = next.network.clone();
                pass.found.ending = ending;
                pass.iterations = number;
                return Ok((pass, next));
            }
            number += 1;
            state = Some((next.network, next.free_energy));
            completion = next.completion;
        }
    }

    /// When the last turns end: a bound by mean field is off by so much that its last digits are not worth waiting for.
    fn limits(&self, last: Limits) -> Limits {
        match self.is_exact() {
            true => last,
            false => Limits {
                least: last.least.max(ROUGHLY),
                ..last
            },
        }
    }

    /// The search of an iteration.
    fn plan(&self, plan: &Plan, number: usize) -> Plan {
        match number == 1 && self.options.is_linear() {
            // The first expectations are rough: not worth a long search.
            true => Plan {
                search: SearchKind::Hill,
                restarts: 0,
                ..plan.clone()
            },
            false => plan.clone(),
        }
    }

    /// The expectations to begin from, with the network that gives them: the better one of two linear networks, the one that the search
    /// shall start from and one found from the correlations of pairs that were observed together. Where densities are not linear, the expectations
    /// of a linear network, quickly learned.
    fn opening(&self, how: &How, observer: &mut dyn Observer) -> Result<Iterations> {
        let mut counts = Counts::default();
        if self.options.is_linear() {
            let state = self.linear_opening(how, &mut counts, observer)?;
            return Ok(Iterations {
                number: 1,
                counts,
                state: Some((state.network, state.free_energy)),
                completion: state.completion,
            });
        }
        let linear = LearnOptions {
            cpds: vec![CpdKind::Linear],
            bias: false,
            baseline: false,
            posterior: PosteriorKind::MeanField,
            search: SearchKind::Hill,
            restarts: None,
            perturb: None,
            tabu_length: None,
            ..self.options.clone()
        };
        let (n, m) = (self.prepared.columns.active(), self.prepared.table.rows());
        let plan = linear.plan(n, m, String::new());
        let how_start = how.start.clone();
        let how = How {
            plan: &plan,
            start: how.start.clone(),
            resume: None,
        };
        let (pass, state) = self
            .prepared
            .structural(&linear, how, &mut Aside(observer))?;
        counts.add_aside(&pass.found);
        let completion = self.bounded(state.completion);
        // A start of the user's own is not to be fallen behind.
        let network = match how_start.edge_count() {
            0 => None,
            _ => {
                let network =
                    self.prepared
                        .parameters(&completion.data, &how_start, self.options)?;
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
        how: &How,
        counts: &mut Counts,
        observer: &mut dyn Observer,
    ) -> Result<State> {
        let first = self.first_completion();
        let network = self
            .prepared
            .parameters(&first.data, &how.start, self.options)?;
        let start = State {
            free_energy: self.free_energy(&network, &first),
            network,
            completion: first.clone(),
        };
        let start = self.settle(start, INNER, &mut Aside(observer))?.state;
        let found = self
            .prepared
            .pairwise_structure(self.options, how, &mut Aside(observer))?;
        let Some(found) = found else {
            return Ok(start);
        };
        counts.add_aside(&found);
        // Columns that are collinear may be told apart by pairs alone.
        let Ok(network) = self
            .prepared
            .parameters(&first.data, &found.dag, self.options)
        else {
            return Ok(start);
        };
        let pairs = State {
            free_energy: self.free_energy(&network, &first),
            network,
            completion: first,
        };
        let pairs = self.settle(pairs, INNER, &mut Aside(observer))?.state;
        Ok(match pairs.free_energy > start.free_energy {
            true => pairs,
            false => start,
        })
    }

    /// The better one of the network that a search found and the one before.
    fn better(&self, pass: &Pass, old: Option<(Network, f64)>, completion: Completion) -> State {
        let mut network = pass.network.clone();
        if let Some((old, _)) = &old {
            self.keep_better(&mut network, old, &completion);
        }
        anchor(&mut network, &completion.data);
        let free_energy = self.free_energy(&network, &completion);
        let mut state = match old {
            // Possible only where fits end in different local minima, or a variance at its floor.
            Some((old, known)) if known > free_energy => State {
                network: old,
                completion,
                free_energy: known,
            },
            _ => State {
                network,
                completion,
                free_energy,
            },
        };
        normalise(&mut state);
        state
    }

    /// What a checkpoint of an iteration's search needs besides that search.
    pub(crate) fn around(
        &self,
        iteration: usize,
        counts: &Counts,
        state: Option<&(Network, f64)>,
        completion: &Completion,
    ) -> Result<Around> {
        let network = match state {
            None => None,
            Some((network, free_energy)) => Some((network.to_json()?, *free_energy)),
        };
        let data = &completion.data;
        let entry = |(v, row): (usize, usize)| (data.means()[v][row], data.variances(v)[row]);
        Ok(Around {
            iteration,
            network,
            entries: (!self.is_exact()).then(|| self.entries().map(entry).collect()),
            entropy: completion.entropy,
            counts: *counts,
        })
    }

    /// Variable and row of every missing entry.
    fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.prepared.holes.patterns.iter().flat_map(|pattern| {
            let of_row = |&row: &usize| pattern.unobserved.iter().map(move |&v| (v, row));
            pattern.rows.iter().flat_map(of_row)
        })
    }

    /// Goes back to where a checkpoint was made.
    pub(crate) fn resumed(&self, around: &Around) -> Result<Iterations> {
        if !(1..=MOST_ITERATIONS).contains(&around.iteration) {
            return Err(damaged());
        }
        let state = match &around.network {
            None => None,
            Some((text, free_energy)) => {
                let network =
                    Network::from_json_with(text, "checkpoint", &self.options.own_links())?;
                let fits = network.variables.len() == self.prepared.table.width();
                if !fits || !free_energy.is_finite() {
                    return Err(damaged());
                }
                Some((network, *free_energy))
            }
        };
        let completion = match (&around.entries, &state) {
            (Some(entries), _) => {
                let sound = |&(mean, variance): &(f64, f64)| mean.is_finite() && variance > 0.0;
                if entries.len() != self.prepared.holes.count || !entries.iter().all(sound) {
                    return Err(damaged());
                }
                let mut given = entries.iter();
                // In the order in which they were written.
                let next = |_, _| *given.next().expect("as many as there are holes");
                Completion {
                    entropy: around.entropy,
                    ..self.completion(next)
                }
            }
            (None, None) => self.first_completion(),
            (None, Some((network, _))) => {
                let mut state = State {
                    network: network.clone(),
                    completion: self.first_completion(),
                    free_energy: 0.0,
                };
                self.expect(&mut state)?;
                state.completion
            }
        };
        Ok(Iterations {
            number: around.iteration,
            counts: around.counts,
            state,
            completion,
        })
    }
}

impl Pass {
    /// Counts what was done before, and adds this search to it.
    pub(crate) fn count(&mut self, counts: &mut Counts) {
        let found = &mut self.found;
        counts.add(found);
        counts.rounds += found.rounds;
        counts.rejected += self.rejected;
        found.moves = counts.moves + counts.aside;
        found.rounds = counts.rounds;
        found.evaluations = counts.evaluations;
        self.rejected = counts.rejected;
    }
}
