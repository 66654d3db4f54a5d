//! Fits and extensions of product families.

mod fit;
mod uncertain;

use std::sync::Arc;

use super::{
    Blocks, CandidateForm, FamilyData, FamilyFit, FamilyModel, IdealProfile, Job, Nested, Opening,
    weakest_parents, without,
};
use crate::cpd::{Cpd, CpdKind, FactorKind, MARGIN, ProductCpd, ProductFactor};
use crate::numerics::{FINAL_TOLERANCE, SEARCH_TOLERANCE};
pub(crate) use fit::SMALLEST_VARIATION;
use fit::{ProductProblem, Solution};

const KINDS: [FactorKind; 2] = [FactorKind::Activator, FactorKind::Repressor];

/// Logarithms of the weights that a ranking tries, relative to the candidate's geometric mean.
const GRID: [f64; 5] = [-3.0, -1.5, 0.0, 1.5, 3.0];

/// Product families.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProductModel {
    /// Whether the offset is free; otherwise it is 0.
    pub baseline: bool,
}

impl ProductModel {
    /// The child in units of its standard deviation, centred only if a baseline is fitted.
    fn child(&self, family: FamilyData) -> Vec<f64> {
        if self.baseline {
            return family.target().to_vec();
        }
        let (_, sd) = family.data.scale_of(family.child);
        family
            .data
            .raw(family.child)
            .iter()
            .map(|x| x / sd)
            .collect()
    }

    /// The child's mean in units of its standard deviation; `None` if a baseline is fitted.
    fn level(&self, family: FamilyData) -> Option<f64> {
        let (mean, sd) = family.data.scale_of(family.child);
        (!self.baseline).then_some(mean / sd)
    }

    /// The fit of a family, with the parents in units of their geometric means.
    fn problem<'a>(&self, family: FamilyData<'a>) -> ProductProblem<'a> {
        let relative = |&p: &usize| {
            let mean = family.data.geometric_mean(p);
            family.data.raw(p).iter().map(|u| u / mean).collect()
        };
        let inputs = family.parents.iter().map(relative).collect();
        ProductProblem::new(family.target(), self.level(family), inputs).with_uncertainty(family)
    }

    /// The product of a family's factors, and scale and offset of the child's regression on it.
    fn product(&self, family: FamilyData, fit: &FamilyFit) -> (Vec<f64>, f64, f64) {
        let mut problem = self.problem(family);
        problem.at(&fit.kinds, &fit.weights);
        let (product, fitted) = problem.state();
        let offset = -fitted.scale() * fitted.mean;
        (product.to_vec(), fitted.scale(), offset)
    }

    /// The profile of an ideal further parent of one kind, with all other parameters frozen.
    fn ideal_profile(&self, job: &Job, fit: &FamilyFit, kind: FactorKind) -> IdealProfile {
        let FamilyData { data, parents, .. } = job.family;
        let x = self.child(job.family);
        let (product, mut scale, mut offset) = if parents.is_empty() {
            (vec![1.0; x.len()], 0.0, 0.0)
        } else {
            self.product(job.family, fit)
        };
        if parents.is_empty() {
            // Without parents the data do not determine the scale, so it is chosen such that the
            // image contains the child's range.
            let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let least = x.iter().copied().fold(f64::INFINITY, f64::min);
            (offset, scale) = if self.baseline {
                (least - 0.1 * (most - least), 1.2 * (most - least))
            } else {
                (0.0, 1.1 * most)
            };
        }
        let dropped = job.place().map(|i| {
            let p = parents[i];
            let rate = fit.weights[i].exp() / data.geometric_mean(p);
            (fit.kinds[i], rate, data.raw(p))
        });
        let (mut y, mut slope, mut clamped) = (Vec::new(), Vec::new(), 0);
        for (t, &x) in x.iter().enumerate() {
            let back = dropped.map_or(1.0, |(kind, rate, u)| kind.value(rate * u[t]));
            let cpd = ProductCpd {
                factors: Vec::new(),
                scale: scale * product[t] / back,
                offset,
                variance: 1.0,
            };
            let ideal = cpd.ideal(kind, x, &[], MARGIN);
            y.push(ideal.y);
            slope.push(ideal.slope);
            clamped += usize::from(ideal.clamped);
        }
        IdealProfile {
            spread: data.distorted_spread(job.family.child, &[], &slope),
            y,
            slope,
            residual: fit.residual,
            clamped: Some(clamped),
            form: CandidateForm::Positive,
        }
    }

    /// The density at the local minimum reached from these weights.
    fn refined(&self, family: FamilyData, kinds: &[FactorKind], start: &[f64]) -> Cpd {
        let data = family.data;
        let mut problem = self.problem(family);
        let found = problem.fit(kinds, start, FINAL_TOLERANCE);
        let weights = found.map_or_else(|| start.to_vec(), |found| found.weights);
        problem.at(kinds, &weights);
        let (_, fitted) = problem.state();
        let (x_mean, x_sd) = data.scale_of(family.child);
        let factor = |((&p, &kind), weight): ((&usize, &FactorKind), &f64)| ProductFactor {
            kind,
            weight: weight.exp() / data.geometric_mean(p),
        };
        let factors = family.parents.iter().zip(kinds).zip(&weights);
        let cpd = ProductCpd {
            factors: factors.map(factor).collect(),
            scale: x_sd * fitted.scale(),
            offset: if self.baseline {
                x_mean - x_sd * fitted.scale() * fitted.mean
            } else {
                0.0
            },
            variance: 0.0,
        };
        family.with_variance(Cpd::Product(cpd))
    }
}

impl FamilyModel for ProductModel {
    fn parameters(&self, blocks: &Blocks) -> usize {
        CpdKind::Product.parameters(blocks.columns(), false, self.baseline)
    }

