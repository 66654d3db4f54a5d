//! Samples from known networks, for Figures 2 and 4.

use idealparent::{Network, Result, Table};

use super::cells::{Cells, mean_and_error};

/// A network with one kind of density to draw samples from, and instances of it to test on.
pub struct Truth {
    pub cpd: &'static str,
    pub network: Network,
    pub test: Table,
}

impl Truth {
    /// Draws `instances` instances to test on.
    pub fn new(cpd: &'static str, network: Network, instances: usize) -> Result<Self> {
        let test = network.sample(instances, 1_000_000)?;
        Ok(Truth { cpd, network, test })
    }

    /// The key of a run on a sample of this network.
    pub fn key(&self, size: usize, repeat: usize, method: &str) -> Vec<String> {
        [self.cpd, &size.to_string(), &repeat.to_string(), method]
            .map(String::from)
            .to_vec()
    }

    /// The network of a run, and the sample that the run learns from.
    pub fn of_key<'a>(truths: &'a [Truth], key: &[String]) -> Result<(&'a Truth, Table)> {
        let truth = truths.iter().find(|truth| truth.cpd == key[0]);
        let truth = truth.expect("one of the densities");
        let size: usize = key[1].parse().expect("a number written by this program");
        let repeat: u64 = key[2].parse().expect("a number written by this program");
        let train = truth.network.sample(size, 10_000 * repeat + size as u64)?;
        Ok((truth, train))
    }
}

/// A method's values of a column, for all samples of one density and size.
pub fn values(
    cells: &Cells,
    (cpd, size, method): (&str, usize, &str),
    repeats: usize,
    column: &str,
) -> Vec<f64> {
    let size = size.to_string();
    let value = |repeat: usize| cells.value(&[cpd, &size, &repeat.to_string(), method], column);
    (1..=repeats).filter_map(value).collect()
}

/// The mean of [`values`].
pub fn mean(cells: &Cells, key: (&str, usize, &str), repeats: usize, column: &str) -> f64 {
    mean_and_error(&values(cells, key, repeats, column)).0
}
