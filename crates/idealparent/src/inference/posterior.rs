//! Posteriors of the missing values of a table.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::{InstanceLikelihood, InstancePosterior, Integrator, Wanted, exact};
use crate::data::{Column, Completed, Holes, Pattern};
use crate::error::Result;
use crate::network::{Gaussian, Network};

/// The posterior of one row's missing entries.
///
/// Returned by [`Network::posterior`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RowPosterior {
    /// Index of the row.
    pub row: usize,
    /// Variables without a value in this row, in ascending order.
    pub unobserved: Vec<usize>,
    /// Posterior of these variables; exact in linear networks.
    pub of: InstancePosterior,
    /// Likelihood of the observed values of the row. `None` in linear networks: use
    /// [`Network::log_likelihood`] there.
    pub likelihood: Option<InstanceLikelihood>,
}

impl Network {
    /// The posterior of the missing values of each row that has any.
    ///
    /// `columns` are the transformed columns of the network's variables, as
    /// [`columns_of`](Self::columns_of) returns them. Inactive variables are ignored, except
    /// `target`. Every row has a separate stream of random numbers for its draws.
    pub fn posterior(
        &self,
        columns: &[Column],
        target: Option<usize>,
        draws: usize,
        seed: u64,
    ) -> Result<Vec<RowPosterior>> {
        let counts = |v: usize| !self.families[v].inactive || Some(v) == target;
        let mut holes = Holes::new(columns, counts);
        holes
            .patterns
            .retain(|pattern| !pattern.unobserved.is_empty());
        let parts: Result<Vec<Vec<RowPosterior>>> = if self.is_linear() {
            let joint = Gaussian::new(self)?;
            let of_pattern = |p| self.linear_posterior(&joint, columns, p, draws, seed);
            holes.patterns.par_iter().map(of_pattern).collect()
        } else {
            let integrator = Integrator::new(self);
            let of_pattern = |p| general_posterior(&integrator, columns, p, draws, seed);
            Ok(holes.patterns.par_iter().map(of_pattern).collect())
        };
        let mut rows: Vec<RowPosterior> = parts?.into_iter().flatten().collect();
        rows.sort_by_key(|row| row.row);
        Ok(rows)
    }

    /// The columns with missing values replaced by their posterior means, and the posterior
    /// variances.
    ///
    /// `columns` are the transformed columns of the network's variables.
    pub fn expectations(&self, columns: &[Column]) -> Result<Completed<'static>> {
        let mut columns = columns.to_vec();
        for (v, family) in self.families.iter().enumerate() {
            if family.inactive {
                let value = family.cpd.mean(&[]);
                let holes = columns[v].iter_mut().filter(|x| x.is_nan());
                holes.for_each(|x| *x = value);
            }
        }
        if self.is_linear() {
            let holes = Holes::new(&columns, |_| true);
            let posterior = exact(self, &columns, &holes, Wanted::Exact)?;
            return Ok(posterior.data.expect("moments were asked for"));
        }
        let rows = columns.first().map_or(0, |column| column.len());
        let mut variances = vec![Vec::new(); columns.len()];
        for row in self.posterior(&columns, None, 0, 0)? {
            for (i, &v) in row.unobserved.iter().enumerate() {
                columns[v][row.row] = row.of.means[i];
                variances[v].resize(rows, 0.0);
                variances[v][row.row] = row.of.variances[i];
            }
        }
        Ok(Completed::new(columns, variances, Default::default()))
    }

    fn linear_posterior(
        &self,
        joint: &Gaussian,
        columns: &[Column],
        pattern: &Pattern,
        draws: usize,
        seed: u64,
    ) -> Result<Vec<RowPosterior>> {
        let posterior = joint.conditional(&pattern.unobserved)?;
        let mut variances = vec![0.0; pattern.unobserved.len()];
        for (variables, matrix) in posterior.covariances() {
            let k = variables.len();
            for (i, v) in variables.iter().enumerate() {
                let place = pattern.unobserved.binary_search(v);
                variances[place.expect("it is unobserved")] = matrix[i * k + i];
            }
        }
        let of_row = |&row: &usize| {
            let means = posterior.mean(joint, |v| columns[v][row]);
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(row as u64);
            let mut draw = || {
                let mut values = means.clone();
                posterior.perturb(&mut values, || StandardNormal.sample(&mut random));
                values
            };
            RowPosterior {
                row,
                unobserved: pattern.unobserved.clone(),
                of: InstancePosterior {
                    draws: (0..draws).map(|_| draw()).collect(),
                    means,
                    variances: variances.clone(),
                },
                likelihood: None,
            }
        };
        Ok(pattern.rows.iter().map(of_row).collect())
    }
}

fn general_posterior(
    integrator: &Integrator,
    columns: &[Column],
    pattern: &Pattern,
    draws: usize,
    seed: u64,
) -> Vec<RowPosterior> {
    let of_row = |&row: &usize| {
        let values: Vec<f64> = columns.iter().map(|column| column[row]).collect();
        let stream = (seed, row as u64);
        let (of, likelihood) = integrator.posterior(&values, &pattern.unobserved, draws, stream);
        RowPosterior {
            row,
            unobserved: pattern.unobserved.clone(),
            of,
            likelihood: Some(likelihood),
        }
    };
    pattern.rows.par_iter().map(of_row).collect()
}
