//! Products of matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Writes the product of two matrices into a third.
///
/// Runs in one thread, so that the sums do not depend on the number of threads. Callers distribute
/// blocks of fixed size over threads instead.
pub(crate) fn multiply(product: MatMut<f64>, left: MatRef<f64>, right: MatRef<f64>) {
    matmul(product, Accum::Replace, left, right, 1.0, Par::Seq);
}
