//! Expected log-likelihood of a network, given the distribution of the missing values.

use std::f64::consts::PI;

use rayon::prelude::*;

use crate::cpd::Cpd;
use crate::data::Completed;
use crate::family::expected_squares;
use crate::network::Network;

/// The distribution of the missing values: moments of the completed data, and entropy.
#[derive(Clone, Debug)]
pub(crate) struct Completion {
    pub(crate) data: Completed<'static>,
    pub(crate) entropy: f64,
}

/// `E_Q log p` of all entries, missing and observed.
pub fn expected_log_likelihood(network: &Network, data: &Completed) -> f64 {
    let part = |v: usize| {
        let family = &network.families[v];
        if family.inactive {
            0.0
        } else {
            expected_family(data, v, &family.parents, &family.cpd)
        }
    };
    let parts: Vec<f64> = (0..network.len()).into_par_iter().map(part).collect();
    parts.iter().sum()
}

/// The part of `E_Q log p` that belongs to a variable given its parents.
pub(crate) fn expected_family(data: &Completed, v: usize, parents: &[usize], cpd: &Cpd) -> f64 {
    let squares = expected_squares(data, v, parents, cpd);
    let variance = cpd.variance();
    -0.5 * (data.instances() as f64 * (2.0 * PI * variance).ln() + squares / variance)
}

/// Entropy of independent Gaussian entries with these variances.
pub(crate) fn entropy(variances: impl IntoIterator<Item = f64>) -> f64 {
    let one = |variance: f64| 0.5 * ((2.0 * PI).ln() + 1.0 + variance.ln());
    variances.into_iter().map(one).sum()
}
