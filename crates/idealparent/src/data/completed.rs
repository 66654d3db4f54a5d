//! Data whose missing entries are described by a distribution (section 4.3).

use std::borrow::Cow;

use super::{Column, Covariances};
use crate::numerics::{UNCERTAIN_FLOOR, VARIANCE_FLOOR};

/// The mean of every entry, and the variance of those that were not observed.
///
/// Complete data are the special case without variances.
///
/// ```
/// use idealparent::Column;
/// use idealparent::extend::Completed;
///
/// let columns = [Column::from(vec![1.0, 2.0]), Column::from(vec![0.5, 0.0])];
/// let data = Completed::complete(&columns);
/// assert_eq!((data.width(), data.instances()), (2, 2));
/// assert!(data.is_complete());
/// ```
#[derive(Clone, Debug)]
pub struct Completed<'a> {
    means: Cow<'a, [Column]>,
    /// Per column, the variances of its entries (0 where observed); empty if all are observed.
    variances: Cow<'a, [Vec<f64>]>,
    covariances: Covariances,
    /// Whether no entry is uncertain.
    is_complete: bool,
}

impl<'a> Completed<'a> {
    /// Data without missing entries.
    pub fn complete(columns: &'a [Column]) -> Self {
        Completed {
            means: Cow::Borrowed(columns),
            variances: Cow::Owned(vec![Vec::new(); columns.len()]),
            covariances: Covariances::Independent,
            is_complete: true,
        }
    }

    /// Data from the means and variances of all entries. `variances` is empty for a column without
    /// missing entries.
    pub fn new(
        means: Vec<Column>,
        variances: Vec<Vec<f64>>,
        covariances: Covariances,
    ) -> Completed<'static> {
        assert_eq!(means.len(), variances.len());
        Completed {
            is_complete: variances.iter().all(Vec::is_empty),
            means: Cow::Owned(means),
            variances: Cow::Owned(variances),
            covariances,
        }
    }

    /// The same data, borrowed, with every entry treated as independent of the others.
    pub(crate) fn independent(&self) -> Completed<'_> {
        Completed {
            means: Cow::Borrowed(&self.means),
            variances: Cow::Borrowed(&self.variances),
            covariances: Covariances::Independent,
            is_complete: self.is_complete,
        }
    }

    /// Number of variables.
    pub fn width(&self) -> usize {
        self.means.len()
    }

    /// Number of instances, M.
    pub fn instances(&self) -> usize {
        self.means.first().map_or(0, |column| column.len())
    }

    /// Means of all entries, column by column.
    pub fn means(&self) -> &[Column] {
        &self.means
    }

    /// Variances of a column's entries; empty if none of them is missing.
    pub fn variances(&self, variable: usize) -> &[f64] {
        &self.variances[variable]
    }

    /// Whether no entry is uncertain.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The smallest noise variance of a family, as a share of the child's variance.
    pub fn variance_floor(&self) -> f64 {
        if self.is_complete {
            VARIANCE_FLOOR
        } else {
            UNCERTAIN_FLOOR
        }
    }

    /// The sum over instances of the covariances of two variables.
    pub fn covariance(&self, a: usize, b: usize) -> f64 {
        match &self.covariances {
            Covariances::Independent if a == b => self.variances[a].iter().sum(),
            sums => sums.sum(a, b),
        }
    }

    /// The sums of covariances for all pairs of variables.
    pub fn covariances(&self) -> &Covariances {
        &self.covariances
    }

    /// The data of the given variables, in the given order.
    pub fn select(&self, variables: &[usize]) -> Completed<'static> {
        let means = variables.iter().map(|&v| self.means[v].clone());
        let variances = variables.iter().map(|&v| self.variances[v].clone());
        let covariances = self.covariances.select(variables);
        Completed::new(means.collect(), variances.collect(), covariances)
    }

    /// The data with one more variable. Its entries have the given means and variance, and each is
    /// independent of all other entries.
    pub(crate) fn with_column(&self, column: Vec<f64>, variance: f64) -> Completed<'static> {
        let (n, m) = (self.width(), self.instances());
        let mut means = self.means.to_vec();
        let mut variances = self.variances.to_vec();
        means.push(column.into());
        variances.push(vec![variance; m]);
        let covariances = match &self.covariances {
            Covariances::Independent => Covariances::Independent,
            sums => {
                let mut rows: Vec<Vec<(usize, f64)>> =
                    (0..n).map(|v| sums.of(v).collect()).collect();
                rows.push(vec![(n, variance * m as f64)]);
                Covariances::Sparse(rows)
            }
        };
        Completed::new(means, variances, covariances)
    }

    /// Multiplies one variable by a factor.
    pub(crate) fn rescale(&mut self, variable: usize, by: f64) {
        for mean in self.means.to_mut()[variable].iter_mut() {
            *mean *= by;
        }
        for variance in &mut self.variances.to_mut()[variable] {
            *variance *= by * by;
        }
        self.covariances.rescale(variable, by);
    }

    /// Whether all entries of the given variables are certain.
    pub fn are_certain(&self, variables: &[usize]) -> bool {
        variables.iter().all(|&v| self.variances[v].is_empty())
    }
}
