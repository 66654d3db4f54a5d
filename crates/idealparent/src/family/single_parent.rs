//! Residuals of each variable with each other variable as its only parent through a link function.

use std::sync::{Arc, OnceLock};

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use crate::cpd::Link;
use crate::kernel::dot;
use crate::numerics::multiply;

/// Standard deviations of the link's argument to try.
const SPREADS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// Children whose rows are computed together. One at a time, each would read all columns again.
const BLOCK: usize = 64;

/// Candidates for which one thread computes `h(spread z)` together.
const TILE: usize = 64;

/// Shares of variance left unexplained by a single parent, at the best of a few weights.
#[derive(Debug)]
pub struct SingleParent {
    link: Arc<dyn Link>,
    instances: usize,
    width: usize,
    /// All columns, centred and of unit variance, one after the other.
    scaled: Arc<Vec<f64>>,
    spreads: Vec<f64>,
    /// Shares for each block of children, computed before they are first read. Single precision is
    /// enough for an estimate.
    rows: Vec<OnceLock<Vec<f32>>>,
}

impl SingleParent {
    /// Takes centred columns of unit variance, one after the other.
    pub(crate) fn new(scaled: Arc<Vec<f64>>, instances: usize, link: Arc<dyn Link>) -> Self {
        let possible = link.smallest_spread()..=link.largest_spread();
        let mut spreads = SPREADS
            .map(|s| s.clamp(*possible.start(), *possible.end()))
            .to_vec();
        spreads.dedup();
        if !link.is_complementary() {
            let mirrored: Vec<f64> = spreads.iter().map(|spread| -spread).collect();
            spreads.extend(mirrored);
        }
        let width = scaled.len() / instances.max(1);
        SingleParent {
            link,
            instances,
            width,
            scaled,
            spreads,
            rows: (0..width.div_ceil(BLOCK))
                .map(|_| OnceLock::new())
                .collect(),
        }
    }

    /// Computes the rows of these children in parallel. Do not call this while holding a lock: a
    /// thread that waits for others may be given work that waits for the same lock.
    pub(crate) fn prepare(&self, children: impl IntoIterator<Item = usize>) {
        let mut blocks: Vec<usize> = children.into_iter().map(|child| child / BLOCK).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks.retain(|&block| self.rows[block].get().is_none());
        if blocks.is_empty() {
            return;
        }
        let tiles: Vec<Vec<Vec<f32>>> = (0..self.width.div_ceil(TILE))
            .into_par_iter()
            .map(|tile| self.tile(tile, &blocks))
            .collect();
        for (at, &block) in blocks.iter().enumerate() {
            let children = self.children(block).len();
            let mut rows = Vec::with_capacity(children * self.width);
            for child in 0..children {
                for tile in &tiles {
                    let columns = tile[at].len() / children;
                    rows.extend_from_slice(&tile[at][child * columns..(child + 1) * columns]);
                }
            }
            // If another thread was faster, it stored the same values.
            let _ = self.rows[block].set(rows);
        }
    }

    /// Shares of a prepared child's variance that each variable leaves unexplained.
    pub(crate) fn left(&self, child: usize) -> &[f32] {
        let rows = self.rows[child / BLOCK].get();
        let rows = rows.expect("rows are computed before they are read");
        let at = child % BLOCK * self.width;
        &rows[at..at + self.width]
    }

    fn children(&self, block: usize) -> std::ops::Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.width)
    }

    /// Shares that each candidate of a tile leaves unexplained of the children of some blocks.
    fn tile(&self, tile: usize, blocks: &[usize]) -> Vec<Vec<f32>> {
        let m = self.instances;
        let from = tile * TILE;
        let columns = TILE.min(self.width - from);
        let z = &self.scaled[from * m..(from + columns) * m];
        let mut most: Vec<Vec<f64>> = blocks
            .iter()
            .map(|&block| vec![0.0; self.children(block).len() * columns])
            .collect();
        let mut products = vec![0.0; BLOCK * columns];
        let (mut value, mut slope) = (vec![0.0; z.len()], vec![0.0; z.len()]);
        for spread in &self.spreads {
            let eta: Vec<f64> = z.iter().map(|z| spread * z).collect();
            self.link.evaluate(&eta, &mut value, &mut slope);
            for column in value.chunks_mut(m) {
                unit(column);
            }
            for (&block, most) in blocks.iter().zip(&mut most) {
                let children = self.children(block);
                let products = &mut products[..children.len() * columns];
                let x = &self.scaled[children.start * m..children.end * m];
                multiply(
                    MatMut::from_column_major_slice_mut(products, columns, children.len()),
                    MatRef::from_column_major_slice(&value, m, columns).transpose(),
                    MatRef::from_column_major_slice(x, m, children.len()),
                );
                for (most, product) in most.iter_mut().zip(products) {
                    // The child has squared length M.
                    *most = most.max(*product * *product / m as f64);
                }
            }
        }
        let left = |explained: &f64| rounded_up((1.0 - explained).max(0.0));
        most.iter()
            .map(|most| most.iter().map(left).collect())
            .collect()
    }
}

/// Rounds up to single precision, so that an estimate never beats an exact value by rounding.
fn rounded_up(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value {
        near.next_up()
    } else {
        near
    }
}

/// Centres a column and scales it to unit length. A column that hardly varies or is not finite
/// becomes zero.
fn unit(column: &mut [f64]) {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter_mut().for_each(|x| *x -= mean);
    let length = dot(column, column).sqrt();
    if length.is_finite() && length > 1e-6 {
        column.iter_mut().for_each(|x| *x /= length);
    } else {
        // Multiplying by zero would keep NaN.
        column.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpd::Sigmoid;

    #[test]
    fn constant_and_infinite_columns_become_zero() {
        for mut column in [[1.0, f64::NAN, 2.0], [1.0, f64::INFINITY, 2.0], [3.0; 3]] {
            unit(&mut column);
            assert_eq!(column, [0.0; 3]);
        }
        let mut column = [1.0, 2.0, 3.0];
        unit(&mut column);
        assert!((dot(&column, &column) - 1.0).abs() < 1e-12);
    }

    /// Compares with explicit sums, over several blocks and tiles prepared in any order.
    #[test]
    fn agrees_with_plain_sums() {
        let (n, m) = (150, 12);
        let columns: Vec<Vec<f64>> = (0..n)
            .map(|v| {
                (0..m)
                    .map(|t| ((v * v + 3 * t * t + v * t) as f64).sin())
                    .collect()
            })
            .collect();
        let scaled = |column: &Vec<f64>| {
            let mean = column.iter().sum::<f64>() / m as f64;
            let square = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / m as f64;
            column
                .iter()
                .map(|x| (x - mean) / square.sqrt())
                .collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = columns.iter().map(scaled).collect();
        let single = SingleParent::new(Arc::new(columns.concat()), m, Arc::new(Sigmoid));
        single.prepare([140]);
        single.prepare([3, 140, 70]);
        for child in [0, 3, 70, 127, 128, 149] {
            for z in 0..n {
                let left = |spread: f64| {
                    let mut h: Vec<f64> = columns[z]
                        .iter()
                        .map(|z| Sigmoid.value(spread * z))
                        .collect();
                    unit(&mut h);
                    let product: f64 = h.iter().zip(&columns[child]).map(|(h, x)| h * x).sum();
                    1.0 - product * product / m as f64
                };
                let least = SPREADS.map(left).into_iter().fold(1.0, f64::min);
                let error = f64::from(single.left(child)[z]) - least.max(0.0);
                assert!((-1e-12..1e-6).contains(&error), "{child} {z} {error}");
            }
        }
    }
}
