//! The units of hidden variables: mean 0, and noise of variance 1.
//!
//! The location and scale of a hidden variable are arbitrary, so they are fixed by convention. The
//! M-step fits both, which lets EM take larger steps (parameter expansion). Then the network and
//! the expectations are converted back to the standard units, which does not change the free
//! energy.

use super::CompletedNetwork;
use crate::cpd::Cpd;
use crate::data::Completed;
use crate::family::expected_squares;
use crate::network::{Family, Network};

/// Shifts every hidden variable of a network to mean 0.
pub(in crate::learn) fn anchor(network: &mut Network, data: &Completed) {
    for v in (0..network.len()).filter(|&v| network.variables[v].hidden) {
        let Family { parents, cpd, .. } = &mut network.families[v];
        *cpd = at_zero(data, v, parents, cpd.clone());
    }
}

/// The density of a hidden variable with the intercept that gives it mean 0, and the variance that
/// fits best with it.
fn at_zero(data: &Completed, v: usize, parents: &[usize], cpd: Cpd) -> Cpd {
    let Cpd::Linear(mut cpd) = cpd else {
        return cpd;
    };
    let m = data.instances() as f64;
    let mean = |p: usize| data.means()[p].iter().sum::<f64>() / m;
    let predicted = parents.iter().zip(&cpd.weights);
    cpd.intercept = -predicted.map(|(&p, w)| w * mean(p)).sum::<f64>();
    let mut cpd = Cpd::Linear(cpd);
    cpd.set_variance(expected_squares(data, v, parents, &cpd) / m);
    cpd
}

/// The new density of a hidden variable, shifted to mean 0; the old one if its likelihood is
/// higher.
pub(in crate::learn) fn anchored(
    data: &Completed,
    v: usize,
    parents: &[usize],
    new: Cpd,
    old: &Cpd,
) -> Cpd {
    let new = at_zero(data, v, parents, new);
    let m = data.instances() as f64;
    let unlikely = |cpd: &Cpd| {
        expected_squares(data, v, parents, cpd) / cpd.variance() + m * cpd.variance().ln()
    };
    if unlikely(&new) <= unlikely(old) {
        new
    } else {
        old.clone()
    }
}

/// Scales every hidden variable so that its noise has variance 1.
pub(in crate::learn) fn normalise(state: &mut CompletedNetwork) {
    let CompletedNetwork {
        network,
        completion,
        ..
    } = state;
    let m = completion.data.instances() as f64;
    for v in (0..network.len()).filter(|&v| network.variables[v].hidden) {
        let sd = network.families[v].cpd.variance().sqrt();
        if sd == 1.0 || !sd.is_normal() {
            continue;
        }
        network.families[v].cpd.rescale(1.0 / sd);
        network.families[v].cpd.set_variance(1.0);
        for family in &mut network.families {
            if let Some(place) = family.parents.iter().position(|&p| p == v) {
                family.cpd.rescale_parent(place, sd);
            }
        }
        completion.data.rescale(v, 1.0 / sd);
        completion.entropy -= m * sd.ln();
    }
}
