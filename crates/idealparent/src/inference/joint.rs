//! Updates all missing entries of an instance together: a Gauss-Newton step of all means and
//! variances.
//!
//! Updating one entry at a time, as in [`super::mean_field`], takes many rounds if entries depend
//! on each other, as hidden variables with common children do. Here every family is evaluated once
//! per step.

use super::mean_field::{Inputs, Instance, MeanField, log_step};
use crate::cpd::ParentSlopes;
use crate::numerics::Cholesky;

/// With more missing entries than this they are updated one at a time, since factorising the
/// curvature matrix would take longer.
const MOST_TOGETHER: usize = 64;

/// Maximum number of joint steps.
const MOST_STEPS: usize = 60;

/// Maximum number of halvings of a step before entries are updated one at a time.
const HALVINGS: usize = 8;

/// The entries of an instance that are updated together.
pub(super) struct JointEntries<'a> {
    field: &'a MeanField<'a>,
    unobserved: &'a [usize],
    /// Families that contain a missing entry, in ascending order.
    families: Vec<usize>,
    inputs: Inputs,
    slopes: Vec<ParentSlopes>,
    /// Missing entries of the current family: the position among the unobserved, and the derivative
    /// of the residual with respect to the mean.
    touched: Vec<(usize, f64)>,
}

/// The terms of the free energy that depend on the entries, and their derivatives.
#[derive(Clone)]
struct Terms {
    energy: f64,
    /// Derivatives with respect to the means.
    rise: Vec<f64>,
    /// Gauss-Newton approximation of minus the second derivatives; row-major, lower triangle.
    curvature: Vec<f64>,
    /// Reciprocals of the variances at which the derivatives with respect to the variances vanish,
    /// approximately.
    tightness: Vec<f64>,
}

impl<'a> JointEntries<'a> {
    /// `None` if there are fewer than two entries, or too many.
    pub(super) fn new(field: &'a MeanField<'a>, unobserved: &'a [usize]) -> Option<Self> {
        if unobserved.len() > MOST_TOGETHER || unobserved.len() < 2 {
            return None;
        }
        let own = unobserved.iter().copied();
        let mut families: Vec<usize> = own
            .chain(unobserved.iter().flat_map(|&v| field.children_of(v)))
            .collect();
        families.sort_unstable();
        families.dedup();
        Some(JointEntries {
            field,
            unobserved,
            families,
            inputs: Inputs::default(),
            slopes: Vec::new(),
            touched: Vec::new(),
        })
    }

    fn terms(&mut self, at: &Instance) -> Terms {
        let n = self.unobserved.len();
        let mut terms = Terms {
            energy: 0.0,
            rise: vec![0.0; n],
            curvature: vec![0.0; n * n],
            tightness: vec![0.0; n],
        };
        for (i, &v) in self.unobserved.iter().enumerate() {
            terms.energy += 0.5 * at.variances[v].ln();
            terms.tightness[i] = 1.0 / self.field.network.families[v].cpd.variance();
        }
        for t in 0..self.families.len() {
            self.add(self.families[t], at, &mut terms);
        }
        terms
    }

    /// Adds the terms of a family.
    fn add(&mut self, child: usize, at: &Instance, terms: &mut Terms) {
        let n = self.unobserved.len();
        let family = &self.field.network.families[child];
        let variance = family.cpd.variance();
        self.field.inputs(child, at, &mut self.inputs);
        let Inputs { means, variances } = &self.inputs;
        let rule = self.field.rule;
        let expected = family
            .cpd
            .expected_with_slopes(means, variances, rule, &mut self.slopes);
        let residual = at.means[child] - expected.mean;
        let squares = residual * residual + at.variances[child] + expected.variance;
        terms.energy -= 0.5 * squares / variance;
        self.touched.clear();
        if let Ok(i) = self.unobserved.binary_search(&child) {
            terms.rise[i] -= residual / variance;
            self.touched.push((i, 1.0));
        }
        for (p, slopes) in family.parents.iter().zip(&self.slopes) {
            let Ok(i) = self.unobserved.binary_search(p) else {
                continue;
            };
            let (by_mean, by_variance) = (slopes.by_mean, slopes.by_variance);
            terms.rise[i] += (residual * by_mean.mean - 0.5 * by_mean.variance) / variance;
            terms.tightness[i] -=
                (2.0 * residual * by_variance.mean - by_variance.variance) / variance;
            self.touched.push((i, -by_mean.mean));
        }
        for &(i, a) in &self.touched {
            for &(j, b) in self.touched.iter().filter(|(j, _)| *j <= i) {
                terms.curvature[i * n + j] += a * b / variance;
            }
        }
    }

