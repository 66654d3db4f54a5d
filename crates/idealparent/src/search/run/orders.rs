//! Orders and climbing in turns.

use super::stage::{AutoSlack, OrderState};
use super::{Interrupted, Marked, Problem, Run, Stage};
use crate::search::Taken;
use crate::search::order::{OrderSearch, Rules};

/// Variables whose places are looked at together.
const TOGETHER: usize = 16;

impl Run<'_, '_> {
    /// From the network at which the search stands to an order that allows it.
    pub(super) fn order_stage(&mut self) -> Stage {
        let order = self.moves.dag().topological_order();
        Stage::order(order.expect("a network has an order"))
    }

    /// Moves variable after variable to its best place until all stay, and goes to the network of
    /// that order.
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
            self.told_of_order(&orders, Taken::Order);
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
            let together = state.next..n.min(state.next + TOGETHER);
            let ready = paused.is_ok()
                && (!state.next.is_multiple_of(TOGETHER)
                    || orders.prepare(together, || observer.stop()));
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
                // Where rounding is larger than what a shift gains, it must not go on for ever.
                if orders.score() > self.last {
                    state.quiet = 0;
                }
                self.told_of_order(&orders, Taken::Shift { variable, to });
            }
        }
        let dag = orders.dag();
        self.in_orders = orders.evaluations();
        self.orders = Some(orders);
        self.go_to(&dag)
    }

    fn told_of_order(&mut self, orders: &OrderSearch, taken: Taken) {
        self.in_orders = orders.evaluations();
        let evaluations = self.evaluations();
        self.told_at(taken, orders.score(), orders.edge_count(), evaluations);
    }

    /// Keeps the network of an order if it is better than any of the round.
    fn note_order(&mut self, orders: &OrderSearch) {
        if self.is_best_of_round(orders.score()) {
            let (dag, score) = (orders.dag(), orders.score());
            self.mark = Some(Marked { dag, score });
        }
    }
}

impl<'a> Run<'a, '_> {
    /// The search over orders with all it knows about families; made at the first call.
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
