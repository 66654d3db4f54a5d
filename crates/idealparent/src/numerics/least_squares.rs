//! Least squares from the data: slower and simpler than regressions from second moments.

use super::{COLLINEAR, Orthogonal, Regression, centred};

/// A linear regression with intercept.
///
/// Returned by [`least_squares`].
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquares {
    /// Intercept, theta_0.
    pub intercept: f64,
    /// One weight per parent.
    pub weights: Vec<f64>,
    /// Sum of squared residuals.
    pub sse: f64,
}

/// Regresses `child` on `parents` by the normal equations of the centred columns, or by their
/// orthogonalisation where rounding errors matter. `None` if the parents are collinear.
///
/// ```
/// use idealparent::extend::least_squares;
///
/// let parent = [0.0, 1.0, 2.0, 3.0];
/// let fit = least_squares(&[1.0, 3.0, 5.0, 7.0], &[&parent]).unwrap();
/// assert!((fit.intercept - 1.0).abs() < 1e-12 && (fit.weights[0] - 2.0).abs() < 1e-12);
/// assert!(least_squares(&[1.0, 3.0, 5.0, 7.0], &[&parent, &parent]).is_none());
/// ```
pub fn least_squares(child: &[f64], parents: &[&[f64]]) -> Option<LeastSquares> {
    let (x, x_mean) = centred(child);
    let (columns, means): (Vec<Vec<f64>>, Vec<f64>) = parents.iter().map(|p| centred(p)).unzip();
    let k = parents.len();
    let norms: Vec<f64> = columns.iter().map(|c| inner_product(c, c).sqrt()).collect();
    if norms.contains(&0.0) {
        return None;
    }
    let variance = inner_product(&x, &x);
    let quick = Regression::new(
        k,
        |i, j| inner_product(&columns[i], &columns[j]) / (norms[i] * norms[j]),
        |i| inner_product(&columns[i], &x) / norms[i],
        variance,
    );
    let fitted = match quick.filter(|quick| quick.is_accurate(variance, x.len() as f64)) {
        Some(quick) => quick,
        None => {
            let scaled = |(column, norm): (&Vec<f64>, &f64)| -> Vec<f64> {
                column.iter().map(|u| u / norm).collect()
            };
            let columns: Vec<Vec<f64>> = columns.iter().zip(&norms).map(scaled).collect();
            let parents: Vec<&[f64]> = columns.iter().map(|column| &column[..]).collect();
            Orthogonal::new(&x, &parents, |_| 0.0)?.regression
        }
    };
    if fitted.is_collinear(COLLINEAR, |_| 1.0) {
        return None;
    }
    let weights: Vec<f64> = fitted
        .weights
        .iter()
        .zip(&norms)
        .map(|(w, norm)| w / norm)
        .collect();
    let predicted = |m: usize| -> f64 { weights.iter().zip(&columns).map(|(w, c)| w * c[m]).sum() };
    let sse = (0..x.len()).map(|m| (x[m] - predicted(m)).powi(2)).sum();
    let shift: f64 = weights.iter().zip(&means).map(|(w, mean)| w * mean).sum();
    Some(LeastSquares {
        intercept: x_mean - shift,
        weights,
        sse,
    })
}

/// Inner product of two slices.
pub fn inner_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle O1 (tests/oracles.md).
    #[test]
    fn regression_agrees_with_the_oracle() {
        let u = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let z = [1.0, 0.0, 2.0, 1.0, 4.0, 3.0];
        let x = [2.0, 3.0, 7.0, 6.0, 13.0, 12.0];
        let fit = least_squares(&x, &[&u]).unwrap();
        assert!((fit.intercept + 0.7333333333).abs() < 1e-9);
        assert!((fit.weights[0] - 2.2571428571).abs() < 1e-9);
        assert!((fit.sse - 13.6761904762).abs() < 1e-9);
        let full = least_squares(&x, &[&u, &z]).unwrap();
        assert!((full.intercept + 0.2941176471).abs() < 1e-9);
        assert!((full.weights[0] - 1.2689075630).abs() < 1e-9);
        assert!((full.weights[1] - 1.6470588235).abs() < 1e-9);
    }

    #[test]
    fn collinear_parents_have_no_regression() {
        let u = [1.0, 2.0, 3.0, 5.0];
        let v = [2.0, 4.0, 6.0, 10.0];
        assert!(least_squares(&[1.0, 0.0, 1.0, 2.0], &[&u, &v]).is_none());
        assert!(least_squares(&[1.0, 0.0, 1.0, 2.0], &[&[7.0; 4]]).is_none());
    }
}
