//! Checkpoints of a whole run.

use idealparent::learn::{Checkpoint, Observer};

/// Keeps every checkpoint it can get.
#[derive(Default)]
pub struct Checkpoints(pub Vec<Checkpoint>);

impl Observer for Checkpoints {
    fn wants_checkpoint(&mut self, _: bool) -> bool {
        true
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.0.push(checkpoint.clone());
    }
}
