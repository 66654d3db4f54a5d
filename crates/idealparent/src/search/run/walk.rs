//! A random walk away from a maximum (section 2).

use rand::RngExt;

use super::{Interrupted, Run, Stage};

/// Stands for the walk among the uses of random numbers.
const WALK: u64 = 1;

impl Run<'_, '_> {
    /// Takes random moves, whatever they gain. Which moves there are is the selector's choice.
    pub(super) fn walk(&mut self) -> Result<(), Interrupted> {
        let mut random = self.random(WALK, 0);
        let n = self.moves.dag().len();
        for _ in 0..self.plan.perturb {
            // Some variables have no move at all.
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

    /// An order that allows the network at which the search stands, drawn at random, with some variables moved
    /// elsewhere.
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
        // Required edges stay as they are.
        let mut position = vec![0; n];
        for (place, &v) in order.iter().enumerate() {
            position[v] = place;
        }
        let required = self.problem.constraints.required_dag();
        let order = required.topological_order_by(|v| position[v]);
        Stage::order(order.expect("a DAG has an order"))
    }
}
