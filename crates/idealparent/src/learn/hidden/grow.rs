//! Adds hidden variables one by one, as long as they raise the score (sections 4.2 and 6).

use rayon::prelude::*;

use super::insert::HiddenModel;
use super::propose::{Proposal, propose, propose_again};
use crate::error::{Message, Result, option_value};
use crate::learn::checkpoint::{CheckpointParts, EmState, HiddenProgress, WorkCounts};
use crate::learn::em::{CompletedNetwork, Em, EmSchedule, Iterations};
use crate::learn::learner::{LearnedNetwork, Learner, SearchRequest};
use crate::learn::prepared::Prepared;
use crate::learn::strategy::if_fitted;
use crate::learn::watch::{StepsOnly, StopOnly};
use crate::learn::{Checkpoint, HiddenAttempt, HiddenCount, HiddenOutcome, Method, Observer};
use crate::search::{Ending, Plan, SearchState};

/// Largest number of proposals tried for each further hidden variable.
const MAX_TRIES: usize = 6;

/// Instances required per hidden variable. With fewer, they only fit the noise.
const INSTANCES_EACH: usize = 5;

/// If fits take more than this many times as long as for a sigmoid, proposals are not compared by
/// short searches.
const EXPENSIVE_FIT: f64 = 100.0;

/// Number of the best proposals tried once more if none was accepted. This time all hidden
/// variables are inserted again before the proposal is judged.
const MAX_RETRIES: usize = 3;

/// Number of proposals compared between two checks whether to stop.
const CHUNK: usize = 8;

/// Maximum number of passes that remove every hidden variable and insert it again.
const MAX_RENEWALS: usize = 5;

/// Minimum gain of a change of hidden variables, in nats. A further hidden variable must also gain
/// more than the penalty of an edge, since among many proposals one may gain a little by chance.
const MIN_GAIN: f64 = 0.5;

/// The process of adding hidden variables to a network.
pub(in crate::learn) struct Growth<'a> {
    /// The learner of the table without hidden variables.
    base: Learner<'a>,
    /// The plan of the search after each insertion: hill climbing.
    plan: Plan,
    counts: WorkCounts,
    attempts: Vec<HiddenAttempt>,
}

impl<'a> Growth<'a> {
    pub(in crate::learn) fn new(base: Learner<'a>, plan: &Plan) -> Self {
        Growth {
            base,
            plan: plan.hill(),
            counts: WorkCounts::default(),
            attempts: Vec::new(),
        }
    }

    /// Adds hidden variables to a network until no further one raises the score.
    pub(in crate::learn) fn grow(
        mut self,
        mut learned: LearnedNetwork,
        mut model: HiddenModel,
        plan: &Plan,
        observer: &mut dyn Observer,
    ) -> Result<LearnedNetwork> {
        let hidden = self.base.options.hidden;
        let supported = (self.base.prepared.table.rows() / INSTANCES_EACH)
            .min(self.base.prepared.columns.active() / self.base.options.hidden_options().fewest());
        let most = hidden.most().min(supported);
        learned.count(&mut self.counts);
        let mut ending = learned.found.ending;
        let mut safe = self.safe(&model);
        while ending != Ending::Stopped && model.hidden().len() < most {
            self.offer_checkpoint(&learned, &safe, false, observer)?;
            match self.add_one(&model, observer)? {
                Added::None => break,
                Added::Stopped => ending = Ending::Stopped,
                Added::One(next) => {
                    model = *next;
                    ending = self.renew(&mut model, observer)?;
                    if ending != Ending::Stopped {
                        safe = self.safe(&model);
                    }
                }
            }
        }
        if !model.hidden().is_empty() && ending != Ending::Stopped {
            ending = self.polish(&mut model, plan, observer)?;
        }
        if ending == Ending::Stopped && learned.found.ending != Ending::Stopped {
            self.offer_checkpoint(&learned, &safe, true, observer)?;
        }
        learned.notes.extend(model.tight().map(Message::from));
        let count = model.hidden().len();
        if count > 0 || self.base.prepared.holes.count > 0 {
            model.finish(self.base)?;
            learned.network = model.state.network;
        }
        if ending != Ending::Stopped {
            let remark = self.remark(count, supported);
            learned.notes.extend(remark.map(Message::from));
        }
        learned.found.ending = ending;
        learned.found.moves = self.counts.moves + self.counts.unobserved_moves;
        learned.found.evaluations = self.counts.evaluations;
        learned.found.rounds = self.counts.rounds;
        learned.rejected = self.counts.rejected;
        learned.attempts = self.attempts;
        Ok(learned)
    }

