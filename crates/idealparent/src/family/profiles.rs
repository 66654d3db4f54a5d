//! The data in the layouts that fits and rankings need: centred columns of unit variance, and tiles
//! of them.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::{Blocks, Gram, Rows, SingleParent, expected_squares};
use crate::cpd::{Cpd, FactorKind, Link};
use crate::data::{Column, Completed};
use crate::error::Result;
use crate::memory;

/// Maximum number of bytes for the scans of families that are ranked together.
pub(crate) const SCANNED: usize = 256 << 20;

/// Variables per tile: fixed, so that results do not depend on the number of threads.
const TILE: usize = 192;

/// Data, complete or with distributions of their missing entries, and their moments.
///
/// ```
/// use idealparent::Column;
/// use idealparent::extend::{Gram, Profiles};
///
/// let columns = [Column::from(vec![1.0, 3.0]), Column::from(vec![8.0, 4.0])];
/// let gram = Gram::new(&columns);
/// let profiles = Profiles::new(&columns, &gram);
/// assert_eq!(profiles.raw(1), [8.0, 4.0]);
/// assert_eq!(profiles.scaled(1), [1.0, -1.0]);
/// ```
#[derive(Debug)]
pub struct Profiles<'a> {
    data: Completed<'a>,
    gram: &'a Gram,
    instances: usize,
    /// Scaled values, column by column; a constant column is all zeros.
    scaled: Arc<Vec<f64>>,
    /// The same in tiles of [`TILE`] variables, instance by instance within a tile: the fastest
    /// layout for products with all variables.
    tiles: Vec<f64>,
    /// Expected squares of the values in `tiles`.
    squares: Vec<f64>,
    /// Variances of the scaled entries; empty for columns without missing entries.
    variances: Vec<Vec<f64>>,
    /// A column of ones.
    ones: Vec<f64>,
    /// Geometric means of the raw columns; NaN if a value is not positive.
    geometric_means: Vec<f64>,
    /// Single-parent estimates, with the name of their link.
    single: Mutex<Vec<(String, Arc<SingleParent>)>>,
}

impl<'a> Profiles<'a> {
    /// Returns an error if the data and their moments would not fit in memory; allocates nothing.
    /// `links` is the number of densities with a link function.
    pub fn check_memory(variables: usize, instances: usize, links: usize) -> Result<()> {
        let (n, m) = (variables as u64, instances as u64);
        // First the columns, their tiles and their squares, and the single-parent estimates for each
        // link; then what the scans of families need.
        let own = (24 * n)
            .saturating_mul(m)
            .saturating_add(4 * n * n * links as u64);
        let scans = (SCANNED as u64).min(n * m * 64);
        let needed = Gram::bytes(variables, instances)
            .saturating_add(own)
            .saturating_add(scans);
        memory::check_variables(variables, needed)
    }

    /// Prepares complete columns with the moments `gram`.
    pub fn new(columns: &'a [Column], gram: &'a Gram) -> Self {
        Profiles::prepare(Completed::complete(columns), gram)
    }

    /// Prepares data with missing entries, with the expected moments `gram`.
    pub fn expected(data: &'a Completed, gram: &'a Gram) -> Self {
        Profiles::prepare(data.independent(), gram)
    }

    /// Makes rankings ignore the variances of candidates' entries and use their means alone, as in
    /// the paper. Fits always include the variances.
    pub fn means_only(mut self) -> Self {
        self.squares = self.tiles.iter().map(|z| z * z).collect();
        self
    }

    fn prepare(data: Completed<'a>, gram: &'a Gram) -> Self {
        let raw = data.means();
        let instances = raw.first().map_or(0, |column| column.len());
        let scaled = gram.scaled(raw, |variance| 1.0 / variance.sqrt());
        let mut tiles = Vec::with_capacity(scaled.len());
        for tile in scaled.chunks((instances * TILE).max(1)) {
            tiles.extend(transposed(tile, instances));
        }
        let mut squares: Vec<f64> = tiles.iter().map(|z| z * z).collect();
        let relative = |v: usize| {
            let variance = gram.variance(v);
            data.variances(v).iter().map(|x| x / variance).collect()
        };
        let variances: Vec<Vec<f64>> = (0..raw.len()).map(relative).collect();
        add_variances(&mut squares, &variances, instances);
        let geometric_means = raw.par_iter().map(|c| geometric_mean(c)).collect();
        Profiles {
            data,
            gram,
            instances,
            scaled: Arc::new(scaled),
            tiles,
            squares,
            variances,
            ones: vec![1.0; instances],
            // Not computed lazily, which could deadlock: while a thread waits for its parallel work
            // under a lock, it may be given other work that waits for the same lock.
            geometric_means,
            single: Mutex::default(),
        }
    }

