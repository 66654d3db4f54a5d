//! Fits and extensions of families with a link function.

mod fit;
mod uncertain;

use std::sync::Arc;

use super::{
    Blocks, CandidateForm, FamilyData, FamilyFit, FamilyModel, IdealProfile, Job, Nested, Opening,
    weakest_parents, without,
};
use crate::cpd::{Cpd, CpdKind, Link, LinkCpd, MARGIN, ideal_value};
use crate::numerics::{FINAL_TOLERANCE, Problem, SEARCH_TOLERANCE, minimise};
pub use fit::{LinkProblem, fit_link};

/// A family counts as a straight line if the standard deviation of the link's argument is below
/// this multiple of its lower bound.
const STRAIGHT: f64 = 1.5;

/// Families whose mean is a link function of a weighted sum.
#[derive(Clone, Debug)]
pub struct LinkModel {
    /// The link.
    pub link: Arc<dyn Link>,
    /// Whether the weighted sum has a free bias.
    pub bias: bool,
    /// Whether most fits skip the start from a smaller family: see [`LinkModel::hasty`].
    pub is_hasty: bool,
}

/// Above this standard deviation of the link's argument, a sigmoid family may have several local
/// minima.
const CURVED: f64 = 1.0;

impl LinkModel {
    /// Creates the model for families with this link.
    pub fn new(link: Arc<dyn Link>, bias: bool) -> Self {
        debug_assert!(
            !link.is_complementary() || looks_complementary(link.as_ref()),
            "the link '{}' claims that h(-eta) = 1 - h(eta), which does not hold",
            link.word()
        );
        LinkModel {
            link,
            bias,
            is_hasty: false,
        }
    }

    /// Makes fits faster, for searches that need thousands of them. A symmetric link without a bias
    /// then starts from a smaller family's fit only if the least squares start led to a strongly
    /// curved function.
    ///
    /// Otherwise there is nearly always a single minimum. On yeast expression data the second start
    /// gains more than 0.1 nats in none of the families with 173 instances (sets of 4300 and 13 500
    /// families), and in 3 of 1000 families with 44. It would cost an additional fit for every
    /// second family.
    pub fn hasty(mut self) -> Self {
        self.is_hasty = !self.bias && self.link.is_complementary();
        self
    }

    /// The fit of a family. The inputs of its weighted sum are the parents, then a column of ones
    /// if the bias is free.
    fn problem<'a>(&'a self, family: FamilyData<'a>) -> LinkProblem<'a> {
        let parents = family.parents.iter();
        let mut inputs: Vec<&[f64]> = parents.map(|&p| family.data.scaled(p)).collect();
        if self.bias {
            inputs.push(family.data.ones());
        }
        LinkProblem::new(self.link.as_ref(), family.target(), inputs)
            .with_bias(self.bias)
            .with_uncertainty(family)
    }

    /// One Gauss-Newton step from a family's fit.
    fn tangent(&self, family: FamilyData, fit: &FamilyFit) -> Opening {
        let x = family.target();
        let mut problem = self.problem(family);
        problem.evaluate(&mut fit.weights.clone());
        let straight = problem.spread(&fit.weights) < STRAIGHT * self.link.smallest_spread();
        let (p, slope, fitted) = problem.state();
        let scale = fitted.scale();
        // For a straight line, p is almost a linear combination of the other columns. Its only
        // other part is the curvature, which no fit can use because the weights are bounded. So p
        // is left out.
        let mut basis = if straight {
            Vec::new()
        } else {
            vec![p.to_vec()]
        };
        for input in problem.inputs() {
            basis.push(input.iter().zip(slope).map(|(u, g)| u * g).collect());
        }
        Opening::Tangent {
            residual: x.iter().zip(p).map(|(x, p)| x - scale * p).collect(),
            slope: slope.to_vec(),
            basis,
            left: fit.residual,
        }
    }

