//! Standardised ideal profiles of a network's variables: what their parents leave over (Eq. 4 and
//! section 4.3).

use rayon::prelude::*;

use super::ProfileSimilarities;
use crate::cpd::{Cpd, MARGIN};
use crate::data::Completed;
use crate::ideal::Measure;
use crate::kernel::dot;
use crate::network::{Family, Network};
use crate::numerics::{Cholesky, Rule};

/// A family's ideal profile in units of its noise's deviation: what its parents leave over, as
/// expected. For `C1` and `C2` it goes through the inverse of a link, as in the paper (section 5),
/// and counts as much as the link's slopes.
pub(super) fn residual(
    network: &Network,
    data: &Completed,
    v: usize,
    measure: Measure,
) -> Vec<f64> {
    let family = &network.families[v];
    if measure != Measure::Tangent
        && let Some(profile) = distorted(family, data, v)
    {
        return profile;
    }
    let sd = family.cpd.variance().sqrt();
    let k = family.parents.len();
    let (mut means, mut variances) = (vec![0.0; k], vec![0.0; k]);
    let of_row = |row: usize| {
        for (i, &p) in family.parents.iter().enumerate() {
            means[i] = data.means()[p][row];
            variances[i] = data.variances(p).get(row).copied().unwrap_or(0.0);
        }
        let expected = family.cpd.expected(&means, &variances, Rule::fast());
        (data.means()[v][row] - expected.mean) / sd
    };
    (0..data.instances()).map(of_row).collect()
}

/// The ideal profile through the inverse of a link; `None` where the density has none.
fn distorted(family: &Family, data: &Completed, v: usize) -> Option<Vec<f64>> {
    let mut inputs = vec![0.0; family.parents.len()];
    let of_row = |row: usize| {
        for (input, &p) in inputs.iter_mut().zip(&family.parents) {
            *input = data.means()[p][row];
        }
        let ideal = family.cpd.ideal(data.means()[v][row], &inputs, MARGIN)?;
        Some(ideal.y * ideal.slope)
    };
    let profile: Option<Vec<f64>> = (0..data.instances()).map(of_row).collect();
    let profile = profile?;
    let square = dot(&profile, &profile) / profile.len() as f64;
    let scale = if square > 0.0 {
        1.0 / square.sqrt()
    } else {
        0.0
    };
    Some(profile.iter().map(|y| y * scale).collect())
}

/// What a parent's uncertainty does to a variable: the root of its mean squared slope, each
/// instance counting as much as is uncertain there.
fn mean_slope(family: &Family, data: &Completed, place: usize) -> f64 {
    if let Cpd::Linear(cpd) = &family.cpd {
        return cpd.weights[place];
    }
    let uncertain = data.variances(family.parents[place]);
    let mut inputs = vec![0.0; family.parents.len()];
    let (mut sum, mut squares, mut all) = (0.0, 0.0, 0.0);
    for (row, variance) in uncertain.iter().enumerate() {
        for (input, &p) in inputs.iter_mut().zip(&family.parents) {
            *input = data.means()[p][row];
        }
        let slope = family.cpd.slope(&inputs, place);
        sum += variance * slope;
        squares += variance * slope * slope;
        all += variance;
    }
    if all > 0.0 {
        (squares / all).sqrt().copysign(sum)
    } else {
        0.0
    }
}

/// The profiles of some variables, and how similar they are.
///
/// Besides its instances each has an entry for every hidden variable: children of the same one have
/// residuals that depend on each other through what is not known of it.
pub(super) fn profiles(
    network: &Network,
    data: &Completed,
    variables: &[usize],
    measure: Measure,
) -> ProfileSimilarities {
    let hidden: Vec<usize> = (0..network.len())
        .filter(|&v| network.variables[v].hidden)
        .collect();
    let h = hidden.len();
    let sums = Cholesky::factor(h, |i, j| data.covariance(hidden[i], hidden[j]));
    let of = |&v: &usize| {
        let mut profile = residual(network, data, v, measure);
        let family = &network.families[v];
        let sd = family.cpd.variance().sqrt();
        let mut weights = vec![0.0; h];
        for (i, p) in family.parents.iter().enumerate() {
            if let Ok(at) = hidden.binary_search(p) {
                weights[at] = mean_slope(family, data, i) / sd;
            }
        }
        for column in 0..h {
            let lower = |row: usize| match &sums {
                Some(factor) => factor.lower(row, column),
                None if row == column => data.covariance(hidden[row], hidden[row]).sqrt(),
                None => 0.0,
            };
            profile.push((column..h).map(|row| weights[row] * lower(row)).sum());
        }
        profile
    };
    let found: Vec<Vec<f64>> = variables.par_iter().map(of).collect();
    ProfileSimilarities::new(&found, data.instances() as f64)
}
