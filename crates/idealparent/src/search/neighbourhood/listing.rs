//! Lists of moves, for searches that do not simply take the best.

use super::super::moves::{Move, MoveKind};
use super::{Neighbourhood, SlotMoves};
use crate::ideal::TIE;

impl Neighbourhood<'_> {
    /// The scored legal moves of a child with their gains, in the order that decides ties. If
    /// rankings score everything, only a few moves per slot are listed.
    pub fn moves_of(&self, child: usize) -> Vec<(Move, f64)> {
        let mut found = self.listed(child, f64::NEG_INFINITY, SlotMoves::certain);
        found.retain(|(_, gain)| gain.is_finite());
        found.sort_by_key(|&(found, _)| found);
        found
    }

    /// The legal moves of a child with a gain of at least `least`, in no particular order. `most`
    /// limits the number of open candidates considered per slot.
    pub(super) fn listed(
        &self,
        child: usize,
        least: f64,
        most: impl Fn(&SlotMoves) -> usize,
    ) -> Vec<(Move, f64)> {
        let mut found = Vec::new();
        let mut list = |kind, parent, replaced, gain| {
            let listed = Move {
                child,
                kind,
                parent,
                replaced,
            };
            found.push((listed, gain));
        };
        let own = &self.moves[child];
        for slot in &own.slots {
            let replaced = slot.ranking.replaced;
            let kind = match replaced {
                None => MoveKind::Add,
                Some(_) => MoveKind::Replace,
            };
            for (parent, gain) in slot.open_candidates().take(most(slot)) {
                if gain >= least {
                    list(kind, parent, replaced, gain);
                }
            }
        }
        for (i, &parent) in self.dag.parents(child).iter().enumerate() {
            let (deletion, reversal) = (own.deletions[i], own.reversals[i]);
            if deletion >= least && self.allowed.allows(MoveKind::Delete) {
                list(MoveKind::Delete, parent, None, deletion);
            }
            let can_reverse = reversal.is_finite() && reversal >= least;
            if can_reverse && self.reach.allows_reversal(&self.dag, parent, child) {
                list(MoveKind::Reverse, parent, None, reversal);
            }
        }
        found
    }

    /// As [`Neighbourhood::moves_of`], without moves that cannot be fitted, and with gains from the
    /// scores of the families.
    ///
    /// Both lists depend on the graph alone, unless K is chosen automatically.
    pub fn fitted_moves_of(&self, child: usize) -> Vec<(Move, f64)> {
        let exact = |(found, _): (Move, f64)| Some((found, self.exact_gain(&found)?));
        let all = self.moves_of(child);
        all.into_iter().filter_map(exact).collect()
    }

    /// The best legal move for which `passes` holds, whether it raises the score or not. Ties are
    /// decided by [`Move`]'s order.
    ///
    /// The gain is computed from the scores of the families. A move that cannot be fitted is
    /// skipped.
    pub fn best_where(&mut self, passes: impl Fn(&Move, f64) -> bool) -> Option<(Move, f64)> {
        loop {
            // All moves that tie with the best so far; the smallest of them wins in the end.
            let mut best = f64::NEG_INFINITY;
            let mut ties: Vec<(Move, f64)> = Vec::new();
            for child in 0..self.dag.len() {
                if self.bounds[child] < best - TIE {
                    continue;
                }
                for (found, gain) in self.moves_of(child) {
                    if gain >= best - TIE && passes(&found, gain) {
                        best = best.max(gain);
                        ties.push((found, gain));
                    }
                }
                ties.retain(|&(_, gain)| gain >= best - TIE);
            }
            let (chosen, gain) = ties.into_iter().min_by_key(|&(found, _)| found)?;
            match self.exact_gain(&chosen) {
                Some(exact) if (exact - gain).abs() <= 2.0 * TIE * (1.0 + gain.abs()) => {
                    return Some((chosen, exact));
                }
                exact => self.correct(&chosen, exact.unwrap_or(f64::NEG_INFINITY)),
            }
        }
    }
}
