//! Moments of a density's mean when its parents are uncertain: independent and Gaussian.

use super::{Cpd, Link, LinkCpd, ProductCpd, ProductFactor};
use crate::numerics::Rule;

/// Mean and variance of a density's mean `g(u)`, u being the parents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// `E g`.
    pub mean: f64,
    /// `Var g`.
    pub variance: f64,
}

/// Derivatives of a density's moments with respect to one parent's moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ParentSlopes {
    /// Derivatives with respect to the parent's mean.
    pub by_mean: Expected,
    /// Derivatives with respect to the parent's variance.
    pub by_variance: Expected,
}

impl Cpd {
    /// Moments of the mean, with their derivatives with respect to the mean and variance of every
    /// uncertain parent. The derivatives for other parents are meaningless.
    pub fn expected_with_slopes(
        &self,
        means: &[f64],
        variances: &[f64],
        rule: &Rule,
        slopes: &mut Vec<ParentSlopes>,
    ) -> Expected {
        slopes.clear();
        match self {
            Cpd::Linear(cpd) => {
                let of = |mean, variance| Expected { mean, variance };
                slopes.extend(cpd.weights.iter().map(|&w| ParentSlopes {
                    by_mean: of(w, 0.0),
                    by_variance: of(0.0, w * w),
                }));
            }
            Cpd::Link(cpd) => {
                let (moments, sd) = link_moments(cpd, means, variances, rule);
                slopes.extend(cpd.weights.iter().map(|&w| moments.by_parent(cpd, w, sd)));
                return moments.at(cpd);
            }
            Cpd::Product(cpd) => {
                let factors = factors_of(cpd, means, variances, rule);
                let of = |(parent, &v): (usize, &f64)| product_slopes(cpd, &factors, parent, v);
                slopes.extend(variances.iter().enumerate().map(of));
            }
        }
        self.expected(means, variances, rule)
    }

    /// Moments of the mean, given means and variances of the parents.
    pub fn expected(&self, means: &[f64], variances: &[f64], rule: &Rule) -> Expected {
        if variances.iter().all(|&v| v == 0.0) {
            return Expected {
                mean: self.mean(means),
                variance: 0.0,
            };
        }
        match self {
            Cpd::Linear(cpd) => {
                let terms = cpd.weights.iter().zip(variances);
                Expected {
                    mean: cpd.mean(means),
                    variance: terms.map(|(w, v)| w * w * v).sum(),
                }
            }
            Cpd::Link(cpd) => link_moments(cpd, means, variances, rule).0.at(cpd),
            Cpd::Product(cpd) => product_moments(cpd, means, variances, rule),
        }
    }
}

/// Moments of a link, and the standard deviation of its argument.
fn link_moments(
    cpd: &LinkCpd,
    means: &[f64],
    variances: &[f64],
    rule: &Rule,
) -> (LinkMoments, f64) {
    let terms = cpd.weights.iter().zip(variances);
    let sd = terms.map(|(w, v)| w * w * v).sum::<f64>().sqrt();
    let eta = cpd.predictor(means);
    (LinkMoments::new(cpd.link.as_ref(), eta, sd, rule), sd)
}

/// Rules with up to this many nodes need no allocation. A rule has more nodes only if the
/// argument's standard deviation is large.
const FEW_NODES: usize = 48;

/// Moments of a link's value `s = h(eta)` and slope when its argument `eta` is uncertain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkMoments {
    /// `E s`.
    pub value: f64,
    /// `Var s`.
    pub variance: f64,
    /// `E s'`: derivative of `E s` with respect to the mean of the argument.
    pub slope: f64,
    /// Derivative of `E s` with respect to the standard deviation of the argument.
    pub slope_spread: f64,
    /// Half the derivative of `Var s` with respect to the mean of the argument.
    pub shared: f64,
    /// Half the derivative of `Var s` with respect to the standard deviation of the argument.
    pub shared_spread: f64,
}

