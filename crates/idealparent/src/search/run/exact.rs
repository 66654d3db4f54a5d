//! The best network of all, after hill climbing has found one to fall back on.

use super::{Failure, Interrupted, Run, ScoredDag, Stage};
use crate::graph::Dag;
use crate::search::SearchKind;
use crate::search::exact::{Candidates, ExactProblem, Limits, Unsolved};

impl Run<'_, '_> {
    /// Finds the best network. It becomes the result of the round, even if hill climbing has found
    /// another one with the same score. Returns `false` if the problem is too large and the plan
    /// allows another search.
    pub(super) fn solve(&mut self) -> Result<bool, Interrupted> {
        self.pause(|| Stage::Exact)?;
        let Some(dag) = self.best_network()? else {
            return Ok(false);
        };
        let score = self.score_of(&dag);
        self.mark = Some(ScoredDag { dag, score });
        Ok(true)
    }

    /// The best network; `None` if the problem is too large and the plan allows another search.
    fn best_network(&mut self) -> Result<Option<Dag>, Interrupted> {
        let problem = ExactProblem {
            scorer: self.problem.scorer,
            constraints: self.problem.constraints,
            limits: Limits::default(),
        };
        let observer = &mut *self.observer;
        let found = Candidates::enumerate(problem, &mut || observer.stop());
        let found = match found {
            Ok(found) => found,
            Err(problem) => return self.unsolved(problem),
        };
        self.in_orders.add_replace(found.scored);
        self.observer.needs_memory(found.bytes());
        let observer = &mut *self.observer;
        let solved = found.solve(&mut || observer.stop());
        solved.map(Some).or_else(|problem| self.unsolved(problem))
    }

    /// Keeps the reason why there is no result, unless the search was asked to stop or there is
    /// another one.
    fn unsolved(&mut self, problem: Unsolved) -> Result<Option<Dag>, Interrupted> {
        self.failure = match problem {
            Unsolved::TooLarge(_) if self.plan.search == SearchKind::Auto => return Ok(None),
            Unsolved::Interrupted => None,
            Unsolved::Unfit(child) => Some(Failure::Unfit(child)),
            Unsolved::TooLarge(problem) => Some(Failure::TooLarge(problem)),
        };
        Err(Interrupted)
    }
}
