//! The linear Gaussian density: a weighted sum of the parents and Gaussian noise (section 3.2).

/// `x = intercept + sum_i weights_i u_i + e`, `e ~ N(0, variance)`.
///
/// The density of section 3.2 of the paper.
///
/// ```
/// use idealparent::LinearCpd;
///
/// let cpd = LinearCpd { intercept: 1.0, weights: vec![2.0, -1.0], variance: 0.5 };
/// assert_eq!(cpd.mean(&[3.0, 4.0]), 3.0);
/// assert!(LinearCpd::root(0.0, 1.0).weights.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearCpd {
    /// Intercept, theta_0.
    pub intercept: f64,
    /// Weights alpha, one per parent.
    pub weights: Vec<f64>,
    /// Variance of the noise, by maximum likelihood (1/M).
    pub variance: f64,
}

impl LinearCpd {
    /// The density of a variable without parents: N(mean, variance).
    pub fn root(mean: f64, variance: f64) -> Self {
        LinearCpd {
            intercept: mean,
            weights: Vec::new(),
            variance,
        }
    }

    /// Conditional mean given the parents' values.
    pub fn mean(&self, parents: &[f64]) -> f64 {
        let terms = self.weights.iter().zip(parents).map(|(w, u)| w * u);
        self.intercept + terms.sum::<f64>()
    }
}