    /// Number of variables.
    pub fn width(&self) -> usize {
        self.data.width()
    }

    /// Number of rows, regardless of their weights.
    pub fn instances(&self) -> usize {
        self.instances
    }

    /// The rows on which the families of a child are fitted.
    pub fn rows(&self, child: usize) -> &Rows {
        self.gram.rows(child)
    }

    /// The columns of these parents.
    pub fn blocks(&self, parents: &[usize]) -> Blocks {
        self.gram.blocks(parents)
    }

    /// The moments.
    pub fn gram(&self) -> &Gram {
        self.gram
    }

    /// A variable in the units of the data.
    pub fn raw(&self, variable: usize) -> &[f64] {
        &self.data.means()[variable]
    }

    /// A variable, centred and of unit variance.
    pub fn scaled(&self, variable: usize) -> &[f64] {
        &self.scaled[variable * self.instances..(variable + 1) * self.instances]
    }

    /// A column of ones, the input of a bias.
    pub(crate) fn ones(&self) -> &[f64] {
        &self.ones
    }

    /// Mean and standard deviation of a variable.
    pub fn scale_of(&self, variable: usize) -> (f64, f64) {
        (
            self.gram.mean(variable),
            self.gram.variance(variable).sqrt(),
        )
    }

    /// Geometric mean of a variable; NaN if a value is not positive.
    pub fn geometric_mean(&self, variable: usize) -> f64 {
        self.geometric_means[variable]
    }

    /// Variances of a variable's entries in the units of [`Profiles::scaled`]; empty if all entries
    /// are observed.
    pub fn variances(&self, variable: usize) -> &[f64] {
        &self.variances[variable]
    }

    /// The instances in which at least one of these variables is uncertain.
    pub(crate) fn uncertain(&self, variables: &[usize]) -> Vec<usize> {
        let with_holes: Vec<&Vec<f64>> = variables
            .iter()
            .map(|&v| &self.variances[v])
            .filter(|variances| !variances.is_empty())
            .collect();
        let is_uncertain = |row: &usize| with_holes.iter().any(|of| of[*row] > 0.0);
        if with_holes.is_empty() {
            Vec::new()
        } else {
            (0..self.instances).filter(is_uncertain).collect()
        }
    }

    /// Mean over instances of the variance of a weighted sum of variables, in scaled units.
    pub(crate) fn spread_of(&self, terms: &[(usize, f64)]) -> f64 {
        let mut sum = 0.0;
        for &(a, x) in terms {
            for &(b, y) in terms {
                let scale = (self.gram.variance(a) * self.gram.variance(b)).sqrt();
                if scale > 0.0 {
                    sum += x * y * self.data.covariance(a, b) / scale;
                }
            }
        }
        sum / self.instances as f64
    }

    /// Mean over instances of the child's variance plus that of its link's argument times `slope`,
    /// in scaled units. Entries are taken as independent of each other.
    pub(crate) fn distorted_spread(
        &self,
        child: usize,
        parents: &[(usize, f64)],
        slope: &[f64],
    ) -> f64 {
        let mut sum = self.own_variance(child);
        for &(p, weight) in parents {
            let of = self.variances[p].iter().zip(slope);
            sum += of
                .map(|(variance, g)| variance * (weight * g).powi(2))
                .sum::<f64>();
        }
        sum / self.instances as f64
    }

    /// Sum of the variances of a child's entries in scaled units. It is part of every expected sum
    /// of the child's squared errors.
    pub(crate) fn own_variance(&self, child: usize) -> f64 {
        self.variances[child].iter().sum()
    }

    /// Expected sum of squared errors of a density, in the units of the child.
    pub(crate) fn squared_errors(&self, child: usize, parents: &[usize], cpd: &Cpd) -> f64 {
        expected_squares(&self.data, child, parents, cpd)
    }

