//! Slow, simple solvers, as a reference for the fits of the library.

use idealparent::family::Profiles;
use idealparent::numerics::{Problem, least_squares};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, Owned};

/// `x = t0 + t1 s(sum a u)` with all parameters in one vector: t0, t1, then a.
pub struct FullSigmoid<'a> {
    x: &'a [f64],
    inputs: &'a [&'a [f64]],
    parameters: DVector<f64>,
}

impl<'a> FullSigmoid<'a> {
    /// The sum of squares reached from these weights, with the best offset and scale for them.
    pub fn fit(x: &'a [f64], inputs: &'a [&'a [f64]], start: &[f64]) -> f64 {
        let mut parameters = vec![0.0, 1.0];
        parameters.extend_from_slice(start);
        let mut problem = FullSigmoid {
            x,
            inputs,
            parameters: DVector::from_vec(parameters),
        };
        let values: Vec<f64> = (0..x.len()).map(|t| problem.value(t)).collect();
        if let Some(outer) = least_squares(x, &[&values]) {
            problem.parameters[0] = outer.intercept;
            problem.parameters[1] = outer.weights[0];
        }
        let (_, report) = LevenbergMarquardt::new()
            .with_patience(200)
            .minimize(problem);
        2.0 * report.objective_function
    }

    fn value(&self, t: usize) -> f64 {
        let weights = self.parameters.iter().skip(2);
        let eta: f64 = weights.zip(self.inputs).map(|(a, u)| a * u[t]).sum();
        1.0 / (1.0 + (-eta).exp())
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for FullSigmoid<'_> {
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, parameters: &DVector<f64>) {
        self.parameters.copy_from(parameters);
    }

    fn params(&self) -> DVector<f64> {
        self.parameters.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let residual =
            |t: usize| self.parameters[0] + self.parameters[1] * self.value(t) - self.x[t];
        Some(DVector::from_iterator(
            self.x.len(),
            (0..self.x.len()).map(residual),
        ))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let (m, k) = (self.x.len(), self.inputs.len());
        Some(DMatrix::from_fn(m, k + 2, |t, j| {
            let s = self.value(t);
            match j {
                0 => 1.0,
                1 => s,
                _ => self.parameters[1] * s * (1.0 - s) * self.inputs[j - 2][t],
            }
        }))
    }
}

/// A product family with given kinds of factors. The derivatives of its projected residual are
/// finite differences.
pub struct PlainProduct {
    x: Vec<f64>,
    /// Parents divided by their geometric means.
    inputs: Vec<Vec<f64>>,
    activators: Vec<bool>,
    baseline: bool,
    weights: Vec<f64>,
}

impl PlainProduct {
    pub fn new(
        data: &Profiles,
        child: usize,
        parents: &[usize],
        activators: Vec<bool>,
        baseline: bool,
    ) -> Self {
        let (_, sd) = data.scale_of(child);
        let relative = |&p: &usize| {
            let mean = data.geometric_mean(p);
            data.raw(p).iter().map(|u| u / mean).collect()
        };
        PlainProduct {
            x: data.raw(child).iter().map(|x| x / sd).collect(),
            inputs: parents.iter().map(relative).collect(),
            activators,
            baseline,
            weights: Vec::new(),
        }
    }

    fn residual(&self, weights: &[f64]) -> DVector<f64> {
        let factor = |i: usize, t: usize| {
            let y = weights[i].exp() * self.inputs[i][t];
            if self.activators[i] {
                y / (1.0 + y)
            } else {
                1.0 / (1.0 + y)
            }
        };
        let product = |t: usize| (0..weights.len()).map(|i| factor(i, t)).product::<f64>();
        let m = self.x.len();
        let mut p = DVector::from_iterator(m, (0..m).map(product));
        let mut x = DVector::from_column_slice(&self.x);
        if self.baseline {
            p.add_scalar_mut(-p.mean());
            x.add_scalar_mut(-x.mean());
        }
        let scale = p.dot(&x) / p.norm_squared();
        x - scale * p
    }
}

impl Problem for PlainProduct {
    fn evaluate(&mut self, weights: &mut [f64]) -> f64 {
        weights.iter_mut().for_each(|w| *w = w.clamp(-12.0, 12.0));
        self.weights = weights.to_vec();
        self.residual(weights).norm_squared()
    }

    fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]) {
        let (k, h) = (self.weights.len(), 1e-5);
        let at = self.residual(&self.weights);
        let column = |i: usize| {
            let (mut up, mut down) = (self.weights.clone(), self.weights.clone());
            up[i] += h;
            down[i] -= h;
            (self.residual(&down) - self.residual(&up)) / (2.0 * h)
        };
        let columns: Vec<DVector<f64>> = (0..k).map(column).collect();
        for i in 0..k {
            gradient[i] = columns[i].dot(&at);
            for j in 0..=i {
                gram[i * k + j] = columns[i].dot(&columns[j]);
            }
        }
    }
}