    /// The model to start from, which has no hidden variables.
    pub(in crate::learn) fn begin(&self, state: CompletedNetwork) -> HiddenModel {
        HiddenModel {
            prepared: self.with_hidden(0),
            state,
        }
    }

    /// Restores the state of a checkpoint between two attempts.
    pub(in crate::learn) fn resume(
        &mut self,
        em: &EmState,
        hidden: &HiddenProgress,
    ) -> Result<(LearnedNetwork, HiddenModel)> {
        if hidden.count > self.base.prepared.table.width() {
            return Err(SearchState::damaged());
        }
        let prepared = self.with_hidden(hidden.count);
        let Iterations {
            counts,
            state,
            completion,
            ..
        } = Em::new(self.base.on(&prepared)).resumed(em)?;
        let (network, free_energy) = state.ok_or_else(SearchState::damaged)?;
        self.counts = counts;
        self.attempts = hidden.attempts.clone();
        let mut learned = LearnedNetwork::given(network.clone(), hidden.search);
        learned.found.candidates = hidden.candidates;
        learned.clamped = hidden.clamped;
        learned.iterations = hidden.iterations;
        learned.notes = hidden.notes.clone();
        let state = CompletedNetwork {
            network,
            completion,
            free_energy,
        };
        Ok((learned, HiddenModel { prepared, state }))
    }

    /// The table with hidden variables.
    fn with_hidden(&self, count: usize) -> Prepared {
        let two_layer = self.base.options.two_layer;
        self.base.prepared.with_hidden(count, two_layer)
    }

    /// A state from which a run can be resumed.
    fn safe(&self, model: &HiddenModel) -> SafePoint {
        SafePoint {
            model: model.clone(),
            counts: self.counts,
            tried: self.attempts.len(),
        }
    }

    fn offer_checkpoint(
        &self,
        learned: &LearnedNetwork,
        safe: &SafePoint,
        last: bool,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if !observer.wants_checkpoint(last) {
            return Ok(());
        }
        let model = &safe.model;
        let em = Em::new(self.base.on(&model.prepared));
        let CompletedNetwork {
            network,
            completion,
            free_energy,
        } = &model.state;
        let state = Some((network.clone(), *free_energy));
        let em = em.em_state(1, &safe.counts, state.as_ref(), completion)?;
        let hidden = HiddenProgress {
            count: model.hidden().len(),
            attempts: self.attempts[..safe.tried].to_vec(),
            search: learned.found.search,
            iterations: learned.iterations,
            candidates: learned.found.candidates,
            clamped: learned.clamped,
            notes: learned.notes.clone(),
        };
        let parts = CheckpointParts {
            search: None,
            em: Some(em),
            hidden: Some(hidden),
            ..CheckpointParts::default()
        };
        let checkpoint = Checkpoint::new(self.base.fingerprint, parts);
        observer.checkpoint(&checkpoint);
        Ok(())
    }

    /// Whether hidden variables are inserted again after each addition.
    fn renews(&self) -> bool {
        !self.base.options.two_layer && self.base.options.method != Method::Greedy
    }

