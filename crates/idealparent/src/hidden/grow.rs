//! Adding hidden variables one by one, as long as each raises the score (sections 4.2 and 6).

use rayon::prelude::*;

use super::insert::Standing;
use super::propose::{Proposal, propose, propose_again};
use super::{HiddenAttempt, HiddenCount, HiddenOutcome};
use crate::cpd::CpdKind;
use crate::em::{Aside, Care, Em, Iterations, State, Steps};
use crate::error::Result;
use crate::learn::{How, Pass, Prepared};
use crate::options::{LearnOptions, Method};
use crate::search::{Checkpoint, Counts, Ending, Observer, Plan, SearchKind, damaged};

/// Clusters tried before the search for hidden variables ends.
const TRIES: usize = 6;

/// Instances that every hidden variable needs: with fewer, more of them only learn the noise.
const INSTANCES_EACH: usize = 5;

/// Proposals looked at between two questions whether to stop.
const AT_ONCE: usize = 8;

/// How often hidden variables are taken out and put in again.
const RENEWALS: usize = 5;

/// A change of hidden variables has to raise the score by this much, in nats; one more of them by as much as an edge costs besides: of many that are proposed
/// one may gain a little by chance.
const LEAST_GAIN: f64 = 0.5;

/// Adding hidden variables to a network.
pub(crate) struct Growth<'a> {
    /// The table without hidden variables.
    base: &'a Prepared,
    options: &'a LearnOptions,
    /// The search after each insertion.
    plan: Plan,
    counts: Counts,
    attempts: Vec<HiddenAttempt>,
}

impl<'a> Growth<'a> {
    pub(crate) fn new(base: &'a Prepared, options: &'a LearnOptions, plan: &Plan) -> Self {
        Growth {
            base,
            options,
            plan: Plan {
                search: SearchKind::Hill,
                restarts: 0,
                ..plan.clone()
            },
            counts: Counts::default(),
            attempts: Vec::new(),
        }
    }

    /// Adds hidden variables to a network, until no further one pays.
    pub(crate) fn grow(
        mut self,
        mut pass: Pass,
        mut standing: Standing,
        plan: &Plan,
        observer: &mut dyn Observer,
    ) -> Result<Pass> {
        let hidden = self.options.hidden;
        let supported = (self.base.table.rows() / INSTANCES_EACH)
            .min(self.base.columns.active() / hidden.fewest());
        let most = hidden.count.most().min(supported);
        pass.count(&mut self.counts);
        let mut ending = pass.found.ending;
        // Where a resumed run begins: everything after it follows from it.
        let mut safe = (standing.clone(), self.attempts.len());
        while ending != Ending::Stopped && standing.hidden().len() < most {
            self.offer_checkpoint((&standing, self.attempts.len()), false, observer)?;
            match self.add_one(&standing, observer)? {
                Added::None => break,
                Added::Stopped => ending = Ending::Stopped,
                Added::One(next) => {
                    standing = *next;
                    ending = self.renew(&mut standing, observer)?;
                    if ending != Ending::Stopped {
                        safe = (standing.clone(), self.attempts.len());
                    }
                }
            }
        }
        if !standing.hidden().is_empty() && ending != Ending::Stopped {
            ending = self.polish(&mut standing, plan, observer)?;
        }
        if ending == Ending::Stopped && pass.found.ending != Ending::Stopped {
            self.offer_checkpoint((&safe.0, safe.1), true, observer)?;
        }
        pass.notes.extend(standing.tight());
        let count = standing.hidden().len();
        if count > 0 || self.base.holes.count > 0 {
            standing.finish(self.options)?;
            pass.network = standing.state.network;
        }
        if ending != Ending::Stopped {
            pass.notes.extend(self.remark(count, supported));
        }
        pass.found.ending = ending;
        pass.found.moves = self.counts.moves + self.counts.aside;
        pass.found.evaluations = self.counts.evaluations;
        pass.found.rounds = self.counts.rounds;
        pass.rejected = self.counts.rejected;
        pass.attempts = self.attempts;
        Ok(pass)
    }

    /// A network without hidden variables.
    pub(crate) fn begin(&self, state: State) -> Standing {
        Standing {
            prepared: self.base.with_hidden(0, self.options.hidden.two_layer),
            state,
        }
    }

    /// Where a checkpoint between two attempts was made.
    pub(crate) fn resume(&mut self, from: &Checkpoint, hidden: usize) -> Result<(Pass, Standing)> {
        from.check(&self.plan.fingerprint, self.base.table.width())?;
        let around = from.around.as_ref().ok_or_else(damaged)?;
        if hidden > self.base.table.width() {
            return Err(damaged());
        }
        let prepared = self.base.with_hidden(hidden, self.options.hidden.two_layer);
        let Iterations {
            counts,
            state,
            completion,
            ..
        } = Em::new(&prepared, self.options).resumed(around)?;
        let (network, free_energy) = state.ok_or_else(damaged)?;
        self.counts = counts;
        self.attempts = from.attempts.clone();
        let pass = Pass::nothing_yet(&network, self.options.search);
        let state = State {
            network,
            completion,
            free_energy,
        };
        Ok((pass, Standing { prepared, state }))
    }

