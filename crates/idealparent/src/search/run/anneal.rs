//! Simulated annealing: random moves, accepted more readily at higher temperatures (section 2).

use rand::RngExt;

use super::{Interrupted, Run, Stage};

/// Identifies the random numbers of annealing.
const ANNEAL: u64 = 2;

/// Temperatures in nats at the beginning and at the end. A move that loses this much is accepted
/// with probability 1/e.
const HOT: f64 = 8.0;
const COLD: f64 = 0.2;

/// Number of steps per variable.
const STEPS: usize = 100;

impl Run<'_, '_> {
    /// In every step, proposes a random move of a random child, among those that the selector
    /// offers. The temperature falls from step to step.
    pub(super) fn anneal(&mut self, from: usize) -> Result<(), Interrupted> {
        let n = self.moves.dag().len();
        let steps = STEPS * n;
        for step in from..steps {
            self.pause(|| Stage::Anneal { step })?;
            let mut random = self.random(ANNEAL, step);
            let all = self.moves.fitted_moves_of(random.random_range(0..n));
            if all.is_empty() {
                continue;
            }
            let (chosen, gain) = all[random.random_range(0..all.len())];
            let temperature = HOT * (COLD / HOT).powf(step as f64 / steps as f64);
            if gain >= 0.0 || random.random::<f64>() < (gain / temperature).exp() {
                self.take(&chosen)?;
                self.note_maximum();
            }
        }
        Ok(())
    }
}
