//! Data of random non-linear families and networks.

use idealparent::Table;
use idealparent::data::Column;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{linear_network, names, normal};

/// A number between `low` and `high`, of either sign.
fn either_sign(low: f64, high: f64, rng: &mut ChaCha8Rng) -> f64 {
    let size = low + (high - low) * rng.random::<f64>();
    if rng.random() { size } else { -size }
}

/// A table of parents, correlated by a common cause or independent, with a sigmoid of them as the
/// last column.
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

/// A table of positive parents, with a product of saturating factors of them, also positive, as the
/// last column.
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

/// Data of a linear network, transformed to be non-linear and positive, so that every kind of
/// density can be fitted.
pub fn positive_network(n: usize, m: usize, seed: u64) -> Table {
    let (_, table) = linear_network(n, m, 2.0, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let bend = |column: &Column| -> Vec<f64> {
        let strength = 0.5 + rng.random::<f64>();
        let value = |x: &f64| 0.2 + 1.0 / (1.0 + (-strength * x).exp()) + 0.05 * x.abs();
        column.iter().map(value).collect()
    };
    let columns = table.columns().iter().map(bend).collect();
    Table::new(names(n), columns).unwrap()
}

/// Data of a random network of sigmoids; only positive values if `positive` is set.
pub fn sigmoids(n: usize, m: usize, seed: u64, positive: bool) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for v in 0..n {
        let parents: Vec<usize> = (0..v).filter(|_| rng.random::<f64>() < 0.4).collect();
        let weights: Vec<f64> = parents.iter().map(|_| 2.0 * normal(&mut rng)).collect();
        let value = |t: usize, rng: &mut ChaCha8Rng| {
            let terms = parents
                .iter()
                .zip(&weights)
                .map(|(&p, w)| w * columns[p][t]);
            let eta: f64 = terms.sum();
            let noise: f64 = StandardNormal.sample(rng);
            match (parents.is_empty(), positive) {
                (true, false) => noise,
                (true, true) => noise.exp(),
                (false, false) => 3.0 / (1.0 + (-eta).exp()) + 0.4 * noise,
                (false, true) => 3.0 / (1.0 + (-eta).exp()) * (0.2 * noise).exp() + 0.01,
            }
        };
        columns.push((0..m).map(|t| value(t, &mut rng)).collect());
    }
    let names = (0..n).map(|v| format!("v{v}")).collect();
    Table::new(names, columns).unwrap()
}
