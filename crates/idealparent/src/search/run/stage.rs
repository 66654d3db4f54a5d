//! The stages of a round, as stored in a checkpoint.

use serde::{Deserialize, Serialize};

use super::super::{Move, SearchKind};
use crate::error::{Error, Result};
use crate::graph::Dag;

/// The current stage of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::search) enum Stage {
    /// Hill climbing at the start of the round.
    Opening,
    /// Tabu search.
    Tabu(TabuState),
    /// Simulated annealing, with the number of steps done.
    Anneal { step: usize },
    /// Search over orders.
    Order(OrderState),
    /// Exact search.
    Exact,
    /// Hill climbing after another stage.
    Closing,
    /// The round is over.
    Ended,
}

/// The state of a tabu search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::search) struct TabuState {
    /// Number of steps so far.
    pub(super) step: usize,
    /// The step that reached the best network.
    pub(super) reached: usize,
    /// Edges that were changed, as `(parent, child, step)`.
    pub(super) changed: Vec<(usize, usize, usize)>,
}

/// The state of a search over orders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::search) struct OrderState {
    pub(super) order: Vec<usize>,
    /// The edges of the families within the order, or those to start from.
    pub(super) families: Vec<(usize, usize)>,
    /// Whether the order is fresh: its families have not been improved yet.
    pub(super) is_fresh: bool,
    /// The variable to be moved next.
    pub(super) next: usize,
    /// Number of consecutive variables that brought no gain.
    pub(super) quiet: usize,
    /// The variables to be examined; `None` for all.
    pub(super) pending: Option<Vec<usize>>,
}

/// Whether the best network has been examined as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::search) enum Verification {
    /// No variable of the best network has a better place.
    #[default]
    Done,
    /// The best network was found by a round that examined only some variables.
    Needed,
    /// The last stages of the search examine all variables of the best network.
    Running,
}

/// Slack of estimates in a search over orders, if K is chosen automatically.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::search) struct AutoSlack {
    /// `None` if too few errors were known.
    pub(super) slack: Option<f64>,
}

impl Stage {
    /// A search over orders from a new order, in which these variables are examined; `None` for all.
    pub(super) fn order(order: Vec<usize>, families: &Dag, pending: Option<Vec<usize>>) -> Self {
        Stage::Order(OrderState {
            order,
            families: families.edges().collect(),
            is_fresh: true,
            next: 0,
            quiet: 0,
            pending,
        })
    }

    /// Whether a search of this kind can be at this stage.
    pub(in crate::search) fn is_of(&self, search: SearchKind) -> bool {
        let orders = matches!(search, SearchKind::Auto | SearchKind::Order);
        match self {
            Stage::Opening | Stage::Ended => true,
            Stage::Tabu(_) => search == SearchKind::Tabu,
            Stage::Anneal { .. } => search == SearchKind::Anneal,
            Stage::Order(_) => orders,
            Stage::Exact => matches!(search, SearchKind::Auto | SearchKind::Exact),
            Stage::Closing => orders || search == SearchKind::Anneal,
        }
    }

    /// Returns an error if a search over this many variables cannot have produced the stage.
    pub(in crate::search) fn check(&self, variables: usize) -> Result<()> {
        let damaged = || Error::data("a damaged checkpoint: its stage is inconsistent");
        match self {
            Stage::Tabu(state) => {
                let known = |&(p, c, _): &(usize, usize, usize)| p.max(c) < variables;
                let fits = state.changed.iter().all(known) && state.reached <= state.step;
                fits.then_some(()).ok_or_else(damaged)
            }
            Stage::Order(state) => {
                let mut sorted = state.order.clone();
                sorted.sort_unstable();
                let place = state.next < variables.max(1) && state.quiet <= variables;
                let known = |&(p, c): &(usize, usize)| p.max(c) < variables;
                let families = state.families.iter().all(known)
                    && Dag::from_edges(variables, state.families.iter().copied()).is_some();
                let mut pending = state.pending.iter().flatten();
                let fits = sorted.into_iter().eq(0..variables)
                    && place
                    && families
                    && pending.all(|&v| v < variables);
                fits.then_some(()).ok_or_else(damaged)
            }
            Stage::Opening
            | Stage::Anneal { .. }
            | Stage::Exact
            | Stage::Closing
            | Stage::Ended => Ok(()),
        }
    }
}

/// The edges that a move adds or removes.
pub(super) fn changed_edges(taken: &Move) -> impl Iterator<Item = (usize, usize)> {
    use super::super::MoveKind;
    let second = match taken.kind {
        MoveKind::Add | MoveKind::Delete => None,
        MoveKind::Reverse => Some((taken.child, taken.parent)),
        MoveKind::Replace => taken.replaced.map(|p| (p, taken.child)),
    };
    std::iter::once((taken.parent, taken.child)).chain(second)
}
