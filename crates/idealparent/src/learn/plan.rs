//! Chooses the search plan from the options and the size of the table.

use super::{Candidates, LearnOptions, Method};
use crate::search::{Cost, MoveSet, Plan, SearchKind};

/// Default number of restarts of a search over orders.
const RESTARTS: usize = 10;

/// Largest cost at which `auto` chooses a search over orders, in the units of [`Plan::cost`]: about
/// ten seconds. The first is for families scored from moments, the second for families that are
/// fitted, multiplied by the number of instances.
const AFFORDABLE_LINEAR: f64 = 7e8;
const AFFORDABLE_FITTED: f64 = 1e11;

impl LearnOptions {
    /// The search plan for a table of this size.
    pub fn plan(&self, variables: usize, instances: usize) -> Plan {
        let every = self.method == Method::Greedy || self.candidates == Candidates::All;
        let relative_cost = self.fit_cost();
        let (affordable, power) = match (self.is_linear(), every) {
            (true, _) => (AFFORDABLE_LINEAR, 3),
            (false, false) => (AFFORDABLE_FITTED / relative_cost / instances as f64, 5),
            // All candidates of each family are fitted, not two.
            (false, true) => (
                2.0 * AFFORDABLE_FITTED / relative_cost / (instances * variables.max(1)) as f64,
                5,
            ),
        };
        let search = match self.search {
            // A search over orders does not use moves, so a choice of moves implies hill climbing.
            SearchKind::Auto if self.moves != MoveSet::all() => SearchKind::Hill,
            other => other,
        };
        let default_restarts = match search {
            SearchKind::Auto | SearchKind::Order => RESTARTS,
            _ => 0,
        };
        Plan {
            search,
            cost: Cost { affordable, power },
            tabu_length: self.tabu_length.unwrap_or((variables / 4).clamp(10, 50)),
            restarts: self.restarts.unwrap_or(default_restarts),
            spares: self.restarts.is_none(),
            perturb: self.perturb.unwrap_or((variables / 5).clamp(3, 20)),
            seed: self.seed,
        }
    }
}