    /// The data.
    pub fn data(&self) -> &Completed<'a> {
        &self.data
    }

    /// Number of tiles.
    pub(crate) fn tiles(&self) -> usize {
        self.width().div_ceil(TILE)
    }

    /// The variables of a tile.
    pub(crate) fn tile_range(&self, tile: usize) -> Range<usize> {
        tile * TILE..((tile + 1) * TILE).min(self.width())
    }

    /// Scaled values of a tile's variables, instance by instance, and their expected squares.
    pub(crate) fn tile(&self, tile: usize) -> (&[f64], &[f64]) {
        let columns = self.tile_range(tile);
        let range = columns.start * self.instances..columns.end * self.instances;
        (&self.tiles[range.clone()], &self.squares[range])
    }

    /// Raw values of a tile's variables, instance by instance, and their squares.
    pub(crate) fn raw_tile(&self, tile: usize) -> (Vec<f64>, Vec<f64>) {
        let columns = &self.data.means()[self.tile_range(tile)];
        let values: Vec<f64> = columns.iter().flatten().copied().collect();
        with_squares(transposed(&values, self.instances))
    }

    /// Residuals of every variable with every other as its only parent through a link.
    pub(crate) fn single_parent(&self, link: &Arc<dyn Link>) -> Arc<SingleParent> {
        let mut known = self.single.lock().expect("no reader panics");
        if let Some((_, found)) = known.iter().find(|(word, _)| word == link.word()) {
            return found.clone();
        }
        // Cheap: the expensive part is computed later, outside this lock.
        let made = SingleParent::new(self.scaled.clone(), self.instances, link.clone());
        let made = Arc::new(made);
        known.push((link.word().to_string(), made.clone()));
        made
    }

    /// Values `h(a z)` of a tile's variables, instance by instance, and their squares. z are the
    /// raw values, and `a` is `e^log_rate` over the column's geometric mean. Every column is
    /// centred; the third result holds the means.
    pub(crate) fn saturated_tile(
        &self,
        tile: usize,
        kind: FactorKind,
        log_rate: f64,
    ) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let (mut values, mut means) = (Vec::new(), Vec::new());
        for v in self.tile_range(tile) {
            let rate = log_rate.exp() / self.geometric_mean(v);
            let (centre, sd) = self.scale_of(v);
            let from = values.len();
            // Computed as differences from the value at the mean. If the deviation of a column is
            // small relative to its mean, subtracting values of `h` would lose precision.
            let difference = |(z, scaled): (&f64, &f64)| {
                kind.difference(rate * z, rate * centre, rate * sd * scaled)
            };
            values.extend(self.raw(v).iter().zip(self.scaled(v)).map(difference));
            let column: &mut [f64] = &mut values[from..];
            let shift = column.iter().sum::<f64>() / self.instances as f64;
            column.iter_mut().for_each(|h| *h -= shift);
            means.push(kind.value(rate * centre) + shift);
        }
        let (values, squares) = with_squares(transposed(&values, self.instances));
        (values, squares, means)
    }
}

/// Adds the variances of columns to values stored in tiles.
fn add_variances(tiles: &mut [f64], variances: &[Vec<f64>], instances: usize) {
    let of_tile = tiles.chunks_mut((instances * TILE).max(1));
    for (tile, columns) in of_tile.zip(variances.chunks(TILE)) {
        for (j, column) in columns.iter().enumerate() {
            for (t, variance) in column.iter().enumerate() {
                tile[t * columns.len() + j] += variance;
            }
        }
    }
}

/// Geometric mean of a column; NaN unless all values are positive.
fn geometric_mean(column: &[f64]) -> f64 {
    if column.iter().any(|&x| x <= 0.0) {
        return f64::NAN;
    }
    let logs: f64 = column.iter().map(|x| x.ln()).sum();
    (logs / column.len() as f64).exp()
}

fn with_squares(values: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    let squares = values.iter().map(|h| h * h).collect();
    (values, squares)
}

/// Transposes columns of `instances` values.
fn transposed(columns: &[f64], instances: usize) -> Vec<f64> {
    let width = columns.len() / instances.max(1);
    let mut rows = vec![0.0; columns.len()];
    for (j, column) in columns.chunks(instances.max(1)).enumerate() {
        for (t, &value) in column.iter().enumerate() {
            rows[t * width + j] = value;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_data_than_fit_in_memory_are_refused() {
        assert!(Profiles::check_memory(1000, 1000, 1).is_ok());
        let line = Profiles::check_memory(1_000_000, 1_000_000, 1).unwrap_err();
        let line = line.to_string();
        // 12.25 bytes per pair of variables, 32 per value, and a little for scans.
        assert!(
            line.starts_with("1000000 variables need about 44250.3 GB of memory, but "),
            "{line}"
        );
    }
}
