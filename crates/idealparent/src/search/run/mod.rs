//! A whole search, in rounds.
//!
//! The first round starts with hill climbing, so that no search returns a worse network than hill
//! climbing from the same start. Then the chosen procedure continues. At the end of a round, its
//! best network is compared with the best of the earlier rounds. The next round starts from the
//! better one, perturbed.

mod anneal;
mod climb;
mod exact;
mod orders;
mod plan;
mod stage;
mod tabu;
mod walk;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::SearchKind;
use super::neighbourhood::Neighbourhood;
use super::observer::{SearchObserver, Step, Taken};
use super::order::OrderSearch;
use super::state::{self, SearchState};
use crate::error::Result;
use crate::graph::Dag;
use crate::ideal::TIE;
use crate::score::Evaluations;
pub use plan::{Ending, Failure, Plan, Problem, Restarts, SearchResult};
use stage::TabuState;
pub(super) use stage::{AutoSlack, Stage, Verification};

/// A search that has done little work tries more rounds, by this factor.
const CHEAP: usize = 20;

/// The observer asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interrupted;

/// A network and its score.
#[derive(Clone, Debug)]
struct ScoredDag {
    dag: Dag,
    score: f64,
}

struct Run<'a, 'o> {
    problem: Problem<'a>,
    plan: &'a Plan,
    observer: &'o mut dyn SearchObserver,
    /// The current network and its moves.
    moves: Neighbourhood<'a>,
    orders: Option<OrderSearch<'a>>,
    taken: usize,
    /// The score after the last step.
    last: f64,
    round: usize,
    /// Number of rounds since the best network was found.
    quiet: usize,
    /// Work done in orders and moves, in the unit of [`Restarts::Until`].
    work: f64,
    /// Work done in the first round.
    first_work: f64,
    /// Whether the best network has been examined as a whole.
    verification: Verification,
    /// The best network of this round.
    mark: Option<ScoredDag>,
    /// The best network of the earlier rounds.
    best: Option<ScoredDag>,
    /// Slack of the search over orders; fixed when that begins for the first time.
    slack: Option<AutoSlack>,
    /// The procedure that [`SearchKind::Auto`] chose.
    chosen: Option<SearchKind>,
    /// Number of families scored by `orders`, or by an exact search.
    in_orders: Evaluations,
    /// Why the search cannot go on, if it cannot.
    failure: Option<Failure>,
    /// Number of families scored before the search was resumed, except those that `moves` restores.
    before_resume: Evaluations,
}

/// Searches from a network, or resumes an earlier search from its state.
pub fn search(
    problem: Problem,
    plan: &Plan,
    start: Dag,
    resume: Option<&SearchState>,
    observer: &mut dyn SearchObserver,
) -> std::result::Result<SearchResult, Failure> {
    let dag = match resume {
        None => start,
        Some(from) => {
            let at = from.check(plan, problem.constraints, &start);
            at.map_err(Failure::Damaged)?
        }
    };
    let Problem {
        scorer,
        selector,
        constraints,
        ..
    } = problem;
    let moves = Neighbourhood::new(scorer, selector, constraints, problem.moves, dag);
    let mut moves = moves.map_err(Failure::Unfit)?;
    if plan.leaves_maxima() {
        moves = moves.with_losses();
    }
    let mut run = Run {
        problem,
        plan,
        observer,
        last: moves.score(),
        moves,
        orders: None,
        taken: 0,
        round: 0,
        quiet: 0,
        work: 0.0,
        first_work: 0.0,
        verification: Verification::Done,
        mark: None,
        best: None,
        slack: None,
        chosen: None,
        in_orders: Evaluations::default(),
        failure: None,
        before_resume: Evaluations::default(),
    };
    let done = match resume {
        None => run.begin(),
        Some(from) => run.recall(from).map_err(Failure::Damaged)?,
    };
    let ending = match done.and_then(|stage| run.run_stages(stage)) {
        Ok(()) => Ending::Maximum,
        Err(Interrupted) => match run.failure.take() {
            Some(failure) => return Err(failure),
            None => Ending::Stopped,
        },
    };
    Ok(run.found(ending))
}

