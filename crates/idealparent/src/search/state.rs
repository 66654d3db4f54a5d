//! The state of a search between two steps, from which it can be resumed to find the same network.

use serde::{Deserialize, Serialize};

use super::SearchKind;
use super::neighbourhood::Memory;
use super::run::{AutoSlack, Plan, Restarts, Stage, Verification};
use crate::error::{Error, Result};
use crate::graph::{Constraints, Dag};
use crate::score::Evaluations;

/// Edges as `(parent, child)`.
pub(super) type Edges = Vec<(usize, usize)>;

/// The state of a search between two steps.
///
/// Passed to `SearchObserver::state`, and part of a `Checkpoint`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchState {
    /// Number of variables.
    pub(super) variables: usize,
    /// Number of restarts so far.
    pub(super) round: usize,
    /// Number of rounds since the best network was found.
    pub(super) quiet: usize,
    /// Work done so far.
    pub(super) work: f64,
    /// Work done in the first round; 0 during that round.
    pub(super) first_work: f64,
    /// Number of steps so far.
    pub(super) moves: usize,
    /// The score after the last step.
    pub(super) last: f64,
    pub(super) stage: Stage,
    pub(super) verification: Verification,
    /// The current network.
    pub(super) current: Edges,
    /// The best network of this round.
    pub(super) mark: Option<Edges>,
    /// The best network of all earlier rounds.
    pub(super) best: Option<Edges>,
    pub(super) slack: Option<AutoSlack>,
    /// Number of families scored so far.
    pub(super) evaluations: Evaluations,
    pub(super) chosen: Option<SearchKind>,
    pub(super) memory: Memory,
}

impl SearchState {
    /// Returns the current network, or an error if no search with this plan can have written the
    /// state.
    pub(super) fn check(&self, plan: &Plan, constraints: &Constraints, start: &Dag) -> Result<Dag> {
        if self.variables != start.len() {
            return Err(SearchState::damaged());
        }
        self.stage.check(self.variables)?;
        let n = self.variables;
        for network in [&self.mark, &self.best].into_iter().flatten() {
            allowed(graph(n, network)?, constraints)?;
        }
        let begun = self.best.is_some() || self.mark.is_some();
        let first = self.stage == Stage::Opening && self.round == 0;
        let sound = self.memory.is_sound(n)
            && !matches!(plan.restarts, Restarts::Fixed(most) if self.round > most)
            && self.quiet <= self.round + 1
            && self.first_work >= 0.0
            && self.work >= self.first_work
            && self.round < 1 << 53
            && self.moves < 1 << 53
            && self.stage.is_of(plan.search)
            && (begun || first)
            && self.last.is_finite();
        if !sound {
            return Err(SearchState::damaged());
        }
        allowed(graph(n, &self.current)?, constraints)
    }

    /// The error for a state that no search can have written.
    pub fn damaged() -> Error {
        Error::data("a damaged checkpoint: its contents are inconsistent")
    }
}

/// Returns the network, or an error if it violates the constraints.
fn allowed(dag: Dag, constraints: &Constraints) -> Result<Dag> {
    let within = (0..dag.len()).all(|v| dag.parents(v).len() <= constraints.max_parents());
    let free = dag.edges().all(|(p, c)| constraints.allows(p, c));
    let required = constraints.required().iter();
    let complete = required.into_iter().all(|&(p, c)| dag.has_edge(p, c));
    if within && free && complete {
        Ok(dag)
    } else {
        Err(SearchState::damaged())
    }
}

/// The edges of a graph.
pub(super) fn edges(dag: &Dag) -> Edges {
    dag.edges().collect()
}

/// The graph with a checkpoint's edges, or an error if they form no such graph.
pub(super) fn graph(variables: usize, edges: &Edges) -> Result<Dag> {
    if edges.iter().any(|&(p, c)| p.max(c) >= variables) {
        return Err(SearchState::damaged());
    }
    Dag::from_edges(variables, edges.iter().copied()).ok_or_else(SearchState::damaged)
}
