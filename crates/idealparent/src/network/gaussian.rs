//! The joint Gaussian of a linear network, and its exact conditionals given observed variables.
//!
//! With the joint precision `P = (I - B)' D^-1 (I - B)`, the unobserved variables u given the
//! observed o are Gaussian with precision `P_uu` and mean `mu_u - P_uu^-1 P_uo (x_o - mu_o)`. `P`
//! is sparse if the network is, and only the rows of unobserved variables are needed.

use std::collections::BTreeMap;

use super::Network;
use crate::cpd::Cpd;
use crate::error::{Error, Result, quoted};
use crate::numerics::Cholesky;

/// The joint distribution of a linear network.
#[derive(Clone, Debug)]
pub struct Gaussian {
    mean: Vec<f64>,
    /// Sparse rows of the precision matrix: (column, entry), ascending by column.
    precision: Vec<Vec<(usize, f64)>>,
}

/// The posterior of the unobserved variables of one missingness pattern.
///
/// Variables that are neither parent and child nor parents of a common child are independent given
/// the rest. The posterior therefore decomposes into independent blocks, each factored separately.
#[derive(Clone, Debug)]
pub struct Conditional {
    unobserved: Vec<usize>,
    blocks: Vec<Block>,
}

/// Unobserved variables that depend on each other given the observed ones.
#[derive(Clone, Debug)]
struct Block {
    /// Positions of the block's variables among the unobserved ones, ascending.
    places: Vec<usize>,
    factor: Cholesky,
    /// Rows of `P_uo`.
    cross: Vec<Vec<(usize, f64)>>,
}

/// The posterior of one unobserved variable: a linear regression on the observed ones.
#[derive(Clone, Debug)]
pub struct Single {
    mean: f64,
    variance: f64,
    /// For each observed variable in the regression: index, mean, weight.
    weights: Vec<(usize, f64, f64)>,
}

