//! Regression by orthogonalisation of the variables themselves.
//!
//! Correlations square the condition of a regression: a residual whose share of the variance is
//! 1e-12 drowns in their rounding errors of 1e-16. Orthogonalisation does not: the residual, a
//! vector, is a millionth of the child's length and has ten correct digits.

use super::{Cholesky, Regression};
use crate::kernel::{dot, project_off, subtract_multiple};

/// A regression, an orthonormal basis of its parents, and its residual.
#[derive(Clone, Debug)]
pub struct Orthogonal {
    /// The regression.
    pub regression: Regression,
    /// Length of the vectors.
    width: usize,
    /// Number of entries for ridges, which follow after the others.
    own: usize,
    /// Orthonormal vectors with the same span as the parents, one after the other.
    basis: Vec<f64>,
    /// The part of the child that is orthogonal to the parents.
    left: Vec<f64>,
}

impl Orthogonal {
    /// Regresses a vector on others by Gram-Schmidt orthogonalisation.
    ///
    /// `ridge(i)` is added to the squared length of parent `i`, and `ridge(k)` to that of the child:
    /// each vector gets an entry of its own. `None` if a parent is a multiple of others.
    pub fn new(child: &[f64], parents: &[&[f64]], ridge: impl Fn(usize) -> f64) -> Option<Self> {
        let (width, k) = (child.len(), parents.len());
        let has_ridge = (0..=k).any(|i| ridge(i) > 0.0);
        let own = if has_ridge { k + 1 } else { 0 };
        let length = width + own;
        let extend = |vector: &[f64], i: usize, extended: &mut [f64]| {
            extended[..width].copy_from_slice(vector);
            if has_ridge {
                extended[width + i] = ridge(i).sqrt();
            }
        };
        let mut basis = vec![0.0; k * length];
        let mut lower = vec![0.0; k * k];
        for (i, parent) in parents.iter().enumerate() {
            let (before, vector) = basis.split_at_mut(i * length);
            let vector = &mut vector[..length];
            extend(parent, i, vector);
            let row = &mut lower[i * k..(i + 1) * k];
            let norm = project_off(before, vector, row).sqrt();
            // Also false for NaN.
            let is_positive = norm > 0.0;
            if !is_positive {
                return None;
            }
            row[i] = norm;
            vector.iter_mut().for_each(|x| *x /= norm);
        }
        let mut left = vec![0.0; length];
        extend(child, k, &mut left);
        let mut projected = vec![0.0; k];
        let residual = project_off(&basis, &mut left, &mut projected);
        let factor = Cholesky::from_rows(k, lower);
        Some(Orthogonal {
            regression: Regression::from_factor(factor, projected, residual),
            width,
            own,
            basis,
            left,
        })
    }

    /// The residual, without the entries for ridges.
    pub fn left(&self) -> &[f64] {
        &self.left[..self.width]
    }

    /// The residual with one more parent, which has this ridge; `None` if the other parents leave
    /// less than the share `least` of its variance.
    pub fn residual_with(&self, parent: &[f64], ridge: f64, least: f64) -> Option<f64> {
        let mut vector = parent.to_vec();
        vector.resize(self.width + self.own, 0.0);
        let mut along = vec![0.0; self.basis.len() / vector.len().max(1)];
        let unexplained = project_off(&self.basis, &mut vector, &mut along) + ridge;
        if unexplained < least * (1.0 + ridge) {
            return None;
        }
        let weight = dot(&vector, &self.left) / unexplained;
        let mut left = self.left.clone();
        subtract_multiple(&mut left, weight, &vector);
        Some(dot(&left, &left) + weight * weight * ridge)
    }
}

/// The upper triangle R of the QR decomposition of columns, as columns of N entries: regressions
/// among them are those among the columns, with fewer rows.
///
/// Blocks of rows are decomposed in parallel, and then their triangles. The result does not depend
/// on the number of threads.
pub fn triangle(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (n, m) = (columns.len(), columns.first().map_or(0, Vec::len));
    let height = (4 * n).max(4096);
    if m <= n {
        return columns.to_vec();
    }
    if m <= height {
        return factor_rows(columns, 0, m);
    }
    let starts: Vec<usize> = (0..m).step_by(height).collect();
    let parts = in_threads(&starts, |&from| {
        factor_rows(columns, from, (from + height).min(m))
    });
    let stacked: Vec<Vec<f64>> = (0..n)
        .map(|v| {
            parts
                .iter()
                .flat_map(|part| part[v].iter().copied())
                .collect()
        })
        .collect();
    triangle(&stacked)
}

