//! One variable in other places of the order.

use super::Rules;
use super::tree::{Trace, Tree};
use crate::ideal::TIE;

/// What a variable would score in other places, and what it would bring those that come after it.
///
/// A place is a number of other variables that come before.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) variable: usize,
    pub(super) first: usize,
    pub(super) last: usize,
    /// The variable's own score from the first place to the last; minus infinity where it cannot
    /// pay.
    pub(super) own: Vec<f64>,
    /// For every position of the present order: what its variable gains from having this one before
    /// it.
    pub(super) changes: Vec<f64>,
}

/// What variable `u` gains from having x before it rather than after it, or nothing where that
/// cannot matter.
pub(super) fn brought(
    rules: &Rules,
    position: &[usize],
    x: usize,
    (u, tree, current): (usize, &mut Tree, &Trace),
) -> Option<f64> {
    let (now, at) = (position[x], position[u]);
    let mut trace = Trace::default();
    if at > now && current.used.contains(x) {
        tree.trace(rules, |z| z != x && position[z] < at, &mut trace);
        Some(current.score - trace.score)
    } else if at < now && current.waiting.contains(x) {
        tree.trace(rules, |z| z == x || position[z] < at, &mut trace);
        Some(trace.score - current.score)
    } else {
        None
    }
}

impl Places {
    /// What the variable in this place of the others gains, were x before it.
    fn change(&self, now: usize, place: usize) -> f64 {
        self.changes[place + usize::from(place >= now)]
    }

    /// Scores the variable in every place that could be better than the present one.
    ///
    /// With fewer predecessors a family scores less, as good as always: going down, the last score
    /// known is a bound on those that follow, and most places are passed over.
    pub(super) fn score(
        &mut self,
        rules: &Rules,
        order: &[usize],
        position: &[usize],
        tree: &mut Tree,
        present: &Trace,
    ) {
        let x = self.variable;
        let now = position[x];
        let range = self.first..self.last;
        // What can still be brought further down, and what is brought in the present place.
        let mut hope: f64 = range.map(|place| self.change(now, place).max(0.0)).sum();
        let after: f64 = (now..self.last).map(|place| self.change(now, place)).sum();
        let current = present.score + after;
        let mut brought = 0.0;
        let mut trace: Option<Trace> = None;
        let mut is_stale = true;
        for place in (self.first..=self.last).rev() {
            if place < self.last {
                let change = self.change(now, place);
                brought += change;
                hope -= change.max(0.0);
                let lost = order[place + usize::from(place >= now)];
                is_stale |= trace
                    .as_ref()
                    .is_some_and(|trace| trace.used.contains(lost));
            }
            if place == now {
                trace = Some(present.clone());
                is_stale = false;
            }
            let bound = trace.as_ref().map_or(f64::INFINITY, |trace| trace.score);
            // Ties are broken by this margin, not by rounding: row order must not matter.
            if place < now && bound + brought + hope <= current + TIE {
                break;
            }
            if is_stale && bound + brought > current + TIE {
                let before =
                    |z: usize| z != x && position[z] - usize::from(position[z] > now) < place;
                tree.trace(rules, before, trace.get_or_insert_default());
                is_stale = false;
            }
            if let (Some(trace), false) = (&trace, is_stale) {
                self.own[place - self.first] = trace.score;
            }
        }
    }

    /// The best place, the first of equals, and what it gains over the present one; `None` if that
    /// is nothing.
    pub(super) fn best(&self, now: usize) -> Option<(usize, f64)> {
        // Relative to the last place: x's own score, and what it brings those that come after it.
        let mut brought = 0.0;
        let mut totals = vec![0.0; self.own.len()];
        for place in (self.first..=self.last).rev() {
            if place < self.last {
                brought += self.change(now, place);
            }
            totals[place - self.first] = self.own[place - self.first] + brought;
        }
        let current = totals[now - self.first];
        let best = totals.iter().copied().fold(current, f64::max);
        if best - current <= TIE {
            return None;
        }
        let ties = |total: &f64| *total >= best - TIE;
        let to = self.first + totals.iter().position(ties)?;
        Some((to, best - current))
    }
}
