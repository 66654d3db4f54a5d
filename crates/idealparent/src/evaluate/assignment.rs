//! Who belongs to whom: the assignment with the largest sum.

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// Worths as whole numbers, which the algorithm needs: so many steps between 0 and 1.
const STEPS: f64 = (1u64 << 50) as f64;

/// For every row of a matrix of worths between 0 and 1 its column, or none, so that no column is
/// taken twice and the sum is as large as can be. A pair worth nothing is left apart.
pub(crate) fn assign(worths: &[Vec<f64>]) -> Vec<Option<usize>> {
    let (rows, columns) = (worths.len(), worths.first().map_or(0, Vec::len));
    if rows == 0 {
        return Vec::new();
    }
    // One column of its own for every row, worth nothing, so that no row has to take another.
    let worth = |(i, j): (usize, usize)| match worths[i].get(j) {
        Some(worth) => (worth * STEPS) as i64,
        None => 0,
    };
    let (_, found) = kuhn_munkres(&Matrix::from_fn(rows, columns + rows, worth));
    let is_pair = |(i, &j): (usize, &usize)| (j < columns && worths[i][j] > 0.0).then_some(j);
    found.iter().enumerate().map(is_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// The largest sum by trying everything.
    fn best(worths: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == worths.len() {
            return 0.0;
        }
        let mut most = best(worths, row + 1, taken);
        for j in 0..taken.len() {
            if !taken[j] {
                taken[j] = true;
                most = most.max(worths[row][j] + best(worths, row + 1, taken));
                taken[j] = false;
            }
        }
        most
    }

    #[test]
    fn as_good_as_any() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for case in 0..300 {
            let (rows, columns) = (case % 6, 1 + (case / 6) % 6);
            let worths: Vec<Vec<f64>> = (0..rows)
                .map(|_| {
                    let one = |x: f64| if x < 0.3 { 0.0 } else { x };
                    (0..columns).map(|_| one(rng.random())).collect()
                })
                .collect();
            let found = assign(&worths);
            let mut taken = vec![false; columns];
            let mut sum = 0.0;
            for (i, j) in found.iter().enumerate() {
                if let Some(j) = *j {
                    assert!(!std::mem::replace(&mut taken[j], true));
                    sum += worths[i][j];
                }
            }
            let wanted = best(&worths, 0, &mut vec![false; columns]);
            assert!((sum - wanted).abs() < 1e-12, "{case}: {sum} {wanted}");
        }
    }
}
