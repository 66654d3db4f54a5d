//! Hill climbing: takes the best move until none raises the score (section 2).

use super::{Interrupted, Run, Stage};
use crate::search::{Move, Taken};

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
        self.told(Taken::Move(*chosen));
        if done { Ok(()) } else { Err(Interrupted) }
    }
}
