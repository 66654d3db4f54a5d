//! Evaluation of one variable in other places of the order.

use super::Rules;
use super::tree::{Trace, Tree};
use crate::ideal::TIE;

/// Scores of a variable in other places, and gains of the variables that come after it.
///
/// A place is the number of other variables that come before the variable.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) variable: usize,
    pub(super) first: usize,
    pub(super) last: usize,
    /// The variable's score in the places from `first` to `last`; minus infinity in places that
    /// cannot be the best.
    pub(super) own: Vec<f64>,
    /// For every position of the current order, the gain of its variable from having this one
    /// before it.
    pub(super) changes: Vec<f64>,
}

/// Gain of variable `u` from having `x` before it rather than after it; `None` if that makes no
/// difference.
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
    /// Gain of the variable at this place among the others from having this one before it.
    fn change(&self, now: usize, place: usize) -> f64 {
        self.changes[place + usize::from(place >= now)]
    }

    /// Scores the variable in every place that could be better than the current one.
    ///
    /// A family with fewer predecessors almost never scores more. Going down from the last place,
    /// the last score known therefore bounds those that follow, and most places are skipped.
    pub(super) fn score(
        &mut self,
        rules: &Rules,
        order: &[usize],
        position: &[usize],
        tree: &mut Tree,
        current_trace: &Trace,
    ) {
        let x = self.variable;
        let now = position[x];
        let range = self.first..self.last;
        // The gains of other variables that are still possible further down, and those in the
        // current place.
        let mut possible: f64 = range.map(|place| self.change(now, place).max(0.0)).sum();
        let after: f64 = (now..self.last).map(|place| self.change(now, place)).sum();
        let current = current_trace.score + after;
        let mut brought = 0.0;
        let mut trace: Option<Trace> = None;
        let mut is_stale = true;
        for place in (self.first..=self.last).rev() {
            if place < self.last {
                let change = self.change(now, place);
                brought += change;
                possible -= change.max(0.0);
                let lost = order[place + usize::from(place >= now)];
                is_stale |= trace
                    .as_ref()
                    .is_some_and(|trace| trace.used.contains(lost));
            }
            if place == now {
                trace = Some(current_trace.clone());
                is_stale = false;
            }
            let bound = trace.as_ref().map_or(f64::INFINITY, |trace| trace.score);
            // With this margin, rounding does not decide ties: the order of the rows must not
            // matter.
            if place < now && bound + brought + possible <= current + TIE {
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

    /// The best place and its gain over the current one; the first place wins ties. `None` if no
    /// place raises the score.
    pub(super) fn best(&self, now: usize) -> Option<(usize, f64)> {
        // Totals relative to the last place: the variable's score plus the gains of those after it.
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
