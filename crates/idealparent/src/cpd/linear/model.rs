//! Fitting and extending linear families among other kinds of densities.

use crate::cpd::{Cpd, CpdModel, FamilyFit, Job, Nested};
use crate::fit::{GramFamily, Profiles, fit_linear};
use crate::ideal::{Measure, Scan, Scanned, replacement_profile};

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
        let fit = fit_linear(data.data(), child, parents);
        Cpd::Linear(fit.expect("the family was fitted before").cpd)
    }

    fn refine(&self, data: &Profiles, child: usize, parents: &[usize], cpd: &Cpd) -> Option<Cpd> {
        let Cpd::Linear(_) = cpd else { return None };
        Some(Cpd::Linear(fit_linear(data.data(), child, parents)?.cpd))
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
            if !data.data().is_complete() {
                // Entries of the same instance may be uncertain together: only the moments know.
                let family = GramFamily::new(data.gram(), job.child, &rest, |_| 0.0);
                return family.map(Scan::linear).into_iter().collect();
            }
            let basis = rest.iter().map(|&p| data.scaled(p).to_vec()).collect();
            return vec![Scan::tangent(profile(&rest, &fit), slope, basis)];
        }
        let Some(fit) = fits(job.parents) else {
            return Vec::new();
        };
        let mut y = profile(job.parents, &fit);
        let mut terms = vec![(job.child, 1.0)];
        let weights = job.parents.iter().zip(&fit.weights);
        terms.extend(weights.map(|(&p, weight)| (p, -weight)));
        terms.retain(|&(v, _)| job.replaced != Some(v));
        if let Some(p) = job.replaced {
            let i = job.parents.binary_search(&p).expect("replaces a parent");
            y = replacement_profile(&y, data.scaled(p), fit.weights[i]);
        }
        let scan = Scan::distorted(y, slope, fit.residual, measure, Scanned::Profile);
        vec![scan.with_spread(data.spread_of(&terms))]
    }
}
