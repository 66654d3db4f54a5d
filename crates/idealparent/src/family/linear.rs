//! Fits and extensions of linear families, for networks that also have other kinds of densities.

use super::{
    Blocks, CandidateForm, FamilyData, FamilyFit, FamilyModel, IdealProfile, Job, Nested, Opening,
};
use crate::cpd::{Cpd, CpdKind};

/// Linear Gaussian families.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearModel;

impl FamilyModel for LinearModel {
    fn parameters(&self, blocks: &Blocks) -> usize {
        CpdKind::Linear.parameters(blocks.columns(), false, false)
    }

    fn fit(&self, family: FamilyData, _: Nested) -> Option<FamilyFit> {
        let linear = family.linear()?;
        Some(FamilyFit {
            residual: linear.residual,
            weights: linear.weights,
            kinds: Vec::new(),
        })
    }

    fn cpd(&self, family: FamilyData, _: &FamilyFit) -> Cpd {
        let fit = family.fit_linear().expect("the family was fitted before");
        Cpd::Linear(fit.cpd)
    }

    fn refine(&self, family: FamilyData, cpd: &Cpd) -> Option<Cpd> {
        let Cpd::Linear(_) = cpd else { return None };
        Some(Cpd::Linear(family.fit_linear()?.cpd))
    }

    fn openings(&self, job: &Job, fits: Nested) -> Vec<Opening> {
        let (rest, data) = (job.remaining(), job.family.data);
        let Some(fit) = fits(&rest) else {
            return Vec::new();
        };
        let smaller = job.family.with_parents(&rest);
        if !data.data().is_complete() {
            // Uncertain entries of the same instance may be correlated; only the moments account
            // for this.
            return smaller.linear().map(Opening::Linear).into_iter().collect();
        }
        vec![Opening::Tangent {
            residual: residual(smaller, &fit),
            slope: vec![1.0; data.instances()],
            basis: rest.iter().map(|&p| data.scaled(p).to_vec()).collect(),
            left: 0.0,
        }]
    }

    fn ideal_profiles(&self, job: &Job, fits: Nested) -> Vec<IdealProfile> {
        let FamilyData {
            data,
            child,
            parents,
        } = job.family;
        let Some(fit) = fits(parents) else {
            return Vec::new();
        };
        let mut y = residual(job.family, &fit);
        let mut terms = vec![(child, 1.0)];
        let weights = parents.iter().zip(&fit.weights);
        terms.extend(weights.map(|(&p, weight)| (p, -weight)));
        terms.retain(|&(v, _)| job.replaced != Some(v));
        if let Some(i) = job.place() {
            add(&mut y, data.scaled(parents[i]), fit.weights[i]);
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

/// Residual of a family in scaled units: the ideal parent's profile, Eq. 4.
fn residual(family: FamilyData, fit: &FamilyFit) -> Vec<f64> {
    let mut left = family.target().to_vec();
    for (&p, weight) in family.parents.iter().zip(&fit.weights) {
        add(&mut left, family.data.scaled(p), -weight);
    }
    left
}

/// Adds `weight` times a column to another.
fn add(to: &mut [f64], column: &[f64], weight: f64) {
    for (to, u) in to.iter_mut().zip(column) {
        *to += weight * u;
    }
}
