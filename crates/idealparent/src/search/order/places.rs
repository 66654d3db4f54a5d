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
    /// The variable's families in these places.
    pub(super) nodes: Vec<u32>,
    /// For every position of the current order, the gain of its variable from having this one
    /// before it.
    pub(super) changes: Vec<f64>,
    /// The work of the evaluation.
    pub(super) work: f64,
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
        let before = |z: usize| z != x && position[z] < at;
        tree.trace(rules, current.node, before, &mut trace);
        Some(current.score - trace.score)
    } else if at < now && current.waiting.contains(x) {
        let before = |z: usize| z == x || position[z] < at;
        tree.trace(rules, current.node, before, &mut trace);
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
    /// Its family is carried along: first to later places, with more and more predecessors, then to
    /// earlier ones, with fewer and fewer.
    pub(super) fn score(
        &mut self,
        rules: &Rules,
        order: &[usize],
        position: &[usize],
        tree: &mut Tree,
        current: &Trace,
    ) {
        let x = self.variable;
        let now = position[x];
        self.set(now, current);
        let before = |place: usize| {
            move |z: usize| z != x && position[z] - usize::from(position[z] > now) < place
        };
        // A family with more predecessors almost never scores less. So its score in the last place
        // bounds that in all others.
        let mut trace = current.clone();
        if now < self.last {
            tree.trace(rules, current.node, before(self.last), &mut trace);
        }
        let bound = trace.score.max(current.score);
        let range = now..self.last;
        // The gains of passed variables that are still possible.
        let mut possible: f64 = range.clone().map(|p| (-self.change(now, p)).max(0.0)).sum();
        let (mut lost, mut is_stale) = (0.0, false);
        let mut trace = current.clone();
        for place in range {
            let change = self.change(now, place);
            lost += change;
            possible -= (-change).max(0.0);
            is_stale |= trace.waiting.contains(order[place + 1]);
            if bound - lost + possible <= current.score + TIE {
                break;
            }
            if bound - lost > current.score + TIE {
                if is_stale {
                    tree.trace(rules, trace.node, before(place + 1), &mut trace);
                    is_stale = false;
                }
                self.set(place + 1, &trace);
            }
        }
        let range = self.first..now;
        let mut possible: f64 = range.clone().map(|p| self.change(now, p).max(0.0)).sum();
        let mut brought = 0.0;
        let (mut trace, mut is_stale) = (current.clone(), false);
        for place in range.rev() {
            let change = self.change(now, place);
            brought += change;
            possible -= change.max(0.0);
            is_stale |= trace.used.contains(order[place]);
            if trace.score + brought + possible <= current.score + TIE {
                break;
            }
            if trace.score + brought > current.score + TIE {
                if is_stale {
                    tree.trace(rules, trace.node, before(place), &mut trace);
                    is_stale = false;
                }
                self.set(place, &trace);
            }
        }
    }

    fn set(&mut self, place: usize, trace: &Trace) {
        self.own[place - self.first] = trace.score;
        self.nodes[place - self.first] = trace.node;
    }

    /// The best place, the variable's family there, and the gain over the current place; the first
    /// place wins ties. `None` if no place raises the score.
    pub(super) fn best(&self, now: usize) -> Option<(usize, u32, f64)> {
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
        let to = totals.iter().position(ties)?;
        Some((self.first + to, self.nodes[to], best - current))
    }
}
