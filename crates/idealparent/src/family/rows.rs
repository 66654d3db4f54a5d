//! The rows that a family is fitted on.

use std::sync::Arc;

/// The rows of a family and how much each counts. A row of weight 0 is left out.
///
/// A family's likelihood goes by the [total](Rows::total) weight of its rows. Prices go by that of
/// all rows, [`Gram::instances`](super::Gram::instances), and limits on the number of parents by
/// how many entries of the child were observed, [`Gram::observed`](super::Gram::observed).
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    total: f64,
    /// `None`: every row counts once.
    weights: Option<Arc<[f64]>>,
}

impl Rows {
    /// Every one of so many rows, once.
    pub fn all(count: usize) -> Self {
        Rows {
            total: count as f64,
            weights: None,
        }
    }

    /// Rows with weights, none of which is negative.
    pub fn weighted(weights: impl Into<Arc<[f64]>>) -> Self {
        let weights: Arc<[f64]> = weights.into();
        debug_assert!(weights.iter().all(|&w| w >= 0.0 && w.is_finite()));
        Rows {
            total: weights.iter().sum(),
            weights: Some(weights),
        }
    }

    /// Sum of the weights: M in likelihoods.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The weights; `None` where every row counts once.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up() {
        let rows = Rows::weighted(vec![1.0, 0.0, 2.5, 0.0]);
        assert_eq!(rows.total(), 3.5);
        assert_eq!(rows.weights(), Some(&[1.0, 0.0, 2.5, 0.0][..]));
        let all = Rows::all(4);
        assert_eq!((all.total(), all.weights()), (4.0, None));
    }
}
