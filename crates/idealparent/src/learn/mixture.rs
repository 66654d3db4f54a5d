//! Learning with several densities: every family gets the one with the best score.
//!
//! The run first searches with each density alone. The search with all of them begins with the best
//! of these networks, so adding a density never lowers the score.

use serde::{Deserialize, Serialize};

use super::LearnOptions;
use super::checkpoint::WorkCounts;
use super::learner::{LearnedNetwork, Learner, SearchRequest};
use super::parameters::Scorers;
use super::strategy::if_fitted;
use super::watch::OneSearch;
use crate::data::Completed;
use crate::error::Result;
use crate::family::Gram;
use crate::graph::Dag;
use crate::network::Network;
use crate::score::{FamilyScorer, Scorer};
use crate::search::{Ending, SearchState};

/// The completed searches with a single density.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SingleSearches {
    /// Edges of the network found with each density so far; `None` if it cannot fit the start.
    found: Vec<Option<Vec<(usize, usize)>>>,
    /// Work of these searches.
    pub(super) counts: WorkCounts,
}

impl SingleSearches {
    /// The networks found, over `n` variables. Returns an error if no run can have written this.
    fn networks(&self, n: usize) -> Result<Vec<Dag>> {
        let edges = self.found.iter().flatten();
        let networks = edges.map(|edges| {
            let inside = edges.iter().all(|&(p, c)| p < n && c < n);
            let dag = if inside {
                Dag::from_edges(n, edges.iter().copied())
            } else {
                None
            };
            dag.ok_or_else(SearchState::damaged)
        });
        networks.collect()
    }
}

impl LearnOptions {
    /// The same options with one of the densities.
    fn with_density(&self, model: usize) -> LearnOptions {
        LearnOptions {
            cpd: vec![self.cpd[model].clone()],
            ..self.clone()
        }
    }
}

impl Learner<'_> {
    /// Searches with each density alone, then with all of them, from the best network so far.
    /// `before` holds the searches that a resumed run had completed.
    ///
    /// A search with a shorter plan than that of the options begins at `request.start` instead, as
    /// does an exact search, which finds the best network anyway.
    pub(super) fn learn_mixture(
        &self,
        data: &Completed,
        gram: &Gram,
        scorers: &mut [FamilyScorer; 2],
        request: SearchRequest,
        before: Option<SingleSearches>,
        watch: &mut OneSearch,
    ) -> Result<LearnedNetwork> {
        let (active, rows) = (self.prepared.columns.active(), self.prepared.table.rows());
        let models = self.options.cpd.len();
        let is_whole = *request.plan == self.options.plan(active, rows);
        if models < 2 || !is_whole || request.plan.is_exact() {
            return self.learn_families(data, scorers, request, watch);
        }
        let mut single = before.unwrap_or_default();
        let mut resume = request.resume;
        while single.found.len() < models {
            let model = single.found.len();
            let options = self.options.with_density(model);
            let alone = Learner {
                options: &options,
                ..*self
            };
            let plan = options.plan(active, rows).heuristic();
            let inner = SearchRequest {
                plan: &plan,
                start: request.start.clone(),
                resume: resume.take(),
            };
            watch.continue_with(single.clone());
            let learned = if options.is_linear() {
                alone.learn_linear(data, gram, inner, watch)
            } else {
                scorers
                    .iter_mut()
                    .for_each(|scorer| scorer.restrict_all(vec![model]));
                let learned = alone.learn_families(data, scorers, inner, watch);
                scorers
                    .iter_mut()
                    .for_each(|scorer| scorer.restrict_all((0..models).collect()));
                learned
            };
            let Some(mut learned) = if_fitted(learned)? else {
                single.found.push(None);
                continue;
            };
            learned.count(&mut single.counts);
            if learned.found.ending == Ending::Stopped {
                learned.network = self.fit_mixture(data, &learned.found.dag, scorers)?;
                return Ok(learned);
            }
            single.found.push(Some(learned.found.dag.edges().collect()));
            // The observer is told of the restart.
            single.counts.moves += 1;
        }
        let networks = single.networks(request.start.len())?;
        let start = best_of(&scorers[0], networks).unwrap_or_else(|| request.start.clone());
        watch.continue_with(single.clone());
        let inner = SearchRequest {
            plan: request.plan,
            start: start.clone(),
            resume: resume.take(),
        };
        let mut learned = self.learn_families(data, scorers, inner, watch)?;
        learned.count(&mut single.counts);
        // The final fits are more accurate than those of the search, and may rank networks
        // differently.
        let from = self.fit_mixture(data, &start, scorers)?;
        if value(&from) > value(&learned.network) {
            learned.found.dag = start;
            learned.network = from;
        }
        Ok(learned)
    }

    fn fit_mixture(
        &self,
        data: &Completed,
        dag: &Dag,
        [searched, written]: &[FamilyScorer; 2],
    ) -> Result<Network> {
        let scorers = Scorers {
            compared: searched,
            written,
        };
        self.fit_any(data, dag, scorers)
    }
}

fn value(network: &Network) -> f64 {
    network
        .score
        .as_ref()
        .map_or(f64::NEG_INFINITY, |score| score.value)
}

/// The network with the highest score, the first of several; `None` if none can be fitted.
fn best_of(scorer: &FamilyScorer, networks: Vec<Dag>) -> Option<Dag> {
    let score = |dag: &Dag| -> Option<f64> {
        (0..dag.len())
            .map(|child| scorer.score(child, dag.parents(child)))
            .sum()
    };
    let mut best: Option<(f64, Dag)> = None;
    for dag in networks {
        if let Some(score) = score(&dag)
            && best.as_ref().is_none_or(|(known, _)| score > *known)
        {
            best = Some((score, dag));
        }
    }
    best.map(|(_, dag)| dag)
}
