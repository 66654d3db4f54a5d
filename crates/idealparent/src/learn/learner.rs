//! One search over prepared data, and the fit of the network it finds.

use std::time::Instant;

use super::checkpoint::CheckpointParts;
use super::parameters::Scorers;
use super::prepared::Prepared;
use super::price::learn_priced;
use super::strategy::{SearchTask, TaskResult, TaskScorer, if_fitted, linear_selector, unfit};
use super::{HiddenAttempt, LearnOptions, Learned, Observer, Strategy};
use crate::cpd::CpdKind;
use crate::data::{Completed, unit_variance};
use crate::error::{Error, Message, Result};
use crate::family::{FamilyModel, Gram, Profiles};
use crate::graph::Dag;
use crate::network::Network;
use crate::score::{Evaluations, FamilyScorer, Gamma, GramScorer, Prices, ScoreKind, ScoreOptions};
use crate::search::{
    CandidatesUsed, Ending, Plan, SearchKind, SearchObserver, SearchResult, SearchState,
};

/// A prepared table with the options and the strategy to learn from it.
#[derive(Clone, Copy)]
pub(super) struct Learner<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) options: &'a LearnOptions,
    /// EBIC's gamma; [`Gamma::Auto`] until it is chosen, if the options leave it open.
    pub(super) gamma: Gamma,
    pub(super) strategy: &'a dyn Strategy,
    /// Hash of the data, options and strategy, for checkpoints.
    pub(super) fingerprint: &'a str,
}

/// The plan and the starting point of a search.
pub(super) struct SearchRequest<'a> {
    pub(super) plan: &'a Plan,
    pub(super) start: Dag,
    pub(super) resume: Option<&'a SearchState>,
}

/// A learned network, and the work it took.
pub(super) struct LearnedNetwork {
    pub(super) network: Network,
    pub(super) found: SearchResult,
    /// Whether an exact search found the network.
    pub(super) is_exact: bool,
    /// Number of families scored for a move that no density could fit.
    pub(super) rejected: u64,
    /// Mean share of values outside a link's image, if a measure inverts the link.
    pub(super) clamped: Option<f64>,
    /// Iterations of structural EM.
    pub(super) iterations: usize,
    /// Hidden variables that were tried.
    pub(super) attempts: Vec<HiddenAttempt>,
    /// Notes for the user, one line each.
    pub(super) notes: Vec<Message>,
}

impl LearnedNetwork {
    fn new(network: Network, structure: TaskResult) -> Self {
        let found = structure.found;
        LearnedNetwork {
            network,
            is_exact: found.search == SearchKind::Exact && found.ending == Ending::Maximum,
            found,
            rejected: structure.rejected,
            clamped: structure.clamped,
            iterations: 0,
            attempts: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A network that no search has changed, with all counts zero.
    pub(super) fn given(network: Network, search: SearchKind) -> Self {
        let found = SearchResult {
            dag: network.dag(),
            search,
            rounds: 0,
            ending: Ending::Maximum,
            moves: 0,
            evaluations: Evaluations::default(),
            candidates: CandidatesUsed::default(),
        };
        LearnedNetwork::new(network, found.into())
    }

    /// The result of the run; `began` is when it started.
    pub(super) fn finished(self, prepared: &Prepared, began: Instant) -> Learned {
        let LearnedNetwork { network, found, .. } = self;
        Learned {
            is_bound: prepared.gives_bound(&network),
            optimal: self.is_exact
                && found.ending == Ending::Maximum
                && prepared.holes.count == 0
                && !network.has_hidden(),
            network,
            search: found.search,
            rounds: found.rounds,
            instances: prepared.table.rows(),
            iterations: self.iterations,
            attempts: self.attempts,
            ending: found.ending,
            moves: found.moves,
            evaluations: found.evaluations,
            candidates: found.candidates,
            rejected: self.rejected,
            clamped: self.clamped,
            seconds: began.elapsed().as_secs_f64(),
            notes: [&prepared.columns.notes[..], &self.notes[..]].concat(),
        }
    }
}

impl<'a> Learner<'a> {
    /// The same learner for another table.
    pub(super) fn on<'b>(self, prepared: &'b Prepared) -> Learner<'b>
    where
        'a: 'b,
    {
        Learner { prepared, ..self }
    }

    /// The same learner with a value of EBIC's gamma.
    pub(super) fn at(self, gamma: Gamma) -> Self {
        Learner { gamma, ..self }
    }

    /// Learns from complete data. If EBIC's gamma is open, it is chosen; `resume` holds the state
    /// of that choice in an interrupted run.
    pub(super) fn learn_complete(
        &self,
        data: &Completed,
        request: SearchRequest,
        resume: Option<&CheckpointParts>,
        observer: &mut dyn Observer,
    ) -> Result<LearnedNetwork> {
        let price = resume.and_then(|parts| parts.price.as_ref());
        let mut single = resume.and_then(|parts| parts.single.clone());
        let gram = self.gram(data);
        if self.options.is_linear() {
            return learn_priced(
                *self,
                request,
                price,
                observer,
                |learner, request, watch| learner.learn_linear(data, &gram, request, watch),
            );
        }
        let profiles = Profiles::expected(data, &gram);
        let mut scorers = self.scorers(&profiles);
        learn_priced(
            *self,
            request,
            price,
            observer,
            |learner, request, watch| {
                // Fits do not depend on prices, so they are kept.
                scorers
                    .iter_mut()
                    .for_each(|scorer| scorer.set_prices(learner.prices()));
                learner.learn_mixture(data, &gram, &mut scorers, request, single.take(), watch)
            },
        )
    }

    /// Searches for a structure and fits its parameters.
    pub(super) fn learn(
        &self,
        data: &Completed,
        request: SearchRequest,
        observer: &mut dyn SearchObserver,
    ) -> Result<LearnedNetwork> {
        let gram = self.gram(data);
        if self.options.is_linear() {
            return self.learn_linear(data, &gram, request, observer);
        }
        let profiles = Profiles::expected(data, &gram);
        self.learn_families(data, &self.scorers(&profiles), request, observer)
    }

    pub(super) fn learn_linear(
        &self,
        data: &Completed,
        gram: &Gram,
        request: SearchRequest,
        observer: &mut dyn SearchObserver,
    ) -> Result<LearnedNetwork> {
        let scorer = self.linear_scorer(gram)?;
        let task = self.task(data, TaskScorer::Linear(&scorer), request);
        let structure = self.strategy.search(&task, observer)?;
        let network = self.fit_linear(data, &structure.found.dag, &scorer)?;
        Ok(LearnedNetwork::new(network, structure))
    }

    pub(super) fn learn_families(
        &self,
        data: &Completed,
        [searched, written]: &[FamilyScorer; 2],
        request: SearchRequest,
        observer: &mut dyn SearchObserver,
    ) -> Result<LearnedNetwork> {
        let task = self.task(data, TaskScorer::Families(searched), request);
        let structure = self.strategy.search(&task, observer)?;
        let scorers = Scorers {
            compared: searched,
            written,
        };
        let network = self.fit_any(data, &structure.found.dag, scorers)?;
        Ok(LearnedNetwork::new(network, structure))
    }

    /// The scorer of a search, and that of its result, which is fitted more accurately than the
    /// candidates.
    fn scorers<'p>(&self, profiles: &'p Profiles<'p>) -> [FamilyScorer<'p>; 2] {
        let models = [self.options.search_models(), self.options.models()];
        models.map(|models| self.scorer(profiles, models))
    }

