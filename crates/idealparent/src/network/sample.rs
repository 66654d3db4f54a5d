//! Sampling from a network.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{Network, Transform};
use crate::data::{Column, Table};
use crate::error::{Error, Result};

/// Maximum number of draws to get a positive value, for variables that must be positive.
const MAX_DRAWS: usize = 1000;

/// Value used if no draw was positive, as a share of the noise's standard deviation.
const MIN_SHARE: f64 = 1e-6;

impl Network {
    /// Draws `rows` instances of the observed variables. The same seed gives the same table.
    ///
    /// Every variable has its own random stream. Values are in the units of the original table.
    /// With the transform 2^x, a draw that is not positive has no logarithm and is left missing.
    /// Parents of product densities must be positive: a draw that is not positive is repeated, up
    /// to 1000 draws in total, and then replaced by a millionth of the noise's standard deviation.
    ///
    /// ```
    /// use idealparent::{Cpd, Family, LinearCpd, Network, Variable};
    ///
    /// let family = Family::new(vec![], Cpd::Linear(LinearCpd::root(10.0, 0.01)));
    /// let network = Network::new(vec![Variable::observed("A")], vec![family]);
    /// let table = network.sample(100, 1)?;
    /// assert!(table.column(0).iter().all(|value| (value - 10.0).abs() < 1.0));
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn sample(&self, rows: usize, seed: u64) -> Result<Table> {
        let positive = self.positive();
        let mut columns = vec![Vec::new(); self.len()];
        for v in self.order() {
            let family = &self.families[v];
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(v as u64);
            let sd = family.cpd.variance().sqrt();
            let mut inputs = vec![0.0; family.parents.len()];
            let mut column = Vec::new();
            column
                .try_reserve_exact(rows)
                .map_err(|_| Error::options(format!("{rows} instances do not fit into memory")))?;
            for row in 0..rows {
                for (input, &p) in inputs.iter_mut().zip(&family.parents) {
                    let parent: &Vec<f64> = &columns[p];
                    *input = parent[row];
                }
                let mean = family.cpd.mean(&inputs);
                let mut draw = || {
                    let noise: f64 = StandardNormal.sample(&mut rng);
                    // An inactive variable is constant. Its variance is positive only because
                    // network files require it.
                    let noise = if family.inactive { 0.0 } else { noise };
                    mean + sd * noise
                };
                let mut value = draw();
                if positive[v] {
                    for _ in 1..MAX_DRAWS {
                        if value > 0.0 {
                            break;
                        }
                        value = draw();
                    }
                    if value <= 0.0 {
                        value = (MIN_SHARE * sd).max(f64::MIN_POSITIVE);
                    }
                }
                column.push(value);
            }
            columns[v] = column;
        }
        let observed: Vec<usize> = (0..self.len())
            .filter(|&v| !self.variables[v].hidden)
            .collect();
        let back = |x: f64| match self.transform {
            Transform::None => x,
            Transform::Exp2 if x > 0.0 => x.log2(),
            Transform::Exp2 => f64::NAN,
        };
        Table::new(
            observed.iter().map(|&v| self.name(v).to_string()).collect(),
            observed
                .iter()
                .map(|&v| columns[v].iter().map(|&x| back(x)).collect::<Column>())
                .collect(),
        )
    }
}