    /// Raises the free energy until a step gains less than `little`. Returns `false` if a joint
    /// step failed or the maximum number of steps was reached.
    pub(super) fn improve(&mut self, at: &mut Instance, little: f64) -> bool {
        let n = self.unobserved.len();
        let mut terms = self.terms(at);
        for _ in 0..MOST_STEPS {
            let curvature = &terms.curvature;
            let Some(factor) = Cholesky::factor(n, |i, j| curvature[i * n + j]) else {
                return false;
            };
            let mut by = terms.rise.clone();
            factor.solve(&mut by);
            let entry = |&v: &usize| (at.means[v], at.variances[v]);
            let before: Vec<(f64, f64)> = self.unobserved.iter().map(entry).collect();
            let pairs = terms.tightness.iter().zip(&before);
            let log_by = pairs.map(|(&tightness, &(_, variance))| log_step(tightness, variance));
            let log_by: Vec<f64> = log_by.collect();
            let mut share = 1.0;
            let mut next = None;
            for _ in 0..HALVINGS {
                for (i, &v) in self.unobserved.iter().enumerate() {
                    at.means[v] = (before[i].0 + share * by[i]).max(self.field.least_of(v));
                    at.variances[v] = before[i].1 * (share * log_by[i]).exp();
                }
                let tried = self.terms(at);
                if tried.energy > terms.energy {
                    next = Some(tried);
                    break;
                }
                share *= 0.5;
            }
            let Some(next) = next else {
                for (&v, (mean, variance)) in self.unobserved.iter().zip(before) {
                    (at.means[v], at.variances[v]) = (mean, variance);
                }
                return false;
            };
            let gained = next.energy - terms.energy;
            terms = next;
            if gained < little {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::cpd::{Cpd, LinearCpd, LinkCpd, Sigmoid};
    use crate::network::{Family, Network, Variable};
    use crate::numerics::Rule;

    /// Three hidden roots with eight children of two or three of them, sigmoid and linear.
    fn network(rng: &mut rand_chacha::ChaCha8Rng) -> Network {
        let mut families: Vec<Family> = (0..3)
            .map(|_| Family::new(Vec::new(), Cpd::Linear(LinearCpd::root(0.0, 1.0))))
            .collect();
        for child in 0..8 {
            let parents: Vec<usize> = (0..3).filter(|p| child < 4 || *p != child % 3).collect();
            let mut weights = || -> Vec<f64> {
                let weight = |_: &usize| 4.0 * rng.random::<f64>() - 2.0;
                parents.iter().map(weight).collect()
            };
            let cpd = match child % 4 {
                0 => Cpd::Linear(LinearCpd {
                    intercept: 0.1,
                    weights: weights(),
                    variance: 0.05,
                }),
                _ => Cpd::Link(LinkCpd {
                    link: Arc::new(Sigmoid),
                    weights: weights(),
                    bias: 0.3,
                    scale: 2.0,
                    offset: -1.0,
                    variance: 0.02,
                }),
            };
            families.push(Family::new(parents, cpd));
        }
        let variable = |v: usize| Variable {
            name: format!("X{v}"),
            hidden: v < 3,
        };
        Network {
            variables: (0..families.len()).map(variable).collect(),
            families,
            ..Network::default()
        }
    }

    /// After joint steps have converged, updates of single entries gain nothing. Joint steps reach
    /// at least the free energy of single updates from the same start, up to other local maxima.
    #[test]
    fn joint_steps_end_at_a_maximum() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(8);
        let mut higher = 0;
        for _ in 0..50 {
            let network = network(&mut rng);
            let field = MeanField::new(&network, &[], Rule::fast());
            let values: Vec<f64> = (0..11).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect();
            let start = || Instance {
                means: values.clone(),
                variances: (0..11).map(|v| if v < 3 { 1.0 } else { 0.0 }).collect(),
            };
            let unobserved = [0, 1, 2];
            let mut together = start();
            field.improve(&mut together, &unobserved);
            let reached = field.free_energy(&together, &unobserved);
            field.improve_one_by_one(&mut together, &unobserved);
            let after = field.free_energy(&together, &unobserved);
            assert!(
                (0.0..1e-6).contains(&(after - reached + 1e-12)),
                "{reached} {after}"
            );
            let mut one_by_one = start();
            field.improve_one_by_one(&mut one_by_one, &unobserved);
            let other = field.free_energy(&one_by_one, &unobserved);
            // There may be several maxima.
            if reached > other - 1e-6 {
                higher += 1;
            }
        }
        assert!(higher >= 45, "{higher}");
    }
}
