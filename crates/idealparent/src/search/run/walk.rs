//! A random walk away from a maximum (section 2).

use rand::RngExt;

use super::{Interrupted, Run, Stage};

/// Identifies the random numbers of the walk.
const WALK: u64 = 1;

impl Run<'_, '_> {
    /// Makes random moves, whatever their gain, among those that the selector offers.
    pub(super) fn walk(&mut self) -> Result<(), Interrupted> {
        let mut random = self.random(WALK, 0);
        let n = self.moves.dag().len();
        for _ in 0..self.plan.perturb {
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

    /// A random order that is consistent with the current network, with some variables then moved
    /// to random places.
    pub(super) fn perturbed_order(&mut self) -> Stage {
        let mut random = self.random(WALK, 0);
        let dag = self.moves.dag();
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
        for _ in 0..self.plan.perturb {
            let v = order.remove(random.random_range(0..n));
            order.insert(random.random_range(0..n), v);
        }
        // Reorder so that required edges point forward.
        let mut position = vec![0; n];
        for (place, &v) in order.iter().enumerate() {
            position[v] = place;
        }
        let required = self.problem.constraints.required_dag();
        let order = required.topological_order_by(|v| position[v]);
        Stage::order(order.expect("a DAG has an order"))
    }
}