impl LinkMoments {
    /// Computes the moments from the link's values and slopes at the nodes of a rule.
    pub fn of(values: &[f64], slopes: &[f64], rule: &Rule) -> Self {
        let mut moments = LinkMoments::default();
        for (t, weight) in rule.weights.iter().enumerate() {
            moments.value += weight * values[t];
            moments.slope += weight * slopes[t];
            moments.slope_spread += weight * rule.nodes[t] * slopes[t];
        }
        // From deviations: if the argument hardly varies, a difference of squares would be mostly
        // rounding error.
        for (t, weight) in rule.weights.iter().enumerate() {
            let deviation = values[t] - moments.value;
            moments.variance += weight * deviation * deviation;
            moments.shared += weight * deviation * slopes[t];
            moments.shared_spread += weight * rule.nodes[t] * deviation * slopes[t];
        }
        moments
    }

    /// Computes the moments of a link whose argument has mean `eta` and standard deviation `sd`.
    pub fn new(link: &dyn Link, eta: f64, sd: f64, rule: &Rule) -> Self {
        let rule = rule.for_spread(sd);
        let n = rule.len();
        // Called very often, so the usual rules need no allocation.
        let (mut few, mut many) = ([0.0; 3 * FEW_NODES], Vec::new());
        let work = if n <= FEW_NODES {
            &mut few[..3 * n]
        } else {
            many.resize(3 * n, 0.0);
            &mut many[..]
        };
        let (at, rest) = work.split_at_mut(n);
        let (values, slopes) = rest.split_at_mut(n);
        for (at, node) in at.iter_mut().zip(&rule.nodes) {
            *at = eta + sd * node;
        }
        link.evaluate(at, values, slopes);
        LinkMoments::of(values, slopes, rule)
    }

    /// Derivatives of a density's moments with respect to those of a parent with weight `w`, where
    /// the link's argument has standard deviation `sd`.
    fn by_parent(&self, cpd: &LinkCpd, w: f64, sd: f64) -> ParentSlopes {
        let of = |mean: f64, second: f64| Expected {
            mean: cpd.scale * mean,
            variance: 2.0 * cpd.scale * cpd.scale * second,
        };
        // The derivative of sd with respect to the parent's variance is w^2 / (2 sd).
        let share = if sd > 0.0 { 0.5 * w * w / sd } else { 0.0 };
        ParentSlopes {
            by_mean: of(w * self.slope, w * self.shared),
            by_variance: of(share * self.slope_spread, share * self.shared_spread),
        }
    }

    fn at(&self, cpd: &LinkCpd) -> Expected {
        Expected {
            mean: cpd.offset + cpd.scale * self.value,
            variance: cpd.scale * cpd.scale * self.variance,
        }
    }
}

/// Moments of one factor `h(y)`, `y = a u`, of a product, and their derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FactorMoments {
    /// `E h`.
    pub first: f64,
    /// `Var h`, computed from deviations: if h hardly varies, a difference of squares would be
    /// mostly rounding error.
    pub variance: f64,
    /// Derivatives of `E h` and `Var h` with respect to `log a`.
    pub by_rate: (f64, f64),
    /// Derivatives of `E h` and `Var h` with respect to the mean of y.
    pub by_mean: (f64, f64),
    /// Derivatives of `E h` and `Var h` with respect to the standard deviation of y.
    pub by_spread: (f64, f64),
}

