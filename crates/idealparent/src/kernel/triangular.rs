//! Triangular factors of small matrices.
//!
//! All loops run along rows, so that they are computed several entries at a time.

use super::dispatch;

/// Replaces the lower triangle of a symmetric matrix, `k` by `k` and row by row, by its Cholesky
/// factor. Returns `false` if a pivot is not positive.
pub fn factor_lower(k: usize, lower: &mut [f64]) -> bool {
    // Row t of the transposed factor, from the diagonal on, is column t of the factor.
    let mut columns = vec![0.0; k * k];
    let columns = &mut columns[..];
    dispatch(
        #[inline(always)]
        move || {
            for i in 0..k {
                let row = &mut lower[i * k..i * k + i + 1];
                for t in 0..i {
                    let column = &columns[t * k..t * k + k];
                    let value = row[t] / column[t];
                    row[t] = value;
                    for (x, y) in row[t + 1..i].iter_mut().zip(&column[t + 1..i]) {
                        *x -= value * y;
                    }
                }
                for t in 0..i {
                    columns[t * k + i] = row[t];
                }
                let mut pivot = row[i];
                for &value in &row[..i] {
                    pivot -= value * value;
                }
                // Also false for NaN.
                let is_positive = pivot > 0.0;
                if !is_positive {
                    return false;
                }
                row[i] = pivot.sqrt();
                columns[i * k + i] = row[i];
            }
            true
        },
    )
}

/// The inverse of a lower triangle, row by row; entries above the diagonal are zero.
pub fn invert_lower(k: usize, lower: &[f64]) -> Vec<f64> {
    let mut inverse = vec![0.0; k * k];
    let out = &mut inverse[..];
    dispatch(
        #[inline(always)]
        move || {
            for i in 0..k {
                let (before, row) = out.split_at_mut(i * k);
                let row = &mut row[..=i];
                for t in 0..i {
                    let factor = lower[i * k + t];
                    for (x, y) in row.iter_mut().zip(&before[t * k..=t * k + t]) {
                        *x -= factor * y;
                    }
                }
                row[i] = 1.0;
                let scale = 1.0 / lower[i * k + i];
                row.iter_mut().for_each(|x| *x *= scale);
            }
        },
    );
    inverse
}
