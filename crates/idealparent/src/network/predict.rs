//! Posterior of one variable given the others.

use super::{Gaussian, Network};
use crate::data::Table;
use crate::error::{Error, Result};

/// Mean and standard deviation of the target at every instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Posterior means.
    pub mean: Vec<f64>,
    /// Posterior standard deviations.
    pub sd: Vec<f64>,
    /// Variables of the network that the table lacks: taken as missing.
    pub absent: Vec<String>,
    /// Whether only the target's parents were used, as in networks that are not all linear. Where one of them is
    /// missing, or not positive and the density a product, there is no prediction.
    pub from_parents: bool,
}

impl Network {
    /// Posterior of `target` given the other columns of the table, whatever of them is observed.
    ///
    /// The target's own values are not looked at. Values are those after the network's transform.
    pub fn predict(&self, table: &Table, target: &str) -> Result<Prediction> {
        let target_index = self.find(target)?;
        let mut absent = Vec::new();
        let mut columns = Vec::with_capacity(self.len());
        for (v, variable) in self.variables.iter().enumerate() {
            let found = table.index_of(&variable.name).filter(|_| v != target_index);
            columns.push(match found {
                Some(j) => self.transformed(table.column(j), &variable.name)?,
                None => vec![f64::NAN; table.rows()],
            });
            if found.is_none() && v != target_index && !variable.hidden {
                absent.push(variable.name.clone());
            }
        }
        let observed = self.variables.iter().filter(|v| !v.hidden).count();
        if observed > 1 && absent.len() == observed - 1 {
            return Err(Error::Data(
                "the data have none of the network's other variables".to_string(),
            ));
        }
        let mut prediction = Prediction {
            mean: vec![f64::NAN; table.rows()],
            sd: vec![f64::NAN; table.rows()],
            absent,
            from_parents: !self.is_linear(),
        };
        if prediction.from_parents {
            self.predict_from_parents(target_index, &columns, &mut prediction);
            return Ok(prediction);
        }
        let joint = Gaussian::new(self)?;
        for (unobserved, rows) in self.patterns(&columns, Some(target_index)) {
            let posterior = joint.conditional(&unobserved)?;
            let at = unobserved
                .binary_search(&target_index)
                .expect("the target is unobserved");
            let one = posterior.one(&joint, at);
            let sd = one.variance().sqrt();
            for row in rows {
                prediction.mean[row] = one.mean(|v| columns[v][row]);
                prediction.sd[row] = sd;
            }
        }
        Ok(prediction)
    }

    /// Mean and deviation of a variable given its parents.
    fn predict_from_parents(&self, target: usize, columns: &[Vec<f64>], out: &mut Prediction) {
        let family = &self.families[target];
        let positive = family.cpd.needs_positive();
        let mut inputs = vec![0.0; family.parents.len()];
        for row in 0..out.mean.len() {
            for (input, &parent) in inputs.iter_mut().zip(&family.parents) {
                *input = columns[parent][row];
            }
            let usable = |input: &f64| !input.is_nan() && (*input > 0.0 || !positive);
            if inputs.iter().all(usable) {
                out.mean[row] = family.cpd.mean(&inputs);
                out.sd[row] = family.cpd.variance().sqrt();
            }
        }
    }
}