impl FactorMoments {
    /// Computes the moments for `y` with this mean and standard deviation. Where `y` is not
    /// positive, the factor is `h(0)`.
    pub fn new(kind: super::FactorKind, mean: f64, sd: f64, rule: &Rule) -> Self {
        let at = |node: f64| {
            let y = mean + sd * node;
            if y > 0.0 {
                (y, kind.value(y), kind.slope(y))
            } else {
                (y, kind.value(0.0), 0.0)
            }
        };
        let mut moments = FactorMoments {
            first: rule.pairs().map(|(node, w)| w * at(node).1).sum(),
            ..FactorMoments::default()
        };
        for (node, weight) in rule.pairs() {
            let (y, value, slope) = at(node);
            let deviation = value - moments.first;
            moments.variance += weight * deviation * deviation;
            let add = |to: &mut (f64, f64), slope: f64| {
                to.0 += weight * slope;
                to.1 += 2.0 * weight * deviation * slope;
            };
            add(&mut moments.by_rate, slope * y);
            add(&mut moments.by_mean, slope);
            add(&mut moments.by_spread, slope * node);
        }
        moments
    }

    /// Returns the moments for a known `y`.
    pub fn certain(kind: super::FactorKind, y: f64) -> Self {
        let slope = kind.slope(y);
        FactorMoments {
            first: kind.value(y),
            variance: 0.0,
            by_rate: (slope * y, 0.0),
            by_mean: (slope, 0.0),
            by_spread: (0.0, 0.0),
        }
    }

    /// `E h^2`.
    pub fn second(&self) -> f64 {
        self.variance + self.first * self.first
    }

    /// Mean and variance of a product of independent factors.
    pub fn of_product<'a>(factors: impl IntoIterator<Item = &'a FactorMoments>) -> (f64, f64) {
        let (mut first, mut variance) = (1.0, 0.0);
        for factor in factors {
            variance = variance * factor.second() + first * first * factor.variance;
            first *= factor.first;
        }
        (first, variance)
    }

    /// Derivatives of a product's mean and variance. The arguments are the derivatives of this
    /// factor's mean and variance, and the mean and variance of the product of all other factors.
    pub fn change(
        &self,
        (by_first, by_variance): (f64, f64),
        (others, their_variance): (f64, f64),
    ) -> (f64, f64) {
        let by_second = by_variance + 2.0 * self.first * by_first;
        (
            others * by_first,
            their_variance * by_second + others * others * by_variance,
        )
    }
}

fn factors_of(
    cpd: &ProductCpd,
    means: &[f64],
    variances: &[f64],
    rule: &Rule,
) -> Vec<FactorMoments> {
    let factor = |(i, f): (usize, &ProductFactor)| match variances[i] {
        0.0 => FactorMoments::certain(f.kind, f.weight * means[i]),
        v => FactorMoments::new(f.kind, f.weight * means[i], f.weight * v.sqrt(), rule),
    };
    cpd.factors.iter().enumerate().map(factor).collect()
}

fn product_moments(cpd: &ProductCpd, means: &[f64], variances: &[f64], rule: &Rule) -> Expected {
    let (first, variance) = FactorMoments::of_product(&factors_of(cpd, means, variances, rule));
    Expected {
        mean: cpd.offset + cpd.scale * first,
        variance: cpd.scale * cpd.scale * variance,
    }
}

