//! Filling the holes of a table.

use std::collections::HashSet;

use super::{Network, Transform};
use crate::data::Table;
use crate::error::{Error, Result};

/// What has no logarithm is taken for this share of the least value observed.
const LEAST_SHARE: f64 = 0.5;

/// A table without holes.
#[derive(Clone, Debug, PartialEq)]
pub struct Imputation {
    /// Observed values, and posterior means where there were none.
    pub mean: Table,
    /// Posterior standard deviations; 0 where observed.
    pub sd: Table,
    /// Observed values, and a draw from the posterior where there were none.
    pub draws: Vec<Table>,
    /// Columns of the table that no network knows; their holes stay.
    pub unknown: Vec<String>,
    /// Variables of the networks that the table lacks: taken as missing.
    pub absent: Vec<String>,
}

/// Sums over networks of what they say about the missing entries, column by column.
struct Sums {
    mean: Vec<Vec<f64>>,
    square: Vec<Vec<f64>>,
}

/// Fills the holes of a table with what networks expect there, the average of all that know a column.
///
/// Several networks, learned from bootstrap samples, are worth more than one. Draws come from one network after the other.
///
/// ```
/// use idealparent::{LearnOptions, Table, data, learn, network::impute};
///
/// let table = data::example("ecoli70-holes")?.table();
/// let network = learn(&table, &LearnOptions::default(), &mut ())?.network;
/// let filled = impute(&[network], &table, 5, 1)?;
/// assert_eq!(filled.mean.missing(), 0);
/// assert_eq!(filled.draws.len(), 5);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn impute(networks: &[Network], table: &Table, draws: usize, seed: u64) -> Result<Imputation> {
    let (n, rows) = (table.width(), table.rows());
    let zeros = || vec![vec![0.0; rows]; n];
    let mut sums = Sums {
        mean: zeros(),
        square: zeros(),
    };
    let mut known = vec![0.0; n];
    let mut drawn = vec![table.columns().to_vec(); draws];
    let mut absent = HashSet::new();
    for (number, network) in networks.iter().enumerate() {
        let places: Vec<Option<usize>> = (0..network.len())
            .map(|v| table.index_of(network.name(v)))
            .collect();
        if !places.iter().any(Option::is_some) {
            return Err(Error::Data(
                "the data have none of the network's variables".to_string(),
            ));
        }
        let mut columns = Vec::with_capacity(network.len());
        for (v, place) in places.iter().enumerate() {
            columns.push(match place {
                Some(j) => network.transformed(table.column(*j), network.name(v))?,
                None => vec![f64::NAN; rows],
            });
            if place.is_none() && !network.variables[v].hidden {
                absent.insert(network.name(v).to_string());
            }
        }
        network.check_positive(&columns)?;
        let own: Vec<usize> = (number..draws).step_by(networks.len()).collect();
        for row in network.posterior(&columns, None, own.len(), seed)? {
            for (i, &v) in row.unobserved.iter().enumerate() {
                let Some(j) = places[v] else { continue };
                let (mean, variance) =
                    network.back(row.of.means[i], row.of.variances[i], &columns[v]);
                sums.mean[j][row.row] += mean;
                sums.square[j][row.row] += variance + mean * mean;
                for (&table, draw) in own.iter().zip(&row.of.draws) {
                    drawn[table][j][row.row] = network.back(draw[i], 0.0, &columns[v]).0;
                }
            }
        }
        for (v, place) in places.iter().enumerate() {
            let Some(j) = *place else { continue };
            known[j] += 1.0;
            if network.families[v].inactive {
                network.fill_inactive(v, j, &columns, &mut sums, &own, &mut drawn);
            }
        }
    }
    let mut means = table.columns().to_vec();
    let mut sds = zeros();
    for j in 0..n {
        for row in (0..rows).filter(|&row| table.column(j)[row].is_nan()) {
            let mean = sums.mean[j][row] / known[j];
            means[j][row] = mean;
            let variance = sums.square[j][row] / known[j] - mean * mean;
            // Rounding may make a sure value a little less than sure.
            sds[j][row] = if known[j] > 0.0 {
                variance.max(0.0).sqrt()
            } else {
                f64::NAN
            };
        }
    }
    let like = |columns: Vec<Vec<f64>>| -> Result<Table> {
        let made = Table::new(table.names().to_vec(), columns)?;
        Ok(match table.row_names() {
            Some(names) => made.with_row_names(names.to_vec()),
            None => made,
        })
    };
    let holes = |j: &usize| table.column(*j).iter().any(|x| x.is_nan());
    let unknown = (0..n).filter(|&j| known[j] == 0.0).filter(holes);
    let mut absent: Vec<String> = absent.into_iter().collect();
    absent.sort();
    Ok(Imputation {
        unknown: unknown.map(|j| table.names()[j].clone()).collect(),
        mean: like(means)?,
        sd: like(sds)?,
        draws: drawn.into_iter().map(like).collect::<Result<_>>()?,
        absent,
    })
}

impl Network {
    /// A mean and a variance in the units of the original table.
    ///
    /// Of 2^x the logarithm of the mean, and the variance as far as the logarithm is a straight line.
    fn back(&self, mean: f64, variance: f64, observed: &[f64]) -> (f64, f64) {
        match self.transform {
            Transform::None => (mean, variance),
            Transform::Exp2 => {
                let mean = match mean > 0.0 {
                    true => mean,
                    false => {
                        let seen = observed.iter().copied().filter(|x| !x.is_nan());
                        LEAST_SHARE * seen.fold(1.0, f64::min)
                    }
                };
                let slope = 1.0 / (mean * std::f64::consts::LN_2);
                (mean.log2(), variance * slope * slope)
            }
        }
    }

    /// The holes of a column that never varied get its one value; of one that was never observed they stay.
    fn fill_inactive(
        &self,
        v: usize,
        j: usize,
        columns: &[Vec<f64>],
        sums: &mut Sums,
        own: &[usize],
        drawn: &mut [Vec<Vec<f64>>],
    ) {
        let was_observed = self.families[v].cpd.variance() < 1.0;
        let (mean, _) = self.back(self.families[v].cpd.mean(&[]), 0.0, &columns[v]);
        let value = if was_observed { mean } else { f64::NAN };
        for row in (0..columns[v].len()).filter(|&row| columns[v][row].is_nan()) {
            sums.mean[j][row] += value;
            sums.square[j][row] += value * value;
            for &table in own {
                drawn[table][j][row] = value;
            }
        }
    }
}