    /// The tangent at a family's fit, and simpler families that are special cases of the family
    /// with the candidate, which therefore fits at least as well. They matter where the tangent is
    /// uninformative: without parents, and where a poor fit is a step whose slopes vanish.
    fn openings_at(&self, family: FamilyData, fit: &FamilyFit) -> Vec<Opening> {
        let mut openings = Vec::new();
        if !family.parents.is_empty() {
            openings.push(self.tangent(family, fit));
        }
        // The linear family is the limit of small weights.
        openings.extend(family.linear().map(Opening::Linear));
        if family.parents.len() < 2 {
            let single = family.data.single_parent(&self.link);
            openings.push(Opening::Single(single, family.child));
        }
        openings
    }

    /// The ideal parent's profile at the current family's fit.
    fn ideal_profile(&self, job: &Job, fit: &FamilyFit) -> IdealProfile {
        let FamilyData {
            data,
            child,
            parents,
        } = job.family;
        let x = job.family.target();
        let m = x.len();
        let mut eta = vec![0.0; m];
        let (offset, scale) = if parents.is_empty() {
            self.without_parents(x)
        } else {
            let mut problem = self.problem(job.family);
            problem.evaluate(&mut fit.weights.clone());
            let (_, _, fitted) = problem.state();
            for (input, weight) in problem.inputs().iter().zip(&fit.weights) {
                for t in 0..m {
                    eta[t] += weight * input[t];
                }
            }
            (-fitted.scale() * fitted.mean, fitted.scale())
        };
        if let Some(i) = job.place() {
            // The dropped parent's term is added back to the profile.
            for (eta, u) in eta.iter_mut().zip(data.scaled(parents[i])) {
                *eta -= fit.weights[i] * u;
            }
        }
        let (mut y, mut slope, mut clamped) = (Vec::new(), Vec::new(), 0);
        for (x, eta) in x.iter().zip(eta) {
            let q = (x - offset) / scale;
            let ideal = ideal_value(self.link.as_ref(), q, scale, eta, MARGIN);
            y.push(ideal.y);
            slope.push(ideal.slope);
            clamped += usize::from(ideal.clamped);
        }
        let weights = parents.iter().zip(&fit.weights);
        let stay = weights.filter(|(p, _)| job.replaced != Some(**p));
        let terms: Vec<(usize, f64)> = stay.map(|(&p, &weight)| (p, weight)).collect();
        IdealProfile {
            spread: data.distorted_spread(child, &terms, &slope),
            y,
            slope,
            residual: fit.residual,
            clamped: Some(clamped),
            form: CandidateForm::Profile,
        }
    }

    /// Offset and scale of a family without parents. The data do not determine them, so they are
    /// chosen such that the image contains the child's range.
    fn without_parents(&self, x: &[f64]) -> (f64, f64) {
        let least = x.iter().copied().fold(f64::INFINITY, f64::min);
        let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = most - least;
        let (low, high) = self.link.image();
        match (low.is_finite(), high.is_finite()) {
            (true, true) => {
                let scale = 1.2 * range / (high - low);
                (least - 0.1 * range - scale * low, scale)
            }
            (true, false) => (least - 0.1 * range - range * low, range),
            (false, true) => (most + 0.1 * range - range * high, range),
            (false, false) => (0.0, 1.0),
        }
    }

    /// The density at the local minimum reached from these weights.
    fn refined(&self, family: FamilyData, mut weights: Vec<f64>) -> Cpd {
        let FamilyData {
            data,
            child,
            parents,
        } = family;
        let mut problem = self.problem(family);
        minimise(&mut problem, &mut weights, FINAL_TOLERANCE);
        problem.evaluate(&mut weights);
        let (_, _, fitted) = problem.state();
        let (x_mean, x_sd) = data.scale_of(child);
        let mut cpd = LinkCpd {
            link: self.link.clone(),
            bias: if self.bias {
                weights[parents.len()]
            } else {
                0.0
            },
            weights: Vec::with_capacity(parents.len()),
            scale: x_sd * fitted.scale(),
            offset: x_mean - x_sd * fitted.scale() * fitted.mean,
            variance: 0.0,
        };
        for (&p, weight) in parents.iter().zip(&weights) {
            let (mean, sd) = data.scale_of(p);
            cpd.weights.push(weight / sd);
            cpd.bias -= weight * mean / sd;
        }
        if cpd.scale < 0.0 && self.link.is_complementary() {
            cpd.offset += cpd.scale;
            cpd.scale = -cpd.scale;
            cpd.bias = -cpd.bias;
            cpd.weights.iter_mut().for_each(|w| *w = -*w);
        }
        family.with_variance(Cpd::Link(cpd))
    }
}

