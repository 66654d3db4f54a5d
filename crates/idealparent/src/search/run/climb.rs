//! Hill climbing: takes the best move until none raises the score (section 2).

use super::{Interrupted, Run, Stage};
use crate::search::order::work;
use crate::search::{Move, MoveKind, Taken};

impl Run<'_, '_> {
    /// Takes the best move until none raises the score.
    pub(super) fn climb(&mut self, stage: impl Fn() -> Stage) -> Result<(), Interrupted> {
        loop {
            self.pause(&stage)?;
            let Some((best, _)) = self.moves.best() else {
                return Ok(());
            };
            self.take(&best)?;
        }
    }

    /// Makes a move.
    pub(super) fn take(&mut self, chosen: &Move) -> Result<(), Interrupted> {
        let observer = &mut *self.observer;
        let done = self.moves.take_until(chosen, || observer.stop());
        self.work += self.work_of(chosen);
        self.told(Taken::Move(*chosen));
        if done { Ok(()) } else { Err(Interrupted) }
    }

    /// Approximate work of ranking the candidates of the families that a move changed.
    fn work_of(&self, taken: &Move) -> f64 {
        let dag = self.moves.dag();
        let family = |v: usize| work(self.problem.selector, dag.parents(v).len());
        let second = match taken.kind {
            MoveKind::Reverse => family(taken.parent),
            MoveKind::Add | MoveKind::Delete | MoveKind::Replace => 0.0,
        };
        dag.len() as f64 * (family(taken.child) + second)
    }
}
