//! An observer that keeps checkpoints.

use idealparent::learn::{Checkpoint, Observer};

/// Requests and keeps a checkpoint at every opportunity.
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
