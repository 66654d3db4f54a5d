//! Fits of product densities: Levenberg-Marquardt iterations over the logarithms of the weights,
//! with the scale eliminated.

use super::FamilyData;
use super::uncertain::Uncertain;
use crate::cpd::FactorKind;
use crate::kernel::{Point, ScaleFit, dot, fit_scale, normal_equations};
use crate::numerics::{Problem, minimise, uncertain_normal_equations};

/// On a logarithmic scale, the arguments of a factor are never all below 1, or all above 1, by more
/// than this distance. Beyond it, the factor has reached a limit: at small weights an activator is
/// proportional to its parent and a repressor is 1; at large weights an activator is 1 and a
/// repressor is proportional to the reciprocal.
const LARGEST_DISTANCE: f64 = 12.0;

/// Largest distance at small weights of a repressor. It is larger, so that the repressor is 1 to
/// all relevant digits even if the child varies much less than its mean.
const ABSENT: f64 = 30.0;

/// A product with a smaller squared coefficient of variation counts as constant: its variation is
/// rounding noise.
pub(crate) const SMALLEST_VARIATION: f64 = 1e-22;

/// Largest step of a weight in one iteration. Where a factor is nearly constant, the derivative is
/// a poor guide, and one weight that jumps too far would slow down all others.
const LARGEST_STEP: f64 = 2.0;

/// The fit of a family. Weights are logarithms, relative to the parents' geometric means.
pub struct ProductProblem<'a> {
    /// The child, centred.
    x: &'a [f64],
    /// The child with its mean; empty if a baseline is fitted.
    raw: Vec<f64>,
    /// The child's mean; `None` if a baseline is fitted.
    level: Option<f64>,
    /// Parents divided by their geometric means.
    inputs: Vec<Vec<f64>>,
    /// Logarithms of the smallest and the largest value of each input.
    ranges: Vec<(f64, f64)>,
    kinds: Vec<FactorKind>,
    /// Weights evaluated last.
    weights: Vec<f64>,
    /// Weights at the beginning of the current iteration.
    from: Option<Vec<f64>>,
    total: f64,
    fitted: ScaleFit,
    /// Instances with uncertain parents.
    uncertain: Option<Uncertain>,
    /// Term of every sum of squares from the child's uncertain entries.
    own: f64,
    product: Vec<f64>,
    centred: Vec<f64>,
    /// Derivatives of the product's logarithm with respect to the weights, one column per parent.
    logarithmic: Vec<Vec<f64>>,
    work: Vec<f64>,
}

impl<'a> ProductProblem<'a> {
    /// Creates the problem for a centred child with mean `level`; `None`: a baseline is fitted.
    pub fn new(x: &'a [f64], level: Option<f64>, inputs: Vec<Vec<f64>>) -> Self {
        let m = x.len();
        let range = |input: &Vec<f64>| {
            let least = input.iter().copied().fold(f64::INFINITY, f64::min);
            let most = input.iter().copied().fold(0.0, f64::max);
            (least.ln(), most.ln())
        };
        ProductProblem {
            x,
            raw: level.map_or_else(Vec::new, |level| x.iter().map(|x| x + level).collect()),
            level,
            ranges: inputs.iter().map(range).collect(),
            kinds: Vec::new(),
            weights: vec![0.0; inputs.len()],
            from: None,
            total: dot(x, x),
            fitted: ScaleFit::default(),
            uncertain: None,
            own: 0.0,
            product: vec![0.0; m],
            centred: vec![0.0; m],
            logarithmic: vec![vec![0.0; m]; inputs.len()],
            work: vec![0.0; (inputs.len() + 1) * m],
            inputs,
        }
    }

    /// Includes the uncertainty of the child's and its parents' entries.
    pub fn with_uncertainty(mut self, family: FamilyData) -> Self {
        self.own = family.data.own_variance(family.child);
        self.uncertain = Uncertain::new(family.data, family.parents);
        self
    }

    /// The product of the factors and the regression on it, at the weights evaluated last.
    pub fn state(&self) -> (&[f64], ScaleFit) {
        (&self.product, self.fitted)
    }

