//! Prices of parameters and edges.

use crate::family::Blocks;

/// Prices of a penalised likelihood, in nats.
///
/// Returned by [`ScoreOptions::prices`](super::ScoreOptions::prices).
///
/// ```
/// use idealparent::extend::{Blocks, Prices};
///
/// let prices = Prices::new(2.0, 3.0);
/// // Two parents with one column each, the child's mean and its variance.
/// assert_eq!(prices.family(&Blocks::single(2), 2), 14.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Prices {
    /// Price of a free parameter.
    pub parameter: f64,
    /// Price of an edge, in addition to its parameters.
    pub edge: f64,
    /// Number of instances, if parents cost more where instances are few.
    pub instances: Option<f64>,
}

impl Prices {
    /// Prices that do not depend on the number of instances.
    pub fn new(parameter: f64, edge: f64) -> Self {
        Prices {
            parameter,
            edge,
            instances: None,
        }
    }

    /// Calibrates the prices of parents for this number of instances.
    ///
    /// With few instances, an irrelevant parent raises the log-likelihood by more than half a
    /// chi-square variable. A parent with d columns, which joins parents with k columns, then costs
    /// `M / (M - k - d/2 - 2)` times as much (Bartlett's correction). Parents are counted in
    /// ascending order of their numbers of columns. So the price depends on these numbers alone,
    /// and equivalent networks have equal scores.
    pub fn calibrated(self, instances: f64) -> Self {
        Prices {
            instances: Some(instances),
            ..self
        }
    }

    /// Price of a family whose parents have these columns, with `others` further parameters;
    /// infinite if there are too few instances.
    pub fn family(&self, blocks: &Blocks, others: usize) -> f64 {
        match self.instances {
            None => self.total(blocks.columns() + others, blocks.parents()),
            Some(instances) => {
                let others = self.parameter * others as f64;
                others + self.calibrated_parents(instances, blocks)
            }
        }
    }

    /// Rise of a family's price when its parents' columns change.
    pub fn change(&self, now: &Blocks, then: &Blocks) -> f64 {
        match self.instances {
            None => {
                let columns = then.columns() as f64 - now.columns() as f64;
                let parents = then.parents() as f64 - now.parents() as f64;
                self.parameter * columns + self.edge * parents
            }
            Some(instances) => {
                let price = |blocks| self.calibrated_parents(instances, blocks);
                price(then) - price(now)
            }
        }
    }

    /// Price of the parents with numbers `from` up to, but not including, `to`, if each has one
    /// column.
    pub fn parents(&self, from: usize, to: usize) -> f64 {
        match self.instances {
            None => (self.parameter + self.edge) * (to as f64 - from as f64),
            Some(_) => self.change(&Blocks::single(from), &Blocks::single(to)),
        }
    }

    /// Price of a network with this number of free parameters, from the columns of every family's
    /// parents.
    pub fn network(&self, parameters: usize, families: impl Iterator<Item = Blocks>) -> f64 {
        let Some(instances) = self.instances else {
            return self.total(parameters, families.map(|blocks| blocks.parents()).sum());
        };
        let (mut columns, mut price) = (0, 0.0);
        for blocks in families {
            columns += blocks.columns();
            price += self.calibrated_parents(instances, &blocks);
        }
        self.parameter * (parameters as f64 - columns as f64) + price
    }

    /// Price without calibration.
    fn total(&self, parameters: usize, edges: usize) -> f64 {
        self.parameter * parameters as f64 + self.edge * edges as f64
    }

    fn calibrated_parents(&self, instances: f64, blocks: &Blocks) -> f64 {
        let (mut before, mut price) = (0.0, 0.0);
        for width in blocks.widths() {
            let width = width as f64;
            let rest = instances - before - 0.5 * width - 2.0;
            if rest <= 0.0 {
                return f64::INFINITY;
            }
            price += (self.parameter * width + self.edge) * (instances / rest);
            before += width;
        }
        price
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain implementation of the price of a family, from a list of columns in any order.
    fn naive(prices: &Prices, m: f64, mut widths: Vec<usize>, others: usize) -> f64 {
        widths.sort_unstable();
        let mut total = prices.parameter * others as f64;
        for i in 0..widths.len() {
            let k: usize = widths[..i].iter().sum();
            let (k, d) = (k as f64, widths[i] as f64);
            if m - k - d / 2.0 - 2.0 <= 0.0 {
                return f64::INFINITY;
            }
            total += (prices.parameter * d + prices.edge) * m / (m - k - d / 2.0 - 2.0);
        }
        total
    }

    fn blocks(widths: &[usize]) -> Blocks {
        let none = Blocks::single(0);
        widths
            .iter()
            .fold(none, |blocks, &width| blocks.with(width))
    }

    #[test]
    fn calibrated_prices_equal_the_formula() {
        for (m, widths) in [
            (8.0, vec![]),
            (8.0, vec![1]),
            (12.0, vec![1, 1, 1]),
            (30.0, vec![5, 1, 3, 1]),
            (6.0, vec![1, 1, 1, 1]),
            (9.0, vec![4, 3]),
        ] {
            let prices = Prices::new(0.5 * f64::ln(m), 1.3).calibrated(m);
            let (found, wanted) = (
                prices.family(&blocks(&widths), 2),
                naive(&prices, m, widths.clone(), 2),
            );
            let close = found == wanted || (found - wanted).abs() < 1e-12 * wanted;
            assert!(close, "{m} {widths:?}: {found} {wanted}");
        }
    }

    #[test]
    fn few_instances_make_parents_expensive() {
        let prices = Prices::new(0.5 * f64::ln(6.0), f64::ln(200.0));
        assert!((prices.parents(0, 1) - 6.19).abs() < 0.01);
        let calibrated = prices.calibrated(6.0);
        let each = |k| calibrated.parents(k, k + 1);
        assert!((each(0) - 6.1942 * 6.0 / 3.5).abs() < 1e-3);
        assert!((each(1) - 6.1942 * 6.0 / 2.5).abs() < 1e-3);
        assert!(calibrated.family(&Blocks::single(4), 2) < f64::INFINITY);
        assert_eq!(calibrated.family(&Blocks::single(5), 2), f64::INFINITY);
    }

    #[test]
    fn many_instances_leave_prices_nearly_unchanged() {
        let plain = Prices::new(4.0, 3.0);
        let calibrated = plain.calibrated(1e9);
        let family = blocks(&[1, 1, 5]);
        let ratio = calibrated.family(&family, 2) / plain.family(&family, 2);
        assert!((ratio - 1.0).abs() < 1e-7);
    }

    #[test]
    fn changes_and_networks_are_sums_of_families() {
        for prices in [
            Prices::new(2.0, 3.0),
            Prices::new(2.0, 3.0).calibrated(20.0),
        ] {
            let (now, then) = (blocks(&[1, 4]), blocks(&[1, 1, 4]));
            let change = prices.family(&then, 2) - prices.family(&now, 2);
            assert!((prices.change(&now, &then) - change).abs() < 1e-12);
            let families = [now.clone(), then.clone(), Blocks::single(0)];
            let each: f64 = families.iter().map(|blocks| prices.family(blocks, 2)).sum();
            let parameters = 6 + now.columns() + then.columns();
            let whole = prices.network(parameters, families.into_iter());
            assert!((whole - each).abs() < 1e-12, "{whole} {each}");
            let three = prices.parents(1, 4);
            let singles = prices.change(&Blocks::single(1), &Blocks::single(4));
            assert!((three - singles).abs() < 1e-12);
        }
    }
}
