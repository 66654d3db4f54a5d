//! Search over orders of the variables.
//!
//! Given an order, every variable's family is improved within its predecessors, so cycles cannot
//! arise. One variable after the other is moved to its best place in the order, until no move raises
//! the score. The families of the other variables are then improved from what they are. The selector
//! decides which predecessors are scored.
//!
//! When a family changes, its child and its old and new parents are to be examined again: most
//! further moves that have become possible are theirs.
//!
//! Families that continue from earlier ones are the idea of FLOP (Wienöbst, Weichwald and Henckel
//! 2025). In dense networks, families grown from scratch end in much worse maxima.

mod places;
mod tree;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use crate::graph::{Constraints, Dag};
use crate::ideal::{Budget, Selector, TIE};
use crate::score::{Evaluations, Scorer};
use places::{Places, brought};
use tree::{Depth, ROOT, Trace, Tree};

/// Memory limit of all trees together, in bytes. Trees that exceed it are cleared.
const MAX_TREE_BYTES: usize = 512 << 20;

/// Number of variables traced between two checks whether to stop.
const BLOCK: usize = 64;

/// Everything that determines a variable's family within its predecessors.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    scorer: &'a dyn Scorer,
    selector: &'a dyn Selector,
    constraints: &'a Constraints,
    depth: Depth,
    /// Whether rankings are by exact gains.
    exact: bool,
}

impl<'a> Rules<'a> {
    /// `slack` applies to selectors that leave K to the search: see [`Depth::Slack`].
    pub(crate) fn new(
        scorer: &'a dyn Scorer,
        selector: &'a dyn Selector,
        constraints: &'a Constraints,
        slack: Option<f64>,
    ) -> Self {
        let depth = match selector.budget() {
            Budget::Scored | Budget::All => Depth::All,
            Budget::Top(k) => Depth::Top(k),
            Budget::Auto => slack.map_or(Depth::Top(2), Depth::Slack),
        };
        Rules {
            scorer,
            selector,
            constraints,
            depth,
            exact: selector.is_exact(),
        }
    }

    /// Approximate work of improving a family of this many parents.
    fn work_of(&self, parents: usize) -> f64 {
        work(self.selector, parents)
    }

    /// How many of the candidates in an exact ranking count as scored.
    fn counted(&self, candidates: usize) -> usize {
        match self.depth {
            Depth::Top(k) => k.min(candidates),
            Depth::Slack(_) => 1.min(candidates),
            Depth::All => candidates,
        }
    }
}

/// Approximate work of ranking and scoring the candidates of a family, relative to that of a family
/// without parents: more parents make regressions slower, and fits also less likely to be known.
pub(crate) fn work(selector: &dyn Selector, parents: usize) -> f64 {
    let power = if selector.is_exact() { 2 } else { 4 };
    (1.0 + parents as f64).powi(power)
}

/// The families with which a new order begins.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// Families to be improved, from the parents that come first. If that is cheap, families are
    /// also grown anew, and the better ones are kept.
    Improve(&'a Dag),
    /// The families of a search that is resumed, which nothing improves.
    Resume(&'a Dag),
}

/// An order of the variables, and the families within it.
pub(crate) struct OrderSearch<'a> {
    rules: Rules<'a>,
    trees: Vec<Tree>,
    traces: Vec<Trace>,
    order: Vec<usize>,
    position: Vec<usize>,
    required: Dag,
    /// Size of the trees in bytes when the order was last set.
    least: usize,
    /// Places evaluated in advance; discarded when the order changes.
    prepared: Vec<Places>,
    /// Variables to be examined, since their best places may have changed.
    pending: FixedBitSet,
}

impl<'a> OrderSearch<'a> {
    /// Creates a search without an order. If the family of a child's required parents cannot be
    /// fitted, the error is that child.
    pub(crate) fn new(rules: Rules<'a>) -> Result<Self, usize> {
        let n = rules.scorer.width();
        let required = rules.constraints.required_dag();
        let tree = |child| Tree::new(&rules, child, required.parents(child)).ok_or(child);
        let trees: Result<Vec<Tree>, usize> = (0..n).map(tree).collect();
        Ok(OrderSearch {
            rules,
            trees: trees?,
            traces: vec![Trace::default(); n],
            order: Vec::new(),
            position: vec![0; n],
            required,
            least: 0,
            prepared: Vec::new(),
            pending: FixedBitSet::with_capacity(n),
        })
    }

