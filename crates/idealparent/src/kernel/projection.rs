//! One iteration of a variable projection fit: prediction, scale and offset, normal equations.
//!
//! The mean is `offset + scale * p(a)` with `p` a non-linear function of the weights. For any weights the
//! best offset and scale are known in closed form, and the rest of the iteration sees only what they leave.

use pulp::{Arch, NullaryFnOnce};

use super::dot::{dot_lanes, sum_lanes};

/// Writes `sum_j weights_j inputs_j` into `eta` and returns its variance.
pub fn linear_predictor(inputs: &[&[f64]], weights: &[f64], eta: &mut [f64]) -> f64 {
    Arch::new().dispatch(Predictor {
        inputs,
        weights,
        eta,
    })
}

struct Predictor<'a> {
    inputs: &'a [&'a [f64]],
    weights: &'a [f64],
    eta: &'a mut [f64],
}

impl NullaryFnOnce for Predictor<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let eta = self.eta;
        let m = eta.len();
        eta.fill(0.0);
        for (input, &weight) in self.inputs.iter().zip(self.weights) {
            let input = &input[..m];
            for t in 0..m {
                eta[t] += weight * input[t];
            }
        }
        let mean = sum_lanes(eta) / m as f64;
        let square = dot_lanes(eta, eta) / m as f64;
        if mean * mean < 0.5 * square {
            return square - mean * mean;
        }
        // A bias may dwarf the rest, and the difference would be rounding.
        let deviation = |e: &f64| (e - mean) * (e - mean);
        eta.iter().map(deviation).sum::<f64>() / m as f64
    }
}

/// What the regression of `x` on a prediction `p` needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fitted {
    /// Mean of the prediction; 0 where no offset is fitted.
    pub mean: f64,
    /// `p.p` after centring.
    pub square: f64,
    /// `p.x` after centring.
    pub product: f64,
}

impl Fitted {
    /// The least squares scale.
    pub fn scale(&self) -> f64 {
        self.product / self.square
    }

    /// By how much the regression lowers the sum of squares.
    pub fn explained(&self) -> f64 {
        self.product * self.product / self.square
    }
}

/// Centres `p` (if an offset is fitted) and regresses `x` on it.
pub fn fit_scale(x: &[f64], p: &mut [f64], offset: bool) -> Fitted {
    Arch::new().dispatch(Scale { x, p, offset })
}

struct Scale<'a> {
    x: &'a [f64],
    p: &'a mut [f64],
    offset: bool,
}

impl NullaryFnOnce for Scale<'_> {
    type Output = Fitted;

    #[inline(always)]
    fn call(self) -> Fitted {
        let (x, p) = (self.x, self.p);
        let mean = if self.offset {
            sum_lanes(p) / p.len() as f64
        } else {
            0.0
        };
        if self.offset {
            for value in p.iter_mut() {
                *value -= mean;
            }
        }
        Fitted {
            mean,
            square: dot_lanes(p, p),
            product: dot_lanes(p, x),
        }
    }
}

/// The point an iteration is at.
pub struct Normal<'a> {
    /// The child.
    pub x: &'a [f64],
    /// Centred prediction, from [`fit_scale`].
    pub p: &'a [f64],
    /// Derivative of the prediction in the `j`-th weight is `slope * inputs_j`.
    pub slope: &'a [f64],
    /// See `slope`.
    pub inputs: &'a [&'a [f64]],
    /// From [`fit_scale`].
    pub fitted: Fitted,
    /// Whether an offset is fitted.
    pub offset: bool,
}

/// Normal equations of the Kaufman Jacobian: `scale * slope * inputs`, projected off offset and prediction.
///
/// `work` has room for k + 1 columns, `gram` for k x k (the lower triangle is written) and `gradient` for k.
pub fn normal_equations(at: Normal, work: &mut [f64], gram: &mut [f64], gradient: &mut [f64]) {
    Arch::new().dispatch(Equations {
        at,
        work,
        gram,
        gradient,
    });
}

struct Equations<'a> {
    at: Normal<'a>,
    work: &'a mut [f64],
    gram: &'a mut [f64],
    gradient: &'a mut [f64],
}

impl NullaryFnOnce for Equations<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let m = self.at.x.len();
        let k = self.at.inputs.len();
        let scale = self.at.fitted.scale();
        let (x, p, slope) = (self.at.x, &self.at.p[..m], &self.at.slope[..m]);
        let (residual, columns) = self.work.split_at_mut(m);
        for t in 0..m {
            residual[t] = x[t] - scale * p[t];
        }
        for i in 0..k {
            let input = &self.at.inputs[i][..m];
            let column = &mut columns[i * m..(i + 1) * m];
            for t in 0..m {
                column[t] = slope[t] * input[t];
            }
            // Projected off [1, p] here rather than in the products: no cancellation there.
            let mean = if self.at.offset {
                sum_lanes(column) / m as f64
            } else {
                0.0
            };
            let share = dot_lanes(column, p) / self.at.fitted.square;
            for t in 0..m {
                column[t] = scale * (column[t] - mean - share * p[t]);
            }
            self.gradient[i] = dot_lanes(column, residual);
        }
        for i in 0..k {
            for j in 0..=i {
                self.gram[i * k + j] =
                    dot_lanes(&columns[i * m..(i + 1) * m], &columns[j * m..(j + 1) * m]);
            }
        }
    }
}
