//! Standardised profiles of ideal parents, and their similarities.

use faer::Mat;

use super::leading::{larger_eigenvector, leading};
use crate::numerics::multiply;

/// The matrix Y of section 4.2, with a column `y_i / (s_i sqrt M)` for every variable, and
/// `A = Y'Y`.
///
/// The norm of a column may be below 1 if part of the profile is uncertain. The diagonal of A is 1
/// nevertheless.
#[derive(Clone, Debug)]
pub struct ProfileSimilarities {
    /// Y in column-major order.
    columns: Vec<f64>,
    rows: usize,
    instances: f64,
    /// A in row-major order.
    similarities: Vec<f64>,
    count: usize,
}

impl ProfileSimilarities {
    /// Computes the similarities of profiles in units of their standard deviations: the squares of
    /// each profile sum to at most `instances`.
    pub fn new(profiles: &[Vec<f64>], instances: f64) -> Self {
        let count = profiles.len();
        let rows = profiles.first().map_or(0, Vec::len);
        let scale = 1.0 / instances.sqrt();
        let columns: Vec<f64> = profiles.iter().flatten().map(|y| y * scale).collect();
        let y = faer::MatRef::from_column_major_slice(&columns, rows, count);
        let mut product = Mat::zeros(count, count);
        multiply(product.as_mut(), y.transpose(), y);
        let mut similarities = vec![0.0; count * count];
        for i in 0..count {
            for j in 0..count {
                similarities[i * count + j] = match i.cmp(&j) {
                    std::cmp::Ordering::Equal => 1.0,
                    // Make A exactly symmetric, with entries in the range of correlations.
                    _ => product[(i.max(j), i.min(j))].clamp(-1.0, 1.0),
                };
            }
        }
        ProfileSimilarities {
            columns,
            rows,
            instances,
            similarities,
            count,
        }
    }

    /// The same profiles with the instances of each in random order. The entries of hidden
    /// variables become 0, since the uncertainties of shuffled profiles do not agree either.
    pub(super) fn shuffled(&self, mut shuffle: impl FnMut(&mut [f64])) -> Self {
        let scale = self.instances.sqrt();
        let column = |i: usize| {
            let mut column: Vec<f64> = self.column(i).iter().map(|y| y * scale).collect();
            let (certain, uncertain) = column.split_at_mut(self.instances as usize);
            shuffle(certain);
            uncertain.fill(0.0);
            column
        };
        let columns: Vec<Vec<f64>> = (0..self.count).map(column).collect();
        ProfileSimilarities::new(&columns, self.instances)
    }

    /// Number of profiles.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of instances, M.
    pub fn instances(&self) -> f64 {
        self.instances
    }

    /// The entry `(i, j)` of A.
    pub fn similarity(&self, i: usize, j: usize) -> f64 {
        self.similarities[i * self.count + j]
    }

    pub(super) fn column(&self, i: usize) -> &[f64] {
        &self.columns[i * self.rows..(i + 1) * self.rows]
    }

    /// The largest eigenvalue of the similarities of some variables, and its eigenvector. `start`
    /// is an approximation of the eigenvector.
    pub fn leading(&self, members: &[usize], start: Vec<f64>) -> (f64, Vec<f64>) {
        let k = members.len();
        if k > 2 * self.rows {
            let products = self.products(members, (&None, members), (&None, &[]));
            let products = products.expect("there are more than twice as many members as rows");
            return self.leading_by_products(members, &products, start);
        }
        let mut block = vec![0.0; k * k];
        for (row, &i) in block.chunks_mut(k).zip(members) {
            let of = &self.similarities[i * self.count..(i + 1) * self.count];
            for (entry, &j) in row.iter_mut().zip(members) {
                *entry = of[j];
            }
        }
        leading(start, &block)
    }

    /// The weighted sum of some profiles.
    pub(super) fn centre(&self, members: &[usize], weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.rows];
        for (&i, weight) in members.iter().zip(weights) {
            for (sum, y) in sum.iter_mut().zip(self.column(i)) {
                *sum += weight * y;
            }
        }
        sum
    }

    /// `Y Y'` of the union of two groups; `None` unless it is much smaller than the matrix of
    /// similarities. Uses the products of the groups if they are known.
    pub(super) fn products(
        &self,
        members: &[usize],
        (a, of_a): (&Option<Vec<f64>>, &[usize]),
        (b, of_b): (&Option<Vec<f64>>, &[usize]),
    ) -> Option<Vec<f64>> {
        if members.len() <= 2 * self.rows {
            return None;
        }
        let mut sum = match (a, b) {
            (Some(a), Some(b)) => return Some(a.iter().zip(b).map(|(x, y)| x + y).collect()),
            (Some(known), None) | (None, Some(known)) => known.clone(),
            (None, None) => vec![0.0; self.rows * self.rows],
        };
        let parts = [(a, of_a), (b, of_b)].into_iter();
        for &i in parts
            .filter(|(known, _)| known.is_none())
            .flat_map(|(_, of)| of)
        {
            let y = self.column(i);
            for (row, x) in sum.chunks_mut(self.rows).zip(y) {
                for (entry, y) in row.iter_mut().zip(y) {
                    *entry += x * y;
                }
            }
        }
        Some(sum)
    }

    /// Like [`ProfileSimilarities::leading`], but from `Y Y'`, which has the same non-zero
    /// eigenvalues as `Y'Y`. The difference between the diagonals of `A` and `Y'Y` is added along
    /// the eigenvector.
    pub(super) fn leading_by_products(
        &self,
        members: &[usize],
        products: &[f64],
        start: Vec<f64>,
    ) -> (f64, Vec<f64>) {
        let start = self.centre(members, &start);
        let (value, direction) = leading(start, products);
        let scale = 1.0 / value.max(1e-300).sqrt();
        let mut rest = 0.0;
        let along = |&i: &usize| {
            let (mut sum, mut square) = (0.0, 0.0);
            for (y, d) in self.column(i).iter().zip(&direction) {
                sum += y * d;
                square += y * y;
            }
            let weight = sum * scale;
            rest += weight * weight * (1.0 - square).max(0.0);
            weight
        };
        let vector = members.iter().map(along).collect();
        (value + rest, vector)
    }

    /// The start for the union of two clusters, given as `(members, vector, eigenvalue)`: the best
    /// linear combination of their eigenvectors.
    pub(super) fn together(
        &self,
        (a, x, value): (&[usize], &[f64], f64),
        (b, y, other): (&[usize], &[f64], f64),
    ) -> Vec<f64> {
        let mut cross = 0.0;
        for (&i, x) in a.iter().zip(x) {
            let row = &self.similarities[i * self.count..(i + 1) * self.count];
            cross += x * b.iter().zip(y).map(|(&j, y)| row[j] * y).sum::<f64>();
        }
        let half = 0.5 * (value - other);
        let (cosine, sine) = larger_eigenvector(half, cross).unwrap_or((1.0, 1.0));
        let x = x.iter().map(|x| cosine * x);
        x.chain(y.iter().map(|y| sine * y)).collect()
    }
}
