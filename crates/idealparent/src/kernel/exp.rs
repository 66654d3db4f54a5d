//! Exponential function of a number; logistic function of a slice.

use super::dispatch;

/// Arguments are clamped to this magnitude. Beyond it the factor 2^n is no longer a normal number,
/// and e^-708 is negligible compared with 1.
const LIMIT: f64 = 708.0;

/// 1.5 * 2^52: adding it leaves the nearest integer in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts. The first has enough trailing zero bits for its product with n to be exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// e^x with about 1e-15 relative error for |x| <= 700; clamped beyond 708.
///
/// It has no branches or tables, so that loops over it can be vectorised.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let x = x.clamp(-LIMIT, LIMIT);
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    // Taylor polynomial of degree 12 on |r| <= ln(2)/2. Terms are evaluated in pairs, so that they
    // do not depend on each other.
    let r2 = r * r;
    let r4 = r2 * r2;
    let a = 1.0 + r;
    let b = 1.0 / 2.0 + r * (1.0 / 6.0);
    let c = 1.0 / 24.0 + r * (1.0 / 120.0);
    let d = 1.0 / 720.0 + r * (1.0 / 5_040.0);
    let e = 1.0 / 40_320.0 + r * (1.0 / 362_880.0);
    let f = 1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0);
    let g = 1.0 / 479_001_600.0;
    let low = a + r2 * b;
    let middle = c + r2 * d;
    let high = (e + r2 * f) + r4 * g;
    let polynomial = low + r4 * (middle + r4 * high);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0f64.to_bits()));
    polynomial * power
}

/// Writes `1 / (1 + e^-x)` for each x of `eta` into `value`, and its derivative into `slope`.
pub fn logistic_and_slope(eta: &[f64], value: &mut [f64], slope: &mut [f64]) {
    let m = eta.len();
    let (value, slope) = (&mut value[..m], &mut slope[..m]);
    dispatch(
        #[inline(always)]
        move || {
            for t in 0..m {
                let s = 1.0 / (1.0 + exp(-eta[t]));
                value[t] = s;
                slope[t] = s * (1.0 - s);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_agrees_with_libm() {
        let mut worst = 0.0f64;
        let points = 400_000;
        for i in 0..=points {
            let x = -700.0 + 1400.0 * f64::from(i) / f64::from(points);
            worst = worst.max((exp(x) / libm::exp(x) - 1.0).abs());
        }
        for small in [0.0, -0.0, 1e-300, 1e-17, -1e-9, 0.5, -0.5, 700.0, -700.0] {
            worst = worst.max((exp(small) / libm::exp(small) - 1.0).abs());
        }
        assert!(worst < 1e-14, "{worst}");
        assert!(exp(1e9).is_finite() && exp(-1e9) > 0.0);
    }

    #[test]
    fn logistic_saturates_for_large_arguments() {
        let eta = [0.0, 40.0, -40.0, 1e6, -1e6];
        let (mut value, mut slope) = ([0.0; 5], [0.0; 5]);
        logistic_and_slope(&eta, &mut value, &mut slope);
        assert_eq!((value[0], slope[0]), (0.5, 0.25));
        assert!((value[1] - 1.0).abs() < 1e-15 && (value[2] - (-40f64).exp()).abs() < 1e-30);
        assert!(value[3] == 1.0 && value[4] >= 0.0 && value[4] < 1e-300);
        assert!(slope.iter().all(|&s| (0.0..=0.25).contains(&s)));
    }
}
