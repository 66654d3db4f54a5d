//! The data as fits and rankings read them: centred columns of unit variance, side by side.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use rayon::prelude::*;

use super::Gram;
use crate::cpd::{FactorKind, Link};

/// Complete data with their moments.
#[derive(Debug)]
pub struct Profiles<'a> {
    raw: &'a [Vec<f64>],
    gram: &'a Gram,
    instances: usize,
    /// Column by column; a constant column is all zeros.
    scaled: Vec<f64>,
    /// Their squares.
    squares: Vec<f64>,
    geometric_means: OnceLock<Vec<f64>>,
    linked: Mutex<Vec<(LinkedKey, Arc<Linked>)>>,
}

/// A link's word and the bits of a spread.
type LinkedKey = (String, u64);

/// A link of all columns, column by column.
#[derive(Debug)]
pub(crate) struct Linked {
    instances: usize,
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Linked {
    /// Values and squares of a range of variables.
    pub(crate) fn block(&self, columns: Range<usize>) -> (&[f64], &[f64]) {
        let range = columns.start * self.instances..columns.end * self.instances;
        (&self.values[range.clone()], &self.squares[range])
    }
}

impl<'a> Profiles<'a> {
    /// Prepares columns whose moments are `gram`.
    pub fn new(raw: &'a [Vec<f64>], gram: &'a Gram) -> Self {
        let instances = raw.first().map_or(0, Vec::len);
        let mut scaled = vec![0.0; raw.len() * instances];
        let fill = |(v, out): (usize, &mut [f64])| {
            let variance = gram.variance(v);
            if variance > 0.0 {
                let (mean, scale) = (gram.mean(v), 1.0 / variance.sqrt());
                for (z, x) in out.iter_mut().zip(&raw[v]) {
                    *z = (x - mean) * scale;
                }
            }
        };
        scaled
            .par_chunks_mut(instances.max(1))
            .enumerate()
            .for_each(fill);
        let squares = scaled.iter().map(|z| z * z).collect();
        Profiles {
            raw,
            gram,
            instances,
            scaled,
            squares,
            geometric_means: OnceLock::new(),
            linked: Mutex::default(),
        }
    }

    /// Number of variables.
    pub fn width(&self) -> usize {
        self.raw.len()
    }

    /// Number of instances, M.
    pub fn instances(&self) -> usize {
        self.instances
    }

    /// The moments.
    pub fn gram(&self) -> &Gram {
        self.gram
    }

    /// A variable in the data's own units.
    pub fn raw(&self, variable: usize) -> &[f64] {
        &self.raw[variable]
    }

    /// A variable, centred and of unit variance.
    pub fn scaled(&self, variable: usize) -> &[f64] {
        &self.scaled[variable * self.instances..(variable + 1) * self.instances]
    }

    /// Mean and standard deviation of a variable.
    pub fn scale_of(&self, variable: usize) -> (f64, f64) {
        (
            self.gram.mean(variable),
            self.gram.variance(variable).sqrt(),
        )
    }

    /// Geometric mean of a variable whose values are all positive.
    pub fn geometric_mean(&self, variable: usize) -> f64 {
        let mean = |column: &Vec<f64>| {
            let logs: f64 = column.iter().map(|x| x.ln()).sum();
            (logs / column.len() as f64).exp()
        };
        self.geometric_means
            .get_or_init(|| self.raw.par_iter().map(mean).collect())[variable]
    }

    /// Scaled columns of a range of variables, and their squares, column by column.
    pub(crate) fn block(&self, columns: Range<usize>) -> (&[f64], &[f64]) {
        let range = columns.start * self.instances..columns.end * self.instances;
        (&self.scaled[range.clone()], &self.squares[range])
    }

    /// Raw columns of a range of variables, and their squares.
    pub(crate) fn raw_block(&self, columns: Range<usize>) -> (Vec<f64>, Vec<f64>) {
        with_squares(self.raw[columns].iter().flatten().copied().collect())
    }

    /// `h(spread z)` of all scaled columns and its squares, computed once.
    pub(crate) fn linked(&self, link: &dyn Link, spread: f64) -> Arc<Linked> {
        let key = (link.word().to_string(), spread.to_bits());
        let mut known = self.linked.lock().expect("no reader panics");
        if let Some((_, columns)) = known.iter().find(|(known, _)| *known == key) {
            return columns.clone();
        }
        let eta: Vec<f64> = self.scaled.iter().map(|z| spread * z).collect();
        let (mut values, mut slopes) = (vec![0.0; eta.len()], vec![0.0; eta.len()]);
        link.evaluate(&eta, &mut values, &mut slopes);
        let (values, squares) = with_squares(values);
        let columns = Arc::new(Linked {
            instances: self.instances,
            values,
            squares,
        });
        known.push((key, columns.clone()));
        columns
    }

    /// `h(a z)` of a range of raw columns, and its squares; `a = e^log_rate` over the column's geometric mean.
    pub(crate) fn saturated(
        &self,
        columns: Range<usize>,
        kind: FactorKind,
        log_rate: f64,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut values = Vec::with_capacity(columns.len() * self.instances);
        for v in columns {
            let rate = log_rate.exp() / self.geometric_mean(v);
            values.extend(self.raw(v).iter().map(|z| kind.value(rate * z)));
        }
        with_squares(values)
    }
}

fn with_squares(values: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    let squares = values.iter().map(|h| h * h).collect();
    (values, squares)
}
