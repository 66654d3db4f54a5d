//! Search over orders, alternating with hill climbing.

use super::stage::{AutoSlack, OrderState, Verification};
use super::{Interrupted, Problem, Run, ScoredDag, Stage};
use crate::graph::Dag;
use crate::search::Taken;
use crate::search::order::{OrderSearch, Rules, Start};

/// Number of variables whose places are evaluated together.
const BATCH: usize = 16;

impl Run<'_, '_> {
    /// Starts a search over orders from an order of the current network.
    pub(super) fn order_stage(&mut self) -> Stage {
        let dag = self.moves.dag();
        let order = dag.topological_order();
        Stage::order(order.expect("a network has an order"), dag, None)
    }

    /// Moves one variable after the other to its best place until no move raises the score. If the
    /// network of that order is the best so far, goes there; in a local round, only stores it.
    ///
    /// Returns the next stage.
    pub(super) fn sweep_orders(&mut self, state: OrderState) -> Result<Stage, Interrupted> {
        let n = state.order.len();
        if n == 0 {
            return Ok(Stage::Ended);
        }
        let mut orders = self.take_orders();
        let families = Dag::from_edges(n, state.families.iter().copied());
        let families = families.expect("families within an order");
        let observer = &mut *self.observer;
        let start = if state.is_fresh {
            Start::Improve(&families)
        } else {
            Start::Resume(&families)
        };
        if !orders.set_order(state.order.clone(), start, || observer.stop()) {
            self.orders = Some(orders);
            return Err(Interrupted);
        }
        if self.last != orders.score() {
            self.report_order(&orders, Taken::Order);
        }
        match &state.pending {
            None => orders.examine(0..n),
            Some(pending) => orders.examine(pending.iter().copied()),
        }
        let mut state = OrderState {
            is_fresh: false,
            order: Vec::new(),
            families: Vec::new(),
            pending: None,
            ..state
        };
        let mut ahead = 0;
        while state.quiet < n {
            let Some(variable) = orders.next_pending(state.next) else {
                if self.is_local() || !self.is_better(orders.score()) {
                    break;
                }
                // Only the best networks are worth examining as a whole once more.
                orders.examine(0..n);
                continue;
            };
            self.in_orders = orders.evaluations();
            let paused = self.pause(|| {
                Stage::Order(OrderState {
                    order: orders.order().to_vec(),
                    families: orders.dag().edges().collect(),
                    pending: Some(orders.pending().collect()),
                    ..state.clone()
                })
            });
            let observer = &mut *self.observer;
            let mut ready = paused.is_ok();
            if ready && ahead == 0 {
                let batch = orders.pending().filter(|&v| v >= variable).take(BATCH);
                let batch: Vec<usize> = batch.collect();
                ahead = batch.len();
                ready = orders.prepare(&batch, || observer.stop());
            }
            if !ready {
                self.note_order(&orders);
                self.orders = Some(orders);
                return Err(Interrupted);
            }
            ahead -= 1;
            let (shift, work) = orders.improve(variable);
            self.work += n as f64 * work;
            state.next = (variable + 1) % n;
            state.quiet += 1;
            if let Some((to, _)) = shift {
                // The score must rise: a gain smaller than rounding must not keep the search going
                // for ever.
                if orders.score() > self.last {
                    state.quiet = 0;
                }
                self.report_order(&orders, Taken::Shift { variable, to });
            }
        }
        let (dag, score) = (orders.dag(), orders.score());
        self.in_orders = orders.evaluations();
        // Climbing from a network worse than the best hardly ever leads to a better one.
        let stage = if !self.is_better(score) {
            Stage::Ended
        } else if self.is_local() {
            self.note_order(&orders);
            self.verification = Verification::Needed;
            Stage::Ended
        } else {
            self.go_to(&dag)?;
            if self.verification == Verification::Needed {
                self.verification = Verification::Done;
            }
            Stage::Closing
        };
        self.orders = Some(orders);
        Ok(stage)
    }

    fn report_order(&mut self, orders: &OrderSearch, taken: Taken) {
        self.in_orders = orders.evaluations();
        let evaluations = self.evaluations();
        self.told_at(taken, orders.score(), orders.edge_count(), evaluations);
    }

    /// Stores the network of an order if it is the best of the round.
    fn note_order(&mut self, orders: &OrderSearch) {
        if self.is_best_of_round(orders.score()) {
            let (dag, score) = (orders.dag(), orders.score());
            self.mark = Some(ScoredDag { dag, score });
        }
    }
}

impl<'a> Run<'a, '_> {
    /// Takes out the search over orders with its cached families; created by the first call.
    fn take_orders(&mut self) -> OrderSearch<'a> {
        if let Some(orders) = self.orders.take() {
            return orders;
        }
        let slack = self.slack.get_or_insert_with(|| AutoSlack {
            slack: self.moves.slack(),
        });
        let slack = slack.slack;
        let Problem {
            scorer,
            selector,
            constraints,
            ..
        } = self.problem;
        let rules = Rules::new(scorer, selector, constraints, slack);
        OrderSearch::new(rules).expect("families of the start network can be fitted")
    }
}
