//! One search over data, complete or completed.

use crate::data::{Completed, unit_variance};
use crate::error::Result;
use crate::family::{Gram, Profiles};
use crate::graph::Dag;
use crate::hidden::HiddenAttempt;
use crate::ideal::{Budget, Estimating, Exhaustive, FamilySelector, GramSelector, Selector};
use crate::network::Network;
use crate::options::{Candidates, Illegal, LearnOptions, Method, MomentsKind};
use crate::score::{Evaluations, FamilyScorer, GramScorer, ResolvingScorer, ScoreKind, Scorer};
use crate::search::{
    self, CandidatesUsed, Checkpoint, Ending, Failure, Found, Observer, Plan, Problem, SearchKind,
};

use super::Prepared;
use super::parameters::Scorers;

/// From where and in which way a search goes.
pub(crate) struct How<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) start: Dag,
    pub(crate) resume: Option<&'a Checkpoint>,
}

/// What a search came to.
pub(crate) struct Pass {
    pub(crate) found: Found,
    pub(crate) network: Network,
    /// Families scored for a move that could not be fitted.
    pub(crate) rejected: u64,
    /// Mean share of values outside a link's image, where it matters.
    pub(crate) clamped: Option<f64>,
    /// Iterations of structural EM.
    pub(crate) iterations: usize,
    /// Hidden variables that were tried.
    pub(crate) attempts: Vec<HiddenAttempt>,
    /// What a user should be told, a line each.
    pub(crate) notes: Vec<String>,
}