    /// Evaluates the sum of squares at these weights and kinds.
    pub fn at(&mut self, kinds: &[FactorKind], weights: &[f64]) -> f64 {
        self.kinds = kinds.to_vec();
        self.from = None;
        self.evaluate(&mut weights.to_vec())
    }

    /// Logarithm of the weight at which a repressor has no effect.
    pub fn absent(&self, parent: usize) -> f64 {
        self.bounds(parent, FactorKind::Repressor).0
    }

    fn bounds(&self, parent: usize, kind: FactorKind) -> (f64, f64) {
        let (least, most) = self.ranges[parent];
        let below = match kind {
            FactorKind::Activator => LARGEST_DISTANCE,
            FactorKind::Repressor => ABSENT,
        };
        (-below - most, LARGEST_DISTANCE - least)
    }

    /// Regresses the child on the product and returns the sum of squares.
    fn regress(&mut self) -> f64 {
        let m = self.x.len() as f64;
        self.centred.copy_from_slice(&self.product);
        let ScaleFit {
            mean,
            square,
            product,
        } = fit_scale(self.x, &mut self.centred);
        let spread = self.uncertain.as_ref().map_or(0.0, Uncertain::square);
        let square = square + spread;
        let Some(level) = self.level else {
            self.fitted = ScaleFit {
                mean,
                square,
                product,
            };
            return if square > SMALLEST_VARIATION * m * mean * mean {
                self.total - self.fitted.explained()
            } else {
                f64::INFINITY
            };
        };
        self.fitted = ScaleFit {
            mean: 0.0,
            square: m * mean * mean + square,
            product: m * level * mean + product,
        };
        // Not computed as the total minus the explained part: both consist mostly of the mean, and
        // digits would be lost. `left` is the sum of squares at the scale that matches the means;
        // the second term corrects it to the best scale.
        let first = level / mean;
        let left = self.total - 2.0 * first * product + first * first * square;
        let along = product - first * square;
        left - along * along / self.fitted.square
    }

    /// Minimises the sum of squares from a start; `None` if the start is unusable.
    pub fn fit(&mut self, kinds: &[FactorKind], start: &[f64], tolerance: f64) -> Option<Solution> {
        self.kinds = kinds.to_vec();
        let mut weights = start.to_vec();
        let sse = minimise(self, &mut weights, tolerance)?;
        Some(Solution {
            kinds: kinds.to_vec(),
            weights,
            sse,
        })
    }
}

/// A local minimum.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Whether each parent activates or represses the child.
    pub kinds: Vec<FactorKind>,
    /// Logarithms of the weights.
    pub weights: Vec<f64>,
    /// Sum of squares.
    pub sse: f64,
}

