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
    /// Largest cost of a network at which `auto` chooses a search over orders: N times the sum over
    /// families of (1 + parents)^3, since a round of that search repeatedly ranks the candidates of
    /// similar families.
    pub(crate) affordable: f64,
    /// Whether `auto` chooses an exact search.
    pub(crate) exact: bool,
    /// Number of steps for which tabu search does not change an edge again.
    pub tabu_length: usize,
    /// How many rounds follow the first.
    pub restarts: Restarts,
    /// Number of random changes at the start of each round after the first; `None` if it varies.
    pub perturb: Option<usize>,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// When a search stops starting new rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restarts {
    /// After this number of rounds after the first.
    Fixed(usize),
    /// When this many rounds in a row found nothing better and a minimum of work has been done, or
    /// when the work exceeds a budget.
    Until {
        /// Number of rounds in a row that find nothing.
        quiet: usize,
        /// Minimum work in all rounds together, in candidates ranked for families without parents;
        /// with more parents a candidate counts more.
        least: f64,
        /// Maximum work in all rounds together.
        most: f64,
        /// Maximum work in all rounds together, as a multiple of the first round's, if that is more
        /// than the minimum.
        firsts: f64,
    },
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
            restarts: Restarts::Fixed(0),
            ..self.clone()
        }
    }

    /// Whether the search is exact.
    pub(crate) fn is_exact(&self) -> bool {
        self.search == SearchKind::Exact || self.search == SearchKind::Auto && self.exact
    }

    /// The same plan, but `auto` does not choose an exact search.
    pub(crate) fn heuristic(&self) -> Plan {
        Plan {
            exact: false,
            ..self.clone()
        }
    }

    /// Whether a search over orders is affordable, given the network that hill climbing found.
    pub(super) fn affords_orders(&self, dag: &Dag) -> bool {
        let family = |v: usize| (1.0 + dag.parents(v).len() as f64).powi(3);
        dag.len() as f64 * (0..dag.len()).map(family).sum::<f64>() <= self.affordable
    }

    /// Whether the search makes moves that lose.
    pub(super) fn leaves_maxima(&self) -> bool {
        match self.search {
            SearchKind::Tabu | SearchKind::Anneal => true,
            _ => self.restarts != Restarts::Fixed(0),
        }
    }
}