impl Pass {
    /// Before any search.
    pub(crate) fn nothing_yet(network: &Network, search: SearchKind) -> Self {
        Pass {
            found: Found {
                dag: network.dag(),
                search,
                rounds: 0,
                ending: Ending::Maximum,
                moves: 0,
                evaluations: Evaluations::default(),
                candidates: CandidatesUsed::default(),
            },
            network: network.clone(),
            rejected: 0,
            clamped: None,
            iterations: 0,
            attempts: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl Prepared {
    /// Searches for a structure and fits its parameters.
    pub(crate) fn pass(
        &self,
        data: &Completed,
        options: &LearnOptions,
        how: How,
        observer: &mut dyn Observer,
    ) -> Result<Pass> {
        let gram = self.gram(data, options);
        let budget = budget(options);
        let width = data.width();
        let exhaustive = match options.illegal {
            Illegal::Keep => Exhaustive::blind(width),
            Illegal::Refill | Illegal::Drop => Exhaustive::new(width),
        };
        if options.is_linear() {
            let scorer = GramScorer::new(&gram, self.columns.active(), &options.score)?;
            let by_means = options.moments == MomentsKind::Means && !data.is_complete();
            let means =
                (options.method == Method::Ideal && by_means).then(|| Gram::new(data.means()));
            let of_means = |means| GramScorer::new(means, self.columns.active(), &options.score);
            let of_means = means.as_ref().map(of_means).transpose()?;
            // What candidates are compared by.
            let seen = of_means.as_ref().unwrap_or(&scorer);
            let ideal = Estimating::new(GramSelector::ideal(seen, options.measure, budget));
            let found = match options.method {
                method if options.resolve || options.forget => {
                    let mut resolving = ResolvingScorer::new(data, self.prices(options));
                    if options.forget {
                        resolving = resolving.forgetful();
                    }
                    let selector: &dyn Selector = match method {
                        Method::Greedy => &exhaustive,
                        Method::Ideal => &ideal,
                    };
                    self.search(&resolving, selector, options, how, observer)?
                }
                Method::Ideal if by_means => {
                    self.search(&scorer, &ideal, options, how, observer)?
                }
                _ => {
                    let selector = selector(&scorer, options);
                    self.search(&scorer, &selector, options, how, observer)?
                }
            };
            return Ok(Pass {
                network: self.fit(data, &found.dag, &scorer, options)?,
                found,
                rejected: 0,
                clamped: None,
                iterations: 0,
                attempts: Vec::new(),
                notes: Vec::new(),
            });
        }
        let profiles = Profiles::expected(data, &gram, options.moments == MomentsKind::Full);
        let mut scorer =
            FamilyScorer::new(&profiles, options.search_models(), self.prices(options));
        if options.forget {
            scorer = scorer.forgetful();
        }
        self.keep_hidden_linear(&mut scorer, options);
        let selector = FamilySelector::new(&scorer, options.measure, budget);
        let chosen: &dyn Selector = match (options.method, budget) {
            // A K that no child has more candidates than leaves nothing to rank.
            (Method::Ideal, Budget::Top(k) | Budget::Queue(k) | Budget::Blind(k))
                if k + 1 < width =>
            {
                &selector
            }
            (Method::Ideal, Budget::Auto) => &selector,
            _ => &exhaustive,
        };
        let found = self.search(&scorer, chosen, options, how, observer)?;
        // What is written is fitted with more care than what is compared.
        let mut careful = FamilyScorer::new(&profiles, options.models(), self.prices(options));
        self.keep_hidden_linear(&mut careful, options);
        let scorers = Scorers {
            compared: &scorer,
            written: &careful,
        };
        Ok(Pass {
            network: self.fit_any(data, &found.dag, scorers, options)?,
            found,
            rejected: scorer.rejected(),
            clamped: selector.clamped(),
            iterations: 0,
            attempts: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Parameters of a structure.
    pub(crate) fn parameters(
        &self,
        data: &Completed,
        dag: &Dag,
        options: &LearnOptions,
    ) -> Result<Network> {
        let gram = self.gram(data, options);
        if options.is_linear() {
            let scorer = GramScorer::new(&gram, self.columns.active(), &options.score)?;
            return self.fit(data, dag, &scorer, options);
        }
        let profiles = Profiles::expected(data, &gram, true);
        let mut scorer = FamilyScorer::new(&profiles, options.models(), self.prices(options));
        self.keep_hidden_linear(&mut scorer, options);
        self.fit_any(data, dag, Scorers::same(&scorer), options)
    }

    /// What hill climbing finds from the correlations of pairs of variables where both were observed; `None` if that is none that can be
    /// fitted.
    pub(crate) fn pairwise_structure(
        &self,
        options: &LearnOptions,
        how: &How,
        observer: &mut dyn Observer,
    ) -> Result<Option<Found>> {
        let gram = Gram::pairwise(self.table.columns());
        let scorer = GramScorer::new(&gram, self.columns.active(), &options.score)?;
        let selector = selector(&scorer, options);
        let plan = Plan {
            search: SearchKind::Hill,
            restarts: 0,
            ..how.plan.clone()
        };
        let how = How {
            plan: &plan,
            start: how.start.clone(),
            resume: None,
        };
        // A start whose families these correlations contradict is no mistake of the user's.
        let found = self.search(&scorer, &selector, options, how, observer);
        Ok(found.ok())
    }

    /// Moments of the data.
    pub(super) fn gram(&self, data: &Completed, options: &LearnOptions) -> Gram {
        // The other scores do not depend on scale, so theirs is the score in the data's own units.
        match options.standardize && options.score.kind == ScoreKind::Bge {
            true => Gram::new(&unit_variance(data.means())),
            false => Gram::expected(data),
        }
    }

    fn search(
        &self,
        scorer: &dyn Scorer,
        selector: &dyn Selector,
        options: &LearnOptions,
        how: How,
        observer: &mut dyn Observer,
    ) -> Result<Found> {
        let problem = Problem {
            scorer,
            selector,
            constraints: &self.constraints,
            moves: options.moves,
        };
        let found = search::search(problem, how.plan, how.start, how.resume, observer);
        found.map_err(|failure| match failure {
            Failure::Unfit(child) => self.unfit(child),
            Failure::Checkpoint(error) => error,
        })
    }
}

/// How many candidates deserve a score.
fn budget(options: &LearnOptions) -> Budget {
    match options.candidates {
        Candidates::Top(k) => match options.illegal {
            Illegal::Refill => Budget::Top(k),
            Illegal::Drop => Budget::Queue(k),
            Illegal::Keep => Budget::Blind(k),
        },
        Candidates::All => Budget::All,
        Candidates::Auto => Budget::Auto,
    }
}

/// The ranking of linear candidates by the moments that score them.
fn selector<'a>(scorer: &'a GramScorer<'a>, options: &LearnOptions) -> GramSelector<'a> {
    match options.method {
        Method::Greedy => GramSelector::greedy(scorer),
        Method::Ideal => GramSelector::ideal(scorer, options.measure, budget(options)),
    }
}
