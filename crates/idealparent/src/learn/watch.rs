//! Adapters from the searches inside a run to the observer of the run, which sees a single run.

use super::checkpoint::{CheckpointParts, EmState, WorkCounts};
use super::mixture::SingleSearches;
use super::price::GammaChoice;
use super::{Checkpoint, Iteration, Observer};
use crate::search::{SearchObserver, SearchState, Step, Taken};

/// Passes on the events of one search: over complete data, or in an iteration of structural EM.
pub(super) struct OneSearch<'a> {
    observer: &'a mut dyn Observer,
    fingerprint: &'a str,
    /// The state of EM. Its entropy turns scores into free energies.
    em: Option<EmState>,
    /// The choice of gamma.
    price: Option<GammaChoice>,
    /// The searches with a single density, if there are several.
    single: Option<SingleSearches>,
    /// The score at the end of the previous search, at another value of gamma or with other
    /// densities.
    before: Option<f64>,
    /// The score after the last step.
    last: Option<f64>,
}

impl<'a> OneSearch<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer, fingerprint: &'a str) -> Self {
        OneSearch {
            observer,
            fingerprint,
            em: None,
            price: None,
            single: None,
            before: None,
            last: None,
        }
    }

    /// Adds the state of EM to checkpoints. Its counts are added to those of the search.
    pub(super) fn with_em(self, em: EmState) -> Self {
        OneSearch {
            em: Some(em),
            ..self
        }
    }

    /// Adds the choice of gamma to checkpoints. Its counts are added to those of the search.
    /// `before` is the last score at the previous value of gamma.
    pub(super) fn with_price(self, price: Option<GammaChoice>, before: Option<f64>) -> Self {
        OneSearch {
            price,
            before,
            ..self
        }
    }

    /// Goes on to the next search, after these searches with a single density.
    pub(super) fn continue_with(&mut self, single: SingleSearches) {
        self.before = self.last.or(self.before);
        self.single = Some(single);
    }

    /// The score at the end of the search.
    pub(super) fn last(&self) -> Option<f64> {
        self.last
    }

    /// Work done before this search.
    fn counts(&self) -> WorkCounts {
        let of_em = self.em.as_ref().map(|em| em.counts);
        let of_price = self.price.as_ref().map(|price| price.counts);
        let mut counts = of_em.or(of_price).unwrap_or_default();
        if let Some(single) = &self.single {
            counts.add_all(&single.counts);
        }
        counts
    }

    /// Entropy of the missing values, which is constant during the search.
    fn entropy(&self) -> f64 {
        self.em.as_ref().map_or(0.0, |em| em.entropy)
    }
}

impl SearchObserver for OneSearch<'_> {
    fn started(&mut self, score: f64, edges: usize) {
        self.last = Some(score);
        if let Some(before) = self.before {
            let counts = self.counts();
            self.observer.step(&Step {
                round: counts.rounds + 1,
                number: counts.moves,
                taken: Taken::Restart,
                gain: score - before,
                score,
                edges,
                evaluations: counts.evaluations,
            });
        } else if self.em.as_ref().is_none_or(|em| em.iteration == 1) {
            self.observer.started(score + self.entropy(), edges);
        }
    }

    fn step(&mut self, step: &Step) {
        self.last = Some(step.score);
        let mut step = after(step, &self.counts());
        step.score += self.entropy();
        self.observer.step(&step);
    }

    fn needs_memory(&mut self, bytes: u64) {
        self.observer.needs_memory(bytes);
    }

    fn stop(&mut self) -> bool {
        self.observer.stop()
    }

    fn wants_state(&mut self, last: bool) -> bool {
        self.observer.wants_checkpoint(last)
    }

    fn state(&mut self, state: SearchState) {
        let parts = CheckpointParts {
            search: Some(state),
            em: self.em.clone(),
            hidden: None,
            price: self.price.clone(),
            single: self.single.clone(),
        };
        let checkpoint = Checkpoint::new(self.fingerprint, parts);
        self.observer.checkpoint(&checkpoint);
    }
}

/// Passes on steps, iterations and requests to stop.
pub(super) struct StepsOnly<'a> {
    pub(super) observer: &'a mut dyn Observer,
    /// Work done before.
    pub(super) counts: WorkCounts,
}

impl Observer for StepsOnly<'_> {
    fn step(&mut self, step: &Step) {
        self.observer.step(&after(step, &self.counts));
    }

    fn iteration(&mut self, iteration: &Iteration) {
        self.observer.iteration(iteration);
    }

    fn stop(&mut self) -> bool {
        self.observer.stop()
    }
}

/// Passes on requests to stop only.
pub(super) struct StopOnly<'a>(pub(super) &'a mut dyn Observer);

impl Observer for StopOnly<'_> {
    fn stop(&mut self) -> bool {
        self.0.stop()
    }
}

impl SearchObserver for StopOnly<'_> {
    fn stop(&mut self) -> bool {
        self.0.stop()
    }
}

/// The step with the work done before the search added to its counts.
fn after(step: &Step, counts: &WorkCounts) -> Step {
    let mut step = *step;
    step.number += counts.moves;
    step.round += counts.rounds;
    step.evaluations += counts.evaluations;
    step
}
