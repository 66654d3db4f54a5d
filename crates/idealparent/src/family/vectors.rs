//! Variables as vectors, for families whose residuals are too small for correlations.

use std::sync::OnceLock;

use crate::data::Column;
use crate::kernel::{LANES, dot};
use crate::numerics::{Orthogonal, Regression, triangle};

/// Variables as vectors of unit length, whose inner products are the correlations.
///
/// They are the scaled columns, or the triangle of their QR decomposition if there are more
/// instances than variables. They are computed when they are first needed.
#[derive(Debug)]
pub(super) struct Vectors {
    columns: Vec<Column>,
    /// Mean and factor of every column.
    scaling: Vec<(f64, f64)>,
    vectors: OnceLock<Vec<Vec<f64>>>,
}

impl Vectors {
    /// `scaling` holds the means of the columns, and the factors that give them unit length.
    pub(super) fn new(columns: &[Column], scaling: Vec<(f64, f64)>) -> Self {
        Vectors {
            columns: columns.to_vec(),
            scaling,
            vectors: OnceLock::new(),
        }
    }

    /// Bytes needed for this many variables: the scaled columns; with more instances than variables
    /// also what the decomposition copies of them, and its triangle.
    pub(super) fn bytes(variables: usize, instances: usize) -> u64 {
        let (n, m) = (variables as u64, instances as u64);
        let scaled = n.saturating_mul(8).saturating_mul(m);
        match m > n {
            true => scaled
                .saturating_mul(2)
                .saturating_add(n.saturating_mul(8).saturating_mul(n)),
            false => scaled,
        }
    }

    fn all(&self) -> &[Vec<f64>] {
        self.vectors.get_or_init(|| {
            let scaled = |(column, &(mean, factor)): (&Column, &(f64, f64))| {
                column.iter().map(|x| (x - mean) * factor).collect()
            };
            let columns: Vec<Vec<f64>> =
                self.columns.iter().zip(&self.scaling).map(scaled).collect();
            let mut vectors = triangle(&columns);
            // Inner products are faster without a remainder.
            let length = vectors.first().map_or(0, Vec::len).next_multiple_of(LANES);
            vectors
                .iter_mut()
                .for_each(|vector| vector.resize(length, 0.0));
            vectors
        })
    }

    /// Regresses a variable on others; `None` if a parent is a multiple of others.
    pub(super) fn regression(
        &self,
        child: usize,
        parents: &[usize],
        ridge: impl Fn(usize) -> f64,
    ) -> Option<Orthogonal> {
        let ridge = |i: usize| ridge(parents.get(i).copied().unwrap_or(child));
        Orthogonal::new(self.of(child), &self.several(parents), ridge)
    }

    /// Makes a regression from correlations accurate; see [`Regression::refined`].
    pub(super) fn refined(
        &self,
        quick: Regression,
        child: usize,
        parents: &[usize],
        ridge: impl Fn(usize) -> f64,
    ) -> Option<(Regression, Vec<f64>)> {
        let ridge = |i: usize| ridge(parents.get(i).copied().unwrap_or(child));
        quick.refined(self.of(child), &self.several(parents), ridge)
    }

    fn several(&self, variables: &[usize]) -> Vec<&[f64]> {
        let all = self.all();
        variables.iter().map(|&v| &all[v][..]).collect()
    }

    /// A variable.
    pub(super) fn of(&self, variable: usize) -> &[f64] {
        &self.all()[variable]
    }

    /// Inner products of a vector with all variables.
    pub(super) fn products(&self, with: &[f64]) -> Vec<f64> {
        let product = |vector: &Vec<f64>| dot(vector, with);
        self.all().iter().map(product).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_the_decomposition_is_counted() {
        assert_eq!(Vectors::bytes(1000, 100), 8 * 1000 * 100);
        assert_eq!(
            Vectors::bytes(100, 1000),
            2 * 8 * 100 * 1000 + 8 * 100 * 100
        );
        assert_eq!(Vectors::bytes(usize::MAX / 16, usize::MAX), u64::MAX);
    }
}
