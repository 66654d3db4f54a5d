//! One iteration of a variable projection fit with instances whose prediction is uncertain.
//!
//! With `p` the expected prediction of an instance and `q` its standard deviation, the expected
//! squared error of `offset + scale * p` is `(x - offset - scale p)^2 + (scale q)^2`. This is the
//! error of two rows: the instance itself, and a second row in which `scale q`, without an offset,
//! predicts 0.

use crate::kernel::{Point, dot};

/// Normal equations of the Kaufman Jacobian.
///
/// `at` is the point with the expected prediction; the square of its regression includes `q.q`.
/// `of_p` and `of_q` hold the derivatives of `p` and `q` with respect to every weight, and are
/// overwritten.
pub fn uncertain_normal_equations(
    at: Point,
    q: &[f64],
    of_p: &mut [Vec<f64>],
    of_q: &mut [Vec<f64>],
    gram: &mut [f64],
    gradient: &mut [f64],
) {
    let k = of_p.len();
    let m = at.x.len() as f64;
    let scale = at.fitted.scale();
    let residual: Vec<f64> = at.x.iter().zip(at.p).map(|(x, p)| x - scale * p).collect();
    let below: Vec<f64> = q.iter().map(|q| -scale * q).collect();
    for i in 0..k {
        let (dp, dq) = (&mut of_p[i], &mut of_q[i]);
        let mean = if at.offset {
            dp.iter().sum::<f64>() / m
        } else {
            0.0
        };
        let share = (dot(dp, at.p) + dot(dq, q)) / at.fitted.square;
        for (dp, p) in dp.iter_mut().zip(at.p) {
            *dp = scale * (*dp - mean - share * p);
        }
        for (dq, q) in dq.iter_mut().zip(q) {
            *dq = scale * (*dq - share * q);
        }
        gradient[i] = dot(dp, &residual) + dot(dq, &below);
    }
    for i in 0..k {
        for j in 0..=i {
            gram[i * k + j] = dot(&of_p[i], &of_p[j]) + dot(&of_q[i], &of_q[j]);
        }
    }
}
