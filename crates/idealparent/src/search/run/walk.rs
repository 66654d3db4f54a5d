//! A random walk away from a maximum (section 2).

use std::ops::RangeInclusive;

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{Interrupted, Run, Stage, Verification};
use crate::graph::Dag;

/// Identifies the random numbers of the walk.
const WALK: u64 = 1;

/// Networks of more variables than twice this are mostly perturbed in one place; see
/// [`Run::is_local`].
const GLOBAL_EVERY: usize = 50;

/// Number of variables of such a place.
const LOCAL: RangeInclusive<usize> = 3..=8;

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

    /// Whether this round of a search over orders perturbs only the neighbourhood of one variable,
    /// and examines only what that affects. In large networks most rounds do, since different parts
    /// can be improved independently of each other.
    pub(super) fn is_local(&self) -> bool {
        let global_every = (self.moves.dag().len() / GLOBAL_EVERY).max(1);
        !self.round.is_multiple_of(global_every) && self.verification != Verification::Running
    }

    /// A random variable and some of those around it.
    fn neighbourhood(&self, dag: &Dag, random: &mut impl RngExt) -> Vec<usize> {
        let n = dag.len();
        let most = random.random_range(LOCAL).min(n);
        let mut found = vec![random.random_range(0..n)];
        let mut next = 0;
        while next < found.len() && found.len() < most {
            let v = found[next];
            next += 1;
            let mut near: Vec<usize> = dag.parents(v).to_vec();
            near.extend(dag.children(v));
            while !near.is_empty() && found.len() < most {
                let z = near.swap_remove(random.random_range(0..near.len()));
                if !found.contains(&z) {
                    found.push(z);
                }
            }
        }
        found
    }

    /// A random order of a network, perturbed: some pairs of variables are exchanged, or a
    /// neighbourhood is shuffled.
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
        let changes = self.changes(&mut random);
        let moved: Vec<usize> = if self.is_local() {
            let mut moved = self.neighbourhood(dag, &mut random);
            let places = (0..n).filter(|&place| moved.contains(&order[place]));
            let places: Vec<usize> = places.collect();
            moved.shuffle(&mut random);
            for (&place, &v) in places.iter().zip(&moved) {
                order[place] = v;
            }
            moved
        } else {
            let pair = |_| [random.random_range(0..n), random.random_range(0..n)];
            let pairs: Vec<[usize; 2]> = (0..changes).map(pair).collect();
            let exchange = |[a, b]: [usize; 2]| {
                order.swap(a, b);
                [order[a], order[b]]
            };
            pairs.into_iter().flat_map(exchange).collect()
        };
        // Reorder so that required edges point forward.
        let mut position = vec![0; n];
        for (place, &v) in order.iter().enumerate() {
            position[v] = place;
        }
        let required = self.problem.constraints.required_dag();
        let order = required.topological_order_by(|v| position[v]);
        let pending = Some(moved);
        Stage::order(order.expect("a DAG has an order"), dag, pending)
    }
}
