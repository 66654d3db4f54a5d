//! Chooses the search plan from the options and the size of the table.

use super::{Candidates, LearnOptions, Method};
use crate::search::{MoveSet, Plan, Restarts, SearchKind};

/// A search ends after this many rounds in a row without a better network.
const QUIET: f64 = 50.0;

/// Work after which a search of a table of few variables ends, in candidates ranked for families
/// without parents (see [`Restarts::Until`] and [`LearnOptions::plan`]). A round after the first takes
/// about a fifth of the first round's work. The first constant is for families scored from moments,
/// the second for families that are fitted, multiplied by the number of instances.
const WORK_LINEAR: f64 = 2e9;
const WORK_FITTED: f64 = 1e11;

/// Share of this work up to which `auto` chooses a search over orders, by the cost of its first
/// round. Families that are fitted cost more in that round than in later ones.
const FIRST_LINEAR: f64 = 0.12;
const FIRST_FITTED: f64 = 0.04;

/// Share of this work after which a search may end.
const LEAST: f64 = 0.05;

/// Number of variables, and number of families, up to which `auto` chooses an exact search, which
/// then takes less than a second. The last constant is for families that are fitted, and is
/// multiplied by the number of instances.
const EXACT_VARIABLES: usize = 20;
const EXACT_LINEAR: f64 = 1.1e7;
const EXACT_FITTED: f64 = 5e7;

impl LearnOptions {
    /// The search that the options imply, before `auto` is resolved by the size of the table.
    pub(crate) fn search_kind(&self) -> SearchKind {
        match self.search {
            // A search over orders does not use moves, so a choice of moves implies hill climbing.
            SearchKind::Auto if self.moves != MoveSet::all() => SearchKind::Hill,
            other => other,
        }
    }

    /// The search plan for a table of this size.
    pub fn plan(&self, variables: usize, instances: usize) -> Plan {
        let every = self.method == Method::Greedy || self.candidates == Candidates::All;
        let relative_cost = self.fit_cost();
        let fitted = WORK_FITTED / relative_cost / instances as f64;
        let (work, first) = match (self.is_linear(), every) {
            (true, _) => (WORK_LINEAR, FIRST_LINEAR),
            (false, false) => (fitted, FIRST_FITTED),
            // All candidates of each family are fitted, instead of two.
            (false, true) => (2.0 * fitted / variables.max(1) as f64, FIRST_FITTED),
        };
        let n = variables.max(1) as f64;
        let search = self.search_kind();
        let effort = match search {
            SearchKind::Auto | SearchKind::Order => Some(self.effort.unwrap_or(1.0)),
            _ => self.effort,
        };
        let restarts = match (self.restarts, effort) {
            (Some(restarts), _) => Restarts::Fixed(restarts),
            (None, Some(effort)) => Restarts::Until {
                quiet: (effort * QUIET).ceil() as usize,
                least: effort * LEAST * work,
                most: effort * work * (1.0 + n / 500.0),
                firsts: effort * (3.5 + 1000.0 / n),
            },
            (None, None) => Restarts::Fixed(0),
        };
        let most = match self.is_linear() {
            true => EXACT_LINEAR,
            false => EXACT_FITTED / relative_cost / instances as f64,
        };
        let most = most * effort.unwrap_or(0.0);
        let exact = search == SearchKind::Auto
            && self.restarts.is_none()
            // Hidden variables are proposed for networks that a heuristic search has found.
            && !self.wants_hidden()
            && variables <= EXACT_VARIABLES
            && families(variables, self.max_parents.unwrap_or(variables)) <= most;
        Plan {
            search,
            affordable: first * work,
            exact,
            tabu_length: self.tabu_length.unwrap_or((variables / 4).clamp(10, 50)),
            restarts,
            perturb: self.perturb,
            seed: self.seed,
        }
    }
}

/// Number of families of this many variables with at most `most` parents.
fn families(variables: usize, most: usize) -> f64 {
    let others = variables.saturating_sub(1);
    let (mut sum, mut sets) = (1.0, 1.0);
    for k in 0..others.min(most) {
        sets *= (others - k) as f64 / (k + 1) as f64;
        sum += sets;
    }
    variables as f64 * sum
}
