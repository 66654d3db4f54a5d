//! Random families and networks that are not linear.

use idealparent::Table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{linear_network, names, normal};

/// A number between `low` and `high`, of either sign.
fn either_sign(low: f64, high: f64, rng: &mut ChaCha8Rng) -> f64 {
    let size = low + (high - low) * rng.random::<f64>();
    if rng.random() { size } else { -size }
}

/// Parents, correlated by a common cause or not, and a sigmoid of them as the last column.
pub fn sigmoid_family(k: usize, m: usize, correlated: bool, rng: &mut ChaCha8Rng) -> Table {
    let common: Vec<f64> = (0..m).map(|_| normal(rng)).collect();
    let share = if correlated { 0.8f64 } else { 0.0 };
    let mut columns: Vec<Vec<f64>> = (0..k)
        .map(|_| {
            let own = |c: &f64| share.sqrt() * c + (1.0 - share).sqrt() * normal(rng);
            common.iter().map(own).collect()
        })
        .collect();
    let weights: Vec<f64> = (0..k).map(|_| either_sign(1.0, 3.0, rng)).collect();
    let scale = either_sign(2.0, 4.0, rng);
    let sd = 0.3 + 0.3 * rng.random::<f64>();
    let child = (0..m).map(|t| {
        let eta: f64 = weights.iter().zip(&columns).map(|(w, u)| w * u[t]).sum();
        scale / (1.0 + (-eta).exp()) + sd * normal(rng)
    });
    let child = child.collect();
    columns.push(child);
    Table::new(names(k + 1), columns).unwrap()
}

/// Positive parents and a product of saturating factors of them, positive too, as the last column.
pub fn product_family(k: usize, m: usize, rng: &mut ChaCha8Rng) -> Table {
    let mut columns: Vec<Vec<f64>> = (0..k)
        .map(|_| (0..m).map(|_| normal(rng).exp()).collect())
        .collect();
    let rates: Vec<f64> = (0..k).map(|_| (0.7 * normal(rng)).exp()).collect();
    let activator: Vec<bool> = (0..k).map(|_| rng.random()).collect();
    let child = (0..m).map(|t| {
        let factor = |i: usize| {
            let y = rates[i] * columns[i][t];
            if activator[i] {
                y / (1.0 + y)
            } else {
                1.0 / (1.0 + y)
            }
        };
        let mean: f64 = 2.0 * (0..k).map(factor).product::<f64>();
        (mean + 0.1 * normal(rng)).abs() + 1e-3
    });
    let child = child.collect();
    columns.push(child);
    Table::new(names(k + 1), columns).unwrap()
}

/// A linear network's data bent and made positive, so that every kind of density has something to fit.
pub fn positive_network(n: usize, m: usize, seed: u64) -> Table {
    let (_, table) = linear_network(n, m, 2.0, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let bend = |column: &Vec<f64>| -> Vec<f64> {
        let strength = 0.5 + rng.random::<f64>();
        let value = |x: &f64| 0.2 + 1.0 / (1.0 + (-strength * x).exp()) + 0.05 * x.abs();
        column.iter().map(value).collect()
    };
    let columns = table.columns().iter().map(bend).collect();
    Table::new(names(n), columns).unwrap()
}