    fn fit(&self, family: FamilyData, nested: Nested) -> Option<FamilyFit> {
        let linear = family.linear()?;
        let mut problem = self.problem(family);
        let rest = |dropped: usize| without(family.parents, dropped);
        let smaller = |dropped: usize| Some((dropped, nested(&rest(dropped))?));
        let order = weakest_parents(&linear);
        let smaller: Vec<Smaller> = order.into_iter().filter_map(smaller).collect();
        let signed = |up: bool| linear.weights.iter().map(move |&w| guess(w, up)).collect();
        // With an offset the scale may be negative, which reverses the effect of every parent.
        let guesses: Vec<Vec<FactorKind>> = if self.baseline {
            vec![signed(true), signed(false)]
        } else {
            vec![signed(true)]
        };
        let solution = best_solution(&mut problem, &guesses, &smaller)?;
        Some(FamilyFit {
            residual: solution.sse / family.rows().total(),
            weights: solution.weights,
            kinds: solution.kinds,
        })
    }

    fn cpd(&self, family: FamilyData, fit: &FamilyFit) -> Cpd {
        self.refined(family, &fit.kinds, &fit.weights)
    }

    fn refine(&self, family: FamilyData, cpd: &Cpd) -> Option<Cpd> {
        let Cpd::Product(cpd) = cpd else { return None };
        let kinds: Vec<FactorKind> = cpd.factors.iter().map(|factor| factor.kind).collect();
        let weight = |(factor, &p): (&ProductFactor, &usize)| {
            let weight = factor.weight * family.data.geometric_mean(p);
            weight.ln()
        };
        let weights = cpd.factors.iter().zip(family.parents).map(weight);
        Some(self.refined(family, &kinds, &weights.collect::<Vec<f64>>()))
    }

    fn openings(&self, job: &Job, fits: Nested) -> Vec<Opening> {
        let rest = job.remaining();
        let Some(fit) = fits(&rest) else {
            return Vec::new();
        };
        let x = job.family.target().to_vec();
        let product = if rest.is_empty() {
            vec![1.0; x.len()]
        } else {
            self.product(job.family.with_parents(&rest), &fit).0
        };
        let of_kind = |kind| GRID.map(|log_rate| CandidateForm::Saturated { kind, log_rate });
        vec![Opening::Product {
            x,
            level: self.level(job.family),
            product,
            forms: KINDS.into_iter().flat_map(of_kind).collect(),
        }]
    }

    fn ideal_profiles(&self, job: &Job, fits: Nested) -> Vec<IdealProfile> {
        let Some(fit) = fits(job.family.parents) else {
            return Vec::new();
        };
        KINDS.map(|kind| self.ideal_profile(job, &fit, kind)).into()
    }
}

/// Guesses the kind of a parent from its linear weight; `up` if the scale is positive.
fn guess(weight: f64, up: bool) -> FactorKind {
    if (weight > 0.0) == up {
        FactorKind::Activator
    } else {
        FactorKind::Repressor
    }
}

/// A parent's position, and the fit of the family without that parent.
type Smaller = (usize, Arc<FamilyFit>);

/// The best local minimum from a fixed set of starts.
///
/// The first starts are `guesses`: which parents are activators and which repressors. Others extend the fits of smaller
/// families with the further parent as activator, as repressor, and without effect. Finally, single
/// parents are switched between activator and repressor as long as that helps.
fn best_solution(
    problem: &mut ProductProblem,
    guesses: &[Vec<FactorKind>],
    smaller: &[Smaller],
) -> Option<Solution> {
    let tolerance = SEARCH_TOLERANCE;
    let k = guesses[0].len();
    let m = problem.state().0.len() as f64;
    let mut best: Option<Solution> = None;
    let mut consider = |problem: &mut ProductProblem, kinds: &[FactorKind], start: &[f64]| {
        if let Some(found) = problem.fit(kinds, start, tolerance)
            && best.as_ref().is_none_or(|b| found.sse < b.sse)
        {
            best = Some(found);
        }
        best.as_ref().map_or(f64::INFINITY, |b| b.sse)
    };
    for kinds in guesses {
        consider(problem, kinds, &vec![0.0; k]);
    }
    for (place, (further, fit)) in smaller.iter().enumerate() {
        let (mut kinds, mut weights) = (fit.kinds.clone(), fit.weights.clone());
        kinds.insert(*further, FactorKind::Activator);
        weights.insert(*further, 0.0);
        // The weakest parent gets more starts: it most often decides which minimum is found.
        let starts: &[f64] = if place == 0 {
            &[-2.0, 0.0, 2.0]
        } else {
            &[0.0]
        };
        let mut least = f64::INFINITY;
        for kind in KINDS {
            kinds[*further] = kind;
            for &start in starts {
                weights[*further] = start;
                least = consider(problem, &kinds, &weights);
            }
        }
        if fit.residual * m < least {
            // Makes sure that the fit is never worse than the smaller family's.
            kinds[*further] = FactorKind::Repressor;
            weights[*further] = problem.absent(*further);
            consider(problem, &kinds, &weights);
        }
    }
    for _ in 0..k {
        let mut turned = false;
        for i in 0..k {
            let Some(current) = best.clone() else { break };
            let (mut kinds, mut weights) = (current.kinds, current.weights);
            kinds[i] = match kinds[i] {
                FactorKind::Activator => FactorKind::Repressor,
                FactorKind::Repressor => FactorKind::Activator,
            };
            weights[i] = 0.0;
            if let Some(found) = problem.fit(&kinds, &weights, tolerance)
                && found.sse < current.sse * (1.0 - tolerance)
            {
                best = Some(found);
                turned = true;
            }
        }
        if !turned {
            break;
        }
    }
    best
}
