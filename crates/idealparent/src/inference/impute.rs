//! Imputation: filling in the missing values of a table.

use std::collections::BTreeSet;

use crate::data::{Column, Table};
use crate::error::{Error, Result};
use crate::memory;
use crate::network::{Network, Transform};

/// The result of imputation.
///
/// Returned by [`impute`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Imputation {
    /// The table with missing values replaced by posterior means.
    pub mean: Table,
    /// Posterior standard deviations; 0 for observed values.
    pub sd: Table,
    /// Tables with missing values replaced by draws from the posterior.
    pub draws: Vec<Table>,
    /// Columns of the table that no network contains. Their missing values remain.
    pub unknown: Vec<String>,
    /// Variables of the networks that are not in the table. They are treated as missing.
    pub absent: Vec<String>,
}

/// Running average of the networks' posteriors of an entry.
#[derive(Clone, Copy, Debug, Default)]
struct PosteriorAverage {
    count: f64,
    mean: f64,
    /// Mean of the variances.
    variance: f64,
    /// Sum of the squared deviations of the means.
    spread: f64,
}

impl PosteriorAverage {
    fn add(&mut self, mean: f64, variance: f64) {
        self.count += 1.0;
        let away = mean - self.mean;
        self.mean += away / self.count;
        self.spread += away * (mean - self.mean);
        self.variance += (variance - self.variance) / self.count;
    }

    /// Mean and standard deviation; `None` if no network contains the entry.
    fn summary(&self) -> Option<(f64, f64)> {
        let variance = self.variance + self.spread / self.count;
        (self.count > 0.0).then(|| (self.mean, variance.sqrt()))
    }
}

/// A separate seed for each network.
fn seed_of(seed: u64, number: usize) -> u64 {
    seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Fills in the missing values of a table with posterior means, averaged over all networks that
/// contain the column.
///
/// Several networks, learned from bootstrap samples, give better results than one. The draws are
/// taken from the networks in turn.
///
/// ```
/// use idealparent::{Cpd, Family, LinearCpd, Network, Table, Variable, impute};
///
/// // One variable with mean 2 and variance 9.
/// let family = Family::new(vec![], Cpd::Linear(LinearCpd::root(2.0, 9.0)));
/// let network = Network::new(vec![Variable::observed("A")], vec![family]);
/// let table = Table::new(vec!["A".into()], vec![vec![1.0, f64::NAN]])?;
/// let filled = impute(&[network], &table, 5, 1)?;
/// assert_eq!(filled.mean.column(0), [1.0, 2.0]);
/// assert_eq!(filled.sd.column(0), [0.0, 3.0]);
/// assert_eq!(filled.draws.len(), 5);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn impute(networks: &[Network], table: &Table, draws: usize, seed: u64) -> Result<Imputation> {
    let (n, rows) = (table.width(), table.rows());
    let entries = (n as u64).saturating_mul(rows as u64);
    let bytes = entries.saturating_mul(draws as u64).saturating_mul(16);
    memory::check(bytes)
        .map_err(|lacking| Error::options(format!("{draws} drawn tables need {lacking}")))?;
    let mut filling = Filling::new(table, draws, networks.len());
    for (number, network) in networks.iter().enumerate() {
        let own: Vec<usize> = (number..draws).step_by(networks.len()).collect();
        filling.ask(network, &own, seed_of(seed, number))?;
    }
    filling.filled()
}

/// The missing values of a table, and the networks' posteriors of them.
struct Filling<'a> {
    table: &'a Table,
    /// One per row for every column with missing values; empty for other columns.
    averages: Vec<Vec<PosteriorAverage>>,
    /// Columns that some network contains.
    known: Vec<bool>,
    drawn: Vec<Vec<Column>>,
    /// If there are fewer draws than networks, some networks contribute no draw but may be the only
    /// ones that contain a column. One draw of theirs is kept here. Empty if it is not needed.
    spare: Vec<Vec<f64>>,
    /// Variables of the networks that are not in the table.
    absent: BTreeSet<String>,
}

impl<'a> Filling<'a> {
    fn new(table: &'a Table, draws: usize, networks: usize) -> Self {
        let rows = table.rows();
        let has_holes = |j: usize| table.column(j).iter().any(|x| x.is_nan());
        let needs_spare = 0 < draws && draws < networks;
        let averages =
            |j: usize| vec![PosteriorAverage::default(); if has_holes(j) { rows } else { 0 }];
        let spare = |j: usize| vec![f64::NAN; if needs_spare && has_holes(j) { rows } else { 0 }];
        Filling {
            table,
            averages: (0..table.width()).map(averages).collect(),
            known: vec![false; table.width()],
            drawn: vec![table.columns().to_vec(); draws],
            spare: (0..table.width()).map(spare).collect(),
            absent: BTreeSet::new(),
        }
    }

