//! The problem, plan and result of a search.

use super::super::exact::TooLarge;
use super::super::neighbourhood::CandidatesUsed;
use super::super::{MoveSet, SearchKind};
use crate::error::Error;
use crate::graph::{Constraints, Dag};
use crate::ideal::Selector;
use crate::score::{Evaluations, Scorer};

/// The problem that a search solves.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// Scores families.
    pub scorer: &'a dyn Scorer,
    /// Selects the candidates to be scored.
    pub selector: &'a dyn Selector,
    /// Prior knowledge: required and forbidden edges, and limits.
    pub constraints: &'a Constraints,
    /// The kinds of moves allowed.
    pub moves: MoveSet,
}

/// How to search.
///
/// Part of a `SearchTask`, which has the plan that follows from the options.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The search procedure.
    pub search: SearchKind,
    /// Cost of a round of search over orders.
    pub(crate) cost: Cost,
    /// Number of steps for which tabu search does not change an edge again.
    pub tabu_length: usize,
    /// Number of rounds after the first.
    pub restarts: usize,
    /// Whether to limit the restarts to what `Cost::affordable` allows. If so, only a search over
    /// orders restarts.
    pub spares: bool,
    /// Number of random changes at the start of each restart.
    pub perturb: usize,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// How a search ended.
///
/// Part of `Learned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The search came to its end.
    Maximum,
    /// The observer asked to stop.
    Stopped,
}

/// Approximate cost of a round of search over orders from a network. Such a round repeatedly grows
/// and scores families similar to those of the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    /// The cost is N times the sum over families of (1 + parents) to this power.
    pub(crate) power: i32,
    /// Largest cost of all rounds together, if their number is not given.
    pub(crate) affordable: f64,
}

impl Cost {
    pub(super) fn of(&self, dag: &Dag) -> f64 {
        let family = |v: usize| (1.0 + dag.parents(v).len() as f64).powi(self.power);
        dag.len() as f64 * (0..dag.len()).map(family).sum::<f64>()
    }

    /// Number of affordable rounds from a network.
    pub(super) fn rounds(&self, dag: &Dag) -> usize {
        (self.affordable / self.of(dag)) as usize
    }
}

/// The result of a search.
///
/// Returned by `SearchTask::run`.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The best network.
    pub dag: Dag,
    /// The procedure used; for [`SearchKind::Auto`], the one it chose.
    pub search: SearchKind,
    /// Number of rounds started.
    pub rounds: usize,
    /// How the search ended.
    pub ending: Ending,
    /// Number of steps taken.
    pub moves: usize,
    /// Number of families scored.
    pub evaluations: Evaluations,
    /// Number of candidates scored per slot.
    pub candidates: CandidatesUsed,
}

/// Why a search failed.
#[derive(Debug)]
pub enum Failure {
    /// The family of this child in the start network cannot be fitted.
    Unfit(usize),
    /// The state to resume from cannot be used.
    Damaged(Error),
    /// The problem is too large for an exact search.
    TooLarge(TooLarge),
}

impl Plan {
    /// The same plan with a single run of hill climbing.
    pub fn hill(&self) -> Plan {
        Plan {
            search: SearchKind::Hill,
            restarts: 0,
            ..self.clone()
        }
    }

    /// Whether the search makes moves that lose.
    pub(super) fn leaves_maxima(&self) -> bool {
        match self.search {
            SearchKind::Tabu | SearchKind::Anneal => true,
            _ => self.restarts > 0,
        }
    }
}
