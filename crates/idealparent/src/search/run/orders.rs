//! Search over orders, alternating with hill climbing.

use super::stage::{AutoSlack, OrderState};
use super::{Interrupted, Problem, Run, ScoredDag, Stage};
use crate::search::Taken;
use crate::search::order::{OrderSearch, Rules};

/// Number of variables whose places are evaluated together.
const BATCH: usize = 16;

impl Run<'_, '_> {
    /// Starts a search over orders from an order of the current network.
    pub(super) fn order_stage(&mut self) -> Stage {
        let order = self.moves.dag().topological_order();
        Stage::order(order.expect("a network has an order"))
    }

    /// Moves one variable after the other to its best place until no move raises the score, then
    /// goes to the network of that order.
    pub(super) fn sweep_orders(&mut self, state: OrderState) -> Result<(), Interrupted> {
        let n = state.order.len();
        if n == 0 {
            return Ok(());
        }
        let mut orders = self.take_orders();
        let observer = &mut *self.observer;
        if !orders.set_order(state.order.clone(), || observer.stop()) {
            self.orders = Some(orders);
            return Err(Interrupted);
        }
        if self.last != orders.score() {
            self.report_order(&orders, Taken::Order);
        }
        let mut state = state;
        while state.quiet < n {
            state.order.clear();
            self.in_orders = orders.evaluations();
            let paused = self.pause(|| {
                Stage::Order(OrderState {
                    order: orders.order().to_vec(),
                    ..state.clone()
                })
            });
            let observer = &mut *self.observer;
            let batch = state.next..n.min(state.next + BATCH);
            let ready = paused.is_ok()
                && (!state.next.is_multiple_of(BATCH) || orders.prepare(batch, || observer.stop()));
            if !ready {
                self.note_order(&orders);
                self.orders = Some(orders);
                return Err(Interrupted);
            }
            let variable = state.next;
            let shift = orders.improve(variable);
            state.next = (state.next + 1) % n;
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
        let dag = orders.dag();
        self.in_orders = orders.evaluations();
        self.orders = Some(orders);
        self.go_to(&dag)
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
