//! Data whose holes are filled by a distribution instead of a value (section 4.3).

use std::borrow::Cow;

use super::{Column, Covariances};

/// Every entry's mean and, where it was not observed, how uncertain it is. Complete data are the
/// case where nothing is.
#[derive(Clone, Debug)]
pub struct Completed<'a> {
    means: Cow<'a, [Column]>,
    /// Variances of a column's entries, 0 where observed; empty where all are.
    variances: Cow<'a, [Vec<f64>]>,
    covariances: Covariances,
}

impl<'a> Completed<'a> {
    /// Data without holes.
    pub fn complete(columns: &'a [Column]) -> Self {
        Completed {
            means: Cow::Borrowed(columns),
            variances: Cow::Owned(vec![Vec::new(); columns.len()]),
            covariances: Covariances::Independent,
        }
    }

    /// Means and variances of all entries, the latter empty for columns without holes.
    pub fn new(
        means: Vec<Column>,
        variances: Vec<Vec<f64>>,
        covariances: Covariances,
    ) -> Completed<'static> {
        assert_eq!(means.len(), variances.len());
        Completed {
            means: Cow::Owned(means),
            variances: Cow::Owned(variances),
            covariances,
        }
    }

    /// The same data without a copy, each entry independent of the others.
    pub(crate) fn independent(&self) -> Completed<'_> {
        Completed {
            means: Cow::Borrowed(&self.means),
            variances: Cow::Borrowed(&self.variances),
            covariances: Covariances::Independent,
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

    /// Variances of a column's entries; empty where nothing is missing.
    pub fn variances(&self, variable: usize) -> &[f64] {
        &self.variances[variable]
    }

    /// Whether no entry is uncertain.
    pub fn is_complete(&self) -> bool {
        self.variances.iter().all(Vec::is_empty)
    }

    /// The sum over instances of the covariances of two variables.
    pub fn covariance(&self, a: usize, b: usize) -> f64 {
        match &self.covariances {
            Covariances::Independent if a == b => self.variances[a].iter().sum(),
            sums => sums.sum(a, b),
        }
    }

    /// The sums for all pairs.
    pub fn covariances(&self) -> &Covariances {
        &self.covariances
    }

    /// Some of the variables, in this order.
    pub fn select(&self, variables: &[usize]) -> Completed<'static> {
        let means = variables.iter().map(|&v| self.means[v].clone());
        let variances = variables.iter().map(|&v| self.variances[v].clone());
        let covariances = self.covariances.select(variables);
        Completed::new(means.collect(), variances.collect(), covariances)
    }

    /// With one more variable, whose entries have these means and this variance, each independent
    /// of all others.
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

    /// One variable in other units.
    pub(crate) fn rescale(&mut self, variable: usize, by: f64) {
        for mean in self.means.to_mut()[variable].iter_mut() {
            *mean *= by;
        }
        for variance in &mut self.variances.to_mut()[variable] {
            *variance *= by * by;
        }
        self.covariances.rescale(variable, by);
    }

    /// Whether none of these variables' entries is uncertain.
    pub fn are_certain(&self, variables: &[usize]) -> bool {
        variables.iter().all(|&v| self.variances[v].is_empty())
    }
}