    /// Adds the posterior of one network. Its draws go to the tables with the indices `own`.
    fn ask(&mut self, network: &Network, own: &[usize], seed: u64) -> Result<()> {
        let place = |v: usize| {
            let is_hidden = network.variables[v].hidden;
            (!is_hidden).then(|| self.table.index_of(network.name(v)))?
        };
        let places: Vec<Option<usize>> = (0..network.len()).map(place).collect();
        let columns = self.columns_of(network, &places)?;
        let least: Vec<f64> = columns.iter().map(|column| network.least(column)).collect();
        let needs_spare = self.spare.iter().any(|column| !column.is_empty());
        let draws = own.len().max(usize::from(needs_spare));
        for row in network.posterior(&columns, None, draws, seed)? {
            for (i, &v) in row.unobserved.iter().enumerate() {
                let Some(j) = places[v] else { continue };
                let said = network.back(row.of.means[i], row.of.variances[i], least[v]);
                let draws = row.of.draws.iter();
                let draws = draws.map(|draw| network.back(draw[i], 0.0, least[v]).0);
                self.note((j, row.row), said, own, draws);
            }
        }
        for (v, place) in places.iter().enumerate() {
            let Some(j) = *place else { continue };
            let constant = network.constant(v);
            self.known[j] |= !network.families[v].inactive || constant.is_some();
            let Some(value) = constant else { continue };
            let (value, _) = network.back(value, 0.0, least[v]);
            for row in (0..self.table.rows()).filter(|&row| columns[v][row].is_nan()) {
                self.note((j, row), (value, 0.0), own, std::iter::repeat(value));
            }
        }
        Ok(())
    }

    /// The table's columns in the order and units of the network.
    fn columns_of(&mut self, network: &Network, places: &[Option<usize>]) -> Result<Vec<Column>> {
        if !places.iter().any(Option::is_some) {
            let what = "the data have none of the network's variables";
            return Err(Error::data(what));
        }
        let mut columns = Vec::with_capacity(network.len());
        for (v, place) in places.iter().enumerate() {
            columns.push(match place {
                Some(j) => network.transformed(&self.table.columns()[*j], network.name(v))?,
                None => vec![f64::NAN; self.table.rows()].into(),
            });
            if place.is_none() && !network.variables[v].hidden {
                self.absent.insert(network.name(v).to_string());
            }
        }
        network.check_positive(&columns)?;
        Ok(columns)
    }

    /// Records a network's posterior of the missing value in a column and row.
    fn note(
        &mut self,
        (j, row): (usize, usize),
        (mean, variance): (f64, f64),
        own: &[usize],
        mut draws: impl Iterator<Item = f64>,
    ) {
        self.averages[j][row].add(mean, variance);
        for (&table, draw) in own.iter().zip(draws.by_ref()) {
            self.drawn[table][j][row] = draw;
        }
        if own.is_empty()
            && let (Some(spare), Some(draw)) = (self.spare[j].get_mut(row), draws.next())
        {
            *spare = draw;
        }
    }

    fn filled(mut self) -> Result<Imputation> {
        let (table, n) = (self.table, self.table.width());
        let mut means = table.columns().to_vec();
        let mut sds = vec![Column::from(vec![0.0; table.rows()]); n];
        for j in 0..n {
            for row in (0..table.rows()).filter(|&row| table.column(j)[row].is_nan()) {
                let said = self.averages[j][row].summary();
                (means[j][row], sds[j][row]) = said.unwrap_or((f64::NAN, f64::NAN));
                let last = self.spare[j].get(row).copied().unwrap_or(f64::NAN);
                fill_from_others(&mut self.drawn, j, row, last);
            }
        }
        let like = |columns: Vec<Column>| -> Result<Table> {
            let made = Table::new(table.names().to_vec(), columns)?;
            Ok(match table.row_names() {
                Some(names) => made.with_row_names(names.to_vec()),
                None => made,
            })
        };
        let is_unknown = |&j: &usize| !self.known[j] && !self.averages[j].is_empty();
        let unknown = (0..n).filter(is_unknown);
        Ok(Imputation {
            unknown: unknown.map(|j| table.names()[j].clone()).collect(),
            mean: like(means)?,
            sd: like(sds)?,
            draws: self.drawn.into_iter().map(like).collect::<Result<_>>()?,
            absent: self.absent.into_iter().collect(),
        })
    }
}

/// If the network of a draw does not contain a column, takes the value of the next draw whose
/// network does; if there is none, `last`.
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
    /// Converts a mean and a variance to the units of the original table.
    ///
    /// For 2^x, this takes the logarithm of the mean, and linearises the logarithm for the
    /// variance. A mean that is not positive is replaced by `least`.
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

    /// Half the smallest positive value of a transformed column; 1 if there is none.
    fn least(&self, column: &[f64]) -> f64 {
        let least = column.iter().copied().filter(|x| *x > 0.0);
        let least = least.fold(f64::INFINITY, f64::min);
        if least.is_finite() { 0.5 * least } else { 1.0 }
    }

    /// The value of a variable that is constant in the training data; `None` if it varies or was
    /// never observed.
    pub(super) fn constant(&self, v: usize) -> Option<f64> {
        let family = &self.families[v];
        let is_constant = family.inactive && !family.unobserved;
        is_constant.then(|| family.cpd.mean(&[]))
    }
}