impl Run<'_, '_> {
    fn begin(&mut self) -> std::result::Result<Stage, Interrupted> {
        let edges = self.moves.dag().edge_count();
        self.observer.started(self.moves.score(), edges);
        let observer = &mut *self.observer;
        if !self.moves.rank_all(|| observer.stop()) {
            return Err(Interrupted);
        }
        Ok(Stage::Opening)
    }

    fn recall(&mut self, from: &SearchState) -> Result<std::result::Result<Stage, Interrupted>> {
        let marked = |edges: &Option<state::Edges>| -> Result<Option<ScoredDag>> {
            let Some(edges) = edges else {
                return Ok(None);
            };
            let dag = state::graph(from.variables, edges)?;
            let score = self.score_of(&dag);
            Ok(Some(ScoredDag { dag, score }))
        };
        (self.mark, self.best) = (marked(&from.mark)?, marked(&from.best)?);
        (self.taken, self.round, self.slack) = (from.moves, from.round, from.slack);
        (self.chosen, self.last) = (from.chosen, from.last);
        (self.quiet, self.work, self.first_work) = (from.quiet, from.work, from.first_work);
        self.verification = from.verification;
        // `moves` restores its own count.
        self.before_resume = from.evaluations - from.memory.evaluations;
        let edges = self.moves.dag().edge_count();
        self.observer.started(self.moves.score(), edges);
        let observer = &mut *self.observer;
        Ok(
            if self.moves.recall(from.memory.clone(), || observer.stop()) {
                Ok(from.stage.clone())
            } else {
                Err(Interrupted)
            },
        )
    }

    /// Score of a network, summed in the same order as in [`Neighbourhood::score`].
    fn score_of(&self, dag: &Dag) -> f64 {
        let family = |v: usize| self.problem.scorer.score(v, dag.parents(v));
        (0..dag.len()).filter_map(family).sum()
    }

    fn run_stages(&mut self, first: Stage) -> std::result::Result<(), Interrupted> {
        if first == Stage::Ended {
            // The state of a search that is complete.
            self.end();
            return Ok(());
        }
        let mut stage = first;
        loop {
            stage = match stage {
                Stage::Opening => {
                    self.climb(|| Stage::Opening)?;
                    self.note_maximum();
                    self.choose();
                    self.after_climb()
                }
                Stage::Tabu(state) => {
                    self.tabu(state)?;
                    Stage::Ended
                }
                Stage::Anneal { step } => {
                    self.anneal(step)?;
                    Stage::Closing
                }
                Stage::Order(state) => self.sweep_orders(state)?,
                Stage::Exact => {
                    if self.solve()? {
                        Stage::Ended
                    } else {
                        self.chosen = Some(self.heuristic());
                        self.after_climb()
                    }
                }
                Stage::Closing => {
                    self.climb(|| Stage::Closing)?;
                    // Search over orders and climbing alternate until neither helps.
                    if self.note_maximum() && self.searches_orders() {
                        self.order_stage()
                    } else {
                        Stage::Ended
                    }
                }
                Stage::Ended => match self.next_round()? {
                    Some(stage) => stage,
                    None => return Ok(()),
                },
            }
        }
    }

    /// The stage after the first climb of a round.
    fn after_climb(&mut self) -> Stage {
        match self.kind() {
            SearchKind::Auto | SearchKind::Hill => Stage::Ended,
            SearchKind::Tabu => Stage::Tabu(TabuState::default()),
            SearchKind::Anneal => Stage::Anneal { step: 0 },
            SearchKind::Order => self.order_stage(),
            SearchKind::Exact => Stage::Exact,
        }
    }

