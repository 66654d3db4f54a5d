//! The rows on which a family is fitted.

use std::sync::Arc;

/// The rows of a family and their weights. A row of weight 0 is ignored.
///
/// A family's likelihood depends on the [total](Rows::total) weight of its rows. Prices depend on
/// the total weight of all rows, [`Gram::instances`](super::Gram::instances). The limit on the
/// number of parents depends on the number of observed entries of the child,
/// [`Gram::observed`](super::Gram::observed).
///
/// ```
/// use idealparent::extend::Rows;
///
/// assert_eq!(Rows::all(3).total(), 3.0);
/// assert_eq!(Rows::weighted(vec![1.0, 0.0, 2.5]).total(), 3.5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    total: f64,
    /// `None`: every row counts once.
    weights: Option<Arc<[f64]>>,
}

impl Rows {
    /// All of `count` rows, each with weight 1.
    pub fn all(count: usize) -> Self {
        Rows {
            total: count as f64,
            weights: None,
        }
    }

    /// Rows with these weights, which must not be negative.
    pub fn weighted(weights: impl Into<Arc<[f64]>>) -> Self {
        let weights: Arc<[f64]> = weights.into();
        debug_assert!(weights.iter().all(|&w| w >= 0.0 && w.is_finite()));
        Rows {
            total: weights.iter().sum(),
            weights: Some(weights),
        }
    }

    /// Sum of the weights, the M in likelihoods.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The weights; `None` if every row counts once.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_is_the_sum_of_the_weights() {
        let rows = Rows::weighted(vec![1.0, 0.0, 2.5, 0.0]);
        assert_eq!(rows.total(), 3.5);
        assert_eq!(rows.weights(), Some(&[1.0, 0.0, 2.5, 0.0][..]));
        let all = Rows::all(4);
        assert_eq!((all.total(), all.weights()), (4.0, None));
    }
}