    /// Removes each hidden variable and inserts it again without the edges between its children,
    /// which may be left over from before it was added. Repeats this until no hidden variable
    /// improves.
    fn renew(&mut self, model: &mut HiddenModel, observer: &mut dyn Observer) -> Result<Ending> {
        if !self.renews() {
            return Ok(Ending::Maximum);
        }
        for _ in 0..MAX_RENEWALS {
            let mut better = false;
            // By position: after a variable is dropped, its name may belong to another one.
            for number in 0..model.hidden().len() {
                let Some(&v) = model.hidden().get(number) else {
                    break;
                };
                if observer.stop() {
                    return Ok(Ending::Stopped);
                }
                // A hidden variable that cannot be refitted stays unchanged.
                let renewed = if_fitted(self.renewed(model, v, observer))?;
                let Some((next, ending)) = renewed.flatten() else {
                    continue;
                };
                if ending == Ending::Stopped {
                    return Ok(ending);
                }
                if next.state.free_energy > model.state.free_energy + MIN_GAIN {
                    *model = next;
                    better = true;
                    observer.variables(model.prepared.table.names());
                    observer.free_energy(model.state.free_energy);
                }
            }
            if !better {
                break;
            }
        }
        Ok(Ending::Maximum)
    }

    /// Inserts one hidden variable again. Returns the model with the ending of its search; `None`
    /// if a hidden parent cannot replace the edges between its children.
    fn renewed(
        &mut self,
        model: &HiddenModel,
        v: usize,
        observer: &mut dyn Observer,
    ) -> Result<Option<(HiddenModel, Ending)>> {
        let children = model.observed_children(v);
        let without = model.without(self.base, &[v])?;
        let Some(proposal) = propose_again(self.base, &without, &children) else {
            return Ok(None);
        };
        let inserted = without.insert(self.base, &proposal)?;
        self.search_after_insertion(inserted, observer).map(Some)
    }

    /// Searches from a network with a new hidden variable.
    fn search_after_insertion(
        &mut self,
        inserted: HiddenModel,
        observer: &mut dyn Observer,
    ) -> Result<(HiddenModel, Ending)> {
        let how = (&self.plan, EmSchedule::QUICK);
        let counts = &mut self.counts;
        restructured(inserted, self.base, how, counts, &mut StopOnly(observer))
    }

    /// A note that says why there are not more hidden variables.
    fn remark(&self, count: usize, supported: usize) -> Option<String> {
        let (rows, active) = (
            self.base.prepared.table.rows(),
            self.base.prepared.columns.active(),
        );
        let asked = self.base.options.hidden;
        if active < self.base.options.hidden_options().fewest() {
            let fewest = self.base.options.hidden_options().fewest();
            return Some(format!(
                "no hidden variable was added: it needs at least {fewest} children, but only {active} variables vary"
            ));
        }
        if supported == 0 {
            return Some(format!(
                "no hidden variable was added: {rows} instances of {active} variables are too few for one"
            ));
        }
        if count == 0 && self.base.prepared.constraints.max_parents() == 0 {
            return Some(format!(
                "no hidden variable was added: {} allows it no children",
                option_value("max_parents", 0)
            ));
        }
        if count == supported && asked.most() > supported {
            return Some(format!(
                "{rows} instances of {active} variables support at most {supported} hidden variables"
            ));
        }
        match asked {
            _ if count == 0 => Some(self.why_none()),
            HiddenCount::AtMost(most) if count < most => Some(format!(
                "only {count} of {most} hidden variables raise the score"
            )),
            _ => None,
        }
    }

    /// A note that says why there is no hidden variable.
    fn why_none(&self) -> String {
        if self
            .attempts
            .iter()
            .any(|a| a.outcome == HiddenOutcome::Refused)
        {
            "no hidden variable was added: those that were tried do not raise the score enough"
                .to_string()
        } else {
            let fewest = self.base.options.hidden_options().fewest();
            format!(
                "no hidden variable was added: with {} instances, no group of at least {fewest} variables has sufficiently similar ideal parents",
                self.base.prepared.table.rows()
            )
        }
    }

