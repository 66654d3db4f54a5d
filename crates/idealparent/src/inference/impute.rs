//! Filling the holes of a table.

use std::collections::BTreeSet;

use crate::data::{Column, Table};
use crate::error::{Error, Result};
use crate::memory;
use crate::network::{Network, Transform};

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

/// What the networks so far say about an entry, on average.
#[derive(Clone, Copy, Debug, Default)]
struct Opinion {
    count: f64,
    mean: f64,
    /// Mean of the variances, and squared deviations of the means.
    variance: f64,
    spread: f64,
}

impl Opinion {
    fn add(&mut self, mean: f64, variance: f64) {
        self.count += 1.0;
        let away = mean - self.mean;
        self.mean += away / self.count;
        self.spread += away * (mean - self.mean);
        self.variance += (variance - self.variance) / self.count;
    }

    /// Mean and deviation; `None` where nobody said anything.
    fn summary(&self) -> Option<(f64, f64)> {
        let variance = self.variance + self.spread / self.count;
        (self.count > 0.0).then(|| (self.mean, variance.sqrt()))
    }
}

/// Random numbers of its own for every network.
fn seed_of(seed: u64, number: usize) -> u64 {
    seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Fills the holes of a table with what networks expect there, the average of all that know a column.
///
/// Several networks, learned from bootstrap samples, are worth more than one. Draws come from one network after the other.
///
/// ```
/// use idealparent::{LearnOptions, Table, data, learn};
/// use idealparent::inference::impute;
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
    let bytes = 16 * (draws as u64).saturating_mul((n * rows) as u64);
    memory::check(bytes)
        .map_err(|lacking| Error::Options(format!("{draws} drawn tables need {lacking}")))?;
    let mut opinions = vec![Vec::new(); n];
    for (j, opinions) in opinions.iter_mut().enumerate() {
        if table.column(j).iter().any(|x| x.is_nan()) {
            *opinions = vec![Opinion::default(); rows];
        }
    }
    let mut known = vec![false; n];
    let mut drawn = vec![table.columns().to_vec(); draws];
    // With fewer draws than networks some draw nothing, and yet may be the only ones that know a column.
    let spare_draws = usize::from(0 < draws && draws < networks.len());
    let mut spare = vec![Vec::new(); n];
    for (j, spare) in spare.iter_mut().enumerate() {
        if spare_draws > 0 && !opinions[j].is_empty() {
            *spare = vec![f64::NAN; rows];
        }
    }
    let mut absent = BTreeSet::new();
    for (number, network) in networks.iter().enumerate() {
        let place = |v: usize| {
            if network.variables[v].hidden {
                None
            } else {
                table.index_of(network.name(v))
            }
        };
        let places: Vec<Option<usize>> = (0..network.len()).map(place).collect();
        if !places.iter().any(Option::is_some) {
            return Err(Error::Data(
                "the data have none of the network's variables".to_string(),
            ));
        }
        let mut columns = Vec::with_capacity(network.len());
        for (v, place) in places.iter().enumerate() {
            columns.push(match place {
                Some(j) => network.transformed(&table.columns()[*j], network.name(v))?,
                None => vec![f64::NAN; rows].into(),
            });
            if place.is_none() && !network.variables[v].hidden {
                absent.insert(network.name(v).to_string());
            }
        }
        network.check_positive(&columns)?;
        let own: Vec<usize> = (number..draws).step_by(networks.len()).collect();
        let least: Vec<f64> = columns.iter().map(|column| network.least(column)).collect();
        let needed = own.len().max(spare_draws);
        for row in network.posterior(&columns, None, needed, seed_of(seed, number))? {
            for (i, &v) in row.unobserved.iter().enumerate() {
                let Some(j) = places[v] else { continue };
                let (mean, variance) = network.back(row.of.means[i], row.of.variances[i], least[v]);
                opinions[j][row.row].add(mean, variance);
                let of_draw = |draw: &Vec<f64>| network.back(draw[i], 0.0, least[v]).0;
                for (&table, draw) in own.iter().zip(&row.of.draws) {
                    drawn[table][j][row.row] = of_draw(draw);
                }
                if let (true, Some(draw)) = (own.is_empty(), row.of.draws.first()) {
                    spare[j][row.row] = of_draw(draw);
                }
            }
        }
        for (v, place) in places.iter().enumerate() {
            let Some(j) = *place else { continue };
            let constant = network.constant(v);
            known[j] |= !network.families[v].inactive || constant.is_some();
            let Some(value) = constant else { continue };
            for row in (0..rows).filter(|&row| columns[v][row].is_nan()) {
                let (value, _) = network.back(value, 0.0, least[v]);
                opinions[j][row].add(value, 0.0);
                for &table in &own {
                    drawn[table][j][row] = value;
                }
                if own.is_empty() && spare_draws > 0 {
                    spare[j][row] = value;
                }
            }
        }
    }
    let mut means = table.columns().to_vec();
    let mut sds = vec![Column::from(vec![0.0; rows]); n];
    for j in 0..n {
        for row in (0..rows).filter(|&row| table.column(j)[row].is_nan()) {
            let said = opinions[j][row].summary();
            let (mean, sd) = said.unwrap_or((f64::NAN, f64::NAN));
            (means[j][row], sds[j][row]) = (mean, sd);
            let last = spare[j].get(row).copied().unwrap_or(f64::NAN);
            fill_from_others(&mut drawn, j, row, last);
        }
    }
    let like = |columns: Vec<Column>| -> Result<Table> {
        let made = Table::new(table.names().to_vec(), columns)?;
        Ok(match table.row_names() {
            Some(names) => made.with_row_names(names.to_vec()),
            None => made,
        })
    };
    let holes = |j: &usize| table.column(*j).iter().any(|x| x.is_nan());
    let unknown = (0..n).filter(|&j| !known[j]).filter(holes);
    Ok(Imputation {
        unknown: unknown.map(|j| table.names()[j].clone()).collect(),
        mean: like(means)?,
        sd: like(sds)?,
        draws: drawn.into_iter().map(like).collect::<Result<_>>()?,
        absent: absent.into_iter().collect(),
    })
}

