//! Levenberg-Marquardt iterations for a handful of weights.

use super::Cholesky;

/// A least squares problem over weights. Its linear parameters are eliminated inside.
pub trait Problem {
    /// Called before the iterations from a new start. The problem forgets limits that depend on
    /// earlier steps.
    fn begin(&mut self) {}

    /// Moves to these weights and returns the sum of squares there. It may change the weights to
    /// keep them within bounds. The result is not finite if the weights are unusable.
    fn evaluate(&mut self, weights: &mut [f64]) -> f64;

    /// `J'J` (lower triangle, row by row) and `J'r` at the weights evaluated last.
    fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]);
}

/// Relative tolerance of the sum of squares while a search compares candidates.
pub const SEARCH_TOLERANCE: f64 = 1e-7;

/// Relative tolerance for reported parameters: small enough for slowly converging parameters to be
/// correct to 1e-9.
pub const FINAL_TOLERANCE: f64 = 1e-11;

/// Maximum number of iterations while candidates are compared. Final fits get five times as many,
/// since a flat optimum takes many iterations to reach.
const MOST_ITERATIONS: usize = 40;

/// Maximum number of steps tried from one point, each shorter than the last. This is only a
/// safeguard: the predicted decrease shrinks with every step and ends the loop earlier.
const MOST_REJECTIONS: usize = 40;

/// Smallest damping. With nearly collinear derivatives an undamped step is far too long, and
/// raising a smaller damping to a useful one takes many rejected steps.
const LEAST_DAMPING: f64 = 1e-7;

/// Lowers the sum of squares from `weights`, which end at the minimum found.
///
/// Stops when an iteration lowers the sum by less than `tolerance` of it and its predicted decrease
/// was less than 100 times that, or when two iterations in a row lower it by less than `tolerance`.
/// Returns the final sum of squares, which is never larger than at the start; `None` if the start
/// is unusable.
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
    let mut last_was_small = false;
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
            let predicted: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let next = problem.evaluate(&mut trial);
            if next < current {
                // A bound may have cut this step short, so one small decrease is not convergence if
                // a large one was predicted.
                let is_small = current - next < tolerance * current;
                let done = is_small && (last_was_small || predicted < 100.0 * tolerance * current);
                last_was_small = is_small;
                weights.copy_from_slice(&trial);
                current = next;
                damping = (damping * 0.2).max(LEAST_DAMPING);
                if done {
                    return Some(current);
                }
                improved = true;
                break;
            }
            damping *= 5.0;
            // Also false for NaN.
            let worthwhile = predicted >= tolerance * current;
            if !worthwhile {
                break;
            }
        }
        if !improved {
            break;
        }
    }
    Some(current)
}

/// Panics unless the problem's gradient agrees with finite differences of its sum of squares.
#[cfg(test)]
pub(crate) fn check_gradient(problem: &mut impl Problem, weights: &[f64]) {
    let k = weights.len();
    let (mut gram, mut gradient) = (vec![0.0; k * k], vec![0.0; k]);
    problem.begin();
    problem.evaluate(&mut weights.to_vec());
    problem.normal_equations(&mut gram, &mut gradient);
    for i in 0..k {
        let mut moved = |step: f64| {
            let mut moved = weights.to_vec();
            moved[i] += step;
            problem.begin();
            problem.evaluate(&mut moved)
        };
        let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        let error = (2.0 * gradient[i] + difference).abs();
        assert!(
            error < 1e-6 * difference.abs().max(1.0),
            "{gradient:?} {difference}"
        );
        assert!(gram[i * k + i] > 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A problem whose derivatives predict a minimum at 1, while the sum of squares is lower only
    /// below 1e-8.
    struct Narrow;

    impl Problem for Narrow {
        fn evaluate(&mut self, weights: &mut [f64]) -> f64 {
            if weights[0] > 0.0 && weights[0] < 1e-8 {
                0.005
            } else {
                0.01
            }
        }

        fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]) {
            (gram[0], gradient[0]) = (1.0, 1.0);
        }
    }

    #[test]
    fn steps_are_shortened_until_they_reach_a_predicted_decrease() {
        assert_eq!(minimise(&mut Narrow, &mut [0.0], 1e-7), Some(0.005));
    }
}
