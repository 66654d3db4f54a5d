//! The paper's procedures as a [`Strategy`].

use idealparent::family::{Gram, Profiles};
use idealparent::ideal::{Exhaustive, FamilySelector, GramSelector, Selector};
use idealparent::learn::{
    ClusterScore, IntegratedScore, SearchTask, Strategy, TaskResult, TaskScorer,
};
use idealparent::score::{FamilyScorer, GramScorer, Scorer};
use idealparent::search::SearchObserver;
use idealparent::{Candidates, Method, Result};
use serde_json::{Map, Value, json};

use super::{
    AtOnce, Estimating, Faithful, Forgetful, Illegal, PaperClusters, Queue, ResolvingScorer,
    sparse_candidate,
};

impl Strategy for Faithful {
    fn search(&self, task: &SearchTask, observer: &mut dyn SearchObserver) -> Result<TaskResult> {
        match task.scorer {
            TaskScorer::Linear(scorer) => self.search_linear(task, scorer, observer),
            TaskScorer::Families(scorer) => self.search_families(task, scorer, observer),
        }
    }

    fn cluster_score(&self) -> &dyn ClusterScore {
        if self.clusters {
            &PaperClusters
        } else {
            &IntegratedScore
        }
    }

    /// A queue's choices and the state of the sparse search are not part of a checkpoint.
    fn is_resumable(&self) -> bool {
        self.illegal == Illegal::Refill && !self.sparse
    }

    fn record(&self) -> Map<String, Value> {
        let switches = [
            ("resolve", self.resolve, json!(true)),
            ("forget", self.forget, json!(true)),
            ("sparse", self.sparse, json!(true)),
            (
                "illegal",
                self.illegal != Illegal::Refill,
                json!(self.illegal.word()),
            ),
            ("moments", self.means, json!("means")),
            ("cluster_score", self.clusters, json!("paper")),
        ];
        let differing = switches.into_iter().filter(|(_, differs, _)| *differs);
        differing
            .map(|(key, _, value)| (key.to_string(), value))
            .collect()
    }
}

impl Faithful {
    fn search_linear(
        &self,
        task: &SearchTask,
        moments: &GramScorer,
        observer: &mut dyn SearchObserver,
    ) -> Result<TaskResult> {
        let options = task.options;
        let by_means = self.means && !task.data.is_complete();
        let means = by_means.then(|| Gram::new(task.data.means()));
        let of_means = |means| GramScorer::new(means, task.variables, &task.score);
        let of_means = means.as_ref().map(of_means).transpose()?;
        // The moments that candidates are compared by.
        let seen = of_means.as_ref().unwrap_or(moments);
        let resolving = ResolvingScorer::new(task.data, task.prices).forgetful(self.forget);
        let resolves = self.resolve || self.forget;
        let scorer: &dyn Scorer = if resolves { &resolving } else { moments };
        let exhaustive = Exhaustive::new(task.data.width());
        let ideal = GramSelector::ideal(seen, options.measure, options.budget());
        let greedy = GramSelector::greedy(moments);
        let estimating = Estimating::new(ideal.clone());
        let selector: &dyn Selector = match options.method {
            Method::Greedy if resolves => &exhaustive,
            Method::Greedy => &greedy,
            Method::Ideal if resolves || by_means => &estimating,
            _ => &ideal,
        };
        self.run(task, scorer, selector, observer)
    }

    fn search_families(
        &self,
        task: &SearchTask,
        own: &FamilyScorer,
        observer: &mut dyn SearchObserver,
    ) -> Result<TaskResult> {
        if !self.means || task.data.is_complete() {
            return self.search_fits(task, own, observer);
        }
        // The fits are the same, but rankings only use expected values.
        let gram = Gram::expected(task.data);
        let profiles = Profiles::expected(task.data, &gram).means_only();
        let models = task.options.search_models();
        let mut fits = FamilyScorer::new(&profiles, models, task.prices);
        for v in 0..task.data.width() {
            fits.restrict(v, own.allowed(v).to_vec());
        }
        self.search_fits(task, &fits, observer)
    }

    fn search_fits(
        &self,
        task: &SearchTask,
        fits: &FamilyScorer,
        observer: &mut dyn SearchObserver,
    ) -> Result<TaskResult> {
        let options = task.options;
        let forgetful = Forgetful::new(fits);
        let scorer: &dyn Scorer = if self.forget { &forgetful } else { fits };
        let ideal = FamilySelector::new(fits, options.measure, options.budget());
        let exhaustive = Exhaustive::new(task.data.width());
        let selector = task.selector(&ideal, &exhaustive);
        let mut structure = self.run(task, scorer, selector, observer)?;
        structure.rejected = forgetful.rejected();
        structure.clamped = ideal.clamped();
        Ok(structure)
    }

    /// Runs a search that treats candidates which would close a cycle as the switches say.
    fn run(
        &self,
        task: &SearchTask,
        scorer: &dyn Scorer,
        selector: &dyn Selector,
        observer: &mut dyn SearchObserver,
    ) -> Result<TaskResult> {
        if self.sparse {
            return Ok(sparse_candidate(task, scorer, selector, observer)?.into());
        }
        let size = match (task.options.method, task.options.candidates) {
            (Method::Ideal, Candidates::Top(k)) => Some(k),
            _ => None,
        };
        let found = match (self.illegal, size) {
            (Illegal::Drop, Some(k)) => {
                task.run(scorer, &Queue::of_legal(selector, k), observer)?
            }
            (Illegal::Keep, Some(k)) => {
                let queue = Queue::of_all(selector, k);
                let at_once = AtOnce::new(&queue, scorer);
                let mut found = task.run(scorer, &at_once, observer)?;
                at_once.correct(&mut found);
                found
            }
            (Illegal::Keep, None) => {
                let at_once = AtOnce::new(selector, scorer);
                let mut found = task.run(scorer, &at_once, observer)?;
                at_once.correct(&mut found);
                found
            }
            _ => task.run(scorer, selector, observer)?,
        };
        Ok(found.into())
    }
}
