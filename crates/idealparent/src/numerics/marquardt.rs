//! Levenberg-Marquardt iterations for a handful of weights.

use super::Cholesky;

/// A least squares problem whose linear parameters are solved for inside.
pub trait Problem {
    /// Told before iterations from a new start: no step limits it any more.
    fn begin(&mut self) {}

    /// Moves to these weights, which it may pull back into its bounds, and returns the sum of
    /// squares there; not finite where the weights are of no use.
    fn evaluate(&mut self, weights: &mut [f64]) -> f64;

    /// `J'J` (lower triangle, row by row) and `J'r` at the weights evaluated last.
    fn normal_equations(&mut self, gram: &mut [f64], gradient: &mut [f64]);
}

/// Least relative decrease of an iteration that is followed by another, while candidates are
/// compared.
pub const SEARCH_TOLERANCE: f64 = 1e-7;

/// Likewise for reported parameters: small enough for slow ones to be at their best to 1e-9 too.
pub const FINAL_TOLERANCE: f64 = 1e-11;

/// Enough to compare candidates; where more digits are wanted, five times as many: flat valleys are
/// long.
const MOST_ITERATIONS: usize = 40;

/// Shorter steps that are tried from one point: a guard only, since their promise falls with every
/// one.
const MOST_REJECTIONS: usize = 40;

/// Damping never falls below this. Nearly collinear derivatives make a step without damping a wild
/// one, and from a smaller damping the way back to a useful one is long.
const LEAST_DAMPING: f64 = 1e-7;

/// Lowers the sum of squares from `weights` until an iteration gains less than `tolerance` of it
/// and promised hardly more, or two in a row gain less. Returns the sum of squares, never more than
/// at the start; `None` if the start is of no use.
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
    let mut disappointed = false;
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
            let promised: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let next = problem.evaluate(&mut trial);
            if next < current {
                // A bound may cut a promising step short; the next one need not be.
                let little = current - next < tolerance * current;
                let done = little && (disappointed || promised < 100.0 * tolerance * current);
                disappointed = little;
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
            let worthwhile = promised >= tolerance * current;
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

/// Fails unless the gradient of a problem is that of its sum of squares.
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

    /// Its derivatives promise much further off than there is anything to gain.
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
    fn a_promise_is_followed_to_its_end() {
        assert_eq!(minimise(&mut Narrow, &mut [0.0], 1e-7), Some(0.005));
    }
}
