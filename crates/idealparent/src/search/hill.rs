//! Greedy hill climbing: the best move, again and again (section 2).

use super::{Neighbourhood, Observer, Step};

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No move gains any more.
    Maximum,
    /// The observer asked to stop.
    Stopped,
}

/// Takes the best move until none gains, or until the observer stops it.
/// Returns how it ended and the number of moves taken.
pub fn hill_climb(moves: &mut Neighbourhood, observer: &mut dyn Observer) -> (Ending, usize) {
    observer.started(moves.score(), moves.dag().edge_count());
    if !moves.rank_all(|| observer.stop()) {
        return (Ending::Stopped, 0);
    }
    let mut number = 0;
    while let Some((taken, gain)) = moves.best() {
        if observer.stop() {
            return (Ending::Stopped, number);
        }
        let done = moves.take_until(&taken, || observer.stop());
        number += 1;
        observer.step(&Step {
            number,
            taken,
            gain,
            score: moves.score(),
            edges: moves.dag().edge_count(),
            evaluations: moves.evaluations(),
        });
        if !done {
            return (Ending::Stopped, number);
        }
    }
    moves.scan_at_end(|| observer.stop());
    (Ending::Maximum, number)
}