impl Gaussian {
    /// The joint distribution of `network`. Returns an error if a density is not linear.
    pub fn new(network: &Network) -> Result<Self> {
        let n = network.len();
        let mut mean = vec![0.0; n];
        let mut rows: Vec<BTreeMap<usize, f64>> = vec![Default::default(); n];
        for v in network.order() {
            let family = &network.families[v];
            let Cpd::Linear(cpd) = &family.cpd else {
                let name = quoted(network.name(v));
                return Err(Error::data(format!(
                    "{name} does not depend linearly on its parents"
                )));
            };
            let inputs: Vec<f64> = family.parents.iter().map(|&p| mean[p]).collect();
            mean[v] = cpd.mean(&inputs);
            // The family's residual is x_v - sum_i w_i u_i. Its square contributes every pair of
            // its terms to P.
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

    /// `P_vv`: the reciprocal of a variable's variance given all others.
    pub fn precision_of(&self, v: usize) -> f64 {
        let row = &self.precision[v];
        let at = row.binary_search_by_key(&v, |&(column, _)| column);
        row[at.expect("the diagonal is never zero")].1
    }

    /// The posterior of `unobserved` (ascending) given all others.
    pub fn conditional(&self, unobserved: &[usize]) -> Result<Conditional> {
        let blocks = self.components(unobserved).into_iter();
        Ok(Conditional {
            unobserved: unobserved.to_vec(),
            blocks: blocks
                .map(|places| self.block(unobserved, places))
                .collect::<Result<_>>()?,
        })
    }

    /// Connected components of the unobserved variables in the precision matrix, as positions.
    fn components(&self, unobserved: &[usize]) -> Vec<Vec<usize>> {
        let mut seen = vec![false; unobserved.len()];
        let mut components = Vec::new();
        for first in 0..unobserved.len() {
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            let mut members = vec![first];
            let mut next = 0;
            while let Some(&place) = members.get(next) {
                next += 1;
                for &(v, _) in &self.precision[unobserved[place]] {
                    if let Ok(other) = unobserved.binary_search(&v)
                        && !std::mem::replace(&mut seen[other], true)
                    {
                        members.push(other);
                    }
                }
            }
            members.sort_unstable();
            components.push(members);
        }
        components
    }

    fn block(&self, unobserved: &[usize], places: Vec<usize>) -> Result<Block> {
        let k = places.len();
        let mut dense = vec![0.0; k * k];
        let mut cross = Vec::with_capacity(k);
        for (i, &place) in places.iter().enumerate() {
            let mut observed = Vec::new();
            for &(v, entry) in &self.precision[unobserved[place]] {
                match unobserved.binary_search(&v) {
                    Ok(other) => {
                        let j = places.binary_search(&other).expect("in the same block");
                        dense[i * k + j] = entry;
                    }
                    Err(_) => observed.push((v, entry)),
                }
            }
            cross.push(observed);
        }
        let factor = Cholesky::factor(k, |i, j| dense[i * k + j]).ok_or_else(|| {
            Error::data("the network's variances are too unequal to compute a posterior")
        })?;
        Ok(Block {
            places,
            factor,
            cross,
        })
    }
}

impl Conditional {
    /// Posterior means of the unobserved variables for one instance. `row(v)` is the observed value
    /// of variable `v`.
    pub fn mean(&self, joint: &Gaussian, row: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut means = vec![0.0; self.unobserved.len()];
        for block in &self.blocks {
            let shift = |terms: &Vec<(usize, f64)>| {
                let term = |&(v, entry): &(usize, f64)| entry * (row(v) - joint.mean[v]);
                -terms.iter().map(term).sum::<f64>()
            };
            let mut shift: Vec<f64> = block.cross.iter().map(shift).collect();
            block.factor.solve(&mut shift);
            for (&place, shift) in block.places.iter().zip(shift) {
                means[place] = joint.mean[self.unobserved[place]] + shift;
            }
        }
        means
    }

    /// Posterior covariances of each block: its variables, and their matrix in row-major order.
    pub fn covariances(&self) -> impl Iterator<Item = (Vec<usize>, Vec<f64>)> + '_ {
        let of_block = |block: &Block| {
            let k = block.places.len();
            let inverse = block.factor.inverse_lower();
            let mut matrix = vec![0.0; k * k];
            for i in 0..k {
                for j in 0..=i {
                    // (L L')^-1 = L^-T L^-1.
                    let terms = (i..k).map(|t| inverse[t * k + i] * inverse[t * k + j]);
                    let sum: f64 = terms.sum();
                    matrix[i * k + j] = sum;
                    matrix[j * k + i] = sum;
                }
            }
            let variables = block.places.iter().map(|&place| self.unobserved[place]);
            (variables.collect(), matrix)
        };
        self.blocks.iter().map(of_block)
    }

    /// Adds noise with the posterior covariance to `means`, which makes them a draw from the
    /// posterior. `normal` returns standard normal numbers.
    pub fn perturb(&self, means: &mut [f64], mut normal: impl FnMut() -> f64) {
        for block in &self.blocks {
            // With P = L L', L^-T e has covariance P^-1.
            let mut noise: Vec<f64> = block.places.iter().map(|_| normal()).collect();
            block.factor.solve_upper(&mut noise);
            for (&place, noise) in block.places.iter().zip(noise) {
                means[place] += noise;
            }
        }
    }

    /// The posterior of the unobserved variable at position `at`.
    ///
    /// The system is solved once for all instances with the same missingness pattern.
    pub fn one(&self, joint: &Gaussian, at: usize) -> Single {
        let holds = |block: &&Block| block.places.binary_search(&at).is_ok();
        let block = self.blocks.iter().find(holds);
        let block = block.expect("every position is in a block");
        let own = block.places.binary_search(&at).expect("found above");
        // Row `own` of P_uu^-1, which is symmetric.
        let mut covariance = vec![0.0; block.factor.len()];
        covariance[own] = 1.0;
        block.factor.solve_lower(&mut covariance);
        // Computed as a sum of squares, which rounding cannot make negative.
        let variance = covariance.iter().map(|x| x * x).sum();
        block.factor.solve_upper(&mut covariance);
        let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
        for (c, terms) in covariance.iter().zip(&block.cross) {
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

    /// Logarithm of the determinant of `P_uu`.
    pub fn log_det(&self) -> f64 {
        self.blocks.iter().map(|block| block.factor.log_det()).sum()
    }
}

impl Single {
    /// Posterior mean for one instance. `row(v)` is the observed value of variable `v`.
    pub fn mean(&self, row: impl Fn(usize) -> f64) -> f64 {
        let term = |&(v, mean, weight): &(usize, f64, f64)| weight * (row(v) - mean);
        self.mean + self.weights.iter().map(term).sum::<f64>()
    }

    /// Posterior variance, the same for all instances with the missingness pattern.
    pub fn variance(&self) -> f64 {
        self.variance
    }
}
