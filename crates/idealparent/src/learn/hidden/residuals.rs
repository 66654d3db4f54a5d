//! Standardised ideal profiles of a network's variables: the residuals given their parents (Eq. 4
//! and section 4.3).

use rayon::prelude::*;

use super::ProfileSimilarities;
use crate::cpd::{Cpd, MARGIN};
use crate::data::Completed;
use crate::ideal::Measure;
use crate::kernel::dot;
use crate::network::{Family, Network};
use crate::numerics::{Cholesky, Rule};

/// The ideal profile of a family in units of its noise's standard deviation: the expected
/// residuals. For `C1` and `C2` and a density with a link, the profile is computed with the inverse
/// of the link, as in the paper (section 5), and weighted by the link's slopes.
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

/// The ideal profile computed with the inverse of the link; `None` if the density has no link.
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

/// The effect of a parent's uncertainty on a variable: the root mean square of the slopes, with the
/// parent's variances as weights and the sign of the weighted mean slope.
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

/// The profiles of some variables, and their similarities.
///
/// Each profile has one entry per instance and, in addition, one per hidden variable. The residuals
/// of children of the same hidden variable are correlated because its values are uncertain.
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
