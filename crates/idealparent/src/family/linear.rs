//! Fitting and extending linear families among other kinds of densities.

use super::{
    Blocks, CandidateForm, FamilyFit, FamilyModel, GramFamily, IdealProfile, Job, Nested, Opening,
    Profiles, fit_linear,
};
use crate::cpd::{Cpd, CpdKind};

/// Linear Gaussian families.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearModel;

impl FamilyModel for LinearModel {
    fn word(&self) -> &str {
        "linear"
    }

    fn parameters(&self, blocks: &Blocks) -> usize {
        CpdKind::Linear.parameters(blocks.columns(), false, false)
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

    fn openings(&self, data: &Profiles, job: &Job, fits: Nested) -> Vec<Opening> {
        let rest = job.remaining();
        let Some(fit) = fits(&rest) else {
            return Vec::new();
        };
        if !data.data().is_complete() {
            // Entries of the same instance may be uncertain together: only the moments know.
            let family = GramFamily::new(data.gram(), job.child, &rest, |_| 0.0);
            return family.map(Opening::Linear).into_iter().collect();
        }
        vec![Opening::Tangent {
            residual: residual(data, job.child, &rest, &fit),
            slope: vec![1.0; data.instances()],
            basis: rest.iter().map(|&p| data.scaled(p).to_vec()).collect(),
            left: None,
        }]
    }

    fn ideal_profiles(&self, data: &Profiles, job: &Job, fits: Nested) -> Vec<IdealProfile> {
        let Some(fit) = fits(job.parents) else {
            return Vec::new();
        };
        let mut y = residual(data, job.child, job.parents, &fit);
        let mut terms = vec![(job.child, 1.0)];
        let weights = job.parents.iter().zip(&fit.weights);
        terms.extend(weights.map(|(&p, weight)| (p, -weight)));
        terms.retain(|&(v, _)| job.replaced != Some(v));
        if let Some(p) = job.replaced {
            let i = job.parents.binary_search(&p).expect("replaces a parent");
            add(&mut y, data.scaled(p), fit.weights[i]);
        }
        vec![IdealProfile {
            y,
            slope: vec![1.0; data.instances()],
            residual: fit.residual,
            spread: data.spread_of(&terms),
            clamped: None,
            form: CandidateForm::Profile,
        }]
    }
}

/// What the parents leave over of a child, in scaled units: the ideal parent's profile, Eq. 4.
fn residual(data: &Profiles, child: usize, parents: &[usize], fit: &FamilyFit) -> Vec<f64> {
    let mut left = data.scaled(child).to_vec();
    for (&p, weight) in parents.iter().zip(&fit.weights) {
        add(&mut left, data.scaled(p), -weight);
    }
    left
}

/// Adds `weight` times a column.
fn add(to: &mut [f64], column: &[f64], weight: f64) {
    for (to, u) in to.iter_mut().zip(column) {
        *to += weight * u;
    }
}
