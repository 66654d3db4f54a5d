//! The largest eigenvalue of a similarity matrix, from a start nearby (Eq. 6 and 7).

/// A step that raises the eigenvalue by less than this share of it is the last.
const LITTLE: f64 = 1e-14;

/// Steps; a guard only.
const MOST: usize = 500;

/// The largest eigenvalue of a symmetric matrix and its vector of unit length; `times` puts the matrix times its first argument
/// into its second.
///
/// Conjugate gradients on the Rayleigh quotient: along each direction the best point is the larger eigenvector of a two by two
/// problem. One product with the matrix a step.
pub(super) fn leading(
    mut x: Vec<f64>,
    mut times: impl FnMut(&[f64], &mut [f64]),
) -> (f64, Vec<f64>) {
    let n = x.len();
    normalise(&mut x);
    let mut ax = vec![0.0; n];
    times(&x, &mut ax);
    let mut value = dot(&x, &ax);
    let (mut direction, mut image) = (vec![0.0; n], vec![0.0; n]);
    let mut before = 0.0;
    let mut length = 0.0;
    let mut small = 0;
    for step in 0..MOST {
        let gradient: Vec<f64> = ax.iter().zip(&x).map(|(a, x)| a - value * x).collect();
        let square = dot(&gradient, &gradient);
        if square <= (1e-15 * value).powi(2) {
            break;
        }
        // Now and then from scratch: rounding makes directions forget each other.
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
        times(&direction, &mut image);
        let (cross, own) = (dot(&x, &image), dot(&direction, &image));
        // Of [[value, cross], [cross, own]].
        let half = 0.5 * (value - own);
        let largest = 0.5 * (value + own) + half.hypot(cross);
        let gained = largest - value;
        let (mut cosine, mut sine) = if half >= 0.0 {
            (half + half.hypot(cross), cross)
        } else {
            (cross, half.hypot(cross) - half)
        };
        let norm = cosine.hypot(sine);
        if norm == 0.0 {
            break;
        }
        (cosine, sine) = (cosine / norm, sine / norm);
        for i in 0..n {
            let (was, image_was) = (x[i], ax[i]);
            x[i] = cosine * was + sine * direction[i];
            ax[i] = cosine * image_was + sine * image[i];
            // The direction turns with the point.
            direction[i] = cosine * direction[i] - sine * was;
        }
        value = largest;
        // One small gain may be a direction's fault.
        small = if gained <= LITTLE * value {
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Whether there was a length to divide by.
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

    /// Against a dense eigen-decomposition.
    #[test]
    fn agrees_with_all_eigenvalues() {
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
            let (value, vector) = leading(start, |x, out| {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = (0..n).map(|j| a[(i, j)] * x[j]).sum();
                }
            });
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
