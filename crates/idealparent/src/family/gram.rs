//! Second moments of the data. Linear Gaussian families need nothing else.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use super::vectors::Vectors;
use super::{Blocks, Rows};
use crate::data::{Column, Completed};
use crate::error::Result;
use crate::memory;
use crate::numerics::{
    COLLINEAR, Orthogonal, Regression, UNCERTAIN_FLOOR, UNRESOLVED, mean_and_variance, multiply,
};

/// Columns per block of the product: fixed, so that the sums do not depend on the number of
/// threads.
const BLOCK: usize = 256;

/// Factor by which pairwise correlations are shrunk: taken together, they are often inconsistent
/// (not positive definite).
const SHRINKAGE: f64 = 0.97;

/// Means, variances and correlations of all variables.
///
/// Every column is centred in two passes and scaled to unit variance before the products are taken.
/// The intercept is then implicit, and no precision is lost if one column has values of 1e12 and
/// another of 1e-12.
///
/// ```
/// use idealparent::extend::Gram;
///
/// let gram = Gram::new(&[vec![1.0, 2.0, 3.0].into(), vec![6.0, 4.0, 2.0].into()]);
/// assert_eq!((gram.mean(0), gram.mean(1)), (2.0, 4.0));
/// assert!((gram.correlation(0, 1) + 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Gram {
    n: usize,
    rows: Rows,
    /// Row by row; exactly symmetric.
    correlation: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// Number of observed entries of each variable.
    observed: Vec<f64>,
    /// Smallest residual share with which a family's noise variance is computed.
    floor: f64,
    /// The variables as vectors; `None` if entries are uncertain.
    vectors: Option<Arc<Vectors>>,
}

impl Gram {
    /// Returns an error if the moments of this many variables would not fit in memory; allocates
    /// nothing.
    pub fn check_memory(variables: usize, instances: usize) -> Result<()> {
        memory::check_variables(variables, Self::bytes(variables, instances))
    }

    /// Bytes needed to learn a network over this many variables: correlations; scaled columns while
    /// these are computed, and again with a copy while the variables are made vectors; the vectors;
    /// bit sets of descendants and of forbidden edges.
    pub(crate) fn bytes(variables: usize, instances: usize) -> u64 {
        let n = variables as u64;
        (8 * n * n)
            .saturating_add(Vectors::bytes(variables, instances))
            .saturating_add(n * n / 4)
    }

    /// Moments of complete columns. A column with zero variance correlates with no other.
    pub fn new(columns: &[Column]) -> Self {
        Gram::expected(&Completed::complete(columns))
    }

    /// Expected moments of columns with missing entries, given the distribution of these entries.
    ///
    /// `E[xx']` is the product of the means plus the covariance. Linear families are computed from
    /// the result as if the data were complete.
    pub fn expected(data: &Completed) -> Self {
        let mut gram = Gram::without_correlations(data);
        let (n, m) = (gram.n, data.instances());
        let scale = |variance: f64| 1.0 / (variance * m as f64).sqrt();
        let scaled = gram.scaled(data.means(), scale);
        let mut correlation = cross_products(&scaled, n, m);
        let scales: Vec<f64> = gram.variance.iter().map(|&v| scale(v)).collect();
        let add = |(i, row): (usize, &mut [f64])| {
            for (j, sum) in data.covariances().of(i).filter(|&(j, _)| j != i) {
                // Multiply the scales first, so that (i, j) and (j, i) are exactly equal.
                row[j] += sum * (scales[i] * scales[j]);
            }
        };
        correlation
            .par_chunks_mut(n.max(1))
            .enumerate()
            .for_each(add);
        gram.correlation = correlation;
        if data.is_complete() {
            let scaling = |v: usize| match gram.variance[v] > 0.0 {
                true => (gram.mean[v], scales[v]),
                false => (gram.mean[v], 0.0),
            };
            let vectors = Vectors::new(data.means(), (0..n).map(scaling).collect());
            gram.vectors = Some(Arc::new(vectors));
        }
        gram
    }

