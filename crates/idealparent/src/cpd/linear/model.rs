//! Fitting and extending linear families among other kinds of densities.

use super::LinearCpd;
use crate::cpd::{Cpd, CpdModel, FamilyFit, Job, Nested};
use crate::fit::{GramFamily, Profiles, least_squares};
use crate::ideal::{Measure, Scan, Scanned, replacement_profile};
use crate::score::VARIANCE_FLOOR;

/// Linear Gaussian families.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearModel;

impl CpdModel for LinearModel {
    fn word(&self) -> &str {
        "linear"
    }

    fn parameters(&self, parents: usize) -> usize {
        parents + 2
    }

    fn fit(
        &self,
        data: &Profiles,
        child: usize,
        parents: &[usize],
        _: Nested,
    ) -> Option<FamilyFit> {
        let family = GramFamily::new(data.gram(), child, parents, |_| 0.0)?;
        Some(FamilyFit {
            residual: family.residual,
            weights: family.weights,
            kinds: Vec::new(),
        })
    }

    fn cpd(&self, data: &Profiles, child: usize, parents: &[usize], _: &FamilyFit) -> Cpd {
        let inputs: Vec<&[f64]> = parents.iter().map(|&p| data.raw(p)).collect();
        let fit = least_squares(data.raw(child), &inputs).expect("the family was fitted before");
        let least = VARIANCE_FLOOR * data.gram().variance(child);
        Cpd::Linear(LinearCpd {
            intercept: fit.intercept,
            weights: fit.weights,
            variance: (fit.sse / data.instances() as f64).max(least),
        })
    }

    fn scans(&self, data: &Profiles, job: &Job, measure: Measure, fits: Nested) -> Vec<Scan> {
        let slope = vec![1.0; data.instances()];
        let profile = |parents: &[usize], fit: &FamilyFit| {
            let mut y = data.scaled(job.child).to_vec();
            for (&p, weight) in parents.iter().zip(&fit.weights) {
                y = replacement_profile(&y, data.scaled(p), -weight);
            }
            y
        };
        if measure == Measure::Tangent {
            let rest = job.remaining();
            let Some(fit) = fits(&rest) else {
                return Vec::new();
            };
            let basis = rest.iter().map(|&p| data.scaled(p).to_vec()).collect();
            return vec![Scan::tangent(profile(&rest, &fit), slope, basis)];
        }
        let Some(fit) = fits(job.parents) else {
            return Vec::new();
        };
        let mut y = profile(job.parents, &fit);
        if let Some(p) = job.replaced {
            let i = job.parents.binary_search(&p).expect("replaces a parent");
            y = replacement_profile(&y, data.scaled(p), fit.weights[i]);
        }
        vec![Scan::distorted(
            y,
            slope,
            fit.residual,
            measure,
            Scanned::Profile,
        )]
    }
}
