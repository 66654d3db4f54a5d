//! A random walk away from a maximum (section 2).

use rand::RngExt;

use super::{Interrupted, Run, Stage};
use crate::graph::Dag;

/// Identifies the random numbers of the walk.
const WALK: u64 = 1;

/// The perturbation may be large once in this many rounds.
const LARGE_EVERY: usize = 2;

impl Run<'_, '_> {
    /// Number of random changes at the start of this round.
    ///
    /// After a few changes, a round is short and keeps the good parts of the best network.
    /// Sometimes only many changes lead to another maximum.
    fn changes(&self, random: &mut impl RngExt) -> usize {
        let n = self.moves.dag().len();
        self.plan.perturb.unwrap_or_else(|| {
            if self.round.is_multiple_of(LARGE_EVERY) {
                random.random_range(3..=(n / 5).clamp(8, 20))
            } else {
                (n as f64).ln().round().max(2.0) as usize
            }
        })
    }

    /// Makes random moves, whatever their gain, among those that the selector offers.
    pub(super) fn walk(&mut self) -> Result<(), Interrupted> {
        let mut random = self.random(WALK, 0);
        let n = self.moves.dag().len();
        for _ in 0..self.changes(&mut random) {
            // Retry with another variable, since some have no moves at all.
            for _ in 0..n {
                let child = random.random_range(0..n);
                let all = self.moves.fitted_moves_of(child);
                if !all.is_empty() {
                    let (chosen, _) = all[random.random_range(0..all.len())];
                    self.take(&chosen)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// A random order of a network, with some pairs of variables then exchanged.
    pub(super) fn perturbed_order(&mut self, dag: &Dag) -> Stage {
        let mut random = self.random(WALK, 0);
        let n = dag.len();
        let mut waiting: Vec<usize> = (0..n).map(|v| dag.parents(v).len()).collect();
        let mut ready: Vec<usize> = (0..n).filter(|&v| waiting[v] == 0).collect();
        let mut order = Vec::with_capacity(n);
        while !ready.is_empty() {
            let v = ready.swap_remove(random.random_range(0..ready.len()));
            order.push(v);
            for &child in dag.children(v) {
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    ready.push(child);
                }
            }
        }
        for _ in 0..self.changes(&mut random) {
            order.swap(random.random_range(0..n), random.random_range(0..n));
        }
        // Reorder so that required edges point forward.
        let mut position = vec![0; n];
        for (place, &v) in order.iter().enumerate() {
            position[v] = place;
        }
        let required = self.problem.constraints.required_dag();
        let order = required.topological_order_by(|v| position[v]);
        Stage::order(order.expect("a DAG has an order"), dag)
    }
}
