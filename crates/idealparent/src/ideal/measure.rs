//! Similarity of a candidate parent to the ideal parent (Propositions 3.2 and 3.3).

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::numerics::inner_product;
use crate::options::word_value;
use crate::score::Likelihood;

/// How candidates are compared with the ideal parent.
///
/// ```
/// use idealparent::Measure;
///
/// assert_eq!("c2".parse::<Measure>(), Ok(Measure::C2));
/// assert_eq!(Measure::default().word(), "tangent");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Measure {
    /// Compares the residual with the part of the candidate that the current fit cannot reproduce.
    /// Not in the paper. For linear CPDs it is the exact change in log-likelihood.
    #[default]
    Tangent,
    /// Proposition 3.3 (Eq. 9 for non-linear CPDs): the new scale and the variance are fitted.
    C2,
    /// Proposition 3.2 (Eq. 8 for non-linear CPDs): only the new scale is fitted.
    C1,
}

word_value!(Measure);

/// `C1(y, z) = (y.z)^2 / (2 s2 z.z)` (Proposition 3.2).
pub fn c1(y: &[f64], z: &[f64], s2: f64) -> f64 {
    let (yz, zz) = (inner_product(y, z), inner_product(z, z));
    if zz > 0.0 {
        yz * yz / (2.0 * s2 * zz)
    } else {
        0.0
    }
}

/// `C2(y, z) = -M/2 log(1 - cos^2(y, z))` (Proposition 3.3).
pub fn c2(y: &[f64], z: &[f64]) -> f64 {
    c2_expected(y, 0.0, z, 0.0)
}

/// C2 with uncertain entries (section 4.3): `cos^2 = (y.z)^2 / ((|z|^2 + V_z) (|y|^2 + V_y))`.
///
/// `spread_y` and `spread_z` are `V_y` and `V_z`, the sums of the variances of the entries. If both
/// are 0, this is the paper's C2, which uses the means alone.
pub fn c2_expected(y: &[f64], spread_y: f64, z: &[f64], spread_z: f64) -> f64 {
    let scale = (inner_product(z, z) + spread_z) * (inner_product(y, y) + spread_y);
    if scale > 0.0 {
        -0.5 * y.len() as f64 * (-inner_product(y, z).powi(2) / scale).ln_1p()
    } else {
        0.0
    }
}

/// Estimated change in log-likelihood when `z` replaces a parent.
///
/// The ideal profile `y_replace` has the dropped parent's term added back. Dropping that parent
/// costs `M/2 log(|y_replace|^2 / |y|^2)`, where `y` is the current residual.
///
/// ```
/// use idealparent::extend::{c2, c2_replace};
///
/// // A dropped parent without any effect costs nothing.
/// let (y, z) = ([1.0, -1.0, 0.5], [1.0, -0.5, 0.0]);
/// assert_eq!(c2_replace(&y, &y, &z), c2(&y, &z));
/// ```
pub fn c2_replace(y_replace: &[f64], y: &[f64], z: &[f64]) -> f64 {
    let loss = (inner_product(y_replace, y_replace) / inner_product(y, y)).ln();
    c2(y_replace, z) - 0.5 * y.len() as f64 * loss
}

/// As [`c2_replace`], with the variance fixed at `s2`.
pub fn c1_replace(y_replace: &[f64], y: &[f64], z: &[f64], s2: f64) -> f64 {
    c1(y_replace, z, s2) - (inner_product(y_replace, y_replace) - inner_product(y, y)) / (2.0 * s2)
}

/// Eq. 8: `C1(y * g', z * g') - (c1 - c2) / (2 s2)`, the estimated gain in log-likelihood from a
/// further parent `z` of a non-linear family, with the variance fixed at `s2`. Here
/// `c1 = |y * g'|^2`, and `c2` is the family's sum of squares.
pub fn c1_distorted(y: &[f64], slope: &[f64], z: &[f64], c2: f64, s2: f64) -> f64 {
    let (y, z) = (times(y, slope), times(z, slope));
    c1(&y, &z, s2) - (inner_product(&y, &y) - c2) / (2.0 * s2)
}

