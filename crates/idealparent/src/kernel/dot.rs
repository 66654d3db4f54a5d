//! Inner products with a fixed number of lanes, so that every machine adds in the same order.

use super::dispatch;

/// Number of partial sums.
const LANES: usize = 16;

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
