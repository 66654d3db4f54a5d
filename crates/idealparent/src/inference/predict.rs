//! Prediction: the posterior of one variable given the others.

use crate::data::{Holes, Pattern, Table};
use crate::error::{Error, Result, quoted};
use crate::network::{Gaussian, Network};

/// Mean and standard deviation of the target at every instance.
///
/// Returned by [`Network::predict`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Prediction {
    /// Posterior means; NaN in rows where a parent of a product density is not positive.
    pub mean: Vec<f64>,
    /// Posterior standard deviations.
    pub sd: Vec<f64>,
    /// Variables of the network that are not in the table. They are treated as missing.
    pub absent: Vec<String>,
}

impl Network {
    /// Posterior of `target` given the observed values of the other columns of the table.
    ///
    /// Values of the target in the table are ignored. The result is on the scale of the network's
    /// transform.
    ///
    /// ```
    /// use idealparent::{Cpd, Family, LinearCpd, Network, Table, Variable};
    ///
    /// // A ~ N(0, 1), and B = 2 A + noise of variance 0.25.
    /// let slope = LinearCpd { intercept: 0.0, weights: vec![2.0], variance: 0.25 };
    /// let network = Network::new(
    ///     vec![Variable::observed("A"), Variable::observed("B")],
    ///     vec![
    ///         Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0))),
    ///         Family::new(vec![0], Cpd::Linear(slope)),
    ///     ],
    /// );
    /// let table = Table::new(vec!["A".into()], vec![vec![1.0, 3.0]])?;
    /// let predicted = network.predict(&table, "B")?;
    /// assert_eq!((predicted.mean, predicted.sd), (vec![2.0, 6.0], vec![0.5, 0.5]));
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn predict(&self, table: &Table, target: &str) -> Result<Prediction> {
        let target_index = self.find(target)?;
        if self.families[target_index].unobserved {
            return Err(Error::data(format!(
                "{} was never observed, so the network cannot predict it",
                quoted(target)
            )));
        }
        let mut absent = Vec::new();
        let mut columns = Vec::with_capacity(self.len());
        let mut others = 0;
        for (v, variable) in self.variables.iter().enumerate() {
            let is_other = v != target_index && !variable.hidden;
            let found = table.index_of(&variable.name).filter(|_| is_other);
            columns.push(match found {
                Some(j) => self.transformed(&table.columns()[j], &variable.name)?,
                None => vec![f64::NAN; table.rows()].into(),
            });
            others += usize::from(is_other);
            if is_other && found.is_none() {
                absent.push(variable.name.clone());
            }
        }
        if others > 0 && absent.len() == others {
            return Err(Error::data(
                "the data have none of the network's other variables",
            ));
        }
        let mut prediction = Prediction {
            mean: vec![f64::NAN; table.rows()],
            sd: vec![f64::NAN; table.rows()],
            absent,
        };
        if !self.is_linear() {
            let is_usable = |row: usize| {
                let products = self.families.iter().filter(|f| f.cpd.needs_positive());
                let mut parents = products.flat_map(|family| &family.parents);
                !parents.any(|&p| columns[p][row] <= 0.0)
            };
            for row in self.posterior(&columns, Some(target_index), 0, 0)? {
                if !is_usable(row.row) {
                    continue;
                }
                let at = row.unobserved.binary_search(&target_index);
                let at = at.expect("the target is unobserved");
                prediction.mean[row.row] = row.of.means[at];
                prediction.sd[row.row] = row.of.variances[at].sqrt();
            }
            return Ok(prediction);
        }
        let joint = Gaussian::new(self)?;
        let counts = |v: usize| !self.families[v].inactive || v == target_index;
        for Pattern { unobserved, rows } in Holes::new(&columns, counts).patterns {
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
}
