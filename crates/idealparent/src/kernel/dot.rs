//! Inner products with a fixed number of lanes, so that every machine adds in the same order.

use super::dispatch;

/// Number of partial sums.
pub const LANES: usize = 16;

/// A projection that leaves less than this share of the squared length is repeated.
const REPEATED: f64 = 0.1;

/// Inner product of two slices of equal length.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    dispatch(
        #[inline(always)]
        move || dot_lanes(a, b),
    )
}

/// The body of [`dot`], for use inside other kernels.
#[inline(always)]
pub fn dot_lanes(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut lanes = [0.0; LANES];
    let whole = n - n % LANES;
    let pairs = a[..whole]
        .chunks_exact(LANES)
        .zip(b[..whole].chunks_exact(LANES));
    for (x, y) in pairs {
        for i in 0..LANES {
            lanes[i] += x[i] * y[i];
        }
    }
    for (i, (x, y)) in a[whole..].iter().zip(&b[whole..]).enumerate() {
        lanes[i] += x * y;
    }
    add_lanes(lanes)
}

/// Subtracts a multiple of a slice from another of equal length.
pub fn subtract_multiple(from: &mut [f64], factor: f64, of: &[f64]) {
    dispatch(
        #[inline(always)]
        move || {
            for (x, y) in from.iter_mut().zip(of) {
                *x -= factor * y;
            }
        },
    )
}

/// Subtracts a linear combination of slices from another of the same length.
pub fn subtract_combination(from: &mut [f64], factors: &[f64], of: &[&[f64]]) {
    dispatch(
        #[inline(always)]
        move || {
            for (factor, slice) in factors.iter().zip(of) {
                for (x, y) in from.iter_mut().zip(*slice) {
                    *x -= factor * y;
                }
            }
        },
    )
}

/// Inner products of several slices with another of the same length.
pub fn dots(slices: &[&[f64]], with: &[f64]) -> Vec<f64> {
    let mut products = vec![0.0; slices.len()];
    let into = &mut products;
    dispatch(
        #[inline(always)]
        move || {
            for (product, slice) in into.iter_mut().zip(slices) {
                *product = dot_lanes(slice, with);
            }
        },
    );
    products
}

/// Makes a vector orthogonal to an orthonormal basis, whose vectors follow each other, and adds its
/// coordinates to `along`. Returns the squared length that is left.
///
/// The projection is repeated if little is left of the vector, so that this is as orthogonal
/// (Giraud, Langou and Rozloznik 2005).
pub fn project_off(basis: &[f64], vector: &mut [f64], along: &mut [f64]) -> f64 {
    let mut parts = vec![0.0; along.len()];
    let parts = &mut parts;
    dispatch(
        #[inline(always)]
        move || {
            let length = vector.len().max(1);
            let mut before = dot_lanes(vector, vector);
            for _ in 0..2 {
                for (unit, part) in basis.chunks_exact(length).zip(&mut *parts) {
                    *part = dot_lanes(unit, vector);
                }
                for ((unit, part), along) in
                    basis.chunks_exact(length).zip(&*parts).zip(&mut *along)
                {
                    for (x, y) in vector.iter_mut().zip(unit) {
                        *x -= part * y;
                    }
                    *along += part;
                }
                let after = dot_lanes(vector, vector);
                if after >= REPEATED * before {
                    return after;
                }
                before = after;
            }
            before
        },
    )
}

/// Sum of a slice, in the same order as [`dot_lanes`].
#[inline(always)]
pub fn sum_lanes(a: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let whole = a.len() - a.len() % LANES;
    for x in a[..whole].chunks_exact(LANES) {
        for i in 0..LANES {
            lanes[i] += x[i];
        }
    }
    for (i, x) in a[whole..].iter().enumerate() {
        lanes[i] += x;
    }
    add_lanes(lanes)
}

#[inline(always)]
fn add_lanes(mut lanes: [f64; LANES]) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] += lanes[i + width];
        }
        width /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_plain_sums() {
        for n in [0, 1, 15, 16, 17, 100] {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i) - 3.0).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(i * i % 7)).collect();
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert_eq!(dot(&a, &b), plain);
            assert_eq!(sum_lanes(&a), a.iter().sum::<f64>());
        }
    }
}