    /// All columns, centred and multiplied by `scale(variance)`, one after the other. Constant
    /// columns are all zeros.
    pub(super) fn scaled(&self, columns: &[Column], scale: impl Fn(f64) -> f64 + Sync) -> Vec<f64> {
        let m = columns.first().map_or(0, |column| column.len());
        let mut scaled = vec![0.0; columns.len() * m];
        let fill = |(v, out): (usize, &mut [f64])| {
            let (mean, variance) = (self.mean[v], self.variance[v]);
            if variance > 0.0 {
                let scale = scale(variance);
                for (z, x) in out.iter_mut().zip(&columns[v]) {
                    *z = (x - mean) * scale;
                }
            }
        };
        let columns = scaled.par_chunks_mut(m.max(1)).enumerate();
        columns.for_each(fill);
        scaled
    }

    /// Moments of the observed entries. The correlation of two variables comes from the rows where
    /// both are observed, and is shrunk slightly towards 0. The correlations may be inconsistent
    /// with each other, and serve only as a first guess.
    pub(crate) fn pairwise(columns: &[Column]) -> Self {
        let (n, m) = (
            columns.len(),
            columns.first().map_or(0, |column| column.len()),
        );
        let moments = |column: &Column| {
            let seen: Vec<f64> = column.iter().copied().filter(|x| !x.is_nan()).collect();
            (mean_and_variance(&seen), seen.len() as f64)
        };
        let moments: Vec<((f64, f64), f64)> = columns.par_iter().map(moments).collect();
        // Scaled values, their squares, and indicators of observed entries; zero where missing.
        let (mut values, mut squares, mut seen) =
            (vec![0.0; n * m], vec![0.0; n * m], vec![0.0; n * m]);
        for (v, column) in columns.iter().enumerate() {
            let ((mean, variance), _) = moments[v];
            let scale = if variance > 0.0 {
                1.0 / variance.sqrt()
            } else {
                0.0
            };
            for (t, x) in column.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                let z = (x - mean) * scale;
                (values[v * m + t], squares[v * m + t], seen[v * m + t]) = (z, z * z, 1.0);
            }
        }
        let mut correlation = vec![0.0; n * n];
        let all = |of: &[f64]| MatRef::from_column_major_slice(of, m, n).to_owned();
        let (all_values, all_squares, all_seen) = (all(&values), all(&squares), all(&seen));
        let block = |(index, out): (usize, &mut [f64])| {
            let (from, width) = (index * BLOCK, out.len() / n);
            let product = |a: &faer::Mat<f64>, b: &faer::Mat<f64>| {
                let mut product = faer::Mat::zeros(n, width);
                let right = b.as_ref().subcols(from, width);
                multiply(product.as_mut(), a.as_ref().transpose(), right);
                product
            };
            let shared = product(&all_values, &all_values);
            let (mine, theirs) = (
                product(&all_squares, &all_seen),
                product(&all_seen, &all_squares),
            );
            for j in 0..width {
                for i in 0..n {
                    let length = (mine[(i, j)] * theirs[(i, j)]).sqrt();
                    if i == from + j {
                        out[j * n + i] = 1.0;
                    } else if length > 0.0 {
                        out[j * n + i] = SHRINKAGE * (shared[(i, j)] / length).clamp(-1.0, 1.0);
                    }
                }
            }
        };
        if n > 0 && m > 0 {
            correlation
                .par_chunks_mut(n * BLOCK)
                .enumerate()
                .for_each(block);
            mirror(&mut correlation, n);
        }
        Gram {
            n,
            rows: Rows::all(m),
            correlation,
            mean: moments.iter().map(|&((mean, _), _)| mean).collect(),
            variance: moments.iter().map(|&((_, variance), _)| variance).collect(),
            observed: moments.iter().map(|&(_, count)| count).collect(),
            floor: UNCERTAIN_FLOOR,
            vectors: None,
        }
    }

    /// Computes means and variances only, for fits that need no correlations.
    pub(crate) fn without_correlations(data: &Completed) -> Self {
        let (n, m) = (data.width(), data.instances());
        let moments = |v: usize| {
            let (mean, variance) = mean_and_variance(&data.means()[v]);
            (mean, variance + data.covariance(v, v) / m.max(1) as f64)
        };
        let moments: Vec<(f64, f64)> = (0..n).into_par_iter().map(moments).collect();
        let observed = |v: usize| match data.variances(v) {
            [] => m as f64,
            of => match of.iter().filter(|&&variance| variance == 0.0).count() {
                // A hidden variable counts as fully observed.
                0 => m as f64,
                count => count as f64,
            },
        };
        Gram {
            n,
            rows: Rows::all(m),
            correlation: Vec::new(),
            mean: moments.iter().map(|&(mean, _)| mean).collect(),
            variance: moments.iter().map(|&(_, variance)| variance).collect(),
            observed: (0..n).map(observed).collect(),
            floor: data.variance_floor(),
            vectors: None,
        }
    }

    /// The smallest noise variance of a family, as a share of the child's variance.
    pub(crate) fn variance_floor(&self) -> f64 {
        self.floor
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Total weight of all rows, the M in penalties.
    pub fn instances(&self) -> f64 {
        self.rows.total()
    }

    /// The rows on which the families of a child are fitted.
    pub fn rows(&self, _child: usize) -> &Rows {
        &self.rows
    }

    /// The columns of these parents.
    pub fn blocks(&self, parents: &[usize]) -> Blocks {
        let none = Blocks::single(0);
        parents
            .iter()
            .fold(none, |blocks, &p| blocks.with(self.columns(p)))
    }

    /// Number of columns that a variable has as a parent.
    pub fn columns(&self, _parent: usize) -> usize {
        1
    }

    /// Number of observed entries of a variable.
    pub fn observed(&self, variable: usize) -> f64 {
        self.observed[variable]
    }

    /// Whether enough entries of a child were observed for this many columns of parents.
    pub fn supports(&self, child: usize, columns: usize) -> bool {
        enough_instances(self.observed[child], columns)
    }

    /// Correlations of one variable with all variables.
    pub fn row(&self, variable: usize) -> &[f64] {
        &self.correlation[variable * self.n..(variable + 1) * self.n]
    }

    /// Correlation of two variables.
    pub fn correlation(&self, a: usize, b: usize) -> f64 {
        self.correlation[a * self.n + b]
    }

    /// Whether families can be computed from vectors.
    pub(crate) fn has_vectors(&self) -> bool {
        self.vectors.is_some()
    }

    /// The share of its variance below which a parent counts as collinear with the others.
    pub(crate) fn least_share(&self) -> f64 {
        if self.has_vectors() {
            COLLINEAR
        } else {
            UNRESOLVED
        }
    }

    /// Regression from vectors, if there are any; `None` also if a parent is a multiple of others.
    pub(crate) fn orthogonal(
        &self,
        child: usize,
        parents: &[usize],
        ridge: impl Fn(usize) -> f64,
    ) -> Option<Orthogonal> {
        self.vectors.as_ref()?.regression(child, parents, ridge)
    }

    /// Makes a regression from correlations accurate, and returns its residual as a vector. `None` if
    /// there are no vectors, or if that takes an orthogonalisation.
    pub(crate) fn refined(
        &self,
        quick: Regression,
        child: usize,
        parents: &[usize],
        ridge: impl Fn(usize) -> f64,
    ) -> Option<(Regression, Vec<f64>)> {
        let vectors = self.vectors.as_ref()?;
        vectors.refined(quick, child, parents, ridge)
    }

    /// A variable as a vector of unit length; empty if there are no vectors.
    pub(crate) fn vector(&self, variable: usize) -> &[f64] {
        let vectors = self.vectors.as_ref();
        vectors.map_or(&[], |vectors| vectors.of(variable))
    }

    /// Correlations of all variables with a child's residual vector.
    pub(crate) fn products(&self, with: &[f64]) -> Vec<f64> {
        let vectors = self.vectors.as_ref();
        vectors.map_or_else(Vec::new, |vectors| vectors.products(with))
    }

    /// Mean of a variable.
    pub fn mean(&self, variable: usize) -> f64 {
        self.mean[variable]
    }

    /// Variance of a variable, with 1/M.
    pub fn variance(&self, variable: usize) -> f64 {
        self.variance[variable]
    }
}

