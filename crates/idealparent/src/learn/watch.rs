//! Adapters from the searches inside a run to the observer of the run, which sees a single run.

use super::checkpoint::{EmState, WorkCounts};
use super::{Checkpoint, Iteration, Observer};
use crate::search::{SearchObserver, SearchState, Step};

/// Passes on the events of one search: over complete data, or in an iteration of structural EM.
pub(super) struct OneSearch<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) fingerprint: &'a str,
    /// The state of EM. Its counts are added to those of the search, and its entropy turns scores
    /// into free energies.
    pub(super) em: Option<EmState>,
}

impl OneSearch<'_> {
    /// Entropy of the missing values, which is constant during the search.
    fn entropy(&self) -> f64 {
        self.em.as_ref().map_or(0.0, |em| em.entropy)
    }
}

impl SearchObserver for OneSearch<'_> {
    fn started(&mut self, score: f64, edges: usize) {
        if self.em.as_ref().is_none_or(|em| em.iteration == 1) {
            self.observer.started(score + self.entropy(), edges);
        }
    }

    fn step(&mut self, step: &Step) {
        let counts = self.em.as_ref().map(|em| em.counts);
        let mut step = after(step, &counts.unwrap_or_default());
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
        let checkpoint = Checkpoint::new(self.fingerprint, Some(state), self.em.clone(), None);
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
