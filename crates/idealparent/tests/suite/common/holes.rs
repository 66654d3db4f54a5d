//! Tables with missing values, and an observer of free energies.

use idealparent::Table;
use idealparent::learn::Observer;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The table with each entry missing with probability `share`.
pub fn with_holes(table: &Table, share: f64, seed: u64) -> Table {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut columns = table.columns().to_vec();
    for column in &mut columns {
        for value in column.iter_mut() {
            if rng.random::<f64>() < share {
                *value = f64::NAN;
            }
        }
    }
    Table::new(table.names().to_vec(), columns).unwrap()
}

/// Records every free energy of a run.
#[derive(Default)]
pub struct Energies(pub Vec<f64>);

impl Observer for Energies {
    fn free_energy(&mut self, value: f64) {
        self.0.push(value);
    }
}

impl Energies {
    /// Fails if a free energy is lower than the previous one by more than rounding.
    pub fn assert_rising(&self) {
        assert!(self.0.len() > 1, "{:?}", self.0);
        for pair in self.0.windows(2) {
            let slack = 1e-9 * pair[0].abs();
            assert!(pair[1] >= pair[0] - slack, "{} after {}", pair[1], pair[0]);
        }
    }
}