/// The triangle of some rows; the rows themselves if there are no more than columns.
fn factor_rows(columns: &[Vec<f64>], from: usize, to: usize) -> Vec<Vec<f64>> {
    let n = columns.len();
    if to - from <= n {
        return columns
            .iter()
            .map(|column| column[from..to].to_vec())
            .collect();
    }
    let matrix = faer::Mat::from_fn(to - from, n, |i, j| columns[j][from + i]);
    let factored = matrix.qr();
    let upper = factored.thin_R();
    (0..n)
        .map(|j| {
            (0..n)
                .map(|i| if i <= j { upper[(i, j)] } else { 0.0 })
                .collect()
        })
        .collect()
}

/// Maps items in separate threads. While a rayon thread waits here, it could start another task of
/// the search that waits for this result, which would be a deadlock.
fn in_threads<T: Sync, R: Send>(items: &[T], map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // As many as rayon has here, which the user may have limited.
    let threads = rayon::current_num_threads();
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let running: Vec<_> = items
            .chunks(share)
            .map(|chunk| scope.spawn(|| chunk.iter().map(&map).collect::<Vec<R>>()))
            .collect();
        let joined = running.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|part| part.expect("a thread of the decomposition panicked"))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::inner_product;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn unit(column: Vec<f64>) -> Vec<f64> {
        let norm = inner_product(&column, &column).sqrt();
        column.into_iter().map(|x| x / norm).collect()
    }

    /// Columns of unit length; the last is a sum of the others plus a term of size `noise`.
    fn columns(n: usize, m: usize, noise: f64, seed: u64) -> Vec<Vec<f64>> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || (0..m).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut columns: Vec<Vec<f64>> = (1..n).map(|_| unit(draw())).collect();
        let rest = unit(draw());
        let sum = |t: usize| columns.iter().map(|c| c[t]).sum::<f64>() + noise * rest[t];
        let last = (0..m).map(sum).collect();
        columns.push(unit(last));
        columns
    }

    fn regression(columns: &[Vec<f64>], parents: &[usize], child: usize) -> Regression {
        Regression::new(
            parents.len(),
            |i, j| inner_product(&columns[parents[i]], &columns[parents[j]]),
            |i| inner_product(&columns[parents[i]], &columns[child]),
            1.0,
        )
        .unwrap()
    }

    fn orthogonal(columns: &[Vec<f64>], parents: &[usize], child: usize) -> Orthogonal {
        let vectors: Vec<&[f64]> = parents.iter().map(|&p| &columns[p][..]).collect();
        Orthogonal::new(&columns[child], &vectors, |_| 0.0).unwrap()
    }

    #[test]
    fn agrees_with_correlations_where_these_are_accurate() {
        for seed in 0..20 {
            let columns = columns(6, 40, 1.0, seed);
            let quick = regression(&columns, &[0, 1, 2, 5], 3);
            let exact = orthogonal(&columns, &[0, 1, 2, 5], 3).regression;
            assert!(quick.is_accurate(1.0, 40.0));
            assert!((quick.residual / exact.residual - 1.0).abs() < 1e-12);
            for i in 0..4 {
                assert!((quick.weights[i] - exact.weights[i]).abs() < 1e-12);
                assert!((quick.precision[i] / exact.precision[i] - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn residuals_of_1e_minus_12_have_many_digits() {
        for seed in 0..20 {
            let parents = [0, 1, 2, 3, 4];
            let by_noise = |noise: f64| {
                let columns = columns(6, 40, noise, seed);
                let left = orthogonal(&columns, &parents, 5).regression.residual;
                // Relative to the length of the sum without its noise.
                let weight = inner_product(&columns[5], &columns[5]);
                (left / weight, regression(&columns, &parents, 5))
            };
            let (large, _) = by_noise(1e-3);
            let (tiny, quick) = by_noise(1e-6);
            assert!((tiny / large * 1e6 - 1.0).abs() < 2e-3, "{tiny} {large}");
            assert!(!quick.is_accurate(1.0, 40.0));
        }
    }

    /// Wherever correlations are said to be accurate, they agree with orthogonalisation.
    #[test]
    fn accuracy_is_judged_safely() {
        let mut judged = 0;
        for seed in 0..400 {
            let noise = 10f64.powf(-(seed as f64) / 80.0);
            let columns = columns(8, 60, noise, seed);
            let quick = regression(&columns, &[0, 1, 2, 3, 4, 5, 6], 7);
            let exact = orthogonal(&columns, &[0, 1, 2, 3, 4, 5, 6], 7).regression;
            if quick.is_accurate(1.0, 40.0) {
                judged += 1;
                assert!((quick.residual / exact.residual - 1.0).abs() < 1e-8);
            }
        }
        assert!(judged > 150, "{judged}");
    }

    /// With many instances, an error of the residual is a large one of the likelihood.
    #[test]
    fn accuracy_is_that_of_the_likelihood() {
        let mut judged = 0;
        for seed in 0..400 {
            let columns = columns(8, 60, 10f64.powf(-(seed as f64) / 80.0), seed);
            let quick = regression(&columns, &[0, 1, 2, 3, 4, 5, 6], 7);
            let exact = orthogonal(&columns, &[0, 1, 2, 3, 4, 5, 6], 7).regression;
            for instances in [1e2, 1e3, 1e4, 1e5] {
                if quick.is_accurate(1.0, instances) {
                    judged += 1;
                    let error = 0.5 * instances * (quick.residual / exact.residual).ln().abs();
                    assert!(error < 1e-8, "{instances} {seed}: {error}");
                }
            }
        }
        assert!(judged > 400, "{judged}");
    }

    /// Refined regressions are as accurate as orthogonal ones, however small the residual.
    #[test]
    fn refined_regressions_agree() {
        for seed in 0..400 {
            let noise = 10f64.powf(-(seed as f64) / 60.0);
            let columns = columns(8, 60, noise, seed);
            let parents = [0, 1, 2, 3, 4, 5, 6];
            let vectors: Vec<&[f64]> = parents.iter().map(|&p| &columns[p][..]).collect();
            let quick = regression(&columns, &parents, 7);
            let (refined, left) = quick.refined(&columns[7], &vectors, |_| 0.0).unwrap();
            let exact = orthogonal(&columns, &parents, 7);
            let ratio = refined.residual / exact.regression.residual;
            assert!((ratio - 1.0).abs() < 1e-15 / noise, "{noise}: {ratio}");
            for i in 0..parents.len() {
                assert!((refined.weights[i] - exact.regression.weights[i]).abs() < 1e-13);
                assert!((refined.projected[i] / exact.regression.projected[i] - 1.0).abs() < 1e-10);
            }
            let error = |(a, b): (&f64, &f64)| (a - b).abs();
            assert!(left.iter().zip(exact.left()).map(error).fold(0.0, f64::max) < 1e-15);
        }
    }

    /// If parents are close to collinear, a refined regression is either accurate or refused.
    #[test]
    fn refined_regressions_of_nearly_collinear_parents() {
        let mut refined = 0;
        for seed in 0..300 {
            let noise = 10f64.powf(-(seed as f64) / 50.0);
            let mut columns = columns(6, 60, noise, seed);
            columns.push(self::columns(2, 60, 1.0, seed + 1000).swap_remove(0));
            let parents = [0, 1, 2, 3, 4, 5];
            let vectors: Vec<&[f64]> = parents.iter().map(|&p| &columns[p][..]).collect();
            let quick = regression(&columns, &parents, 6);
            let Some((found, _)) = quick.refined(&columns[6], &vectors, |_| 0.0) else {
                assert!(noise < 1e-3);
                continue;
            };
            refined += 1;
            let exact = orthogonal(&columns, &parents, 6).regression;
            for ratio in [
                found.residual / exact.residual,
                found.weights[5] / exact.weights[5],
            ] {
                assert!((ratio - 1.0).abs() < 1e-13 / noise, "{noise}: {ratio}");
            }
            // Corrections do not change the factor.
            let error = (found.precision[5] / exact.precision[5] - 1.0).abs();
            assert!(error < 1e-14 / (noise * noise), "{noise}: {error}");
        }
        assert!((150..250).contains(&refined), "{refined}");
    }

    #[test]
    fn refined_regressions_have_ridges() {
        let columns = columns(5, 30, 1e-4, 4);
        let parents = [0, 1, 2, 3];
        let ridge = |i: usize| 1e-6 * (i + 1) as f64;
        let vectors: Vec<&[f64]> = parents.iter().map(|&p| &columns[p][..]).collect();
        let exact = Orthogonal::new(&columns[4], &vectors, ridge).unwrap();
        let product = |a: usize, b: usize| inner_product(&columns[a], &columns[b]);
        let quick = Regression::new(
            4,
            |i, j| product(i, j) + if i == j { ridge(i) } else { 0.0 },
            |i| product(i, 4),
            1.0 + ridge(4),
        );
        let (found, left) = quick
            .unwrap()
            .refined(&columns[4], &vectors, ridge)
            .unwrap();
        let ratio = found.residual / exact.regression.residual;
        assert!((ratio - 1.0).abs() < 1e-10, "{ratio}");
        for i in 0..4 {
            assert!((found.weights[i] - exact.regression.weights[i]).abs() < 1e-13);
        }
        assert_eq!(left.len(), exact.left().len());
    }

    #[test]
    fn threads_are_those_of_the_pool() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
        let threads = || {
            let own = in_threads(&[0; 64], |_| std::thread::current().id());
            own.into_iter().collect::<std::collections::HashSet<_>>()
        };
        assert_eq!(pool.build().unwrap().install(threads).len(), 1);
    }

    #[test]
    fn one_more_parent_agrees_with_its_own_regression() {
        for (noise, seed) in [(1.0, 1), (1e-3, 2), (1e-6, 3)] {
            let columns = columns(6, 40, noise, seed);
            let before = orthogonal(&columns, &[0, 1, 2, 3], 5);
            let own = orthogonal(&columns, &[0, 1, 2, 3, 4], 5)
                .regression
                .residual;
            let found = before.residual_with(&columns[4], 0.0, 1e-12).unwrap();
            assert!((found / own - 1.0).abs() < 1e-8, "{found} {own}");
            assert!(before.residual_with(&columns[2], 0.0, 1e-12).is_none());
        }
    }

    #[test]
    fn a_ridge_adds_to_the_diagonal() {
        let columns = columns(5, 30, 1.0, 4);
        let parents = [0, 1, 2];
        let ridge = |i: usize| 0.1 * (i + 1) as f64;
        let vectors: Vec<&[f64]> = parents.iter().map(|&p| &columns[p][..]).collect();
        let exact = Orthogonal::new(&columns[4], &vectors, ridge).unwrap();
        let product = |a: usize, b: usize| inner_product(&columns[a], &columns[b]);
        let quick = Regression::new(
            3,
            |i, j| product(i, j) + if i == j { ridge(i) } else { 0.0 },
            |i| product(i, 4),
            1.0 + ridge(3),
        )
        .unwrap();
        assert!((quick.residual - exact.regression.residual).abs() < 1e-14);
        for i in 0..3 {
            assert!((quick.weights[i] - exact.regression.weights[i]).abs() < 1e-14);
        }
    }

    #[test]
    fn triangles_keep_all_inner_products() {
        for (n, m) in [(3, 2), (3, 3), (4, 50), (5, 9000), (2, 4097)] {
            let columns = columns(n, m, 1.0, 5);
            let vectors = triangle(&columns);
            assert!(vectors.iter().all(|vector| vector.len() <= n.max(m.min(n))));
            for a in 0..n {
                for b in 0..n {
                    let expected = inner_product(&columns[a], &columns[b]);
                    let found = inner_product(&vectors[a], &vectors[b]);
                    assert!((found - expected).abs() < 1e-13, "{n} {m}");
                }
            }
        }
    }
}