/// Derivatives of a product's moments with respect to those of a parent with this variance, given
/// the moments of all factors.
fn product_slopes(
    cpd: &ProductCpd,
    factors: &[FactorMoments],
    parent: usize,
    variance: f64,
) -> ParentSlopes {
    if variance == 0.0 {
        return ParentSlopes::default();
    }
    let rest = (0..factors.len()).filter(|&i| i != parent);
    let others = FactorMoments::of_product(rest.map(|i| &factors[i]));
    let own = &factors[parent];
    let change = |by: (f64, f64), rate: f64| {
        let (first, variance) = own.change(by, others);
        Expected {
            mean: rate * cpd.scale * first,
            variance: rate * cpd.scale * cpd.scale * variance,
        }
    };
    let weight = cpd.factors[parent].weight;
    ParentSlopes {
        by_mean: change(own.by_mean, weight),
        by_variance: change(own.by_spread, 0.5 * weight / variance.sqrt()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cpd::{FactorKind, LinearCpd, Sigmoid};

    /// Oracle O8 (tests/oracles.md).
    #[test]
    fn sigmoid_moments_agree_with_the_oracle() {
        let cases = [
            (1.0, 1.0, 0.6967346701, 0.5187912900),
            (2.0, 4.0, 0.7752002454, 0.6628003681),
        ];
        for (rule, tolerance) in [(Rule::fine(), 1e-9), (Rule::fast(), 5e-6)] {
            for (mean, variance, first, second) in cases {
                let sd = f64::sqrt(variance);
                let moments = LinkMoments::new(&Sigmoid, mean, sd, rule);
                let square = moments.variance + moments.value * moments.value;
                assert!((moments.value - first).abs() < tolerance);
                assert!((square - second).abs() < tolerance);
            }
        }
    }

    fn densities() -> Vec<Cpd> {
        let factor = |kind, weight| ProductFactor { kind, weight };
        vec![
            Cpd::Linear(LinearCpd {
                intercept: 0.3,
                weights: vec![0.7, -1.1],
                variance: 1.0,
            }),
            Cpd::Link(LinkCpd {
                link: Arc::new(Sigmoid),
                weights: vec![0.9, -0.4],
                bias: 0.2,
                scale: 2.5,
                offset: -1.0,
                variance: 1.0,
            }),
            Cpd::Product(ProductCpd {
                factors: vec![
                    factor(FactorKind::Activator, 0.8),
                    factor(FactorKind::Repressor, 1.7),
                ],
                scale: 3.0,
                offset: 0.5,
                variance: 1.0,
            }),
        ]
    }

    /// Compares moments with sums over a fine grid of both parents, and slopes with finite
    /// differences.
    #[test]
    fn moments_and_slopes_agree_with_sums_over_a_grid() {
        let rule = Rule::fine();
        let moments = |cpd: &Cpd, means: [f64; 2], variances: [f64; 2]| {
            let (mut first, mut second) = (0.0, 0.0);
            for (x, w) in rule.pairs() {
                for (y, v) in rule.pairs() {
                    let at = |i: usize, node: f64| means[i] + variances[i].sqrt() * node;
                    let g = cpd.mean(&[at(0, x), at(1, y)]);
                    first += w * v * g;
                    second += w * v * g * g;
                }
            }
            (first, second - first * first)
        };
        for cpd in densities() {
            // The product needs parents far enough from 0.
            let (means, variances) = ([3.0, 4.0], [0.1, 0.2]);
            let (first, variance) = moments(&cpd, means, variances);
            let expected = cpd.expected(&means, &variances, rule);
            assert!((expected.mean - first).abs() < 1e-10);
            assert!((expected.variance - variance).abs() < 1e-10);
            let mut all = Vec::new();
            assert_eq!(
                cpd.expected_with_slopes(&means, &variances, rule, &mut all),
                expected
            );
            for parent in 0..2 {
                let by = |step: &dyn Fn(f64) -> ([f64; 2], [f64; 2])| {
                    let ((m1, v1), (m0, v0)) = (step(1e-5), step(-1e-5));
                    let (high, low) = (cpd.expected(&m1, &v1, rule), cpd.expected(&m0, &v0, rule));
                    let slope = |a: f64, b: f64| (a - b) / 2e-5;
                    (
                        slope(high.mean, low.mean),
                        slope(high.variance, low.variance),
                    )
                };
                let moved = |mut of: [f64; 2], by: f64| {
                    of[parent] += by;
                    of
                };
                for (found, (mean, variance)) in [
                    (all[parent].by_mean, by(&|e| (moved(means, e), variances))),
                    (
                        all[parent].by_variance,
                        by(&|e| (means, moved(variances, e))),
                    ),
                ] {
                    assert!((found.mean - mean).abs() < 1e-8, "{cpd:?} {found:?} {mean}");
                    assert!((found.variance - variance).abs() < 1e-8, "{cpd:?}");
                }
            }
        }
    }
}
