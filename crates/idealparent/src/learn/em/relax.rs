//! Over-relaxed EM: steps that go beyond the maximum of the M-step (Salakhutdinov and Roweis 2003).
//!
//! If much is missing, as with hidden variables, EM converges slowly: each step moves the
//! parameters in the same direction by a little less. Longer steps in that direction converge
//! sooner. The free energy tells whether a step was too long.

use crate::cpd::{Cpd, LinkCpd};
use crate::data::Completed;
use crate::network::{Family, Network};
use crate::numerics::mean_and_variance;

/// Number of plain EM steps before steps are extended. Most runs of EM have converged by then.
pub(super) const PATIENCE: usize = 4;

/// Factor by which the step length grows after a successful step.
pub(super) const GROWTH: f64 = 1.5;

/// Maximum length of a step, relative to a plain EM step.
pub(super) const LONGEST: f64 = 50.0;

/// The network `old`, with its parameters moved in the direction of `new` by `by` times their
/// difference.
pub(super) fn relaxed(old: &Network, new: &Network, data: &Completed, by: f64) -> Network {
    let mut relaxed = new.clone();
    for (v, (family, old)) in relaxed.families.iter_mut().zip(&old.families).enumerate() {
        if let Some(mut cpd) = relaxed_density(&old.cpd, family, data, by) {
            let m = data.instances() as f64;
            let own = mean_and_variance(&data.means()[v]).1 + data.covariance(v, v) / m;
            cpd.set_variance(cpd.variance().max(data.variance_floor() * own));
            family.cpd = cpd;
        }
    }
    relaxed
}

/// The density moved beyond the new one; `None` if the step cannot be extended.
fn relaxed_density(old: &Cpd, new: &Family, data: &Completed, by: f64) -> Option<Cpd> {
    if old.kind() != new.cpd.kind() || old.needs_positive() {
        return None;
    }
    let old = match (old, &new.cpd) {
        (Cpd::Link(a), Cpd::Link(b)) => Cpd::Link(turned(a, b)),
        _ => old.clone(),
    };
    let further = |a: f64, b: f64| a + by * (b - a);
    let mut cpd = new.cpd.clone();
    for (b, a) in cpd.numbers_mut().into_iter().zip(old.numbers()) {
        *b = further(a, *b);
    }
    // Move the variance on a log scale, so that it stays positive, and limit its change.
    let (a, b) = (old.variance(), new.cpd.variance());
    cpd.set_variance(further(a.ln(), b.ln()).exp().clamp(0.5 * b, 2.0 * b));
    match (&cpd, &new.cpd) {
        (Cpd::Linear(_), _) => Some(cpd),
        (Cpd::Link(moved), Cpd::Link(b)) => {
            // The scale must not change its sign.
            let is_same_way = moved.scale * b.scale > 0.0;
            (is_same_way && is_within_bounds(moved, &new.parents, data)).then_some(cpd)
        }
        // Only linear densities and links are extended.
        (Cpd::Link(_) | Cpd::Product(_), _) => None,
    }
}

/// Whether the arguments of a link are within the bounds of fits.
fn is_within_bounds(cpd: &LinkCpd, parents: &[usize], data: &Completed) -> bool {
    let mut eta = vec![cpd.bias; data.instances()];
    for (&p, w) in parents.iter().zip(&cpd.weights) {
        for (eta, u) in eta.iter_mut().zip(&data.means()[p]) {
            *eta += w * u;
        }
    }
    let m = eta.len() as f64;
    let mean = eta.iter().sum::<f64>() / m;
    let spread = (eta.iter().map(|eta| (eta - mean).powi(2)).sum::<f64>() / m).sqrt();
    let least = eta.iter().copied().fold(f64::INFINITY, f64::min);
    let most = eta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let nearest = least.max(0.0) + most.min(0.0);
    nearest.abs() <= cpd.link.reach()
        && (cpd.link.smallest_spread()..=cpd.link.largest_spread()).contains(&spread)
}

/// The same density, rewritten so that its scale has the sign of `towards` if the link allows it.
fn turned(cpd: &LinkCpd, towards: &LinkCpd) -> LinkCpd {
    let mut turned = cpd.clone();
    if cpd.scale * towards.scale < 0.0 && cpd.link.is_complementary() {
        turned.weights.iter_mut().for_each(|w| *w = -*w);
        turned.bias = -cpd.bias;
        turned.offset += cpd.scale;
        turned.scale = -cpd.scale;
    }
    turned
}
