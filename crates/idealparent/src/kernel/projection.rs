//! One iteration of a variable projection fit: prediction, scale and offset, normal equations.
//!
//! The mean is `offset + scale * p(a)` with `p` a non-linear function of the weights `a`. For given
//! weights the best offset and scale have a closed form, so iterations run over the weights alone.

use super::dispatch;
use super::dot::{dot_lanes, sum_lanes};

/// Writes `sum_j weights_j inputs_j` into `eta` and returns its variance.
pub fn linear_predictor(inputs: &[&[f64]], weights: &[f64], eta: &mut [f64]) -> f64 {
    dispatch(
        #[inline(always)]
        move || {
            let m = eta.len();
            eta.fill(0.0);
            for (input, &weight) in inputs.iter().zip(weights) {
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
            // With a large bias the difference of squares would be mostly rounding error.
            let deviation = |e: &f64| (e - mean) * (e - mean);
            eta.iter().map(deviation).sum::<f64>() / m as f64
        },
    )
}

/// Sums from which the regression of `x` on a prediction `p` follows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScaleFit {
    /// Mean of the prediction; 0 if no offset is fitted.
    pub mean: f64,
    /// `p.p` after centring.
    pub square: f64,
    /// `p.x` after centring.
    pub product: f64,
}

impl ScaleFit {
    /// The least squares scale.
    pub fn scale(&self) -> f64 {
        self.product / self.square
    }

    /// Decrease of the sum of squares by the regression.
    pub fn explained(&self) -> f64 {
        self.product * self.product / self.square
    }
}

/// Centres `p` and regresses `x` on it.
pub fn fit_scale(x: &[f64], p: &mut [f64]) -> ScaleFit {
    dispatch(
        #[inline(always)]
        move || {
            let mean = sum_lanes(p) / p.len() as f64;
            for value in p.iter_mut() {
                *value -= mean;
            }
            ScaleFit {
                mean,
                square: dot_lanes(p, p),
                product: dot_lanes(p, x),
            }
        },
    )
}

/// Current point of an iteration.
pub struct Point<'a> {
    /// The child.
    pub x: &'a [f64],
    /// The prediction, centred if an offset is fitted.
    pub p: &'a [f64],
    /// The regression of `x` on the prediction.
    pub fitted: ScaleFit,
    /// Whether an offset is fitted.
    pub offset: bool,
}

/// Normal equations of the Kaufman Jacobian: `scale * slope * inputs`, projected off offset and
/// prediction.
///
/// The derivative of the prediction with respect to the `j`-th weight is `slope * inputs_j`. `work`
/// holds k + 1 columns, `gram` k x k entries (only the lower triangle is written) and `gradient` k.
pub fn normal_equations(
    at: Point,
    slope: &[f64],
    inputs: &[&[f64]],
    work: &mut [f64],
    gram: &mut [f64],
    gradient: &mut [f64],
) {
    dispatch(
        #[inline(always)]
        move || {
            let m = at.x.len();
            let k = inputs.len();
            let scale = at.fitted.scale();
            let (x, p, slope) = (at.x, &at.p[..m], &slope[..m]);
            let (residual, columns) = work.split_at_mut(m);
            for t in 0..m {
                residual[t] = x[t] - scale * p[t];
            }
            for i in 0..k {
                let input = &inputs[i][..m];
                let column = &mut columns[i * m..(i + 1) * m];
                for t in 0..m {
                    column[t] = slope[t] * input[t];
                }
                // Project off [1, p] before the products are taken, which avoids cancellation.
                let mean = if at.offset {
                    sum_lanes(column) / m as f64
                } else {
                    0.0
                };
                let share = dot_lanes(column, p) / at.fitted.square;
                for t in 0..m {
                    column[t] = scale * (column[t] - mean - share * p[t]);
                }
                gradient[i] = dot_lanes(column, residual);
            }
            for i in 0..k {
                for j in 0..=i {
                    gram[i * k + j] =
                        dot_lanes(&columns[i * m..(i + 1) * m], &columns[j * m..(j + 1) * m]);
                }
            }
        },
    );
}