/// Eq. 9: `C2(y * g', z * g') - M/2 log(c1 / c2)`, as [`c1_distorted`] but with the variance
/// fitted.
pub fn c2_distorted(y: &[f64], slope: &[f64], z: &[f64], c2: f64) -> f64 {
    let (y, z) = (times(y, slope), times(z, slope));
    self::c2(&y, &z) - 0.5 * y.len() as f64 * (inner_product(&y, &y) / c2).ln()
}

/// The weight `w` that minimises `|(y - w z) * g'|^2`, the distorted distance from the profile `y`.
///
/// See section 5 of the paper.
pub fn distorted_weight(y: &[f64], slope: &[f64], z: &[f64]) -> f64 {
    let (y, z) = (times(y, slope), times(z, slope));
    inner_product(&y, &z) / inner_product(&z, &z)
}

/// C2 for an ideal profile of squared length `profile`, of which the candidate explains `key`, in a
/// family with residual `residual`. All three are shares of the child's variance.
pub(super) fn c2_from(of: Likelihood, key: f64, profile: f64, residual: f64) -> f64 {
    let floored = residual.max(of.floor);
    let left = (profile - key).max(of.floor);
    -0.5 * of.instances * (left / floored).ln()
}

/// As [`c2_from`] for C1: the variance is fixed at the current family's.
pub(super) fn c1_from(of: Likelihood, key: f64, profile: f64, residual: f64) -> f64 {
    0.5 * of.instances * (key - (profile - residual)) / residual.max(of.floor)
}

fn times(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ideal::{ideal_profile, replacement_profile};
    use crate::numerics::{centred, least_squares};

    const U: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    const Z: [f64; 6] = [1.0, 0.0, 2.0, 1.0, 4.0, 3.0];
    const X: [f64; 6] = [2.0, 3.0, 7.0, 6.0, 13.0, 12.0];

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    /// Raw and centred measures, and the exact change.
    #[test]
    fn measures_of_an_added_parent_match_known_values() {
        let fit = least_squares(&X, &[&U]).unwrap();
        let y = ideal_profile(&X, &[&U], &fit);
        let s2 = fit.sse / 6.0;
        close(c1(&y, &Z, s2), 0.3945008536);
        close(c2(&y, &Z), 0.4229640628);
        let z = centred(&Z).0;
        close(c1(&y, &z, s2), 1.1288793658);
        close(c2(&y, &z), 1.4162243029);
        let on_parents = least_squares(&Z, &[&U]).unwrap();
        let perpendicular = ideal_profile(&Z, &[&U], &on_parents);
        let delta = c2(&y, &perpendicular);
        close(delta, 6.8847403942);
        close(delta - 0.5 * 6f64.ln(), 5.9888606596);
        let full = least_squares(&X, &[&U, &Z]).unwrap();
        close(-3.0 * (full.sse / fit.sse).ln(), delta);
    }

    /// Replacing the only parent.
    #[test]
    fn measures_of_a_replacement_match_known_values() {
        let fit = least_squares(&X, &[&U]).unwrap();
        let y = ideal_profile(&X, &[&U], &fit);
        let uncentred = replacement_profile(&y, &U, fit.weights[0]);
        close(inner_product(&uncentred, &uncentred), 477.2933333333);
        close(c2(&uncentred, &Z), 8.5482984072);
        close(c2_replace(&uncentred, &y, &Z), -2.1091261638);
        let (u, z) = (centred(&U).0, centred(&Z).0);
        let restored = replacement_profile(&y, &u, fit.weights[0]);
        close(inner_product(&restored, &restored), 102.8333333333);
        close(c2(&restored, &z), 6.1656793453);
        close(c2_replace(&restored, &y, &z), 0.1133198796);
        let truth = least_squares(&X, &[&Z]).unwrap();
        close(-3.0 * (truth.sse / fit.sse).ln(), 0.1133198796);
    }
}
