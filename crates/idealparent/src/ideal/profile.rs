//! The ideal parent's profile (Definition 3.1, Eq. 3 and 4).

use crate::numerics::LeastSquares;

/// Profile of the ideal additional parent of a linear family (Eq. 4): the residual of the fit.
pub fn ideal_profile(child: &[f64], parents: &[&[f64]], fit: &LeastSquares) -> Vec<f64> {
    let predicted = |m: usize| -> f64 {
        let terms = fit.weights.iter().zip(parents).map(|(w, u)| w * u[m]);
        fit.intercept + terms.sum::<f64>()
    };
    (0..child.len()).map(|m| child[m] - predicted(m)).collect()
}

/// Profile of the ideal parent that would replace `dropped`: the dropped parent's term is added
/// back to `profile` (section 4.1).
pub fn replacement_profile(profile: &[f64], dropped: &[f64], weight: f64) -> Vec<f64> {
    let restored = |(y, u): (&f64, &f64)| y + weight * u;
    profile.iter().zip(dropped).map(restored).collect()
}
