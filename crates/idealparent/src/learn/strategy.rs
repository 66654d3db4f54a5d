//! Strategies: how a run searches. The library has a standard strategy, and users can add others.

use serde_json::{Map, Value};

use super::{Candidates, LearnOptions, Method};
use crate::data::Completed;
use crate::error::{Error, Result, quoted};
use crate::graph::{Constraints, Dag};
use crate::ideal::{Budget, Exhaustive, FamilySelector, GramSelector, Selector};
use crate::score::{FamilyScorer, GramScorer, Prices, ScoreOptions, Scorer};
use crate::search::{self, Failure, Plan, Problem, SearchObserver, SearchResult, SearchState};

/// The parts of a run that the options do not cover: how structures are searched, and how clusters
/// of ideal parents are scored. The default methods are those of the library. A strategy must
/// record how it differs from them.
///
/// The paper's experiments use strategies to reproduce the procedures of 2004.
///
/// ```
/// use idealparent::extend::{SearchObserver, SearchTask, Strategy, TaskResult, learn_by};
/// use idealparent::{LearnOptions, Result, example};
/// use serde_json::{Map, Value, json};
///
/// /// Climbs once, whatever search the options name.
/// struct Climb;
///
/// impl Strategy for Climb {
///     fn search(
///         &self,
///         task: &SearchTask,
///         observer: &mut dyn SearchObserver,
///     ) -> Result<TaskResult> {
///         let plan = task.plan.hill();
///         SearchTask { plan: &plan, start: task.start.clone(), ..*task }.search(observer)
///     }
///
///     fn record(&self) -> Map<String, Value> {
///         Map::from_iter([("strategy".to_string(), json!("climb"))])
///     }
/// }
///
/// let table = example("sachs")?.table();
/// let mut options = LearnOptions::default();
/// options.set("gamma", "1")?;
/// let learned = learn_by(&Climb, &table, &options, None, &mut ())?;
/// assert_eq!(learned.rounds, 1);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub trait Strategy: Sync {
    /// Searches for a structure. The data are complete, or missing values have been replaced by
    /// their expectations.
    ///
    /// May be called from several threads at once: hidden variables are compared by short searches
    /// in parallel, each with an observer that never stops. [`SearchTask::run`] continues from
    /// [`SearchTask::resume`] and passes its states to the observer. A search that does not use it
    /// is not [resumable](Strategy::is_resumable).
    ///
    /// Return [`Error::Unfit`] if the start cannot be fitted. If the search is part of an attempt
    /// to add a hidden variable, this error only ends the attempt. Any other error ends the run.
    fn search(&self, task: &SearchTask, observer: &mut dyn SearchObserver) -> Result<TaskResult> {
        task.search(observer)
    }

    /// How clusters of children with a common hidden parent are scored.
    fn cluster_score(&self) -> &dyn ClusterScore {
        &IntegratedScore
    }

    /// Whether a run can be resumed from a checkpoint.
    ///
    /// Return `false` if a search has state beyond that of [`SearchTask::run`], or if its rankings
    /// depend on more than the graph. Resuming such a run is an error.
    fn is_resumable(&self) -> bool {
        true
    }

    /// All settings that distinguish this strategy from others. The keys must not be names of
    /// options.
    ///
    /// The record is written to the network file together with the options. A checkpoint can only
    /// be resumed by a strategy with the same record.
    fn record(&self) -> Map<String, Value>;
}

/// The library's standard strategy.
///
/// `learn` uses it; for an example see `learn_by`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl Strategy for Standard {
    fn record(&self) -> Map<String, Value> {
        Map::new()
    }
}

/// Scores clusters of variables with similar ideal parents (section 4.2).
pub trait ClusterScore: Sync {
    /// The log-likelihood gained by a hidden parent of the cluster. `eigenvalue` is the largest
    /// eigenvalue of the members' similarity matrix, the paper's gamma divided by M.
    fn worth(&self, instances: f64, eigenvalue: f64) -> f64;

    /// Whether clusters are proposed exactly as they were merged. Default: `false`.
    ///
    /// If `false`, the score of as many unrelated variables is subtracted while merging, and
    /// members whose gain is below the penalty of their edge are removed before the cluster is
    /// proposed.
    fn takes_whole(&self) -> bool {
        false
    }
}

/// The log-likelihood gained by a hidden N(0, 1) parent, with its values integrated out.
///
/// The default of [`Strategy::cluster_score`]; see section 4.2 of the paper.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegratedScore;

impl ClusterScore for IntegratedScore {
    fn worth(&self, instances: f64, eigenvalue: f64) -> f64 {
        0.5 * instances * (eigenvalue - 1.0 - eigenvalue.ln())
    }
}

