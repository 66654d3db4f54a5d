//! Observers of a run, which may also stop it.

use super::{Checkpoint, HiddenAttempt};
use crate::search::Step;

/// One iteration of structural EM: a search with fixed expectations of the missing values, then
/// alternating E-steps and M-steps.
///
/// Passed to [`Observer::iteration`]; see section 4.3 of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Iteration {
    /// Number of the iteration, from 1.
    pub number: usize,
    /// Free energy at the end of the iteration, minus the penalties. With an exact posterior this
    /// is the score of the observed values.
    pub free_energy: f64,
    /// Number of edges of the network.
    pub edges: usize,
    /// Whether the search changed the structure.
    pub changed: bool,
}

/// Receives the events of a run, and may stop it. Progress bars, traces, time limits, checkpoints
/// and Ctrl-C are implemented as observers.
///
/// ```
/// use idealparent::{LearnOptions, Observer, Step, example, learn};
///
/// /// Keeps the score after every step.
/// struct Scores(Vec<f64>);
///
/// impl Observer for Scores {
///     fn step(&mut self, step: &Step) {
///         self.0.push(step.score);
///     }
/// }
///
/// let mut scores = Scores(Vec::new());
/// let mut options = LearnOptions::default();
/// options.set("search", "hill")?;
/// learn(&example("sachs")?.table(), &options, &mut scores)?;
/// assert!(scores.0.is_sorted());
/// # Ok::<(), idealparent::Error>(())
/// ```
pub trait Observer {
    /// The search begins at this score.
    fn started(&mut self, _score: f64, _edges: usize) {}

    /// A step was taken.
    fn step(&mut self, _step: &Step) {}

    /// An iteration of structural EM was completed. Only called if values are missing or variables
    /// hidden.
    fn iteration(&mut self, _iteration: &Iteration) {}

    /// The hidden variables have changed; `names` are the names of all variables from now on.
    fn variables(&mut self, _names: &[String]) {}

    /// An attempt to add a hidden variable began or ended.
    fn hidden(&mut self, _attempt: &HiddenAttempt) {}

    /// The free energy after a search, an M-step or an E-step. It never falls.
    fn free_energy(&mut self, _value: f64) {}

    /// An exact search has listed the families that the best network can have, and begins to combine
    /// them, which needs this many bytes of memory.
    fn needs_memory(&mut self, _bytes: u64) {}

    /// Whether to stop here. Called before every step and between blocks of work. Once this returns
    /// `true` it must keep returning `true`.
    fn stop(&mut self) -> bool {
        false
    }

    /// Whether to make a checkpoint now. Called between steps. `last` is true if the run has been
    /// asked to stop, or is at its end. A run that is stopped inside a step makes no checkpoint.
    fn wants_checkpoint(&mut self, _last: bool) -> bool {
        false
    }

    /// Receives the checkpoint requested by [`wants_checkpoint`](Observer::wants_checkpoint).
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// Ignores all events and never stops a run.
impl Observer for () {}
