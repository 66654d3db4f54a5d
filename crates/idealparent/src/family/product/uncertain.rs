//! Expected values of a product whose parents are uncertain and independent of each other: moments
//! of the product are products of moments.

use crate::cpd::{FactorKind, FactorMoments};
use crate::family::Profiles;
use crate::numerics::Rule;

/// Below this standard deviation of a product, the derivative of the deviation is taken as 0.
const SMALLEST: f64 = 1e-30;

/// The instances of a family in which some parent is uncertain.
#[derive(Clone, Debug)]
pub(super) struct Uncertain {
    rule: &'static Rule,
    /// Numbers of the instances, ascending.
    rows: Vec<usize>,
    /// Standard deviations of every parent in these instances, in units of its geometric mean.
    spreads: Vec<Vec<f64>>,
    /// Moments of every parent's factor.
    moments: Vec<Vec<FactorMoments>>,
    /// Standard deviations of the product.
    deviations: Vec<f64>,
}

impl Uncertain {
    /// Returns `None` if no entry of the parents is uncertain.
    pub(super) fn new(data: &Profiles, parents: &[usize]) -> Option<Self> {
        let rows = data.uncertain(parents);
        if rows.is_empty() {
            return None;
        }
        let of_parent = |&p: &usize| match data.data().variances(p) {
            [] => vec![0.0; rows.len()],
            all => {
                let unit = data.geometric_mean(p);
                rows.iter().map(|&row| all[row].sqrt() / unit).collect()
            }
        };
        Some(Uncertain {
            rule: Rule::fast(),
            spreads: parents.iter().map(of_parent).collect(),
            moments: vec![vec![FactorMoments::default(); rows.len()]; parents.len()],
            deviations: vec![0.0; rows.len()],
            rows,
        })
    }

    /// Replaces the product by its expectation, and the derivatives of its logarithm by those of
    /// the expectation's logarithm.
    pub(super) fn evaluate(
        &mut self,
        kinds: &[FactorKind],
        weights: &[f64],
        inputs: &[Vec<f64>],
        product: &mut [f64],
        logarithmic: &mut [Vec<f64>],
    ) {
        for (i, weight) in weights.iter().enumerate() {
            let rate = weight.exp();
            for (r, &row) in self.rows.iter().enumerate() {
                let y = rate * inputs[i][row];
                let moments = match self.spreads[i][r] {
                    0.0 => FactorMoments::certain(kinds[i], y),
                    sd => FactorMoments::new(kinds[i], y, rate * sd, self.rule),
                };
                logarithmic[i][row] = moments.by_rate.0 / moments.first;
                self.moments[i][r] = moments;
            }
        }
        for (r, &row) in self.rows.iter().enumerate() {
            let factors = self.moments.iter().map(|of| &of[r]);
            let (first, variance) = FactorMoments::of_product(factors);
            product[row] = first;
            self.deviations[r] = variance.sqrt();
        }
    }

    /// Standard deviations of the product, at the weights evaluated last.
    pub(super) fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// Sum of the variances of the product.
    pub(super) fn square(&self) -> f64 {
        self.deviations.iter().map(|q| q * q).sum()
    }

    /// Derivatives of the standard deviations with respect to the logarithm of every weight.
    pub(super) fn derivatives(&self) -> Vec<Vec<f64>> {
        let of_parent = |(i, moments): (usize, &Vec<FactorMoments>)| {
            let one = |(r, factor): (usize, &FactorMoments)| {
                let q = self.deviations[r];
                if q <= SMALLEST {
                    return 0.0;
                }
                let rest = (0..self.moments.len()).filter(|&other| other != i);
                let others = FactorMoments::of_product(rest.map(|other| &self.moments[other][r]));
                0.5 * factor.change(factor.by_rate, others).1 / q
            };
            moments.iter().enumerate().map(one).collect()
        };
        self.moments.iter().enumerate().map(of_parent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProductModel;
    use super::*;
    use crate::cpd::{Cpd, ProductCpd, ProductFactor};
    use crate::family::{FamilyData, Gram, waves_with_holes};
    use crate::numerics::check_gradient;

    #[test]
    fn sums_of_squares_and_gradients_are_those_of_the_expected_error() {
        let data = waves_with_holes(2.5, [0.05, 0.1, 0.2]);
        let gram = Gram::expected(&data);
        let profiles = Profiles::expected(&data, &gram);
        let parents = [1, 2];
        let family = FamilyData {
            data: &profiles,
            child: 0,
            parents: &parents,
        };
        let (mean, sd) = profiles.scale_of(0);
        let kinds = [FactorKind::Activator, FactorKind::Repressor];
        for baseline in [false, true] {
            let mut problem = ProductModel { baseline }.problem(family);
            for weights in [[0.0, 0.5], [1.0, -1.0]] {
                let sse = problem.at(&kinds, &weights);
                let (_, fitted) = problem.state();
                let factor = |i: usize| ProductFactor {
                    kind: kinds[i],
                    weight: f64::exp(weights[i]) / profiles.geometric_mean(parents[i]),
                };
                let cpd = Cpd::Product(ProductCpd {
                    factors: vec![factor(0), factor(1)],
                    scale: sd * fitted.scale(),
                    offset: if baseline {
                        mean - sd * fitted.scale() * fitted.mean
                    } else {
                        0.0
                    },
                    variance: 1.0,
                });
                let expected = profiles.squared_errors(0, &parents, &cpd) / (sd * sd);
                assert!((expected - sse).abs() < 1e-8, "{expected} {sse}");
                check_gradient(&mut problem, &weights);
            }
        }
    }
}
