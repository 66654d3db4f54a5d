//! Fitting a product density: Levenberg-Marquardt on the logarithms of the weights, the scale solved for inside.

use super::FactorKind;
use crate::fit::{Problem, minimise};
use crate::kernel::{Fitted, Normal, dot, fit_scale, normal_equations};

/// Weights stay within this factor, as a logarithm, of the reciprocal of the parent's geometric mean: beyond it
/// a factor is constant.
pub const LARGEST_LOG_WEIGHT: f64 = 12.0;

/// A weight is not moved further than this in one iteration: where a factor is nearly constant, the derivative says
/// next to nothing about what lies far away, and one wild weight would hold up all the others.
const LARGEST_STEP: f64 = 2.0;

/// A family in the making. Weights are logarithms, relative to the parents' geometric means.
pub struct ProductProblem<'a> {
    x: &'a [f64],
    /// Parents divided by their geometric means.
    inputs: &'a [Vec<f64>],
    kinds: Vec<FactorKind>,
    baseline: bool,
    /// Where the weights were last.
    weights: Vec<f64>,
    /// Where the current iteration began.
    from: Option<Vec<f64>>,
    total: f64,
    fitted: Fitted,
    product: Vec<f64>,
    centred: Vec<f64>,
    /// Derivatives of the product's logarithm, one column per parent.
    logarithmic: Vec<Vec<f64>>,
    work: Vec<f64>,
}

impl<'a> ProductProblem<'a> {
    /// A problem for a child that is centred where there is a baseline.
    pub fn new(x: &'a [f64], inputs: &'a [Vec<f64>], baseline: bool) -> Self {
        let m = x.len();
        ProductProblem {
            x,
            inputs,
            kinds: Vec::new(),
            baseline,
            weights: vec![0.0; inputs.len()],
            from: None,
            total: dot(x, x),
            fitted: Fitted::default(),
            product: vec![0.0; m],
            centred: vec![0.0; m],
            logarithmic: vec![vec![0.0; m]; inputs.len()],
            work: vec![0.0; (inputs.len() + 1) * m],
        }
    }

    /// The product of the factors and the regression on it, at the weights evaluated last.
    pub fn state(&self) -> (&[f64], Fitted) {
        (&self.product, self.fitted)
    }

    /// The sum of squares at these weights and kinds.
    pub fn at(&mut self, kinds: &[FactorKind], weights: &[f64]) -> f64 {
        self.kinds = kinds.to_vec();
        self.from = None;
        self.evaluate(&mut weights.to_vec())
    }

    /// Minimises from a start.
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
    /// How each parent acts.
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
            *weight = weight.clamp(-LARGEST_LOG_WEIGHT, LARGEST_LOG_WEIGHT);
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
        self.weights.copy_from_slice(weights);
        self.centred.copy_from_slice(&self.product);
        self.fitted = fit_scale(self.x, &mut self.centred, self.baseline);
        let sse = self.total - self.fitted.explained();
        if self.fitted.square > 0.0 && sse.is_finite() {
            sse.max(0.0)
        } else {
            f64::INFINITY
        }
    }

    fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]) {
        let inputs: Vec<&[f64]> = self.logarithmic.iter().map(Vec::as_slice).collect();
        let at = Normal {
            x: self.x,
            p: &self.centred,
            slope: &self.product,
            inputs: &inputs,
            fitted: self.fitted,
            offset: self.baseline,
        };
        normal_equations(at, &mut self.work, gram, gradient);
        let k = self.weights.len();
        for i in 0..k {
            let weight = self.weights[i];
            if weight.abs() >= LARGEST_LOG_WEIGHT && weight * gradient[i] > 0.0 {
                // It cannot go on, and the others should not count on it.
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

    /// The gradient is that of the sum of squares with the scale, and the offset if free, at their best.
    #[test]
    fn gradient_agrees_with_differences() {
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
        for baseline in [false, true] {
            let x = if baseline { &centred } else { &raw };
            let mut problem = ProductProblem::new(x, &inputs, baseline);
            for weights in [[0.0, 0.5, -1.0], [2.0, -2.0, 1.0]] {
                let (mut gram, mut gradient) = ([0.0; 9], [0.0; 3]);
                problem.at(&kinds, &weights);
                problem.normal_equations(&mut gram, &mut gradient);
                for i in 0..3 {
                    let mut at = |step: f64| {
                        let mut moved = weights;
                        moved[i] += step;
                        problem.at(&kinds, &moved)
                    };
                    let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!(
                        (2.0 * gradient[i] + difference).abs() < 1e-6 * difference.abs().max(1.0)
                    );
                    assert!(gram[i * 3 + i] > 0.0);
                }
            }
        }
    }
}
