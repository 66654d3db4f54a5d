//! Levenberg-Marquardt iterations for a handful of weights.

use super::Cholesky;

/// A least squares problem whose linear parameters are solved for inside.
pub trait Problem {
    /// Told before iterations from a new start: no step limits it any more.
    fn begin(&mut self) {}

    /// Moves to these weights, which it may pull back into its bounds, and returns the sum of squares there;
    /// not finite where the weights are of no use.
    fn evaluate(&mut self, weights: &mut [f64]) -> f64;

    /// `J'J` (lower triangle, row by row) and `J'r` at the weights evaluated last.
    fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]);
}

/// Enough to compare candidates; where more digits are wanted, five times as many: flat valleys are long.
const MOST_ITERATIONS: usize = 40;
const MOST_REJECTIONS: usize = 12;

/// Lowers the sum of squares from `weights` until an iteration gains less than `tolerance` of it.
/// Returns the sum of squares, never more than at the start; `None` if the start is of no use.
pub fn minimise(problem: &mut impl Problem, weights: &mut [f64], tolerance: f64) -> Option<f64> {
    let k = weights.len();
    problem.begin();
    let mut current = problem.evaluate(weights);
    if !current.is_finite() {
        return None;
    }
    let mut gram = vec![0.0; k * k];
    let mut gradient = vec![0.0; k];
    let mut trial = vec![0.0; k];
    let mut step = vec![0.0; k];
    let mut damping = 1e-3;
    let most = if tolerance < 1e-8 {
        5 * MOST_ITERATIONS
    } else {
        MOST_ITERATIONS
    };
    for _ in 0..most {
        problem.normal_equations(&mut gram, &mut gradient);
        let mut improved = false;
        for _ in 0..MOST_REJECTIONS {
            let damped = |i: usize, j: usize| {
                let own = if i == j {
                    damping * gram[i * k + i] + f64::MIN_POSITIVE
                } else {
                    0.0
                };
                gram[i * k + j] + own
            };
            let Some(factor) = Cholesky::factor(k, damped) else {
                damping *= 10.0;
                continue;
            };
            step.copy_from_slice(&gradient);
            factor.solve(&mut step);
            for i in 0..k {
                trial[i] = weights[i] + step[i];
            }
            let next = problem.evaluate(&mut trial);
            if next < current {
                let done = current - next < tolerance * current;
                weights.copy_from_slice(&trial);
                current = next;
                damping = (damping * 0.2).max(1e-12);
                if done {
                    return Some(current);
                }
                improved = true;
                break;
            }
            damping *= 5.0;
            let promised: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            if promised < tolerance * current {
                break;
            }
        }
        if !improved {
            break;
        }
    }
    Some(current)
}
