//! How options and the size of a table decide the search.

use super::{Candidates, LearnOptions, Method};
use crate::search::{Cost, MoveSet, Plan, SearchKind};

/// Rounds after the first where orders are searched, unless the user says otherwise.
const RESTARTS: usize = 10;

/// What searching orders may cost unless the user asks for it: about ten seconds, in the units of
/// [`Plan::cost`], of families scored from moments; and of families fitted, times instances.
const AFFORDABLE_LINEAR: f64 = 7e8;
const AFFORDABLE_FITTED: f64 = 1e11;

impl LearnOptions {
    /// How to search in a table of this size.
    pub fn plan(&self, variables: usize, instances: usize) -> Plan {
        let every = self.method == Method::Greedy || self.candidates == Candidates::All;
        let dear = self.fit_cost();
        let (affordable, power) = match (self.is_linear(), every) {
            (true, _) => (AFFORDABLE_LINEAR, 3),
            (false, false) => (AFFORDABLE_FITTED / dear / instances as f64, 5),
            // Not two candidates of each family are fitted, but all.
            (false, true) => (
                2.0 * AFFORDABLE_FITTED / dear / (instances * variables.max(1)) as f64,
                5,
            ),
        };
        let search = match self.search {
            // Orders do without moves: whoever chooses moves wants those.
            SearchKind::Auto if self.moves != MoveSet::all() => SearchKind::Hill,
            other => other,
        };
        let by_itself = match search {
            SearchKind::Auto | SearchKind::Order => RESTARTS,
            _ => 0,
        };
        Plan {
            search,
            cost: Cost { affordable, power },
            tabu_length: self.tabu_length.unwrap_or((variables / 4).clamp(10, 50)),
            restarts: self.restarts.unwrap_or(by_itself),
            spares: self.restarts.is_none(),
            perturb: self.perturb.unwrap_or((variables / 5).clamp(3, 20)),
            seed: self.seed,
        }
    }
}
