//! Moves of edges that are there: deletion and reversal, always scored exactly.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::super::moves::{MoveKind, with_parent, without_parent};
use super::Neighbourhood;

impl Neighbourhood<'_> {
    /// Scores deletions and reversals of all edges into or out of the changed variables.
    pub(super) fn score_edges_of(&mut self, changed: &[usize]) {
        let mut into = FixedBitSet::with_capacity(self.dag.len());
        let mut work: Vec<(usize, usize, bool)> = Vec::new();
        for &v in changed {
            into.insert(v);
            let parents = self.dag.parents(v);
            self.moves[v].deletions = vec![f64::NEG_INFINITY; parents.len()];
            self.moves[v].reversals = vec![f64::NEG_INFINITY; parents.len()];
            work.extend((0..parents.len()).map(|i| (v, i, true)));
        }
        for &v in changed {
            for &child in self.dag.children(v) {
                if !into.contains(child) {
                    let at = self.dag.parents(child).binary_search(&v).expect("an edge");
                    work.push((child, at, false));
                }
            }
        }
        let scored: Vec<(f64, f64, usize)> = work
            .par_iter()
            .with_min_len(64)
            .map(|&(child, i, anew)| self.score_edge(child, i, anew))
            .collect();
        for (&(child, i, _), (deletion, reversal, fresh)) in work.iter().zip(scored) {
            self.moves[child].deletions[i] = deletion;
            self.moves[child].reversals[i] = reversal;
            self.evaluations.other(fresh);
            self.bound(child);
        }
    }

    /// Gains of deleting and of reversing an edge, and the number of families scored for it.
    fn score_edge(&self, child: usize, i: usize, anew: bool) -> (f64, f64, usize) {
        const NEVER: f64 = f64::NEG_INFINITY;
        let parents = self.dag.parents(child);
        let parent = parents[i];
        if self.constraints.is_required(parent, child) {
            return (NEVER, NEVER, 0);
        }
        let deletes = self.allowed.allows(MoveKind::Delete);
        let reverses = self.allowed.allows(MoveKind::Reverse)
            && self.constraints.allows(child, parent)
            && self.dag.parents(parent).len() < self.constraints.max_parents();
        let mut fresh = 0;
        let mut gain = |v: usize, family: &[usize]| {
            let (score, new) = self.scorer.score_counted(v, family);
            fresh += usize::from(new);
            let current = self.families[v].expect("the current family is fitted");
            score.map_or(NEVER, |s| s - current)
        };
        let dropped = if anew && (deletes || reverses) {
            gain(child, &without_parent(parents, parent))
        } else {
            self.moves[child].deletions[i]
        };
        let reversal = if reverses {
            dropped + gain(parent, &with_parent(self.dag.parents(parent), child))
        } else {
            NEVER
        };
        (dropped, reversal, fresh)
    }
}