impl Problem for ProductProblem<'_> {
    fn begin(&mut self) {
        self.from = None;
    }

    fn evaluate(&mut self, weights: &mut [f64]) -> f64 {
        self.product.fill(1.0);
        for (i, weight) in weights.iter_mut().enumerate() {
            if let Some(from) = &self.from {
                *weight = weight.clamp(from[i] - LARGEST_STEP, from[i] + LARGEST_STEP);
            }
            let (low, high) = self.bounds(i, self.kinds[i]);
            *weight = weight.max(low).min(high);
            let rate = weight.exp();
            let (kind, input) = (self.kinds[i], &self.inputs[i]);
            let sign = match kind {
                FactorKind::Activator => 1.0,
                FactorKind::Repressor => -1.0,
            };
            for (t, u) in input.iter().enumerate() {
                let h = kind.value(rate * u);
                self.product[t] *= h;
                self.logarithmic[i][t] = sign * (1.0 - h);
            }
        }
        if let Some(uncertain) = &mut self.uncertain {
            uncertain.evaluate(
                &self.kinds,
                weights,
                &self.inputs,
                &mut self.product,
                &mut self.logarithmic,
            );
        }
        self.weights.copy_from_slice(weights);
        let sse = self.regress() + self.own;
        if self.fitted.square > 0.0 && sse.is_finite() {
            sse.max(0.0)
        } else {
            f64::INFINITY
        }
    }

    fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]) {
        let inputs: Vec<&[f64]> = self.logarithmic.iter().map(Vec::as_slice).collect();
        let (x, p) = match self.level {
            Some(_) => (self.raw.as_slice(), &self.product),
            None => (self.x, &self.centred),
        };
        let at = Point {
            x,
            p,
            fitted: self.fitted,
            offset: self.level.is_none(),
        };
        let slope = &self.product;
        match &self.uncertain {
            None => normal_equations(at, slope, &inputs, &mut self.work, gram, gradient),
            Some(uncertain) => {
                let times = |input: &&[f64]| {
                    let pairs = input.iter().zip(slope);
                    pairs.map(|(u, p)| u * p).collect()
                };
                let mut of_p: Vec<Vec<f64>> = inputs.iter().map(times).collect();
                let mut of_q = uncertain.derivatives();
                let q = uncertain.deviations();
                uncertain_normal_equations(at, q, &mut of_p, &mut of_q, gram, gradient);
            }
        }
        let k = self.weights.len();
        for i in 0..k {
            let (low, high) = self.bounds(i, self.kinds[i]);
            let weight = self.weights[i];
            if (weight <= low && gradient[i] < 0.0) || (weight >= high && gradient[i] > 0.0) {
                // The weight is at its bound, so the step of the others is computed without it.
                gradient[i] = 0.0;
                for j in 0..k {
                    gram[i.max(j) * k + i.min(j)] = f64::from(u8::from(i == j));
                }
            }
        }
        self.from = Some(self.weights.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::check_gradient;

    /// The scale, and the offset if it is free, are refitted at every point.
    #[test]
    fn gradient_agrees_with_finite_differences() {
        let wave = |t: usize, rate: f64| 1.2 + (t as f64 * rate).sin();
        let inputs: Vec<Vec<f64>> = [1.3, 2.1, 0.7]
            .map(|rate| (0..40).map(|t| wave(t, rate)).collect())
            .into();
        let raw: Vec<f64> = (0..40).map(|t| wave(t, 1.3) / wave(t, 5.0)).collect();
        let mean = raw.iter().sum::<f64>() / 40.0;
        let centred: Vec<f64> = raw.iter().map(|x| x - mean).collect();
        let kinds = [
            FactorKind::Activator,
            FactorKind::Repressor,
            FactorKind::Activator,
        ];
        for level in [Some(mean), None] {
            let mut problem = ProductProblem::new(&centred, level, inputs.clone());
            for weights in [[0.0, 0.5, -1.0], [2.0, -2.0, 1.0]] {
                problem.at(&kinds, &weights);
                check_gradient(&mut problem, &weights);
            }
        }
    }

    /// The sum of squares equals that of the residuals, even if a child's deviation is tiny
    /// relative to its mean.
    #[test]
    fn large_means_do_not_reduce_precision() {
        let wave = |t: usize, rate: f64| (t as f64 * rate).sin();
        for level in [0.5f64, 1e3, 1e7, 1e9] {
            let spread = |t: usize, rate: f64| 1.0 + wave(t, rate) / level.max(2.0);
            let input: Vec<f64> = (0..64).map(|t| spread(t, 1.3)).collect();
            let x: Vec<f64> = (0..64).map(|t| wave(t, 1.3) + 0.1 * wave(t, 3.7)).collect();
            let mean = x.iter().sum::<f64>() / 64.0;
            let x: Vec<f64> = x.iter().map(|x| x - mean).collect();
            let mut problem = ProductProblem::new(&x, Some(level), vec![input]);
            for weight in [-2.0, 0.0, 2.0] {
                let sse = problem.at(&[FactorKind::Activator], &[weight]);
                let (product, fitted) = problem.state();
                let residual = |(p, x): (&f64, &f64)| (x + level - fitted.scale() * p).powi(2);
                let plain: f64 = product.iter().zip(&x).map(residual).sum();
                assert!(
                    (sse - plain).abs() < 1e-6 * plain,
                    "{level} {weight}: {sse} {plain}"
                );
            }
        }
    }
}
