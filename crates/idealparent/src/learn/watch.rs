//! Between a run's observer and the searches inside it: they look like one run.

use super::checkpoint::{EmState, WorkCounts};
use super::{Checkpoint, Iteration, Observer};
use crate::search::{SearchObserver, SearchState, Step};

/// A search over complete data, or inside an iteration of structural EM.
pub(super) struct OneSearch<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) fingerprint: &'a str,
    /// The iteration: counts go on from where the one before ended, and its entropy makes free
    /// energies of scores.
    pub(super) em: Option<EmState>,
}

impl OneSearch<'_> {
    /// Entropy of what is missing, frozen during the search.
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

/// Passes on steps and iterations, and the question whether to stop.
pub(super) struct StepsOnly<'a> {
    pub(super) observer: &'a mut dyn Observer,
    /// What was done before.
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

/// Passes on the question whether to stop, and nothing else.
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

/// A step of a search that began after so much work.
fn after(step: &Step, counts: &WorkCounts) -> Step {
    let mut step = *step;
    step.number += counts.moves;
    step.round += counts.rounds;
    step.evaluations += counts.evaluations;
    step
}