    /// Sets an order, which must respect the required edges. The variables around families that
    /// differ from those of `start` are to be examined. Returns `false` if `stop` interrupted the
    /// work.
    pub(crate) fn set_order(
        &mut self,
        order: Vec<usize>,
        start: Start,
        mut stop: impl FnMut() -> bool,
    ) -> bool {
        if self.is_full() {
            self.trees.iter_mut().for_each(Tree::clear);
        }
        for (place, &v) in order.iter().enumerate() {
            self.position[v] = place;
        }
        self.order = order;
        self.prepared.clear();
        let (rules, position) = (&self.rules, &self.position);
        let (families, grows_anew) = match start {
            Start::Improve(families) => (families, rules.exact),
            Start::Resume(families) => (families, false),
        };
        let mut all: Vec<(usize, (&mut Tree, &mut Trace))> = self
            .trees
            .iter_mut()
            .zip(&mut self.traces)
            .enumerate()
            .collect();
        for block in all.chunks_mut(BLOCK) {
            if stop() {
                return false;
            }
            block.par_iter_mut().for_each(|(v, (tree, trace))| {
                let before = |z: usize| position[z] < position[*v];
                let kept = families.parents(*v).iter().copied();
                let start = tree.node(kept.filter(|&p| before(p)).collect());
                tree.trace(rules, start, before, trace);
                if start != ROOT && grows_anew {
                    let mut anew = Trace::default();
                    tree.trace(rules, ROOT, before, &mut anew);
                    if anew.score > trace.score + TIE {
                        **trace = anew;
                    }
                }
            });
        }
        self.least = self.bytes();
        self.pending.clear();
        for (v, (tree, trace)) in self.trees.iter().zip(&self.traces).enumerate() {
            let (before, after) = (families.parents(v), tree.parents(trace.node));
            if before != after {
                self.pending.insert(v);
                self.pending.extend(before.iter().chain(after).copied());
            }
        }
        true
    }

    /// Has variables examined.
    pub(crate) fn examine(&mut self, variables: impl IntoIterator<Item = usize>) {
        self.pending.extend(variables);
    }

    /// Variables that are still to be examined, ascending.
    pub(crate) fn pending(&self) -> impl Iterator<Item = usize> {
        self.pending.ones()
    }

    /// The next variable to be examined, beginning with `from`, and then again with the first.
    pub(crate) fn next_pending(&self, from: usize) -> Option<usize> {
        let later = self.pending.ones().find(|&v| v >= from);
        later.or_else(|| self.pending.minimum())
    }

    fn bytes(&self) -> usize {
        self.trees.iter().map(|tree| tree.bytes).sum()
    }

    /// Whether the trees exceed the memory limit, and clearing them would help.
    fn is_full(&self) -> bool {
        self.bytes() > MAX_TREE_BYTES.max(4 * self.least)
    }

    /// The order.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Score of the network of the order.
    pub(crate) fn score(&self) -> f64 {
        self.traces.iter().map(|trace| trace.score).sum()
    }

    /// Number of edges of the network of the order.
    pub(crate) fn edge_count(&self) -> usize {
        let families = self.trees.iter().zip(&self.traces);
        families
            .map(|(tree, trace)| tree.parents(trace.node).len())
            .sum()
    }

    /// Number of families scored so far.
    pub(crate) fn evaluations(&self) -> Evaluations {
        let mut sum = Evaluations::default();
        for tree in &self.trees {
            sum += tree.evaluations;
        }
        sum
    }

    /// The network of the order.
    pub(crate) fn dag(&self) -> Dag {
        let families = self.trees.iter().zip(&self.traces).enumerate();
        let edges = families.flat_map(|(child, (tree, trace))| {
            tree.parents(trace.node).iter().map(move |&p| (p, child))
        });
        Dag::from_edges(self.trees.len(), edges).expect("parents come first")
    }

    /// Clears the trees and keeps the current families.
    fn clear(&mut self) {
        let (rules, position) = (&self.rules, &self.position);
        let all = self.trees.par_iter_mut().zip(&mut self.traces);
        all.enumerate().for_each(|(v, (tree, trace))| {
            let parents = tree.parents(trace.node).to_vec();
            tree.clear();
            let start = tree.node(parents);
            tree.trace(rules, start, |z| position[z] < position[v], trace);
        });
        self.least = self.bytes();
    }

    /// Evaluates the places of several variables (ascending) in parallel. This only makes the following calls
    /// of [`OrderSearch::improve`] faster; results do not depend on it.
    ///
    /// Returns `false` if `stop` interrupted the work. The order does not change.
    pub(crate) fn prepare(&mut self, variables: &[usize], mut stop: impl FnMut() -> bool) -> bool {
        if self.is_full() {
            self.clear();
        }
        let evaluated = self.evaluate(variables, &mut stop);
        let done = evaluated.is_some();
        self.prepared = evaluated.unwrap_or_default();
        done
    }

