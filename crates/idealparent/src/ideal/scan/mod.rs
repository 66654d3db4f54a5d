//! Comparing all candidates with an ideal profile at once, as blocked matrix products.
//!
//! Every measure compares a distorted candidate `w = z * g'` with a profile `y` (section 5). It
//! needs `y.w`, `|w|^2` and, for the tangent measure, the products of `w` with an orthonormal basis
//! of the space that the current fit can already reproduce. All of these are sums over instances of
//! `z` or `z^2` times vectors that do not depend on the candidate.

mod tiles;

use std::sync::Arc;

pub use tiles::scan_candidates;

use super::Measure;
use super::measure::{c1_from, c2_from};
use crate::family::{
    CandidateForm, FamilyModel, GramFamily, IdealProfile, Job, Nested, Opening, SMALLEST_VARIATION,
    SingleParent,
};
use crate::kernel::dot;
use crate::numerics::UNRESOLVED;
use crate::score::Likelihood;

/// How the reduction of a squared length is converted to a log-likelihood.
#[derive(Clone, Copy, Debug)]
enum Estimate {
    /// The residual itself is reduced.
    Residual,
    /// The profile's length is reduced and compared with the residual, by [`c2_from`] (Eq. 9;
    /// Proposition 3.3 for the identity link) or [`c1_from`] (Eq. 8; Proposition 3.2).
    Distorted {
        residual: f64,
        gain: fn(Likelihood, f64, f64, f64) -> f64,
    },
}

/// One comparison of all candidates with a profile.
#[derive(Clone, Debug)]
pub struct Scan {
    form: CandidateForm,
    /// Likelihoods of the child's families.
    likelihood: Likelihood,
    /// `g' * y` and `g' * q` for every basis vector q.
    left: Arc<Vec<Vec<f64>>>,
    /// `g'^2`.
    squares: Arc<Vec<f64>>,
    /// Squared length of the profile, `|y * g'|^2 / M`, or of the residual.
    length: f64,
    estimate: Estimate,
    /// Number of clamped values; `None` if no inverse link is used.
    clamped: Option<usize>,
    /// Set if the comparison needs no products with the data.
    known: Option<Known>,
    /// For product densities: how to compute the sum of squares from the matrix products.
    split: Option<Split>,
}

/// Comparisons that need no product with the data.
#[derive(Clone, Debug)]
enum Known {
    /// A linear family; its moments determine the reduction of the residual.
    Linear(Box<GramFamily>),
    /// The residual of this child with each candidate as its only parent.
    Single(Arc<SingleParent>, usize),
}

impl Scan {
    /// All comparisons for a job with one kind of density. A candidate's estimate is the best of
    /// them.
    pub fn all(model: &dyn FamilyModel, job: &Job, measure: Measure, fits: Nested) -> Vec<Self> {
        let mut scans: Vec<Scan> = match measure {
            Measure::Tangent => {
                let openings = model.openings(job, fits);
                openings.into_iter().flat_map(Scan::of).collect()
            }
            Measure::C1 | Measure::C2 => {
                let profiles = model.ideal_profiles(job, fits);
                let scan = |profile| Scan::distorted(profile, measure);
                profiles.into_iter().map(scan).collect()
            }
        };
        for scan in &mut scans {
            scan.likelihood = Likelihood::of(job.family.data.gram(), job.family.child);
        }
        scans
    }

    /// The comparisons for one opening.
    fn of(opening: Opening) -> Vec<Self> {
        match opening {
            Opening::Tangent {
                residual,
                slope,
                basis,
                left,
            } => vec![Scan::tangent(residual, slope, basis, left)],
            // More informative than the tangent if the family is nearly linear, or so far from
            // linear that its slopes vanish.
            Opening::Linear(family) => vec![Scan::known(
                family.residual,
                Known::Linear(Box::new(family)),
            )],
            Opening::Single(single, child) => vec![Scan::known(1.0, Known::Single(single, child))],
            Opening::Product {
                x,
                level,
                product,
                forms,
            } => Scan::products(&x, level, &product, forms),
        }
    }

    /// An empty comparison with a profile of this squared length.
    fn new(length: f64) -> Self {
        Scan {
            form: CandidateForm::Profile,
            likelihood: Likelihood::of_complete(0.0),
            left: Arc::default(),
            squares: Arc::default(),
            length,
            estimate: Estimate::Residual,
            clamped: None,
            known: None,
            split: None,
        }
    }

    fn known(length: f64, known: Known) -> Self {
        Scan {
            known: Some(known),
            ..Scan::new(length)
        }
    }

