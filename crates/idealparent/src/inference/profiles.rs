//! Posterior means of hidden variables at every instance.

use crate::data::Table;
use crate::error::Result;
use crate::network::Network;

/// Seed of the importance sampling in networks that are not linear.
const SEED: u64 = 0;

impl Network {
    /// Posterior mean and standard deviation of every hidden variable at every instance of a table:
    /// columns `H1`, `H1_sd`, `H2`, …
    ///
    /// The result has the row names of the table.
    pub fn hidden_profiles(&self, table: &Table) -> Result<Table> {
        let columns = self.columns_of(table)?;
        self.check_positive(&columns)?;
        let hidden: Vec<usize> = (0..self.len())
            .filter(|&v| self.variables[v].hidden)
            .collect();
        let mut names = Vec::with_capacity(2 * hidden.len());
        for &v in &hidden {
            names.extend([self.name(v).to_string(), format!("{}_sd", self.name(v))]);
        }
        let mut profiles = vec![vec![f64::NAN; table.rows()]; 2 * hidden.len()];
        for row in self.posterior(&columns, None, 0, SEED)? {
            for (i, v) in hidden.iter().enumerate() {
                if let Ok(at) = row.unobserved.binary_search(v) {
                    profiles[2 * i][row.row] = row.of.means[at];
                    profiles[2 * i + 1][row.row] = row.of.variances[at].sqrt();
                }
            }
        }
        let made = Table::new(names, profiles)?;
        Ok(match table.row_names() {
            Some(names) => made.with_row_names(names.to_vec()),
            None => made,
        })
    }
}