    /// Moves a variable to its best place. Returns the number of other variables before it and the
    /// gain, `None` if no place raises the score; and the work this took.
    ///
    /// The work does not depend on what was evaluated before.
    pub(crate) fn improve(&mut self, x: usize) -> (Option<(usize, f64)>, f64) {
        self.pending.remove(x);
        let known = self.prepared.iter().position(|places| places.variable == x);
        let places = match known {
            Some(at) => self.prepared.swap_remove(at),
            None => {
                let evaluated = self.evaluate(&[x], &mut || false);
                let mut evaluated = evaluated.expect("nothing stops the evaluation");
                evaluated.pop().expect("one variable was evaluated")
            }
        };
        let best = places.best(self.position[x]);
        if let Some((to, node, _)) = best {
            self.shift(x, to, node);
        }
        (best.map(|(to, _, gain)| (to, gain)), places.work)
    }

    /// Evaluates these variables (ascending) in all places: their own scores and the gains of the
    /// other variables.
    fn evaluate(
        &mut self,
        variables: &[usize],
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Places>> {
        let mut all: Vec<Places> = variables.iter().map(|&x| self.places(x)).collect();
        let (rules, position, order) = (&self.rules, &self.position, &self.order);
        for first in (0..self.trees.len()).step_by(BLOCK) {
            if stop() {
                return None;
            }
            let block = first..self.trees.len().min(first + BLOCK);
            let traces = &self.traces[block.clone()];
            let block = self.trees[block].par_iter_mut().zip(traces).enumerate();
            let changes: Vec<Vec<(usize, f64)>> = block
                .with_min_len(16)
                .map(|(i, (tree, trace))| {
                    let u = first + i;
                    let mut change = |x: usize| brought(rules, position, x, (u, tree, trace));
                    let of = |(slot, &x): (usize, &usize)| Some((slot, change(x)?));
                    variables.iter().enumerate().filter_map(of).collect()
                })
                .collect();
            for (i, changes) in changes.into_iter().enumerate() {
                for (slot, change) in changes {
                    let (places, u) = (&mut all[slot], first + i);
                    places.changes[position[u]] = change;
                    places.work += rules.work_of(self.trees[u].parents(self.traces[u].node).len());
                }
            }
        }
        if stop() {
            return None;
        }
        let mut rest = all.iter_mut().peekable();
        let mut own: Vec<(&mut Places, &mut Tree, &Trace)> = Vec::with_capacity(variables.len());
        for (v, (tree, trace)) in self.trees.iter_mut().zip(&self.traces).enumerate() {
            if let Some(places) = rest.next_if(|places| places.variable == v) {
                own.push((places, tree, trace));
            }
        }
        own.into_par_iter().for_each(|(places, tree, trace)| {
            places.score(rules, order, position, tree, trace);
        });
        Some(all)
    }

    /// The places that the required edges allow for a variable, not yet scored.
    fn places(&self, x: usize) -> Places {
        let now = self.position[x];
        let place = |&v: &usize| self.position[v] - usize::from(self.position[v] > now);
        let first = self.required.parents(x).iter().map(|p| place(p) + 1).max();
        let last = self.required.children(x).iter().map(place).min();
        let first = first.unwrap_or(0);
        let last = last.unwrap_or(self.order.len() - 1);
        Places {
            variable: x,
            first,
            last,
            own: vec![f64::NEG_INFINITY; last - first + 1],
            nodes: vec![ROOT; last - first + 1],
            work: 0.0,
            changes: vec![0.0; self.order.len()],
        }
    }

    /// Moves `x`, with the family `node`, to where `to` other variables come before it, and updates
    /// the families that this affects.
    fn shift(&mut self, x: usize, to: usize, node: u32) {
        let now = self.position[x];
        self.prepared.clear();
        self.traces[x].node = node;
        self.order.remove(now);
        self.order.insert(to, x);
        let touched = now.min(to)..=now.max(to);
        for place in touched.clone() {
            self.position[self.order[place]] = place;
        }
        let (rules, position) = (&self.rules, &self.position);
        let mut stale = Vec::new();
        for (u, (tree, trace)) in self.trees.iter_mut().zip(&mut self.traces).enumerate() {
            let is_affected = u == x || {
                let set = if to > now {
                    &trace.used
                } else {
                    &trace.waiting
                };
                touched.contains(&position[u]) && set.contains(x)
            };
            if is_affected {
                stale.push((u, trace.node, tree, trace));
            }
        }
        stale.par_iter_mut().for_each(|(u, node, tree, trace)| {
            tree.trace(rules, *node, |z| position[z] < position[*u], trace);
        });
        self.pending.insert(x);
        for (u, node, tree, trace) in stale {
            if trace.node != node {
                let (before, after) = (tree.parents(node), tree.parents(trace.node));
                self.pending.insert(u);
                self.pending.extend(before.iter().chain(after).copied());
            }
        }
    }
}

#[cfg(test)]
mod tests;
