//! How a run searches: the library's own way, and the door for others.

use super::{Candidates, LearnOptions, Method};
use crate::data::Completed;
use crate::error::{Error, Result};
use crate::graph::{Constraints, Dag};
use crate::ideal::{Budget, Exhaustive, FamilySelector, GramSelector, Selector};
use crate::score::{FamilyScorer, GramScorer, Prices, Scorer};
use crate::search::{self, Failure, Found, Plan, Problem, SearchObserver, SearchState};

/// What a run leaves to choice beyond its options: how structures are searched for, and what a cluster of ideal parents
/// is worth. Every method has the library's own answer as its default.
///
/// The experiments of the paper replace some of it, to repeat what was done in 2004.
pub trait Strategy: Sync {
    /// Searches for a structure over data, complete or completed.
    fn search(
        &self,
        task: &SearchTask,
        observer: &mut dyn SearchObserver,
    ) -> Result<StructureFound> {
        task.search(observer)
    }

    /// What a cluster of children adds to the log-likelihood when a hidden variable becomes their parent.
    fn cluster_score(&self) -> &dyn ClusterScore {
        &IntegratedScore
    }
}

/// The library's own strategy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl Strategy for Standard {}

/// What a cluster of variables with similar ideal parents is worth (section 4.2).
pub trait ClusterScore: Sync {
    /// What a hidden parent of the cluster adds to the log-likelihood; `eigenvalue` is the largest of the members'
    /// similarities, the paper's gamma over M.
    fn worth(&self, instances: f64, eigenvalue: f64) -> f64;

    /// Whether a cluster is proposed as it was merged, at its worth. Otherwise what chance makes of as many members is
    /// taken off while merging, and members that do not pay for their edge leave before it is proposed.
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
    /// Where an earlier search was interrupted.
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
                let budget = self.options.budget();
                let selector = FamilySelector::new(scorer, self.options.measure, budget);
                let exhaustive = Exhaustive::new(self.data.width());
                let chosen: &dyn Selector = match (self.options.method, budget) {
                    (Method::Ideal, Budget::Auto) => &selector,
                    // A K that no child has more candidates than leaves nothing to rank.
                    (Method::Ideal, Budget::Top(k)) if k + 1 < self.data.width() => &selector,
                    _ => &exhaustive,
                };
                Ok(StructureFound {
                    found: self.run(scorer, chosen, observer)?,
                    rejected: scorer.rejected(),
                    clamped: selector.clamped(),
                })
            }
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

    /// The error for a family that cannot be fitted.
    pub fn unfit(&self, child: usize) -> Error {
        unfit(&self.names[child], self.data.instances())
    }
}

/// The error for a family that cannot be fitted.
pub(super) fn unfit(name: &str, instances: usize) -> Error {
    Error::Data(format!(
        "the family of '{name}' cannot be fitted: its parents are collinear, or too many for {instances} instances"
    ))
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