/// The inputs of one search of a run.
///
/// Passed to [`Strategy::search`].
pub struct SearchTask<'a> {
    /// The data, with missing values replaced by their expectations.
    pub data: &'a Completed<'a>,
    /// The user's options.
    pub options: &'a LearnOptions,
    /// Scores families on these data.
    pub scorer: TaskScorer<'a>,
    /// The score and its settings, with the current value of EBIC's gamma.
    pub score: ScoreOptions,
    /// The penalties per parameter and per edge.
    pub prices: Prices,
    /// Number of observed variables that vary.
    pub variables: usize,
    /// Constraints from prior knowledge.
    pub constraints: &'a Constraints,
    /// Names of the variables, for messages.
    pub names: &'a [String],
    /// The search plan.
    pub plan: &'a Plan,
    /// The graph to start from.
    pub start: Dag,
    /// The state of an interrupted search, to continue from instead of `start`.
    pub resume: Option<&'a SearchState>,
}

/// The scorer of a search: for linear families only, or for families of any kind.
///
/// Part of a [`SearchTask`].
#[derive(Clone, Copy)]
pub enum TaskScorer<'a> {
    /// Scores linear families from second moments.
    Linear(&'a GramScorer<'a>),
    /// Scores families by fitting them.
    Families(&'a FamilyScorer<'a>),
}

/// The result of a search.
///
/// Returned by [`Strategy::search`].
#[derive(Clone, Debug)]
pub struct TaskResult {
    /// The structure found, and the work it took.
    pub found: SearchResult,
    /// Number of families scored for a move that no density could fit.
    pub rejected: u64,
    /// Mean share of values outside a link's image, if a measure inverts the link.
    pub clamped: Option<f64>,
}

impl From<SearchResult> for TaskResult {
    fn from(found: SearchResult) -> Self {
        TaskResult {
            found,
            rejected: 0,
            clamped: None,
        }
    }
}

impl SearchTask<'_> {
    /// Runs the search that the options specify.
    pub fn search(&self, observer: &mut dyn SearchObserver) -> Result<TaskResult> {
        match self.scorer {
            TaskScorer::Linear(scorer) => {
                let selector = linear_selector(scorer, self.options);
                Ok(self.run(scorer, &selector, observer)?.into())
            }
            TaskScorer::Families(scorer) => {
                let (measure, budget) = (self.options.measure, self.options.budget());
                let ideal = FamilySelector::new(scorer, measure, budget);
                let exhaustive = Exhaustive::new(self.data.width());
                let selector = self.selector(&ideal, &exhaustive);
                Ok(TaskResult {
                    found: self.run(scorer, selector, observer)?,
                    rejected: scorer.rejected(),
                    clamped: ideal.clamped(),
                })
            }
        }
    }

    /// The selector that the options specify for families that are fitted: `ideal` if the ranking
    /// can exclude candidates, otherwise `exhaustive`.
    pub fn selector<'s>(
        &self,
        ideal: &'s dyn Selector,
        exhaustive: &'s dyn Selector,
    ) -> &'s dyn Selector {
        match (self.options.method, self.options.budget()) {
            (Method::Ideal, Budget::Auto) => ideal,
            // A child has at most `width - 1` candidates. With a K this large, all are scored.
            (Method::Ideal, Budget::Top(k)) if k + 1 < self.data.width() => ideal,
            _ => exhaustive,
        }
    }

    /// Runs the search with a given scorer and selector.
    pub fn run(
        &self,
        scorer: &dyn Scorer,
        selector: &dyn Selector,
        observer: &mut dyn SearchObserver,
    ) -> Result<SearchResult> {
        let problem = Problem {
            scorer,
            selector,
            constraints: self.constraints,
            moves: self.options.moves,
        };
        let found = search::search(
            problem,
            self.plan,
            self.start.clone(),
            self.resume,
            observer,
        );
        found.map_err(|failure| match failure {
            Failure::Unfit(child) => self.unfit(child),
            Failure::Damaged(error) => error,
            Failure::TooLarge(problem) => problem.error(self.names),
        })
    }

    /// The [`Error::Unfit`] for a family that cannot be fitted.
    pub fn unfit(&self, child: usize) -> Error {
        unfit(&self.names[child], self.data.instances())
    }
}

/// The error for a family that cannot be fitted.
pub(crate) fn unfit(name: &str, instances: usize) -> Error {
    let name = quoted(name);
    Error::unfit(format!(
        "the family of {name} cannot be fitted: its parents are collinear, or too many for {instances} instances"
    ))
}

/// Converts the error for an unusable fit (variances too unequal, a parameter that is not finite)
/// to [`Error::Unfit`].
pub(super) fn unusable(error: Error) -> Error {
    match error {
        Error::Data(problem) => Error::unfit(problem),
        other => other,
    }
}

/// Converts [`Error::Unfit`] to `None`; returns any other error.
pub(super) fn if_fitted<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Unfit(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

impl LearnOptions {
    /// How many candidates per slot are scored.
    pub fn budget(&self) -> Budget {
        match self.candidates {
            Candidates::Top(k) => Budget::Top(k),
            Candidates::All => Budget::All,
            Candidates::Auto => Budget::Auto,
        }
    }
}

/// The selector that the options specify for linear families. It ranks candidates by the moments of
/// the scorer.
pub(super) fn linear_selector<'a>(
    scorer: &'a GramScorer<'a>,
    options: &LearnOptions,
) -> GramSelector<'a> {
    match options.method {
        Method::Greedy => GramSelector::greedy(scorer),
        Method::Ideal => GramSelector::ideal(scorer, options.measure, options.budget()),
    }
}