    /// Searches once more from the final model, with the plan of the options.
    fn polish(
        &mut self,
        model: &mut HiddenModel,
        plan: &Plan,
        observer: &mut dyn Observer,
    ) -> Result<Ending> {
        let before = model.clone();
        let mut steps = StepsOnly {
            observer,
            counts: self.counts,
        };
        let unobserved = self.counts.unobserved_moves;
        let how = (plan, EmSchedule::FULL);
        let counts = &mut self.counts;
        let polished = if_fitted(restructured(before, self.base, how, counts, &mut steps))?;
        // The observer was told of these moves.
        self.counts.moves += self.counts.unobserved_moves - unobserved;
        self.counts.unobserved_moves = unobserved;
        let Some((found, ending)) = polished else {
            return Ok(Ending::Maximum);
        };
        let is_whole = found
            .with_few_children(self.base.options.hidden_options().fewest())
            .is_empty();
        if found.state.free_energy > model.state.free_energy && is_whole {
            *model = found;
            observer.free_energy(model.state.free_energy);
        }
        Ok(ending)
    }

    /// Tries proposals, the most promising first, until one raises the score.
    fn add_one(&mut self, model: &HiddenModel, observer: &mut dyn Observer) -> Result<Added> {
        let proposals = propose(self.base, model);
        let proposals = self.compared_by_short_searches(model, proposals, observer)?;
        let turns = if self.renews() {
            &[(MAX_TRIES, false), (MAX_RETRIES, true)][..]
        } else {
            &[(MAX_TRIES, false)]
        };
        for &(most, renews) in turns {
            for proposal in proposals.iter().take(most) {
                match self.tried(model, proposal, renews, observer)? {
                    Added::None => {}
                    done => return Ok(done),
                }
            }
        }
        Ok(Added::None)
    }

    /// Inserts the hidden variable of a proposal, searches, and accepts it if the score rises. If
    /// `renews`, all hidden variables are first inserted again, since the new one may take over
    /// children of the others.
    fn tried(
        &mut self,
        model: &HiddenModel,
        proposal: &Proposal,
        renews: bool,
        observer: &mut dyn Observer,
    ) -> Result<Added> {
        if observer.stop() {
            return Ok(Added::Stopped);
        }
        let mut attempt = HiddenAttempt {
            name: String::new(),
            children: proposal.factor.members.clone(),
            estimate: proposal.estimate,
            achieved: f64::NAN,
            outcome: HiddenOutcome::Tried,
        };
        // Skip proposals with a family that cannot be fitted.
        let Some(inserted) = if_fitted(model.insert(self.base, proposal))? else {
            return Ok(Added::None);
        };
        let number = inserted.prepared.table.width() - 1;
        attempt.name = inserted.state.network.name(number).to_string();
        observer.hidden(&attempt);
        let mut found = if_fitted(self.search_after_insertion(inserted, observer))?;
        if let (true, Some((next, ending @ Ending::Maximum))) = (renews, &mut found) {
            *ending = self.renew(next, &mut StopOnly(observer))?;
        }
        if matches!(found, Some((_, Ending::Stopped))) {
            return Ok(Added::Stopped);
        }
        let next = found.map(|(next, _)| next);
        let gain = |next: &HiddenModel| next.state.free_energy - model.state.free_energy;
        attempt.achieved = next.as_ref().map_or(0.0, gain);
        let next = next.filter(|next| attempt.achieved > self.needed(model, next));
        attempt.outcome = match next {
            Some(_) => HiddenOutcome::Added,
            None => HiddenOutcome::Refused,
        };
        observer.hidden(&attempt);
        self.attempts.push(attempt);
        let Some(next) = next else {
            return Ok(Added::None);
        };
        observer.variables(next.prepared.table.names());
        observer.free_energy(next.state.free_energy);
        Ok(Added::One(Box::new(next)))
    }

    /// The rise of the score that is required to accept a model.
    fn needed(&self, model: &HiddenModel, next: &HiddenModel) -> f64 {
        let prices = self.base.prices();
        if next.hidden().len() > model.hidden().len() {
            MIN_GAIN.max(prices.parents(0, 1))
        } else {
            MIN_GAIN
        }
    }

