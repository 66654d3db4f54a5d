//! Expected values of a link whose parents are uncertain.

use crate::cpd::{Link, LinkMoments};
use crate::family::Profiles;
use crate::numerics::{Rule, WIDE};

/// Below this standard deviation of a link's value, the derivative of the deviation is taken as 0.
const SMALLEST: f64 = 1e-12;

/// The instances of a family in which some parent is uncertain.
#[derive(Clone, Debug)]
pub(super) struct Uncertain {
    rule: &'static Rule,
    /// Numbers of the instances, ascending.
    rows: Vec<usize>,
    /// Variances of every parent in these instances.
    variances: Vec<Vec<f64>>,
    /// The parents' weights evaluated last.
    weights: Vec<f64>,
    /// Standard deviations of the link's argument in these instances.
    spreads: Vec<f64>,
    moments: Vec<LinkMoments>,
    /// Standard deviations of the link's value.
    deviations: Vec<f64>,
    /// Buffers for arguments, values and slopes at all nodes.
    nodes: [Vec<f64>; 3],
}

impl Uncertain {
    /// Returns `None` if no entry of the parents is uncertain.
    pub(super) fn new(data: &Profiles, parents: &[usize]) -> Option<Self> {
        let rows = data.uncertain(parents);
        if rows.is_empty() {
            return None;
        }
        let of_parent = |&p: &usize| match data.variances(p) {
            [] => vec![0.0; rows.len()],
            all => rows.iter().map(|&row| all[row]).collect(),
        };
        let rule = Rule::fast();
        let count = rows.len() * rule.len();
        Some(Uncertain {
            rule,
            variances: parents.iter().map(of_parent).collect(),
            weights: vec![0.0; parents.len()],
            spreads: vec![0.0; rows.len()],
            moments: vec![LinkMoments::default(); rows.len()],
            deviations: vec![0.0; rows.len()],
            nodes: std::array::from_fn(|_| vec![0.0; count]),
            rows,
        })
    }

    /// Replaces the link's value and slope at the expected argument by their expectations.
    pub(super) fn evaluate(
        &mut self,
        link: &dyn Link,
        weights: &[f64],
        eta: &[f64],
        (value, slope): (&mut [f64], &mut [f64]),
    ) {
        let n = self.rule.len();
        self.weights
            .copy_from_slice(&weights[..self.variances.len()]);
        let [at, values, slopes] = &mut self.nodes;
        for (i, &row) in self.rows.iter().enumerate() {
            let terms = self.weights.iter().zip(&self.variances);
            let variance: f64 = terms.map(|(w, of)| w * w * of[i]).sum();
            self.spreads[i] = variance.sqrt();
            for (at, node) in at[i * n..(i + 1) * n].iter_mut().zip(&self.rule.nodes) {
                *at = eta[row] + self.spreads[i] * node;
            }
        }
        link.evaluate(at, values, slopes);
        for (i, &row) in self.rows.iter().enumerate() {
            let own = i * n..(i + 1) * n;
            let moments = if self.spreads[i] > WIDE {
                LinkMoments::new(link, eta[row], self.spreads[i], self.rule)
            } else {
                LinkMoments::of(&values[own.clone()], &slopes[own], self.rule)
            };
            value[row] = moments.value;
            slope[row] = moments.slope;
            self.deviations[i] = moments.variance.sqrt();
            self.moments[i] = moments;
        }
    }

    /// Standard deviations of the link's value, at the weights evaluated last.
    pub(super) fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// Sum of the variances of the link's value.
    pub(super) fn square(&self) -> f64 {
        self.moments.iter().map(|moments| moments.variance).sum()
    }

    /// Derivatives with respect to every weight: of the expected values in all instances, and of
    /// the standard deviations in the uncertain ones.
    pub(super) fn derivatives(
        &self,
        inputs: &[&[f64]],
        slope: &[f64],
    ) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let of_value = |(j, input): (usize, &&[f64])| {
            let pairs = input.iter().zip(slope);
            let mut column: Vec<f64> = pairs.map(|(u, g)| u * g).collect();
            for (i, &row) in self.rows.iter().enumerate() {
                column[row] += self.moments[i].slope_spread * self.spread_by(i, j);
            }
            column
        };
        let of_deviation = |(j, input): (usize, &&[f64])| {
            let one = |(i, &row): (usize, &usize)| {
                let LinkMoments {
                    shared,
                    shared_spread,
                    ..
                } = self.moments[i];
                if self.deviations[i] > SMALLEST {
                    let half = shared * input[row] + shared_spread * self.spread_by(i, j);
                    half / self.deviations[i]
                } else {
                    0.0
                }
            };
            self.rows.iter().enumerate().map(one).collect()
        };
        (
            inputs.iter().enumerate().map(of_value).collect(),
            inputs.iter().enumerate().map(of_deviation).collect(),
        )
    }

    /// Derivative of the standard deviation of the link's argument with respect to a weight; 0 for
    /// the bias.
    fn spread_by(&self, i: usize, input: usize) -> f64 {
        match self.variances.get(input) {
            Some(of) if self.spreads[i] > 0.0 => self.weights[input] * of[i] / self.spreads[i],
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LinkModel;
    use super::*;
    use crate::cpd::{Cpd, LinkCpd, Sigmoid};
    use crate::family::{FamilyData, Gram, waves_with_holes};
    use crate::numerics::{Problem, check_gradient};
    use std::sync::Arc;

    #[test]
    fn sums_of_squares_and_gradients_are_those_of_the_expected_error() {
        let data = waves_with_holes(0.0, [0.2, 0.6, 0.3]);
        let gram = Gram::expected(&data);
        let profiles = Profiles::expected(&data, &gram);
        let family = FamilyData {
            data: &profiles,
            child: 0,
            parents: &[1, 2],
        };
        let model = LinkModel::new(Arc::new(Sigmoid), false);
        for weights in [[0.5, -0.2], [2.0, 1.0], [-0.7, 3.0]] {
            let mut problem = model.problem(family);
            let sse = problem.evaluate(&mut weights.clone());
            let (_, _, fitted) = problem.state();
            let ((x_mean, x_sd), sds) =
                (profiles.scale_of(0), [1, 2].map(|v| profiles.scale_of(v)));
            let mut cpd = LinkCpd {
                link: Arc::new(Sigmoid),
                weights: vec![weights[0] / sds[0].1, weights[1] / sds[1].1],
                bias: -weights[0] * sds[0].0 / sds[0].1 - weights[1] * sds[1].0 / sds[1].1,
                scale: x_sd * fitted.scale(),
                offset: x_mean - x_sd * fitted.scale() * fitted.mean,
                variance: 1.0,
            };
            let at = |cpd: &LinkCpd| {
                profiles.squared_errors(0, &[1, 2], &Cpd::Link(cpd.clone())) / (x_sd * x_sd)
            };
            assert!((at(&cpd) - sse).abs() < 1e-9, "{} {sse}", at(&cpd));
            // Scale and offset minimise the expected error.
            for (scale, offset) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
                cpd.scale += scale;
                cpd.offset += offset;
                assert!(at(&cpd) > sse);
                cpd.scale -= scale;
                cpd.offset -= offset;
            }
            check_gradient(&mut problem, &weights);
        }
    }
}
