//! The stages of a round, as a checkpoint keeps them.

use serde::{Deserialize, Serialize};

use super::super::{Move, SearchKind};
use crate::error::{Error, Result};

/// What a round is at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::search) enum Stage {
    /// Climbing at the round's beginning.
    Opening,
    /// Tabu search.
    Tabu(TabuState),
    /// Annealing, after so many steps.
    Anneal { step: usize },
    /// Moving variables in the order.
    Order(OrderState),
    /// Climbing after other work.
    Closing,
    /// The round is over.
    Ended,
}

/// Where tabu search stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::search) struct TabuState {
    /// Steps so far.
    pub(super) step: usize,
    /// The step that reached the best network.
    pub(super) reached: usize,
    /// Edges `(parent, child)` that were changed, and in which step.
    pub(super) changed: Vec<(usize, usize, usize)>,
}

/// Where a search over orders stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::search) struct OrderState {
    pub(super) order: Vec<usize>,
    /// The variable to be moved next.
    pub(super) next: usize,
    /// How many variables in a row stayed where they were.
    pub(super) quiet: usize,
}

/// How far estimates may be short where orders choose K by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::search) struct AutoSlack {
    /// `None` if too little was known.
    pub(super) slack: Option<f64>,
}

impl Stage {
    pub(super) fn order(order: Vec<usize>) -> Self {
        Stage::Order(OrderState {
            order,
            next: 0,
            quiet: 0,
        })
    }

    /// Whether a search of this kind has such a stage.
    pub(in crate::search) fn is_of(&self, search: SearchKind) -> bool {
        let orders = matches!(search, SearchKind::Auto | SearchKind::Order);
        match self {
            Stage::Opening | Stage::Ended => true,
            Stage::Tabu(_) => search == SearchKind::Tabu,
            Stage::Anneal { .. } => search == SearchKind::Anneal,
            Stage::Order(_) => orders,
            Stage::Closing => orders || search == SearchKind::Anneal,
        }
    }

    /// Refuses what cannot be of a search over so many variables.
    pub(in crate::search) fn check(&self, variables: usize) -> Result<()> {
        let damaged = || Error::Data("a damaged checkpoint: its stage makes no sense".to_string());
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
                let fits = sorted.into_iter().eq(0..variables) && place;
                fits.then_some(()).ok_or_else(damaged)
            }
            Stage::Opening | Stage::Anneal { .. } | Stage::Closing | Stage::Ended => Ok(()),
        }
    }
}

/// The edges that a move puts in or takes out.
pub(super) fn changed_edges(taken: &Move) -> impl Iterator<Item = (usize, usize)> {
    use super::super::MoveKind;
    let second = match taken.kind {
        MoveKind::Add | MoveKind::Delete => None,
        MoveKind::Reverse => Some((taken.child, taken.parent)),
        MoveKind::Replace => taken.replaced.map(|p| (p, taken.child)),
    };
    std::iter::once((taken.parent, taken.child)).chain(second)
}