    /// Sorts proposals by the score that a short search from each of them reaches. Drops proposals
    /// that cannot be fitted, and those whose hidden variable the search removes without raising
    /// the score. Returns them unchanged if there is at most one, with two layers, or if fits are
    /// expensive.
    fn compared_by_short_searches(
        &mut self,
        model: &HiddenModel,
        proposals: Vec<Proposal>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Proposal>> {
        let is_expensive = self.base.options.fit_cost() > EXPENSIVE_FIT;
        if self.base.options.two_layer || proposals.len() <= 1 || is_expensive {
            return Ok(proposals);
        }
        let before = model.hidden().len();
        let glance = |proposal: &Proposal| -> Result<(f64, WorkCounts)> {
            let inserted = model.insert(self.base, proposal)?;
            let mut counts = WorkCounts::default();
            let (next, _) = restructured(
                inserted,
                self.base,
                (&self.plan, EmSchedule::GLANCE),
                &mut counts,
                &mut (),
            )?;
            // If the search removed a hidden variable, the proposal counts only if the score rose:
            // it may then have replaced another hidden variable.
            let gains = next.state.free_energy > model.state.free_energy + MIN_GAIN;
            let free_energy = if next.hidden().len() > before || gains {
                next.state.free_energy
            } else {
                f64::NEG_INFINITY
            };
            Ok((free_energy, counts))
        };
        let mut seen: Vec<Result<(f64, WorkCounts)>> = Vec::with_capacity(proposals.len());
        for some in proposals.chunks(CHUNK) {
            if observer.stop() {
                return Ok(Vec::new());
            }
            seen.extend(some.par_iter().map(glance).collect::<Vec<_>>());
        }
        let mut ranked = Vec::with_capacity(proposals.len());
        for (mut proposal, seen) in proposals.into_iter().zip(seen) {
            // Skip proposals that cannot be fitted.
            let Some((free_energy, counts)) = if_fitted(seen)? else {
                continue;
            };
            self.counts.evaluations += counts.evaluations;
            if free_energy.is_finite() {
                proposal.estimate = free_energy - model.state.free_energy;
                ranked.push((free_energy, proposal));
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(ranked.into_iter().map(|(_, proposal)| proposal).collect())
    }
}

/// Searches from a network with hidden variables. Drops hidden variables that end up with too few
/// children and searches again, until all have enough.
fn restructured(
    mut model: HiddenModel,
    base: Learner,
    (plan, schedule): (&Plan, EmSchedule),
    counts: &mut WorkCounts,
    observer: &mut dyn Observer,
) -> Result<(HiddenModel, Ending)> {
    loop {
        let em = Em::new(base.on(&model.prepared));
        let CompletedNetwork {
            network,
            completion,
            free_energy,
        } = model.state;
        let request = SearchRequest {
            plan,
            start: network.dag(),
            resume: None,
        };
        // Start with iteration 2: the first one of a linear network is always hill climbing.
        let from = Iterations {
            number: 2,
            counts: WorkCounts::default(),
            state: Some((network, free_energy)),
            completion,
        };
        let (learned, state) = em.iterate(request, from, schedule, observer)?;
        counts.add_unobserved(&learned.found);
        counts.rounds += learned.found.rounds;
        counts.rejected += learned.rejected;
        model.state = state;
        let ending = learned.found.ending;
        let too_few = model.with_few_children(base.options.hidden_options().fewest());
        if too_few.is_empty() || ending == Ending::Stopped {
            return Ok((model, ending));
        }
        model = model.without(base, &too_few)?;
    }
}

/// The state between two attempts, which determines the rest of the run.
struct SafePoint {
    model: HiddenModel,
    /// The work done so far.
    counts: WorkCounts,
    /// Number of hidden variables tried so far.
    tried: usize,
}

/// The result of trying to add a hidden variable.
enum Added {
    None,
    Stopped,
    One(Box<HiddenModel>),
}
