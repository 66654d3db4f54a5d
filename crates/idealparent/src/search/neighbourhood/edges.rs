//! Moves of existing edges: deletion and reversal, always scored exactly.

use super::super::moves::{MoveKind, with_parent, without_parent};
use super::Neighbourhood;
use super::pace::{Stop, Stopped, in_pieces};

/// Gain of a move that is not allowed.
const NEVER: f64 = f64::NEG_INFINITY;

/// Half of a reversal to be scored again: the child loses a parent, or that parent gains the child.
/// Both variants contain the child and the position of the parent.
#[derive(Clone, Copy)]
enum Half {
    Deletion(usize, usize),
    Return(usize, usize),
}

impl Neighbourhood<'_> {
    /// Scores deletions and reversals of all edges into or out of the changed variables.
    ///
    /// The deletion of p -> v depends on the family of v, and the return v -> p on the family of p.
    /// Each half is scored again only if its family changed.
    pub(super) fn score_edges_of(&mut self, changed: &[usize], stop: Stop) -> Result<(), Stopped> {
        let mut work = Vec::new();
        for &v in changed {
            let parents = self.dag.parents(v);
            let own = &mut self.moves[v];
            let kept = |p: &usize| own.parents.binary_search(p).ok().map(|i| own.returns[i]);
            let returns: Vec<f64> = parents
                .iter()
                .map(|p| kept(p).unwrap_or(f64::NAN))
                .collect();
            own.parents = parents.to_vec();
            own.deletions = vec![NEVER; parents.len()];
            own.reversals = vec![NEVER; parents.len()];
            own.returns = returns;
            work.extend((0..parents.len()).map(|i| Half::Deletion(v, i)));
        }
        for &v in changed {
            for &child in self.dag.children(v) {
                let at = self.dag.parents(child).binary_search(&v).expect("an edge");
                self.moves[child].returns[at] = f64::NAN;
            }
        }
        let mut touched = changed.to_vec();
        for &v in changed {
            touched.extend(self.dag.children(v));
        }
        touched.sort_unstable();
        touched.dedup();
        for &child in &touched {
            let returns = self.moves[child].returns.iter().enumerate();
            let unknown = returns.filter(|(_, gain)| gain.is_nan());
            work.extend(unknown.map(|(i, _)| Half::Return(child, i)));
        }
        let grain = self.selector.grain();
        let scored = in_pieces(&work, grain, stop, |&half| self.score_half(half))?;
        for (&half, (gain, fresh)) in work.iter().zip(scored) {
            match half {
                Half::Deletion(child, i) => self.moves[child].deletions[i] = gain,
                Half::Return(child, i) => self.moves[child].returns[i] = gain,
            }
            self.evaluations.other(fresh);
        }
        for child in touched {
            let own = &mut self.moves[child];
            let halves = own.deletions.iter().zip(&own.returns);
            own.reversals = halves.map(|(deletion, back)| deletion + back).collect();
            self.bound(child);
        }
        Ok(())
    }

    /// Gain of half a reversal, and number of densities fitted for it.
    fn score_half(&self, half: Half) -> (f64, usize) {
        let (Half::Deletion(child, i) | Half::Return(child, i)) = half;
        let parent = self.dag.parents(child)[i];
        if self.constraints.is_required(parent, child) {
            return (NEVER, 0);
        }
        let reverses = self.allowed.allows(MoveKind::Reverse);
        match half {
            Half::Deletion(..) if reverses || self.allowed.allows(MoveKind::Delete) => {
                self.gain(child, &without_parent(self.dag.parents(child), parent))
            }
            Half::Return(..)
                if reverses
                    && self.constraints.allows(child, parent)
                    && self.dag.parents(parent).len() < self.constraints.max_parents() =>
            {
                self.gain(parent, &with_parent(self.dag.parents(parent), child))
            }
            _ => (NEVER, 0),
        }
    }
}
