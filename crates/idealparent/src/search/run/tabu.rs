//! Tabu search: takes the best move even if it loses, but does not undo recent changes (section 2).

use super::stage::{TabuState, changed_edges};
use super::{Interrupted, Run, Stage};
use crate::ideal::TIE;
use crate::search::Move;

/// The search ends after this many times `tabu_length` steps without a better network.
const PATIENCE: usize = 4;

impl Run<'_, '_> {
    /// Takes the best move that either changes no recently changed edge or reaches the best network
    /// of the round.
    pub(super) fn tabu(&mut self, state: TabuState) -> Result<(), Interrupted> {
        let mut state = state;
        let length = self.plan.tabu_length;
        while state.step - state.reached < PATIENCE * length.max(1) {
            self.pause(|| Stage::Tabu(state.clone()))?;
            let here = self.moves.score();
            let best = self.mark.as_ref().map_or(here, |mark| mark.score);
            state
                .changed
                .retain(|&(_, _, when)| state.step < when + length);
            let recent = |p, c| state.changed.iter().any(|&(q, d, _)| (q, d) == (p, c));
            let passes = |candidate: &Move, gain: f64| {
                here + gain > best + TIE || !changed_edges(candidate).any(|(p, c)| recent(p, c))
            };
            let Some((chosen, _)) = self.moves.best_where(passes) else {
                break;
            };
            self.take(&chosen)?;
            state.step += 1;
            let now = state.step;
            state
                .changed
                .extend(changed_edges(&chosen).map(|(p, c)| (p, c, now)));
            if self.note_maximum() {
                state.reached = state.step;
            }
        }
        Ok(())
    }
}
