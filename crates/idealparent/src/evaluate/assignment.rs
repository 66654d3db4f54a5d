//! Maximum-weight assignment of rows to columns.

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// Number of steps between 0 and 1 when weights are converted to integers, which the algorithm
/// needs.
const STEPS: f64 = (1u64 << 50) as f64;

/// Assigns a column, or none, to every row of a matrix of weights between 0 and 1, so that no
/// column is used twice and the sum of the weights is maximal. A pair of weight 0 is never
/// assigned.
pub(crate) fn assign(weights: &[Vec<f64>]) -> Vec<Option<usize>> {
    let (rows, columns) = (weights.len(), weights.first().map_or(0, Vec::len));
    if rows == 0 {
        return Vec::new();
    }
    // One further column of weight 0 per row, so that no row has to take one of the real columns.
    let weight = |(i, j): (usize, usize)| match weights[i].get(j) {
        Some(weight) => (weight * STEPS) as i64,
        None => 0,
    };
    let (_, found) = kuhn_munkres(&Matrix::from_fn(rows, columns + rows, weight));
    let is_pair = |(i, &j): (usize, &usize)| (j < columns && weights[i][j] > 0.0).then_some(j);
    found.iter().enumerate().map(is_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// The largest sum, by exhaustive search.
    fn best(weights: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == weights.len() {
            return 0.0;
        }
        let mut most = best(weights, row + 1, taken);
        for j in 0..taken.len() {
            if !taken[j] {
                taken[j] = true;
                most = most.max(weights[row][j] + best(weights, row + 1, taken));
                taken[j] = false;
            }
        }
        most
    }

    #[test]
    fn the_assignment_reaches_the_largest_sum() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for case in 0..300 {
            let (rows, columns) = (case % 6, 1 + (case / 6) % 6);
            let weights: Vec<Vec<f64>> = (0..rows)
                .map(|_| {
                    let one = |x: f64| if x < 0.3 { 0.0 } else { x };
                    (0..columns).map(|_| one(rng.random())).collect()
                })
                .collect();
            let found = assign(&weights);
            let mut taken = vec![false; columns];
            let mut sum = 0.0;
            for (i, j) in found.iter().enumerate() {
                if let Some(j) = *j {
                    assert!(!std::mem::replace(&mut taken[j], true));
                    sum += weights[i][j];
                }
            }
            let wanted = best(&weights, 0, &mut vec![false; columns]);
            assert!((sum - wanted).abs() < 1e-12, "{case}: {sum} {wanted}");
        }
    }
}
