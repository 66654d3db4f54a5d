//! How a run searches: the library's own way, and the door for others.

use serde_json::{Map, Value};

use super::{Candidates, LearnOptions, Method};
use crate::data::Completed;
use crate::error::{Error, Result, quoted};
use crate::graph::{Constraints, Dag};
use crate::ideal::{Budget, Exhaustive, FamilySelector, GramSelector, Selector};
use crate::score::{FamilyScorer, GramScorer, Prices, Scorer};
use crate::search::{self, Failure, Found, Plan, Problem, SearchObserver, SearchState};

/// What a run leaves to choice beyond its options: how structures are searched for, and what a
/// cluster of ideal parents is worth. The library's own answers are the defaults; a strategy has to
/// say how it differs from them.
///
/// The experiments of the paper replace some of it, to repeat what was done in 2004.
pub trait Strategy: Sync {
    /// Searches for a structure over data, complete or completed.
    ///
    /// May be called from several threads at once: hidden variables are compared by short searches
    /// side by side, each with an observer that never stops. [`SearchTask::run`] continues from
    /// [`SearchTask::resume`] and hands states over to the observer; a search that goes its own way
    /// is not [resumable](Strategy::is_resumable).
    ///
    /// An [`Error::Unfit`] says that the start cannot be fitted: where the start is only a trial,
    /// as of a hidden variable, that ends the trial. Any other error ends the run.
    fn search(
        &self,
        task: &SearchTask,
        observer: &mut dyn SearchObserver,
    ) -> Result<StructureFound> {
        task.search(observer)
    }

    /// What a cluster of children adds to the log-likelihood when a hidden variable becomes their
    /// parent.
    fn cluster_score(&self) -> &dyn ClusterScore {
        &IntegratedScore
    }

    /// Whether a run can be continued from a checkpoint.
    ///
    /// Not so where a search keeps a state of its own besides [`SearchTask::run`]'s, or where its
    /// rankings depend on more than the graph: such runs are refused a checkpoint to resume from.
    fn is_resumable(&self) -> bool {
        true
    }

    /// Everything that tells this strategy from others, under names that no option has.
    ///
    /// It is written into the network file beside the options, and a checkpoint is refused by a
    /// strategy with another record.
    fn record(&self) -> Map<String, Value>;
}

/// The library's own strategy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl Strategy for Standard {
    fn record(&self) -> Map<String, Value> {
        Map::new()
    }
}

/// What a cluster of variables with similar ideal parents is worth (section 4.2).
pub trait ClusterScore: Sync {
    /// What a hidden parent of the cluster adds to the log-likelihood; `eigenvalue` is the largest
    /// of the members' similarities, the paper's gamma over M.
    fn worth(&self, instances: f64, eigenvalue: f64) -> f64;

    /// Whether clusters are proposed exactly as they were merged.
    ///
    /// If not, what as many unrelated variables would be worth is subtracted while merging, and
    /// members that do not pay for their edge are removed before the cluster is proposed.
    fn takes_whole(&self) -> bool {
        false
    }
}

/// The likelihood that a hidden N(0, 1) parent adds, with its values integrated out.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegratedScore;

impl ClusterScore for IntegratedScore {
    fn worth(&self, instances: f64, eigenvalue: f64) -> f64 {
        0.5 * instances * (eigenvalue - 1.0 - eigenvalue.ln())
    }
}

/// One search that a run asks for.
pub struct SearchTask<'a> {
    /// The data, complete or completed.
    pub data: &'a Completed<'a>,
    /// What the user asked for.
    pub options: &'a LearnOptions,
    /// Scores families of these data.
    pub scorer: TaskScorer<'a>,
    /// What parameters and edges cost.
    pub prices: Prices,
    /// Number of observed variables that vary.
    pub variables: usize,
    /// What is known beforehand.
    pub constraints: &'a Constraints,
    /// Names of the variables, for messages.
    pub names: &'a [String],
    /// How to search.
    pub plan: &'a Plan,
    /// Where to begin.
    pub start: Dag,
    /// Where an earlier search was interrupted, to go on from there instead of from `start`.
    pub resume: Option<&'a SearchState>,
}

/// The scorer of a search over linear families, or over families of any kinds.
#[derive(Clone, Copy)]
pub enum TaskScorer<'a> {
    /// From second moments.
    Linear(&'a GramScorer<'a>),
    /// By fits.
    Families(&'a FamilyScorer<'a>),
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct StructureFound {
    /// The structure, and the work it took.
    pub found: Found,
    /// Families scored for a move that could not be fitted.
    pub rejected: u64,
    /// Mean share of values outside a link's image, where it matters.
    pub clamped: Option<f64>,
}

impl From<Found> for StructureFound {
    fn from(found: Found) -> Self {
        StructureFound {
            found,
            rejected: 0,
            clamped: None,
        }
    }
}

impl SearchTask<'_> {
    /// The search that the options ask for.
    pub fn search(&self, observer: &mut dyn SearchObserver) -> Result<StructureFound> {
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
                Ok(StructureFound {
                    found: self.run(scorer, selector, observer)?,
                    rejected: scorer.rejected(),
                    clamped: ideal.clamped(),
                })
            }
        }
    }

    /// The selector that the options ask for where families are fitted: `ideal` if there is
    /// something to rank, else `exhaustive`.
    pub fn selector<'s>(
        &self,
        ideal: &'s dyn Selector,
        exhaustive: &'s dyn Selector,
    ) -> &'s dyn Selector {
        match (self.options.method, self.options.budget()) {
            (Method::Ideal, Budget::Auto) => ideal,
            // A child has at most `width - 1` candidates: a K of as many ranks nothing.
            (Method::Ideal, Budget::Top(k)) if k + 1 < self.data.width() => ideal,
            _ => exhaustive,
        }
    }

    /// A search with a scorer and a selector of one's own.
    pub fn run(
        &self,
        scorer: &dyn Scorer,
        selector: &dyn Selector,
        observer: &mut dyn SearchObserver,
    ) -> Result<Found> {
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
        })
    }

    /// The error for a family that cannot be fitted, an [`Error::Unfit`].
    pub fn unfit(&self, child: usize) -> Error {
        unfit(&self.names[child], self.data.instances())
    }
}

/// The error for a family that cannot be fitted.
pub(crate) fn unfit(name: &str, instances: usize) -> Error {
    let name = quoted(name);
    Error::Unfit(format!(
        "the family of {name} cannot be fitted: its parents are collinear, or too many for {instances} instances"
    ))
}

/// The error of a fitted network that is of no use (variances too unequal, a number that is not
/// finite) as that of a structure that cannot be fitted.
pub(super) fn unusable(error: Error) -> Error {
    match error {
        Error::Data(problem) => Error::Unfit(problem),
        other => other,
    }
}

/// `None` if a structure cannot be fitted; any other error stays one.
pub(super) fn if_fitted<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Unfit(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

impl LearnOptions {
    /// How many candidates deserve a score.
    pub fn budget(&self) -> Budget {
        match self.candidates {
            Candidates::Top(k) => Budget::Top(k),
            Candidates::All => Budget::All,
            Candidates::Auto => Budget::Auto,
        }
    }
}

/// The ranking of linear candidates by the moments that score them.
pub(super) fn linear_selector<'a>(
    scorer: &'a GramScorer<'a>,
    options: &LearnOptions,
) -> GramSelector<'a> {
    match options.method {
        Method::Greedy => GramSelector::greedy(scorer),
        Method::Ideal => GramSelector::ideal(scorer, options.measure, options.budget()),
    }
}