    fn offer_checkpoint(
        &self,
        (standing, tried): (&Standing, usize),
        last: bool,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if !observer.wants_checkpoint(last) {
            return Ok(());
        }
        let em = Em::new(&standing.prepared, self.options);
        let State {
            network,
            completion,
            free_energy,
        } = &standing.state;
        let state = Some((network.clone(), *free_energy));
        let around = em.around(1, &self.counts, state.as_ref(), completion)?;
        let observed = self.base.table.width();
        let so_far = (standing.hidden().len(), &self.attempts[..tried]);
        let checkpoint = Checkpoint::between(&self.plan.fingerprint, observed, so_far, around);
        observer.checkpoint(&checkpoint);
        Ok(())
    }

    /// Every hidden variable once more from scratch: without the edges between its children, which may be left from the time before it was there. Until
    /// none is better for it.
    fn renew(&mut self, standing: &mut Standing, observer: &mut dyn Observer) -> Result<Ending> {
        if self.options.hidden.two_layer || self.options.method == Method::Greedy {
            return Ok(Ending::Maximum);
        }
        for _ in 0..RENEWALS {
            let mut better = false;
            // Those left to look at; a name may be another variable's once one is dropped.
            for number in 0..standing.hidden().len() {
                let Some(&v) = standing.hidden().get(number) else {
                    break;
                };
                if observer.stop() {
                    return Ok(Ending::Stopped);
                }
                let children = standing.observed_children(v);
                let without = standing.without(self.base, self.options, &[v])?;
                let Some(proposal) = propose_again(self.base, self.options, &without, &children)
                else {
                    continue;
                };
                let inserted = without.insert(self.base, self.options, &proposal)?;
                let plan = self.plan.clone();
                let (next, ending) =
                    self.restructure(inserted, &plan, Care::QUICK, &mut Aside(observer))?;
                if ending == Ending::Stopped {
                    return Ok(ending);
                }
                if next.state.free_energy > standing.state.free_energy + LEAST_GAIN {
                    *standing = next;
                    better = true;
                    observer.variables(standing.prepared.table.names());
                    observer.free_energy(standing.state.free_energy);
                }
            }
            if !better {
                break;
            }
        }
        Ok(Ending::Maximum)
    }

