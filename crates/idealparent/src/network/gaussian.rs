//! The joint Gaussian of an all-linear network, conditioned exactly on whatever is observed.
//!
//! With the joint precision `P = (I - B)' D^-1 (I - B)` the unobserved variables u given the observed o are
//! Gaussian with precision `P_uu` and mean `mu_u - P_uu^-1 P_uo (x_o - mu_o)`. `P` is as sparse as the network, and
//! only the rows of unobserved variables are ever needed.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use super::Network;
use crate::cpd::Cpd;
use crate::error::{Error, Result};
use crate::fit::Cholesky;

/// The joint distribution of an all-linear network.
#[derive(Clone, Debug)]
pub struct Gaussian {
    mean: Vec<f64>,
    /// Rows of the precision matrix: (column, entry), ascending.
    precision: Vec<Vec<(usize, f64)>>,
}

/// The posterior of the unobserved variables of one missingness pattern.
#[derive(Clone, Debug)]
pub struct Conditional {
    unobserved: Vec<usize>,
    factor: Cholesky,
    /// Rows of `P_uo`.
    cross: Vec<Vec<(usize, f64)>>,
}

/// The posterior of one unobserved variable: a regression on the observed ones.
#[derive(Clone, Debug)]
pub struct Single {
    mean: f64,
    variance: f64,
    /// An observed variable, its mean, and its weight.
    weights: Vec<(usize, f64, f64)>,
}

impl Gaussian {
    /// The joint distribution; an error if a density is not linear.
    pub fn new(network: &Network) -> Result<Self> {
        let n = network.len();
        let order = network
            .dag()
            .topological_order()
            .expect("a network has no cycle");
        let mut mean = vec![0.0; n];
        let mut rows: Vec<BTreeMap<usize, f64>> = vec![Default::default(); n];
        for v in order {
            let family = &network.families[v];
            let Cpd::Linear(cpd) = &family.cpd else {
                return Err(Error::Data(format!(
                    "'{}' does not depend linearly on its parents",
                    network.name(v)
                )));
            };
            let inputs: Vec<f64> = family.parents.iter().map(|&p| mean[p]).collect();
            mean[v] = cpd.mean(&inputs);
            // The family's residual is x_v - sum_i w_i u_i: every pair of its terms adds to P.
            let own = std::iter::once((v, 1.0));
            let terms: Vec<(usize, f64)> = own
                .chain(
                    family
                        .parents
                        .iter()
                        .zip(&cpd.weights)
                        .map(|(&p, &w)| (p, -w)),
                )
                .collect();
            for &(a, x) in &terms {
                for &(b, y) in &terms {
                    *rows[a].entry(b).or_default() += x * y / cpd.variance;
                }
            }
        }
        Ok(Gaussian {
            mean,
            precision: rows
                .into_iter()
                .map(|row| row.into_iter().collect())
                .collect(),
        })
    }

    /// Means of all variables.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The posterior of `unobserved` (ascending) given all others.
    pub fn conditional(&self, unobserved: &[usize]) -> Result<Conditional> {
        let k = unobserved.len();
        let mut dense = vec![0.0; k * k];
        let mut cross = Vec::with_capacity(k);
        for (i, &u) in unobserved.iter().enumerate() {
            let mut observed = Vec::new();
            for &(v, entry) in &self.precision[u] {
                match unobserved.binary_search(&v) {
                    Ok(j) => dense[i * k + j] = entry,
                    Err(_) => observed.push((v, entry)),
                }
            }
            cross.push(observed);
        }
        let factor = Cholesky::factor(k, |i, j| dense[i * k + j]).ok_or_else(|| {
            Error::Data("the network's variances are too unequal to condition on".to_string())
        })?;
        Ok(Conditional {
            unobserved: unobserved.to_vec(),
            factor,
            cross,
        })
    }
}

impl Conditional {
    /// Posterior means of the unobserved variables at one instance.
    pub fn mean(&self, joint: &Gaussian, row: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut shift: Vec<f64> = self
            .cross
            .iter()
            .map(|terms| {
                let term = |&(v, entry): &(usize, f64)| entry * (row(v) - joint.mean[v]);
                -terms.iter().map(term).sum::<f64>()
            })
            .collect();
        self.factor.solve(&mut shift);
        let mean = |(s, &u): (f64, &usize)| joint.mean[u] + s;
        shift.into_iter().zip(&self.unobserved).map(mean).collect()
    }

    /// The posterior of one of the unobserved variables, given by its place among them.
    ///
    /// One solution of the system serves all instances of the pattern.
    pub fn one(&self, joint: &Gaussian, at: usize) -> Single {
        // Row `at` of P_uu^-1, which is symmetric.
        let mut covariance = vec![0.0; self.factor.len()];
        covariance[at] = 1.0;
        self.factor.solve_lower(&mut covariance);
        // A sum of squares cannot be rounded below zero.
        let variance = covariance.iter().map(|x| x * x).sum();
        self.factor.solve_upper(&mut covariance);
        let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
        for (c, terms) in covariance.iter().zip(&self.cross) {
            for &(v, entry) in terms {
                *weights.entry(v).or_default() -= c * entry;
            }
        }
        let weight = |(v, weight)| (v, joint.mean[v], weight);
        Single {
            mean: joint.mean[self.unobserved[at]],
            variance,
            weights: weights.into_iter().map(weight).collect(),
        }
    }

    /// `log p(o)` minus the joint log density at the posterior mean of what is unobserved.
    pub fn log_normaliser(&self) -> f64 {
        0.5 * self.factor.len() as f64 * (2.0 * PI).ln() - 0.5 * self.factor.log_det()
    }
}

impl Single {
    /// Posterior mean at one instance.
    pub fn mean(&self, row: impl Fn(usize) -> f64) -> f64 {
        let term = |&(v, mean, weight): &(usize, f64, f64)| weight * (row(v) - mean);
        self.mean + self.weights.iter().map(term).sum::<f64>()
    }

    /// Posterior variance: the same for every instance of the pattern.
    pub fn variance(&self) -> f64 {
        self.variance
    }
}
