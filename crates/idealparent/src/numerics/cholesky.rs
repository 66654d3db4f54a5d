//! Cholesky factors of small matrices.

use crate::kernel::{factor_lower, invert_lower};

/// `A = L L'` of a symmetric positive definite matrix, `L` stored row by row.
#[derive(Clone, Debug, Default)]
pub struct Cholesky {
    k: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors the `k x k` matrix with the given entries (`entry(i, j)` is called for `j <= i`).
    /// `None` if a pivot is not positive.
    pub fn factor(k: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Self> {
        let mut lower = vec![0.0; k * k];
        for i in 0..k {
            for (j, value) in lower[i * k..=i * k + i].iter_mut().enumerate() {
                *value = entry(i, j);
            }
        }
        factor_lower(k, &mut lower).then_some(Cholesky { k, lower })
    }

    /// The factor with these rows.
    pub fn from_rows(k: usize, lower: Vec<f64>) -> Self {
        assert_eq!(lower.len(), k * k);
        Cholesky { k, lower }
    }

    /// Size of the matrix.
    pub fn len(&self) -> usize {
        self.k
    }

    /// Whether the matrix is empty.
    pub fn is_empty(&self) -> bool {
        self.k == 0
    }

    /// Entry of `L`.
    pub fn lower(&self, i: usize, j: usize) -> f64 {
        self.lower[i * self.k + j]
    }

    /// `L` row by row.
    pub fn rows(&self) -> &[f64] {
        &self.lower
    }

    /// `log |A|`.
    pub fn log_det(&self) -> f64 {
        (0..self.k).map(|i| 2.0 * self.lower(i, i).ln()).sum()
    }

    /// Replaces `b` by `L^-1 b`.
    pub fn solve_lower(&self, b: &mut [f64]) {
        for i in 0..self.k {
            let mut sum = b[i];
            for j in 0..i {
                sum -= self.lower(i, j) * b[j];
            }
            b[i] = sum / self.lower(i, i);
        }
    }

    /// Replaces `b` by `L'^-1 b`.
    pub fn solve_upper(&self, b: &mut [f64]) {
        for i in (0..self.k).rev() {
            let mut sum = b[i];
            for j in i + 1..self.k {
                sum -= self.lower(j, i) * b[j];
            }
            b[i] = sum / self.lower(i, i);
        }
    }

    /// Replaces `b` by `A^-1 b`.
    pub fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        self.solve_upper(b);
    }

    /// `L^-1`, row by row; entries above the diagonal are zero.
    pub fn inverse_lower(&self) -> Vec<f64> {
        invert_lower(self.k, &self.lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_inverts() {
        let a = [[4.0, 2.0, 0.6], [2.0, 3.0, 0.4], [0.6, 0.4, 2.0]];
        let factor = Cholesky::factor(3, |i, j| a[i][j]).unwrap();
        let mut b = [1.0, -2.0, 0.5];
        factor.solve(&mut b);
        for i in 0..3 {
            let back: f64 = (0..3).map(|j| a[i][j] * b[j]).sum();
            assert!((back - [1.0, -2.0, 0.5][i]).abs() < 1e-14);
        }
        let inverse = factor.inverse_lower();
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3)
                    .map(|t| factor.lower(i, t) * inverse[t * 3 + j])
                    .sum();
                assert!((product - f64::from(i == j)).abs() < 1e-14);
            }
        }
        let det = 4.0 * (3.0 * 2.0 - 0.16) - 2.0 * (4.0 - 0.24) + 0.6 * (0.8 - 1.8);
        assert!((factor.log_det() - f64::ln(det)).abs() < 1e-14);
    }

    #[test]
    fn indefinite_matrices_have_no_factor() {
        assert!(Cholesky::factor(2, |i, j| if i == j { 1.0 } else { 2.0 }).is_none());
        assert!(Cholesky::factor(1, |_, _| f64::NAN).is_none());
    }
}