    /// Chooses the procedure of [`SearchKind::Auto`] after the first climb. Only then is it known
    /// whether a search over orders is affordable.
    fn choose(&mut self) {
        if self.plan.search == SearchKind::Auto && self.chosen.is_none() {
            self.chosen = Some(match self.plan.exact {
                true => SearchKind::Exact,
                false => self.heuristic(),
            });
        }
    }

    /// The procedure of [`SearchKind::Auto`] if that does not search exactly.
    fn heuristic(&self) -> SearchKind {
        match self.plan.affords_orders(self.moves.dag()) {
            true => SearchKind::Order,
            false => SearchKind::Hill,
        }
    }

    /// The procedure; [`SearchKind::Auto`] if it has not been chosen yet.
    fn kind(&self) -> SearchKind {
        self.chosen.unwrap_or(self.plan.search)
    }

    fn searches_orders(&self) -> bool {
        self.kind() == SearchKind::Order
    }

    /// Whether there is another round.
    fn continues(&self) -> bool {
        match self.plan.restarts {
            // There is nothing better.
            _ if self.kind() == SearchKind::Exact => false,
            Restarts::Fixed(restarts) => self.round < restarts,
            Restarts::Until {
                quiet,
                least,
                most,
                firsts,
            } => {
                // A first round that begins at a maximum takes no work.
                let most = match self.first_work > 0.0 {
                    true => most.min(firsts * self.first_work),
                    false => most,
                };
                let is_cheap = self.work < least && self.quiet < CHEAP * quiet;
                is_cheap || (self.quiet < quiet && self.work < most)
            }
        }
    }

    /// Stores the current network if it is the best of the round; returns whether it is.
    fn note_maximum(&mut self) -> bool {
        let score = self.moves.score();
        let better = self.is_best_of_round(score);
        if better {
            let dag = self.moves.dag().clone();
            self.mark = Some(ScoredDag { dag, score });
        }
        better
    }

    /// Whether a score is better than that of all networks so far.
    fn is_better(&self, score: f64) -> bool {
        let best = self.best.as_ref();
        self.is_best_of_round(score) && best.is_none_or(|best| score > best.score + TIE)
    }

    fn is_best_of_round(&self, score: f64) -> bool {
        let mark = self.mark.as_ref();
        mark.is_none_or(|mark| score > mark.score + TIE)
    }

    /// Ends a round, and starts the next one if there is one.
    fn next_round(&mut self) -> std::result::Result<Option<Stage>, Interrupted> {
        let known = self.best.as_ref().map(|best| best.score + TIE);
        if self.round == 0 {
            self.first_work = self.work;
        }
        self.quiet += 1;
        if let Some(mark) = self.mark.take()
            && known.is_none_or(|known| mark.score > known)
        {
            self.best = Some(mark);
            self.quiet = 0;
        }
        if self.verification == Verification::Running || !self.continues() {
            return self.verify();
        }
        self.round += 1;
        let best = self.best.as_ref().expect("some round has a best network");
        if self.searches_orders() {
            let dag = best.dag.clone();
            self.told_at(
                Taken::Restart,
                best.score,
                dag.edge_count(),
                self.evaluations(),
            );
            return Ok(Some(self.perturbed_order(&dag)));
        }
        let dag = best.dag.clone();
        self.go_to(&dag)?;
        self.told(Taken::Restart);
        self.walk()?;
        Ok(Some(Stage::Opening))
    }

    /// Examines the best network as a whole if that is still needed; ends the search otherwise.
    fn verify(&mut self) -> std::result::Result<Option<Stage>, Interrupted> {
        if self.verification != Verification::Needed {
            self.end();
            return Ok(None);
        }
        self.verification = Verification::Running;
        let best = self.best.as_ref().expect("some round has a best network");
        let dag = best.dag.clone();
        self.go_to(&dag)?;
        self.told(Taken::Return);
        Ok(Some(self.order_stage()))
    }

