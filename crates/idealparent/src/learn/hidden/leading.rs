//! The largest eigenvalue of a similarity matrix, from an approximate eigenvector (Eq. 6 and 7).

use crate::numerics::inner_product as dot;

/// Relative tolerance of the eigenvalue.
const TOLERANCE: f64 = 1e-14;

/// Maximum number of steps, which is not reached in practice.
const MAX_STEPS: usize = 500;

/// The largest eigenvalue of a symmetric matrix, given in row-major order, and the eigenvector of
/// unit length. `x` is the start.
///
/// Uses conjugate gradients on the Rayleigh quotient. The best point along each direction is the
/// leading eigenvector of a two by two problem. A step takes one product with the matrix.
pub(super) fn leading(mut x: Vec<f64>, matrix: &[f64]) -> (f64, Vec<f64>) {
    let n = x.len();
    let times = |x: &[f64]| -> Vec<f64> { matrix.chunks(n).map(|row| dot(row, x)).collect() };
    normalise(&mut x);
    let mut ax = times(&x);
    let mut value = dot(&x, &ax);
    let mut direction = vec![0.0; n];
    let mut before = 0.0;
    let mut length = 0.0;
    let mut small = 0;
    for step in 0..MAX_STEPS {
        let gradient: Vec<f64> = ax.iter().zip(&x).map(|(a, x)| a - value * x).collect();
        let square = dot(&gradient, &gradient);
        if square <= (1e-15 * value).powi(2) {
            break;
        }
        // Restart regularly, since rounding destroys the conjugacy of the directions.
        let share = match step % 20 {
            0 => 0.0,
            _ => length * square / before,
        };
        before = square;
        for (d, g) in direction.iter_mut().zip(&gradient) {
            *d = g + share * *d;
        }
        let along = dot(&direction, &x);
        for (d, x) in direction.iter_mut().zip(&x) {
            *d -= along * x;
        }
        length = dot(&direction, &direction).sqrt();
        if !normalise(&mut direction) {
            break;
        }
        let image = times(&direction);
        let (cross, own) = (dot(&x, &image), dot(&direction, &image));
        // The larger eigenvalue of [[value, cross], [cross, own]].
        let half = 0.5 * (value - own);
        let largest = 0.5 * (value + own) + half.hypot(cross);
        let gained = largest - value;
        let Some((cosine, sine)) = larger_eigenvector(half, cross) else {
            break;
        };
        for i in 0..n {
            let (was, image_was) = (x[i], ax[i]);
            x[i] = cosine * was + sine * direction[i];
            ax[i] = cosine * image_was + sine * image[i];
            // Rotate the direction together with the point.
            direction[i] = cosine * direction[i] - sine * was;
        }
        value = largest;
        // A single small gain may be due to a bad direction, so stop only after two.
        small = if gained <= TOLERANCE * value {
            small + 1
        } else {
            0
        };
        if small == 2 {
            break;
        }
    }
    normalise(&mut x);
    (value, x)
}

/// The unit eigenvector of `[[half, cross], [cross, -half]]` with the larger eigenvalue; `None` if
/// `half` and `cross` are both 0.
pub(super) fn larger_eigenvector(half: f64, cross: f64) -> Option<(f64, f64)> {
    let (cosine, sine) = if half >= 0.0 {
        (half + half.hypot(cross), cross)
    } else {
        (cross, half.hypot(cross) - half)
    };
    let length = cosine.hypot(sine);
    (length != 0.0).then(|| (cosine / length, sine / length))
}

/// Scales a vector to unit length; returns `false` if its length is 0 or NaN.
fn normalise(x: &mut [f64]) -> bool {
    let length = dot(x, x).sqrt();
    if length.is_nan() || length <= 1e-300 {
        return false;
    }
    x.iter_mut().for_each(|x| *x /= length);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// Compares with a dense eigendecomposition.
    #[test]
    fn agrees_with_a_dense_eigendecomposition() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for case in 0..200 {
            let (n, m) = (2 + case % 30, 1 + case % 17);
            let y: Vec<Vec<f64>> = (0..n)
                .map(|_| (0..m).map(|_| rng.random::<f64>() - 0.5).collect())
                .collect();
            let a = faer::Mat::from_fn(n, n, |i, j| dot(&y[i], &y[j]));
            let eigen = a.self_adjoint_eigen(faer::Side::Lower).unwrap();
            let wanted = eigen.S()[n - 1];
            let start: Vec<f64> = (0..n).map(|_| rng.random::<f64>() - 0.5).collect();
            let rows: Vec<f64> = (0..n * n).map(|at| a[(at / n, at % n)]).collect();
            let (value, vector) = leading(start, &rows);
            assert!(
                (value - wanted).abs() < 1e-10 * wanted,
                "{case}: {value} {wanted}"
            );
            let residual = |i: usize| {
                let image: f64 = (0..n).map(|j| a[(i, j)] * vector[j]).sum();
                image - value * vector[i]
            };
            let off = (0..n).map(|i| residual(i).powi(2)).sum::<f64>().sqrt();
            assert!(off < 1e-5 * wanted, "{case}: {off}");
        }
    }
}
