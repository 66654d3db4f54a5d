//! Expected log-likelihood of a network, given the distribution of what is missing.

use std::f64::consts::PI;

use rayon::prelude::*;

use crate::data::Completed;
use crate::fit::expected_squares;
use crate::network::Network;

/// `E_Q log p` over all entries, missing and observed.
pub fn expected_log_likelihood(network: &Network, data: &Completed) -> f64 {
    let m = data.instances() as f64;
    let part = |v: usize| {
        let family = &network.families[v];
        if family.inactive {
            return 0.0;
        }
        let squares = expected_squares(data, v, &family.parents, &family.cpd);
        let variance = family.cpd.variance();
        -0.5 * (m * (2.0 * PI * variance).ln() + squares / variance)
    };
    let parts: Vec<f64> = (0..network.len()).into_par_iter().map(part).collect();
    parts.iter().sum()
}