    /// Hands over the last state, and completes the counts.
    fn end(&mut self) {
        if self.observer.wants_state(true) {
            // A search resumed from this state ends at once.
            self.save(Stage::Ended);
        }
        let observer = &mut *self.observer;
        self.moves.scan_at_end(|| observer.stop());
    }

    /// Moves the search to another network.
    fn go_to(&mut self, dag: &Dag) -> std::result::Result<(), Interrupted> {
        let observer = &mut *self.observer;
        let done = self.moves.go_to(dag, || observer.stop());
        if done.expect("a network that was found can be fitted") {
            Ok(())
        } else {
            Err(Interrupted)
        }
    }

    /// Tells the observer about a step that was made.
    fn told(&mut self, taken: Taken) {
        let (score, edges) = (self.moves.score(), self.moves.dag().edge_count());
        let evaluations = self.evaluations();
        self.told_at(taken, score, edges, evaluations);
    }

    fn told_at(&mut self, taken: Taken, score: f64, edges: usize, evaluations: Evaluations) {
        self.taken += 1;
        let gain = score - self.last;
        self.last = score;
        self.observer.step(&Step {
            round: self.round + 1,
            number: self.taken,
            taken,
            gain,
            score,
            edges,
            evaluations,
        });
    }

    fn evaluations(&self) -> Evaluations {
        let mut sum = self.moves.evaluations();
        sum += self.before_resume;
        sum += self.in_orders;
        sum
    }

    /// Called between two steps: hands over the state if it is wanted, and stops if the observer
    /// asks for it.
    fn pause(&mut self, stage: impl FnOnce() -> Stage) -> std::result::Result<(), Interrupted> {
        let stopped = self.observer.stop();
        if self.observer.wants_state(stopped) {
            self.save(stage());
        }
        if stopped { Err(Interrupted) } else { Ok(()) }
    }

    /// Hands the state over to the observer.
    fn save(&mut self, stage: Stage) {
        let edges = |marked: &Option<ScoredDag>| {
            let dag = marked.as_ref().map(|marked| &marked.dag);
            dag.map(state::edges)
        };
        let state = SearchState {
            variables: self.moves.dag().len(),
            round: self.round,
            quiet: self.quiet,
            work: self.work,
            first_work: self.first_work,
            verification: self.verification,
            moves: self.taken,
            last: self.last,
            stage,
            current: state::edges(self.moves.dag()),
            mark: edges(&self.mark),
            best: edges(&self.best),
            slack: self.slack,
            evaluations: self.evaluations(),
            chosen: self.chosen,
            memory: self.moves.memory(),
        };
        self.observer.state(state);
    }

    /// A separate stream of random numbers for every round, purpose and step.
    fn random(&self, purpose: u64, step: usize) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.plan.seed);
        random.set_stream((self.round as u64) << 40 ^ (step as u64) << 4 ^ purpose);
        random
    }

    fn found(mut self, ending: Ending) -> SearchResult {
        let evaluations = self.evaluations();
        let here = ScoredDag {
            dag: self.moves.dag().clone(),
            score: self.moves.score(),
        };
        // Of equally good networks the earliest is returned, so that rounding does not decide.
        let found = [self.best.take(), self.mark.take(), Some(here)];
        let mut found = found.into_iter().flatten();
        let mut best = found.next().expect("there is a current network");
        for later in found {
            if later.score > best.score + TIE {
                best = later;
            }
        }
        if best.dag != *self.moves.dag() || self.searches_orders() {
            self.told_at(
                Taken::Return,
                best.score,
                best.dag.edge_count(),
                evaluations,
            );
        }
        SearchResult {
            dag: best.dag,
            search: match self.kind() {
                // Stopped before a procedure was chosen.
                SearchKind::Auto => SearchKind::Hill,
                chosen => chosen,
            },
            rounds: self.round + 1,
            ending,
            moves: self.taken,
            evaluations,
            candidates: self.moves.candidates_used(),
        }
    }
}

#[cfg(test)]
mod tests;
