//! Expected sums of squares, and linear fits, of families on data with missing entries.

use super::{Gram, GramFamily};
use crate::cpd::{Cpd, LinearCpd};
use crate::data::Completed;
use crate::kernel::dot;
use crate::numerics::{Rule, least_squares, mean_and_variance};

/// The maximum likelihood density of a linear family.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFit {
    /// The density.
    pub cpd: LinearCpd,
    /// Expected variance of the child.
    pub own: f64,
    /// Share of the child's variance that the parents leave unexplained.
    pub residual: f64,
}

/// Fits a linear family in the units of the data; `None` if its parents are collinear.
///
/// The fit uses the data if no entry of the family is missing, and expected moments otherwise.
pub fn fit_linear(data: &Completed, child: usize, parents: &[usize]) -> Option<LinearFit> {
    let m = data.instances() as f64;
    let floor = data.variance_floor();
    let variance = |residual: f64, own: f64| residual.max(floor) * own;
    let columns = data.means();
    if data.are_certain(&[child]) && data.are_certain(parents) {
        let inputs: Vec<&[f64]> = parents.iter().map(|&p| &columns[p][..]).collect();
        let fit = least_squares(&columns[child], &inputs)?;
        let own = mean_and_variance(&columns[child]).1;
        return Some(LinearFit {
            cpd: LinearCpd {
                intercept: fit.intercept,
                weights: fit.weights,
                variance: (fit.sse / m).max(floor * own),
            },
            own,
            residual: fit.sse / (m * own),
        });
    }
    let mut family = parents.to_vec();
    family.push(child);
    let gram = Gram::expected(&data.select(&family));
    let k = parents.len();
    let places: Vec<usize> = (0..k).collect();
    let fit = GramFamily::new(&gram, k, &places, |_| 0.0)?;
    let own = gram.variance(k);
    let weights: Vec<f64> = places
        .iter()
        .map(|&i| fit.weights[i] * (own.sqrt() / gram.variance(i).sqrt()))
        .collect();
    let predicted: f64 = weights
        .iter()
        .zip(&places)
        .map(|(w, &i)| w * gram.mean(i))
        .sum();
    Some(LinearFit {
        cpd: LinearCpd {
            intercept: gram.mean(k) - predicted,
            weights,
            variance: variance(fit.residual, own),
        },
        own,
        residual: fit.residual,
    })
}

/// The expected sum of squared errors of a family.
///
/// For non-linear densities, missing entries are taken as independent of each other.
pub fn expected_squares(data: &Completed, child: usize, parents: &[usize], cpd: &Cpd) -> f64 {
    match cpd {
        Cpd::Linear(linear) => linear_squares(data, child, parents, linear),
        _ => other_squares(data, child, parents, cpd),
    }
}

fn linear_squares(data: &Completed, child: usize, parents: &[usize], cpd: &LinearCpd) -> f64 {
    let means = data.means();
    let mut residual: Vec<f64> = means[child].iter().map(|x| x - cpd.intercept).collect();
    for (&p, weight) in parents.iter().zip(&cpd.weights) {
        for (r, u) in residual.iter_mut().zip(&means[p]) {
            *r -= weight * u;
        }
    }
    let mut sum = dot(&residual, &residual);
    // The residual is x - sum_j w_j u_j. Add the covariance of every pair of its terms.
    let terms = || {
        let parents = parents.iter().zip(&cpd.weights);
        let all = std::iter::once((child, 1.0)).chain(parents.map(|(&p, &w)| (p, -w)));
        all.filter(|&(v, _)| !data.variances(v).is_empty())
    };
    for (a, x) in terms() {
        for (b, y) in terms() {
            sum += x * y * data.covariance(a, b);
        }
    }
    sum
}

fn other_squares(data: &Completed, child: usize, parents: &[usize], cpd: &Cpd) -> f64 {
    let means = data.means();
    let mut inputs = vec![0.0; parents.len()];
    let mut variances = vec![0.0; parents.len()];
    let uncertain: Vec<(usize, &[f64])> = parents
        .iter()
        .map(|&p| data.variances(p))
        .enumerate()
        .filter(|(_, variances)| !variances.is_empty())
        .collect();
    let mut sum = 0.0;
    for (row, x) in means[child].iter().enumerate() {
        for (input, &p) in inputs.iter_mut().zip(parents) {
            *input = means[p][row];
        }
        for &(i, of) in &uncertain {
            variances[i] = of[row];
        }
        let expected = cpd.expected(&inputs, &variances, Rule::fast());
        sum += (x - expected.mean).powi(2) + expected.variance;
    }
    sum + data.covariance(child, child)
}
