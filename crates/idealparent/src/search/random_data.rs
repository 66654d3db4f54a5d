//! Random data for the tests of searches.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Data from a random network of linear and sigmoid dependencies.
pub(super) fn random_columns(n: usize, m: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for v in 0..n {
        let mut column: Vec<f64> = (0..m).map(|_| random.random_range(-1.0..1.0)).collect();
        for earlier in &columns {
            if random.random_range(0..n) < 3 {
                let weight: f64 = random.random_range(-2.0..2.0);
                for (x, u) in column.iter_mut().zip(earlier) {
                    *x += if v % 2 == 0 {
                        weight * u
                    } else {
                        weight * (2.0 * u).tanh()
                    };
                }
            }
        }
        columns.push(column);
    }
    columns
}
