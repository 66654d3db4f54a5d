//! What an observer sees of the searches inside structural EM: one run.

use crate::search::{Around, Checkpoint, Counts, Iteration, Observer, Step};

/// Passes on what a search says, counting from where the one before ended.
pub(super) struct Inside<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) around: Around,
    /// Entropy of what is missing, frozen during the search: scores become free energies.
    pub(super) entropy: f64,
}

impl Observer for Inside<'_> {
    fn started(&mut self, score: f64, edges: usize) {
        if self.around.iteration == 1 {
            self.observer.started(score + self.entropy, edges);
        }
    }

    fn step(&mut self, step: &Step) {
        let counts = &self.around.counts;
        let mut step = *step;
        step.number += counts.moves;
        step.round += counts.rounds;
        step.score += self.entropy;
        step.evaluations += counts.evaluations;
        self.observer.step(&step);
    }

    fn stop(&mut self) -> bool {
        self.observer.stop()
    }

    fn wants_checkpoint(&mut self, last: bool) -> bool {
        self.observer.wants_checkpoint(last)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let mut checkpoint = checkpoint.clone();
        checkpoint.around = Some(self.around.clone());
        self.observer.checkpoint(&checkpoint);
    }
}

/// Passes on steps, and the question whether to stop.
pub(crate) struct Steps<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    /// What was done before.
    pub(crate) counts: Counts,
}

impl Observer for Steps<'_> {
    fn step(&mut self, step: &Step) {
        let mut step = *step;
        step.number += self.counts.moves;
        step.round += self.counts.rounds;
        step.evaluations += self.counts.evaluations;
        self.observer.step(&step);
    }

    fn iteration(&mut self, iteration: &Iteration) {
        self.observer.iteration(iteration);
    }

    fn stop(&mut self) -> bool {
        self.observer.stop()
    }
}

/// Passes on the question whether to stop, and nothing else.
pub(crate) struct Aside<'a>(pub(crate) &'a mut dyn Observer);

impl Observer for Aside<'_> {
    fn stop(&mut self) -> bool {
        self.0.stop()
    }
}
