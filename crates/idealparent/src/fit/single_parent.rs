//! How much each variable explains of each other through a link function, all by itself.

use std::sync::OnceLock;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::cpd::Link;
use crate::kernel::dot;

/// Deviations of the link's argument that are tried.
const SPREADS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// Children whose rows are made together: one after the other would read all columns for each.
const BLOCK: usize = 64;

/// Shares of variance explained by a single parent, at the best of a few weights.
#[derive(Debug)]
pub(crate) struct SingleParent {
    instances: usize,
    width: usize,
    children: Vec<f64>,
    /// `h(spread z)` of all columns z, centred and of unit length, one matrix per spread.
    features: Vec<Vec<f64>>,
    /// Made when first asked for. In single precision, which is plenty for an estimate.
    rows: Vec<OnceLock<Vec<f32>>>,
}

impl SingleParent {
    /// For centred columns of unit variance, column by column.
    pub(crate) fn new(scaled: &[f64], instances: usize, link: &dyn Link) -> Self {
        let mut spreads = SPREADS.to_vec();
        if !link.is_symmetric() {
            spreads.extend(SPREADS.map(|spread| -spread));
        }
        let feature = |&spread: &f64| {
            let eta: Vec<f64> = scaled.iter().map(|z| spread * z).collect();
            let (mut value, mut slope) = (vec![0.0; eta.len()], vec![0.0; eta.len()]);
            link.evaluate(&eta, &mut value, &mut slope);
            for column in value.chunks_mut(instances.max(1)) {
                unit(column);
            }
            value
        };
        let width = scaled.len() / instances.max(1);
        SingleParent {
            instances,
            width,
            children: scaled.to_vec(),
            features: spreads.iter().map(feature).collect(),
            rows: (0..width.div_ceil(BLOCK))
                .map(|_| OnceLock::new())
                .collect(),
        }
    }

    /// Shares of a child's variance that each variable explains.
    pub(crate) fn explained(&self, child: usize) -> &[f32] {
        let rows = self.rows[child / BLOCK].get_or_init(|| self.block(child / BLOCK));
        let at = child % BLOCK * self.width;
        &rows[at..at + self.width]
    }

    fn block(&self, block: usize) -> Vec<f32> {
        let (m, n) = (self.instances, self.width);
        let from = block * BLOCK;
        let children = BLOCK.min(n - from);
        let x = &self.children[from * m..(from + children) * m];
        let mut best = vec![0.0f32; children * n];
        let mut products = vec![0.0; children * n];
        for feature in &self.features {
            matmul(
                MatMut::from_column_major_slice_mut(&mut products, n, children),
                Accum::Replace,
                MatRef::from_column_major_slice(feature, m, n).transpose(),
                MatRef::from_column_major_slice(x, m, children),
                1.0,
                Par::Seq,
            );
            for (best, product) in best.iter_mut().zip(&products) {
                // The child has squared length M.
                *best = best.max((product * product / m as f64) as f32);
            }
        }
        best
    }
}

/// Centres a column and scales it to unit length; what hardly varies, or is not finite, becomes zero.
fn unit(column: &mut [f64]) {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter_mut().for_each(|x| *x -= mean);
    let length = dot(column, column).sqrt();
    if length.is_finite() && length > 1e-6 {
        column.iter_mut().for_each(|x| *x /= length);
    } else {
        // Not a product with zero, which would leave NaN as it is.
        column.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn useless_columns_become_zero() {
        for mut column in [[1.0, f64::NAN, 2.0], [1.0, f64::INFINITY, 2.0], [3.0; 3]] {
            unit(&mut column);
            assert_eq!(column, [0.0; 3]);
        }
        let mut column = [1.0, 2.0, 3.0];
        unit(&mut column);
        assert!((dot(&column, &column) - 1.0).abs() < 1e-12);
    }
}
