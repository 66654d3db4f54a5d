//! Simulated annealing: random moves, accepted the more readily the hotter it is (section 2).

use rand::RngExt;

use super::{Interrupted, Run, Stage};

/// Stands for annealing among the uses of random numbers.
const ANNEAL: u64 = 2;

/// Nats at the beginning and at the end: a move that loses as much is accepted once in e times.
const HOT: f64 = 8.0;
const COLD: f64 = 0.2;

/// Steps per variable.
const STEPS: usize = 100;

impl Run<'_, '_> {
    /// Proposes a move of a random child among those that the selector's ranking offers, step by
    /// step colder.
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