    /// The tangent measure: a regression of the residual on `z * slope`, after both are projected
    /// off 1 and `basis`, the Jacobian of the current prediction with respect to its parameters.
    ///
    /// `left` is the share of the child's variance that the current family does not explain. It
    /// exceeds the residual's length if entries are uncertain.
    fn tangent(
        mut residual: Vec<f64>,
        slope: Vec<f64>,
        mut basis: Vec<Vec<f64>>,
        left: f64,
    ) -> Self {
        let length = dot(&residual, &residual) / residual.len() as f64;
        // Without uncertain entries `left` exceeds the length by rounding at most.
        let length = if left > length * (1.0 + 1e-9) {
            left
        } else {
            length
        };
        basis.insert(0, vec![1.0; residual.len()]);
        let basis = orthonormal(basis);
        // If a weight is at its bound, the residual is not orthogonal to the Jacobian. The part
        // along the Jacobian must not be credited to a candidate, so it is removed.
        for q in &basis {
            project_off(&mut residual, q);
        }
        let times_slope = |mut column: Vec<f64>| {
            for (value, s) in column.iter_mut().zip(&slope) {
                *value *= s;
            }
            column
        };
        let columns = std::iter::once(residual).chain(basis);
        Scan {
            left: Arc::new(columns.map(times_slope).collect()),
            squares: Arc::new(slope.iter().map(|s| s * s).collect()),
            ..Scan::new(length)
        }
    }

    /// Regressions of the child `x` on `product * h(a z)`, one comparison for each h and a in
    /// `forms`. The child is centred. Its mean is `level`, or `None` if a baseline fits it.
    fn products(
        x: &[f64],
        level: Option<f64>,
        product: &[f64],
        forms: Vec<CandidateForm>,
    ) -> Vec<Self> {
        let m = x.len() as f64;
        let mean = product.iter().sum::<f64>() / m;
        let centred: Vec<f64> = product.iter().map(|p| p - mean).collect();
        let times = |other: &[f64]| product.iter().zip(other).map(|(p, o)| p * o).collect();
        let left = Arc::new(vec![times(x), times(&centred), product.to_vec()]);
        let squares = Arc::new(times(product));
        let split = Split {
            level,
            total: dot(x, x),
            mean,
            square: dot(&centred, &centred),
            shared: dot(&centred, x),
        };
        let scan = |form| Scan {
            form,
            left: left.clone(),
            squares: squares.clone(),
            split: Some(split),
            ..Scan::new(1.0)
        };
        forms.into_iter().map(scan).collect()
    }

    /// The paper's distorted measures, Eq. 8 and 9.
    fn distorted(profile: IdealProfile, measure: Measure) -> Self {
        let IdealProfile {
            y,
            slope,
            residual,
            spread,
            clamped,
            form,
        } = profile;
        let m = y.len() as f64;
        let pairs = || y.iter().zip(&slope);
        let numerator: Vec<f64> = pairs().map(|(y, g)| y * g * g).collect();
        let gain = match measure {
            Measure::C1 => c1_from,
            _ => c2_from,
        };
        let length = pairs().map(|(y, g)| (y * g) * (y * g)).sum::<f64>() / m + spread;
        Scan {
            form,
            left: Arc::new(vec![numerator]),
            squares: Arc::new(slope.iter().map(|s| s * s).collect()),
            estimate: Estimate::Distorted { residual, gain },
            clamped,
            ..Scan::new(length)
        }
    }

    /// Number of values of the profile that had to be clamped into the link's image (footnote 1);
    /// `None` if no inverse link is used.
    pub fn clamped(&self) -> Option<usize> {
        self.clamped
    }
}

/// The regression of a child `x` on `v = product * h`, where h is a candidate's factor. It is
/// computed from centred parts, because the product and h may both vary much less than their means.
#[derive(Clone, Copy, Debug)]
struct Split {
    level: Option<f64>,
    /// `x.x`.
    total: f64,
    /// Mean of the product.
    mean: f64,
    /// `c.c`, c the centred product.
    square: f64,
    /// `x.c`.
    shared: f64,
}

impl Split {
    /// Sum of squares over M with a candidate of this mean; infinite if the candidate adds nothing
    /// new. `products` are the inner products of the centred candidate with `product * x`,
    /// `product * c` and `product`. `length` is the inner product of its squares with `product^2`.
    fn residual(&self, m: f64, mean: f64, products: [f64; 3], length: f64) -> f64 {
        let own = length - products[2] * products[2] / m;
        let parts = mean * mean * self.square + own;
        let square = parts + 2.0 * mean * products[1];
        let shared = mean * self.shared + products[0];
        let mean = mean * self.mean + products[2] / m;
        let left = match self.level {
            None if square > UNRESOLVED * parts
                && square > SMALLEST_VARIATION * m * mean * mean =>
            {
                self.total - shared * shared / square
            }
            None => f64::INFINITY,
            Some(level) => {
                // As in the fit: first the scale that matches the means, then the best scale.
                let first = level / mean;
                let along = shared - first * square;
                let at_first = self.total - 2.0 * first * shared + first * first * square;
                at_first - along * along / (m * mean * mean + square)
            }
        };
        left / m
    }
}

/// An orthonormal basis of the columns' span. Columns nearly spanned by earlier ones are left out.
fn orthonormal(columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(columns.len());
    for mut column in columns {
        let length = dot(&column, &column).sqrt();
        // The second pass removes the rounding errors of the first.
        for _ in 0..2 {
            for q in &basis {
                project_off(&mut column, q);
            }
        }
        let left = dot(&column, &column).sqrt();
        if left > 1e-8 * length {
            for value in &mut column {
                *value /= left;
            }
            basis.push(column);
        }
    }
    basis
}

/// Removes the component along a unit vector.
fn project_off(column: &mut [f64], unit: &[f64]) {
    let share = dot(column, unit);
    for (value, q) in column.iter_mut().zip(unit) {
        *value -= share * q;
    }
}