impl FamilyModel for LinkModel {
    fn parameters(&self, blocks: &Blocks) -> usize {
        CpdKind::Link(self.link.clone()).parameters(blocks.columns(), self.bias, false)
    }

    fn fit(&self, family: FamilyData, nested: Nested) -> Option<FamilyFit> {
        let linear = family.linear()?;
        let mut problem = self.problem(family);
        let (parents, m) = (family.parents, family.rows().total());
        let mut direction = linear.weights.clone();
        direction.resize(problem.inputs().len(), 0.0);
        let padded = |dropped: usize| {
            let mut weights = nested(&without(parents, dropped))?.weights.clone();
            weights.insert(dropped, 0.0);
            Some(weights)
        };
        let mut dropped = match parents.len() {
            0 | 1 => Vec::new(),
            _ => weakest_parents(&linear),
        };
        if !self.bias {
            // Without a bias nearly all starts end in the same minimum.
            dropped.truncate(1);
        }
        let smaller = |is_wanted: bool| -> Vec<Vec<f64>> {
            let dropped = dropped.iter().copied().filter(|_| is_wanted);
            dropped.filter_map(padded).collect()
        };
        let linear_sse = linear.residual * m;
        let nested = smaller(!self.is_hasty);
        let mut found = fit_link(
            &mut problem,
            &direction,
            linear_sse,
            &nested,
            SEARCH_TOLERANCE,
        )?;
        if self.is_hasty && problem.spread(&found.0) > CURVED {
            for mut weights in smaller(true) {
                let sse = minimise(&mut problem, &mut weights, SEARCH_TOLERANCE);
                if let Some(sse) = sse.filter(|sse| *sse < found.1) {
                    found = (weights, sse);
                }
            }
        }
        let (weights, sse) = found;
        Some(FamilyFit {
            residual: sse / m,
            weights,
            kinds: Vec::new(),
        })
    }

    fn cpd(&self, family: FamilyData, fit: &FamilyFit) -> Cpd {
        self.refined(family, fit.weights.clone())
    }

    fn refine(&self, family: FamilyData, cpd: &Cpd) -> Option<Cpd> {
        let Cpd::Link(cpd) = cpd else { return None };
        if cpd.link.word() != self.link.word() {
            return None;
        }
        let mut bias = cpd.bias;
        let mut weights = Vec::with_capacity(family.parents.len() + 1);
        for (&p, weight) in family.parents.iter().zip(&cpd.weights) {
            let (mean, sd) = family.data.scale_of(p);
            weights.push(weight * sd);
            bias += weight * mean;
        }
        if self.bias {
            weights.push(bias);
        }
        Some(self.refined(family, weights))
    }

    fn openings(&self, job: &Job, fits: Nested) -> Vec<Opening> {
        let rest = job.remaining();
        match fits(&rest) {
            Some(fit) => self.openings_at(job.family.with_parents(&rest), &fit),
            None => Vec::new(),
        }
    }

    fn ideal_profiles(&self, job: &Job, fits: Nested) -> Vec<IdealProfile> {
        let fit = fits(job.family.parents);
        fit.map(|fit| self.ideal_profile(job, &fit))
            .into_iter()
            .collect()
    }
}

/// Whether `h(-eta) = 1 - h(eta)` at a few points.
fn looks_complementary(link: &dyn Link) -> bool {
    let holds = |&eta: &f64| (link.value(eta) + link.value(-eta) - 1.0).abs() < 1e-9;
    [0.0, 0.1, 0.7, 1.9, 5.0].iter().all(holds)
}
