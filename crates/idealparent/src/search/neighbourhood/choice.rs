//! The best of all moves, and its exact gain.

use super::super::moves::{Move, MoveKind, with_parent, without_parent};
use super::Neighbourhood;
use crate::ideal::TIE;

impl Neighbourhood<'_> {
    /// The best legal move and its gain; `None` if no move raises the score. Ties are decided by
    /// [`Move`]'s order.
    pub fn best(&mut self) -> Option<(Move, f64)> {
        loop {
            let gain = self.best_gain();
            if gain <= TIE {
                return None;
            }
            // A move that ties with the best but does not raise the score is not taken.
            let chosen = self.first_move_from((gain - TIE).max(TIE.next_up()))?;
            // The gain of the sweep contains rounding errors, so the scores of the families decide.
            match self.exact_gain(&chosen) {
                Some(exact) if exact > TIE && exact >= gain - 2.0 * TIE => {
                    return Some((chosen, exact));
                }
                exact => self.correct(&chosen, exact.unwrap_or(f64::NEG_INFINITY)),
            }
        }
    }

    fn best_gain(&self) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for child in 0..self.bounds.len() {
            // The legality of reversals is checked only for those that could win.
            if self.bounds[child] > best {
                best = best.max(self.best_of_child(child, best));
            }
        }
        best
    }

    /// The best legal gain of a child's moves, or `best` if that is larger.
    fn best_of_child(&self, child: usize, best: f64) -> f64 {
        let own = &self.moves[child];
        let mut best = best.max(own.best);
        for (i, &parent) in self.dag.parents(child).iter().enumerate() {
            if self.allowed.allows(MoveKind::Delete) {
                best = best.max(own.deletions[i]);
            }
            if own.reversals[i] > best && self.reach.allows_reversal(&self.dag, parent, child) {
                best = own.reversals[i];
            }
        }
        best
    }

    /// The first legal move, in the order that decides ties, with a gain of at least `least`.
    fn first_move_from(&self, least: f64) -> Option<Move> {
        (0..self.dag.len())
            .filter(|&child| self.bounds[child] >= least)
            .find_map(|child| {
                let all = self.listed(child, least, |_| usize::MAX);
                all.into_iter().map(|(found, _)| found).min()
            })
    }

    /// Gain of a move from the scores of its families; `None` if a family cannot be fitted.
    pub(super) fn exact_gain(&self, chosen: &Move) -> Option<f64> {
        let gain = |v: usize, family: &[usize]| {
            let score = self.scorer.score(v, family)?;
            Some(score - self.families[v])
        };
        let parents = self.dag.parents(chosen.child);
        let (child, parent) = (chosen.child, chosen.parent);
        match chosen.kind {
            MoveKind::Add => gain(child, &with_parent(parents, parent)),
            MoveKind::Delete => gain(child, &without_parent(parents, parent)),
            MoveKind::Replace => {
                let dropped = chosen.replaced.expect("a replacement drops a parent");
                gain(
                    child,
                    &with_parent(&without_parent(parents, dropped), parent),
                )
            }
            MoveKind::Reverse => {
                let lost = gain(child, &without_parent(parents, parent))?;
                let won = gain(parent, &with_parent(self.dag.parents(parent), child))?;
                Some(lost + won)
            }
        }
    }

    /// Replaces a move's gain from the sweep by its exact gain.
    pub(super) fn correct(&mut self, chosen: &Move, gain: f64) {
        let at = self.dag.parents(chosen.child).binary_search(&chosen.parent);
        let own = &mut self.moves[chosen.child];
        match (chosen.kind, at) {
            (MoveKind::Delete, Ok(i)) => own.deletions[i] = gain,
            (MoveKind::Reverse, Ok(i)) => own.reversals[i] = gain,
            _ => {
                for slot in &mut own.slots {
                    if slot.ranking.replaced == chosen.replaced {
                        let mut all = slot.ranking.candidates.iter_mut();
                        if let Some(candidate) = all.find(|c| c.parent == chosen.parent) {
                            candidate.gain = gain;
                        }
                    }
                }
            }
        }
        self.bound(chosen.child);
    }
}