/// Whether this many observed entries of a child suffice for this many columns of parents: there
/// must be more than `columns + 2`, or no columns.
pub fn enough_instances(instances: f64, columns: usize) -> bool {
    columns == 0 || (columns as f64) < instances - 2.0
}

/// `Z'Z` of unit columns, where `Z` is m x n and stored column by column.
fn cross_products(scaled: &[f64], n: usize, m: usize) -> Vec<f64> {
    let mut products = vec![0.0; n * n];
    if n == 0 || m == 0 {
        return products;
    }
    let z = MatRef::from_column_major_slice(scaled, m, n);
    let block = |(index, out): (usize, &mut [f64])| {
        let from = index * BLOCK;
        let width = out.len() / n;
        let target = MatMut::from_column_major_slice_mut(out, n, width);
        multiply(
            target.subrows_mut(from, n - from),
            z.subcols(from, n - from).transpose(),
            z.subcols(from, width),
        );
    };
    products
        .par_chunks_mut(n * BLOCK)
        .enumerate()
        .for_each(block);
    mirror(&mut products, n);
    for i in 0..n {
        // Exactly one for a unit column; a constant column, all zeros, correlates only with itself.
        products[i * n + i] = 1.0;
    }
    products
}

/// Copies the computed triangle to the other one, tile by tile to stay in cache.
fn mirror(products: &mut [f64], n: usize) {
    const TILE: usize = 32;
    for i0 in (0..n).step_by(TILE) {
        for j0 in (0..=i0).step_by(TILE) {
            for i in i0..(i0 + TILE).min(n) {
                for j in j0..(j0 + TILE).min(i) {
                    // Column j is computed from its block's first row on, so entry (i, j) is known
                    // for j <= i.
                    products[i * n + j] = products[j * n + i];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn agrees_with_plain_sums_at_any_scale() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (n, m) = (300, 37);
        let columns: Vec<Column> = (0..n)
            .map(|j| {
                let (scale, shift) = [(1.0, 0.0), (1e12, 3e12), (1e-12, -1e-12)][j % 3];
                (0..m)
                    .map(|_| shift + scale * (rng.random::<f64>() - 0.5))
                    .collect()
            })
            .collect();
        let gram = Gram::new(&columns);
        for a in 0..n {
            for b in [0, 1, 2, a, n - 1] {
                let pairs = || columns[a].iter().zip(&columns[b]);
                let (ma, mb) = (gram.mean(a), gram.mean(b));
                let cov = pairs().map(|(x, y)| (x - ma) * (y - mb)).sum::<f64>() / m as f64;
                let expected = cov / (gram.variance(a) * gram.variance(b)).sqrt();
                assert!((gram.correlation(a, b) - expected).abs() < 1e-13);
                assert_eq!(gram.correlation(a, b), gram.correlation(b, a));
            }
        }
    }

    #[test]
    fn more_variables_than_fit_in_memory_are_refused() {
        assert!(Gram::check_memory(1000, 1000).is_ok());
        let line = Gram::check_memory(100_000_000, 3).unwrap_err().to_string();
        assert!(
            line.starts_with("100000000 variables need about 82500002.4 GB of memory, but "),
            "{line}"
        );
        assert!(line.ends_with(" (select fewer with `variables`)"), "{line}");
    }

    #[test]
    fn a_constant_column_correlates_with_no_other() {
        let gram = Gram::new(&[vec![1.0, 2.0, 4.0].into(), vec![5.0; 3].into()]);
        assert_eq!(gram.row(1), [0.0, 1.0]);
        assert_eq!((gram.mean(1), gram.variance(1)), (5.0, 0.0));
    }
}
