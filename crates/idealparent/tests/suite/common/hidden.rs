//! Tables of variables with hidden causes.

use idealparent::Table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::normal;

/// Data of independent hidden N(0, 1) causes, each with `children` observed children and noise of
/// variance 1. Returns the table and the values of the causes.
pub fn two_layers(
    causes: usize,
    children: usize,
    rows: usize,
    seed: u64,
) -> (Table, Vec<Vec<f64>>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let z: Vec<Vec<f64>> = (0..causes)
        .map(|_| (0..rows).map(|_| normal(&mut rng)).collect())
        .collect();
    let columns: Vec<Vec<f64>> = (0..causes * children)
        .map(|i| {
            let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
            let loading = sign * (0.8 + 0.5 * rng.random::<f64>());
            let of = |t: usize| loading * z[i / children][t];
            (0..rows).map(|t| of(t) + normal(&mut rng)).collect()
        })
        .collect();
    let table = Table::new(super::names(columns.len()), columns).unwrap();
    (table, z)
}

/// Data of variables of which every second depends on its predecessor, and of which `children` have
/// a common hidden cause.
pub fn confounded(width: usize, children: &[usize], rows: usize, seed: u64) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let z: Vec<f64> = (0..rows).map(|_| normal(&mut rng)).collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for v in 0..width {
        let loading = if children.contains(&v) { 1.2 } else { 0.0 };
        let weight = if v > 0 && v % 2 == 0 { 0.9 } else { 0.0 };
        let column = (0..rows)
            .map(|t| {
                let before = if v > 0 { columns[v - 1][t] } else { 0.0 };
                weight * before + loading * z[t] + 0.7 * normal(&mut rng)
            })
            .collect();
        columns.push(column);
    }
    Table::new(super::names(width), columns).unwrap()
}