    /// Why there are not more hidden variables.
    fn remark(&self, count: usize, supported: usize) -> Option<String> {
        let (rows, active) = (self.base.table.rows(), self.base.columns.active());
        let asked = self.options.hidden.count;
        if active < self.options.hidden.fewest() {
            let fewest = self.options.hidden.fewest();
            return Some(format!(
                "no hidden variable: it needs {fewest} children, and there are {active} variables"
            ));
        }
        if supported == 0 {
            return Some(format!(
                "no hidden variable: {rows} instances of {active} variables are too few for one"
            ));
        }
        if count == 0 && self.base.constraints.max_parents() == 0 {
            return Some("no hidden variable: --max-parents 0 allows no children".to_string());
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

    /// Why there is no hidden variable.
    fn why_none(&self) -> String {
        match self
            .attempts
            .iter()
            .any(|a| a.outcome == HiddenOutcome::Refused)
        {
            true => "no hidden variable: those that were tried do not raise the score".to_string(),
            false => {
                let fewest = self.options.hidden.fewest();
                format!(
                    "no hidden variable: no {fewest} or more variables have ideal parents that agree enough for {} instances",
                    self.base.table.rows()
                )
            }
        }
    }

    /// The network as it is, with the search that was asked for.
    fn polish(
        &mut self,
        standing: &mut Standing,
        plan: &Plan,
        observer: &mut dyn Observer,
    ) -> Result<Ending> {
        let before = standing.clone();
        let mut steps = Steps {
            observer,
            counts: self.counts,
        };
        let aside = self.counts.aside;
        let (found, ending) = self.restructure(before, plan, Care::FULL, &mut steps)?;
        // These were told.
        self.counts.moves += self.counts.aside - aside;
        self.counts.aside = aside;
        let is_whole = found
            .with_few_children(self.options.hidden.fewest())
            .is_empty();
        if found.state.free_energy > standing.state.free_energy && is_whole {
            *standing = found;
            observer.free_energy(standing.state.free_energy);
        }
        Ok(ending)
    }

    /// Tries clusters, the most promising first, until one raises the score.
    fn add_one(&mut self, standing: &Standing, observer: &mut dyn Observer) -> Result<Added> {
        let proposals = propose(self.base, self.options, standing);
        let proposals = self.glanced_at(standing, proposals, observer)?;
        if observer.stop() {
            return Ok(Added::Stopped);
        }
        for proposal in proposals.into_iter().take(TRIES) {
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
            // A family that cannot be fitted makes a proposal none.
            let Ok(inserted) = standing.insert(self.base, self.options, &proposal) else {
                continue;
            };
            attempt.name = inserted
                .state
                .network
                .name(inserted.prepared.table.width() - 1)
                .to_string();
            observer.hidden(&attempt);
            let plan = self.plan.clone();
            let (next, ending) =
                match self.restructure(inserted, &plan, Care::QUICK, &mut Aside(observer)) {
                    Ok(found) => found,
                    Err(_) => continue,
                };
            if ending == Ending::Stopped {
                return Ok(Added::Stopped);
            }
            attempt.achieved = next.state.free_energy - standing.state.free_energy;
            let prices = self.base.prices(self.options);
            let needed = match next.hidden().len() > standing.hidden().len() {
                true => LEAST_GAIN.max(prices.parameter + prices.edge),
                false => LEAST_GAIN,
            };
            let pays = attempt.achieved > needed;
            attempt.outcome = match pays {
                true => HiddenOutcome::Added,
                false => HiddenOutcome::Refused,
            };
            observer.hidden(&attempt);
            self.attempts.push(attempt);
            if pays {
                observer.variables(next.prepared.table.names());
                observer.free_energy(next.state.free_energy);
                return Ok(Added::One(Box::new(next)));
            }
        }
        Ok(Added::None)
    }

    /// Proposals in the order of what a short search makes of them, where there are more than will be tried.
    fn glanced_at(
        &mut self,
        standing: &Standing,
        proposals: Vec<Proposal>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Proposal>> {
        // Products take too long for more than a few.
        let is_dear = self.options.cpds.contains(&CpdKind::Product);
        if self.options.hidden.two_layer || proposals.len() <= 1 || is_dear {
            return Ok(proposals);
        }
        let before = standing.hidden().len();
        let glance = |proposal: &Proposal| -> Result<(f64, Counts)> {
            let inserted = standing.insert(self.base, self.options, proposal)?;
            let mut counts = Counts::default();
            let (next, _) = restructured(
                inserted,
                (self.base, self.options),
                (&self.plan, Care::GLANCE),
                &mut counts,
                &mut (),
            )?;
            // One that was dropped again is not worth another look, unless another one went instead.
            let gains = next.state.free_energy > standing.state.free_energy + LEAST_GAIN;
            let free_energy = if next.hidden().len() > before || gains {
                next.state.free_energy
            } else {
                f64::NEG_INFINITY
            };
            Ok((free_energy, counts))
        };
        let mut seen: Vec<Result<(f64, Counts)>> = Vec::with_capacity(proposals.len());
        for some in proposals.chunks(AT_ONCE) {
            if observer.stop() {
                return Ok(Vec::new());
            }
            seen.extend(some.par_iter().map(glance).collect::<Vec<_>>());
        }
        let mut ranked = Vec::with_capacity(proposals.len());
        for (mut proposal, seen) in proposals.into_iter().zip(seen) {
            // One that cannot be fitted is none.
            let Ok((free_energy, counts)) = seen else {
                continue;
            };
            self.counts.evaluations += counts.evaluations;
            if free_energy.is_finite() {
                proposal.estimate = free_energy - standing.state.free_energy;
                ranked.push((free_energy, proposal));
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(ranked.into_iter().map(|(_, proposal)| proposal).collect())
    }

    fn restructure(
        &mut self,
        standing: Standing,
        plan: &Plan,
        care: Care,
        observer: &mut dyn Observer,
    ) -> Result<(Standing, Ending)> {
        let problem = (self.base, self.options);
        restructured(standing, problem, (plan, care), &mut self.counts, observer)
    }
}

/// Searches from a network with hidden variables, and drops those that end up with too few children.
fn restructured(
    mut standing: Standing,
    (base, options): (&Prepared, &LearnOptions),
    (plan, care): (&Plan, Care),
    counts: &mut Counts,
    observer: &mut dyn Observer,
) -> Result<(Standing, Ending)> {
    loop {
        let em = Em::new(&standing.prepared, options);
        let State {
            network,
            completion,
            free_energy,
        } = standing.state;
        let how = How {
            plan,
            start: network.dag(),
            resume: None,
        };
        // Later than the first iteration, so that the search is the one asked for.
        let from = Iterations {
            number: 2,
            counts: Counts::default(),
            state: Some((network, free_energy)),
            completion,
        };
        let (pass, state) = em.iterate(how, from, care, observer)?;
        counts.add_aside(&pass.found);
        counts.rounds += pass.found.rounds;
        counts.rejected += pass.rejected;
        standing.state = state;
        let ending = pass.found.ending;
        let too_few = standing.with_few_children(options.hidden.fewest());
        if too_few.is_empty() || ending == Ending::Stopped {
            return Ok((standing, ending));
        }
        standing = standing.without(base, options, &too_few)?;
    }
}

/// What came of looking for one more.
enum Added {
    None,
    Stopped,
    One(Box<Standing>),
}
