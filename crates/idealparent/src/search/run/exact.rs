//! The best network of all, after hill climbing has found one to fall back on.

use super::{Failure, Interrupted, Run, ScoredDag, Stage};
use crate::search::exact::{Candidates, ExactProblem, MOST_FAMILIES, Unsolved};

impl Run<'_, '_> {
    /// Finds the best network. It becomes the result of the round, even if hill climbing has found
    /// another one with the same score.
    pub(super) fn solve(&mut self) -> Result<(), Interrupted> {
        self.pause(|| Stage::Exact)?;
        let problem = ExactProblem {
            scorer: self.problem.scorer,
            constraints: self.problem.constraints,
            budget: MOST_FAMILIES,
        };
        let observer = &mut *self.observer;
        let found = Candidates::enumerate(problem, &mut || observer.stop());
        let found = found.map_err(|problem| self.unsolved(problem))?;
        self.in_orders.add_replace(found.scored);
        self.observer.needs_memory(found.bytes());
        let observer = &mut *self.observer;
        let solved = found.solve(&mut || observer.stop());
        let dag = solved.map_err(|problem| self.unsolved(problem))?;
        let score = self.score_of(&dag);
        self.mark = Some(ScoredDag { dag, score });
        Ok(())
    }

    /// Keeps the reason why there is no result, unless the search was asked to stop.
    fn unsolved(&mut self, problem: Unsolved) -> Interrupted {
        self.failure = match problem {
            Unsolved::Interrupted => None,
            Unsolved::Unfit(child) => Some(Failure::Unfit(child)),
            Unsolved::TooLarge(problem) => Some(Failure::TooLarge(problem)),
        };
        Interrupted
    }
}
