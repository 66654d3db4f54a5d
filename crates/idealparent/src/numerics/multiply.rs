//! Products of matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Writes the product of two matrices into a third.
///
/// In one thread, so that its sums do not depend on the number of threads; callers share out blocks
/// of fixed sizes instead.
pub(crate) fn multiply(product: MatMut<f64>, left: MatRef<f64>, right: MatRef<f64>) {
    matmul(product, Accum::Replace, left, right, 1.0, Par::Seq);
}