    fn task<'b>(
        &'b self,
        data: &'b Completed<'b>,
        scorer: TaskScorer<'b>,
        request: SearchRequest<'b>,
    ) -> SearchTask<'b> {
        SearchTask {
            data,
            options: self.options,
            scorer,
            score: self.score_options(),
            prices: self.prices(),
            variables: self.prepared.columns.active(),
            constraints: &self.prepared.constraints,
            names: self.prepared.table.names(),
            plan: request.plan,
            start: request.start,
            resume: request.resume,
        }
    }

    /// Hill climbing on pairwise correlations, each computed from the instances where both
    /// variables are observed. `None` if these correlations cannot fit the start.
    ///
    /// This is the only search that does not go through [`Strategy::search`]: it finds a first
    /// guess for EM, and all strategies begin from the same one.
    pub(super) fn pairwise_structure(
        &self,
        request: &SearchRequest,
        observer: &mut dyn SearchObserver,
    ) -> Result<Option<SearchResult>> {
        let gram = Gram::pairwise(self.prepared.table.columns());
        let data = Completed::complete(self.prepared.table.columns());
        let scorer = self.linear_scorer(&gram)?;
        let selector = linear_selector(&scorer, self.options);
        let plan = request.plan.hill();
        let request = SearchRequest {
            plan: &plan,
            start: request.start.clone(),
            resume: None,
        };
        let task = self.task(&data, TaskScorer::Linear(&scorer), request);
        // Pairwise correlations may be inconsistent, so an unfit start is not an error of the user.
        if_fitted(task.run(&scorer, &selector, observer))
    }

    /// The Gram matrix of the data.
    pub(super) fn gram(&self, data: &Completed) -> Gram {
        // Only BGe depends on the scale of the columns.
        if self.options.standardize && self.options.score == ScoreKind::Bge {
            Gram::new(&unit_variance(data.means()))
        } else {
            Gram::expected(data)
        }
    }

    /// A scorer of linear families.
    pub(super) fn linear_scorer<'g>(&self, gram: &'g Gram) -> Result<GramScorer<'g>> {
        GramScorer::new(gram, self.prepared.columns.active(), &self.score_options())
    }

    /// The score and its settings, with the current value of EBIC's gamma.
    pub(super) fn score_options(&self) -> ScoreOptions {
        ScoreOptions {
            gamma: self.gamma,
            ..self.options.score_options()
        }
    }

    /// The penalties per parameter and per edge.
    pub(super) fn prices(&self) -> Prices {
        let m = self.prepared.table.rows() as f64;
        let active = self.prepared.columns.active();
        self.score_options().prices(m, active)
    }

    /// A scorer of families of any kind; `models` are the densities of the options, in their order.
    pub(super) fn scorer<'p>(
        &self,
        profiles: &'p Profiles<'p>,
        models: Vec<Box<dyn FamilyModel>>,
    ) -> FamilyScorer<'p> {
        let Prepared { columns, kinds, .. } = self.prepared;
        let mut scorer = FamilyScorer::new(profiles, models, self.prices());
        for (v, &hidden) in columns.hidden.iter().enumerate() {
            let is_allowed = |kind: &CpdKind| match kinds.get(&v) {
                // Hidden variables depend linearly on their parents.
                _ if hidden => *kind == CpdKind::Linear,
                Some(allowed) => allowed.contains(kind),
                None => true,
            };
            let cpds = self.options.cpd.iter().enumerate();
            let allowed = cpds.filter(|(_, kind)| is_allowed(kind));
            let allowed: Vec<usize> = allowed.map(|(model, _)| model).collect();
            // If no density is linear, hidden variables have no parents, and any density will do.
            if !allowed.is_empty() {
                scorer.restrict(v, allowed);
            }
        }
        scorer
    }

    /// The error for a family that cannot be fitted.
    pub(super) fn unfit(&self, child: usize) -> Error {
        let table = &self.prepared.table;
        unfit(&table.names()[child], table.rows())
    }
}