/// Where a draw's own network does not know a column, the next draw's whose network does is taken; if none does, `last`.
fn fill_from_others(drawn: &mut [Vec<Column>], j: usize, row: usize, last: f64) {
    let values: Vec<f64> = drawn.iter().map(|table| table[j][row]).collect();
    for (at, table) in drawn.iter_mut().enumerate() {
        if values[at].is_nan() {
            let mut others = values[at..].iter().chain(&values[..at]);
            table[j][row] = *others.find(|x| !x.is_nan()).unwrap_or(&last);
        }
    }
}

impl Network {
    /// A mean and a variance in the units of the original table.
    ///
    /// Of 2^x the logarithm of the mean, and the variance as far as the logarithm is a straight line. What has no logarithm is taken
    /// for `least`.
    fn back(&self, mean: f64, variance: f64, least: f64) -> (f64, f64) {
        match self.transform {
            Transform::None => (mean, variance),
            Transform::Exp2 => {
                let mean = if mean > 0.0 { mean } else { least };
                let slope = 1.0 / (mean * std::f64::consts::LN_2);
                (mean.log2(), variance * slope * slope)
            }
        }
    }

    /// Half the least value of a transformed column.
    fn least(&self, column: &[f64]) -> f64 {
        let least = column.iter().copied().filter(|x| *x > 0.0);
        let least = least.fold(f64::INFINITY, f64::min);
        if least.is_finite() { 0.5 * least } else { 1.0 }
    }

    /// The one value of a variable that never varied; none of any other, nor of one that was never observed.
    pub(super) fn constant(&self, v: usize) -> Option<f64> {
        let family = &self.families[v];
        let mean = family.cpd.mean(&[]);
        let was_observed = (mean, family.cpd.variance()) != (0.0, 1.0);
        (family.inactive && was_observed).then_some(mean)
    }
}
