//! Likelihood and score of a network on a table.

use std::f64::consts::PI;

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::{Integrator, Wanted, exact};
use crate::data::{Column, Holes, Table, unit_variance};
use crate::error::{Error, Result, option_value, quoted};
use crate::family::{Blocks, Gram};
use crate::network::{Family, Network, Transform};
use crate::score::{Gamma, GramScorer, Prices, ScoreKind, ScoreOptions, Scorer};

/// Fixed seed of the importance sampling, so that the same network and data give the same estimate.
const SEED: u64 = 0;

/// Likelihood and score of a network on a table.
///
/// Returned by [`Network::score_table`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct NetworkScore {
    /// Log-likelihood of the observed values. If `estimate` is given, this is a mean-field lower
    /// bound.
    pub log_likelihood: f64,
    /// An estimate of the log-likelihood by integration on grids and importance sampling, if values
    /// are missing and some density is not linear.
    pub estimate: Option<f64>,
    /// Number of instances whose estimate is rough, because the effective number of draws is small.
    pub rough: usize,
    /// The score. If `estimate` is given, it is computed from the lower bound.
    pub score: f64,
    /// EBIC's gamma, if it was chosen from the data.
    pub gamma: Option<f64>,
    /// Number of free parameters.
    pub dimension: usize,
    /// Instances with at least one observed value.
    pub instances: usize,
    /// Log-likelihood of each variable given its parents, if the data are complete.
    pub per_variable: Option<Vec<f64>>,
}

impl NetworkScore {
    /// The result as a JSON object, as the command prints it; `kind` is the kind of score.
    pub fn figures(&self, network: &Network, kind: ScoreKind) -> Value {
        let mut object = json!({
            "score": number(self.score),
            "score_name": kind.word(),
            "dimension": self.dimension,
            "instances": self.instances,
        });
        match self.estimate {
            None => object["log_likelihood"] = json!(self.log_likelihood),
            Some(estimate) => {
                object["bound"] = json!(self.log_likelihood);
                object["estimate"] = json!(estimate);
            }
        }
        if let Some(gamma) = self.gamma {
            object["gamma"] = json!(gamma);
        }
        if let Some(parts) = &self.per_variable {
            let names = network.variables.iter().map(|v| v.name.clone());
            let each: Map<String, Value> = names.zip(parts.iter().map(|x| json!(x))).collect();
            object["per_variable"] = Value::Object(each);
        }
        object
    }
}

impl Network {
    /// The table's columns in the order of the network's variables, transformed as in training.
    ///
    /// Hidden variables get columns of NaN. Returns an error if any other variable is not in the
    /// table.
    pub fn columns_of(&self, table: &Table) -> Result<Vec<Column>> {
        let observed = self.variables.iter().filter(|variable| !variable.hidden);
        table.check_several(observed.map(|variable| variable.name.as_str()))?;
        let column = |v: usize| {
            let variable = &self.variables[v];
            if variable.hidden {
                return Ok(vec![f64::NAN; table.rows()].into());
            }
            let column = &table.columns()[table.find(&variable.name)?];
            self.transformed(column, &variable.name)
        };
        (0..self.len()).map(column).collect()
    }

    /// Returns an error if a parent of a product density has a value that is not positive. Factors
    /// of a product have a pole at a negative number, so its mean is not defined there.
    ///
    /// `columns` are those of the network, as [`columns_of`](Self::columns_of) returns them.
    pub fn check_positive(&self, columns: &[Column]) -> Result<()> {
        for (v, family) in self.families.iter().enumerate() {
            for &p in family
                .parents
                .iter()
                .filter(|_| family.cpd.needs_positive())
            {
                if let Some(row) = columns[p].iter().position(|&x| x <= 0.0) {
                    return Err(Error::data(format!(
                        "column {}, row {}: {} is not above 0, and the product cpd of {} needs positive parents",
                        quoted(self.name(p)),
                        row + 1,
                        columns[p][row],
                        quoted(self.name(v))
                    )));
                }
            }
        }
        Ok(())
    }

    /// A column after the network's transform.
    pub(super) fn transformed(&self, column: &Column, name: &str) -> Result<Column> {
        let values: Column = match self.transform {
            Transform::None => column.clone(),
            Transform::Exp2 => column.iter().map(|x| x.exp2()).collect(),
        };
        if values.iter().any(|value| value.is_infinite()) {
            let name = quoted(name);
            return Err(Error::data(format!(
                "column {name}: 2^x of its values is too large (are they log-ratios?)"
            )));
        }
        Ok(values)
    }

    /// Number of free parameters.
    pub fn dimension(&self) -> usize {
        self.free_parameters(self.has("bias"), self.has("baseline"))
    }

    /// Number of free parameters; `bias` and `baseline` say whether those are free.
    pub(crate) fn free_parameters(&self, bias: bool, baseline: bool) -> usize {
        let of_family = |(v, family): (usize, &Family)| match () {
            _ if family.inactive => 0,
            // The location and scale of a hidden variable are not free.
            _ if self.variables[v].hidden => family.parents.len(),
            _ => family.cpd.parameters(bias, baseline),
        };
        self.families.iter().enumerate().map(of_family).sum()
    }

    /// Whether the network was learned with a flag set.
    fn has(&self, option: &str) -> bool {
        self.provenance.as_ref().is_some_and(|p| p.has(option))
    }

    /// Number of active variables, not counting hidden ones.
    pub fn active(&self) -> usize {
        let takes_part = |v: &usize| !self.families[*v].inactive && !self.variables[*v].hidden;
        (0..self.len()).filter(takes_part).count()
    }

    /// Log-likelihood of the observed values of a table. If values are missing and some density is
    /// not linear, this is a mean-field lower bound.
    ///
    /// ```
    /// use idealparent::{Cpd, Family, LinearCpd, Network, Table, Variable};
    ///
    /// // One variable with mean 2 and variance 1.
    /// let family = Family::new(vec![], Cpd::Linear(LinearCpd::root(2.0, 1.0)));
    /// let network = Network::new(vec![Variable::observed("A")], vec![family]);
    /// let table = Table::new(vec!["A".into()], vec![vec![2.0, f64::NAN]])?;
    /// let density = (2.0 * std::f64::consts::PI).powf(-0.5);
    /// assert!((network.log_likelihood(&table)? - density.ln()).abs() < 1e-12);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn log_likelihood(&self, table: &Table) -> Result<f64> {
        let columns = self.columns_of(table)?;
        self.check_positive(&columns)?;
        finite(match self.per_variable(&columns) {
            Some(parts) => parts.iter().sum(),
            None => self.bound(&columns)?,
        })
    }

    /// Log-likelihood of the observed values of each instance. These are estimates if some density
    /// is not linear and values are missing or variables hidden.
    pub fn log_likelihoods(&self, table: &Table) -> Result<Vec<f64>> {
        let columns = self.columns_of(table)?;
        self.check_positive(&columns)?;
        let active: Vec<usize> = (0..self.len())
            .filter(|&v| !self.families[v].inactive)
            .collect();
        let is_complete = |&v: &usize| columns[v].iter().all(|value| !value.is_nan());
        if active.iter().all(is_complete) {
            let of_row = |row: usize| {
                let mut inputs = Vec::new();
                let part = |&v: &usize| self.log_density(v, |u| columns[u][row], &mut inputs);
                active.iter().map(part).sum()
            };
            return Ok((0..table.rows()).into_par_iter().map(of_row).collect());
        }
        if self.is_linear() {
            let holes = Holes::new(&columns, |v| !self.families[v].inactive);
            return Ok(exact(self, &columns, &holes, Wanted::Likelihood)?.log_likelihood);
        }
        let parts = self.estimates(&columns)?.0;
        Ok(parts.into_iter().map(|(_, estimate)| estimate).collect())
    }

    /// Likelihood and score of the network on a table.
    ///
    /// If `options` leave EBIC's gamma open, the network's own gamma is used if that was chosen
    /// from the data. Otherwise it follows from the number of edges, or is 1 with hidden variables.
    /// The score is minus infinity if it is calibrated for few instances and some family has too
    /// many parents for them.
    pub fn score_table(&self, table: &Table, options: &ScoreOptions) -> Result<NetworkScore> {
        options.check()?;
        let columns = self.columns_of(table)?;
        self.check_positive(&columns)?;
        let takes_part = |v: &usize| !self.families[*v].inactive && !self.variables[*v].hidden;
        let mut active: Vec<usize> = (0..self.len()).filter(takes_part).collect();
        if active.is_empty() {
            active = (0..self.len()).collect();
        }
        let seen = |row: &usize| active.iter().any(|&v| !columns[v][*row].is_nan());
        let instances = (0..table.rows()).filter(seen).count();
        if instances == 0 {
            return Err(Error::data("the data have no observed value"));
        }
        let per_variable = self.per_variable(&columns);
        let (log_likelihood, estimate, rough) = match &per_variable {
            Some(parts) => (parts.iter().sum(), None, 0),
            None if self.is_linear() => (self.bound(&columns)?, None, 0),
            None => {
                let (parts, rough) = self.estimates(&columns)?;
                let sum = |(low, near), (bound, estimate)| (low + bound, near + estimate);
                let (bound, estimate) = parts.into_iter().fold((0.0, 0.0), sum);
                (bound, Some(finite(estimate)?), rough)
            }
        };
        let log_likelihood = finite(log_likelihood)?;
        let dimension = self.dimension();
        let options = &self.resolved(options);
        let score = match options.kind {
            ScoreKind::Bge => self.bge(&columns, per_variable.is_some(), options)?,
            _ => {
                let prices = options.prices(instances as f64, self.active());
                log_likelihood - self.price(&prices, dimension)
            }
        };
        Ok(NetworkScore {
            log_likelihood,
            estimate,
            rough,
            score,
            gamma: options.chosen_gamma(),
            dimension,
            instances,
            per_variable,
        })
    }

    /// The options with a value of EBIC's gamma.
    fn resolved(&self, options: &ScoreOptions) -> ScoreOptions {
        if options.gamma != Gamma::Auto {
            return *options;
        }
        let recorded = self.score.as_ref().and_then(|score| score.gamma);
        let variables = self.active();
        let pairs = variables * variables.saturating_sub(1) / 2;
        let by_density = || {
            if self.variables.iter().any(|v| v.hidden) {
                1.0
            } else {
                Gamma::of_density(variables, pairs, self.edge_count())
            }
        };
        ScoreOptions {
            gamma: Gamma::AutoAt(recorded.unwrap_or_else(by_density)),
            ..*options
        }
    }

    /// Penalty of this network, which has `dimension` free parameters.
    pub(crate) fn price(&self, prices: &Prices, dimension: usize) -> f64 {
        let families = self.families.iter();
        prices.network(dimension, families.map(|f| Blocks::single(f.parents.len())))
    }

    fn bge(&self, columns: &[Column], complete: bool, options: &ScoreOptions) -> Result<f64> {
        if !complete || !self.is_linear() {
            return Err(Error::options(format!(
                "{} needs complete data and linear CPDs",
                option_value("score", "bge")
            )));
        }
        Gram::check_memory(
            columns.len(),
            columns.first().map_or(0, |column| column.len()),
        )?;
        // A network learned from columns of unit variance is scored on such columns too.
        let gram = if self.has("standardize") {
            Gram::new(&unit_variance(columns))
        } else {
            Gram::new(columns)
        };
        let scorer = GramScorer::new(&gram, self.active(), options)?;
        let dag = self.dag();
        let mut total = 0.0;
        for v in (0..self.len()).filter(|&v| !self.families[v].inactive) {
            total += scorer.score(v, dag.parents(v)).ok_or_else(|| {
                let name = quoted(self.name(v));
                Error::data(format!("the family of {name} cannot be scored"))
            })?;
        }
        Ok(total)
    }

    /// Updates the recorded score to that of the final parameters. They are in the units of the
    /// data, where an intercept far from zero has a larger rounding error than the fit.
    ///
    /// `columns` are the training data, transformed and complete. The BGe score stays, since it
    /// does not depend on the parameters.
    pub(crate) fn settle_score(&mut self, columns: &[Column]) {
        let parts = self.per_variable(columns);
        if let (Some(parts), Some(score)) = (parts, &mut self.score) {
            let written: f64 = parts.iter().sum();
            if score.name != ScoreKind::Bge.word() {
                score.value += written - score.log_likelihood;
            }
            score.log_likelihood = written;
        }
    }

    /// Log-likelihood of each family; `None` if values of active variables are missing.
    fn per_variable(&self, columns: &[Column]) -> Option<Vec<f64>> {
        let complete =
            |v: usize| self.families[v].inactive || columns[v].iter().all(|value| !value.is_nan());
        if !(0..self.len()).all(complete) {
            return None;
        }
        let part = |v: usize| {
            if self.families[v].inactive {
                return 0.0;
            }
            let mut inputs = Vec::new();
            let rows = 0..columns[v].len();
            rows.map(|row| self.log_density(v, |u| columns[u][row], &mut inputs))
                .sum()
        };
        Some((0..self.len()).into_par_iter().map(part).collect())
    }

    /// Log density of one variable given its parents. `inputs` is a reusable buffer for their
    /// values.
    pub(crate) fn log_density(
        &self,
        v: usize,
        value: impl Fn(usize) -> f64,
        inputs: &mut Vec<f64>,
    ) -> f64 {
        let family = &self.families[v];
        inputs.clear();
        inputs.extend(family.parents.iter().map(|&p| value(p)));
        let variance = family.cpd.variance();
        let residual = value(v) - family.cpd.mean(inputs);
        -0.5 * ((2.0 * PI * variance).ln() + residual * residual / variance)
    }

    /// Log-likelihood of the observed values: exact in linear networks, otherwise the mean-field
    /// lower bound.
    pub(crate) fn bound(&self, columns: &[Column]) -> Result<f64> {
        let holes = Holes::new(columns, |v| !self.families[v].inactive);
        if self.is_linear() {
            let posterior = exact(self, columns, &holes, Wanted::Likelihood)?;
            return Ok(posterior.log_likelihood.iter().sum());
        }
        let integrator = Integrator::new(self);
        let mut rows: Vec<(usize, &[usize])> = holes.rows().collect();
        rows.sort_unstable();
        let active = self
            .families
            .iter()
            .filter(|family| !family.inactive)
            .count();
        let of_row = |&(row, unobserved): &(usize, &[usize])| {
            if unobserved.len() == active {
                // A row without values contributes nothing.
                0.0
            } else {
                integrator.bound(&row_of(columns, row), unobserved)
            }
        };
        let parts: Vec<f64> = rows.par_iter().map(of_row).collect();
        Ok(parts.iter().sum())
    }

    /// The mean-field bound and an estimate for every row, and the number of rough estimates.
    fn estimates(&self, columns: &[Column]) -> Result<(Vec<(f64, f64)>, usize)> {
        let active = self.families.iter().filter(|family| !family.inactive);
        let active = active.count();
        let mut parts = vec![None; columns.first().map_or(0, |column| column.len())];
        let mut rough = 0;
        for row in self.posterior(columns, None, 0, SEED)? {
            let likelihood = row.likelihood.filter(|_| row.unobserved.len() < active);
            rough += usize::from(likelihood.is_some_and(|l| l.is_rough));
            parts[row.row] = Some(likelihood.map_or((0.0, 0.0), |l| (l.bound, l.estimate)));
        }
        let integrator = Integrator::new(self);
        let whole = |row: usize| {
            let density = integrator.bound(&row_of(columns, row), &[]);
            (density, density)
        };
        let parts = parts.into_iter().enumerate();
        let each = parts.map(|(row, part)| part.unwrap_or_else(|| whole(row)));
        Ok((each.collect(), rough))
    }
}

/// A number in JSON, which cannot represent infinity: that is the text `-inf` or `inf`.
fn number(value: f64) -> Value {
    if value.is_infinite() {
        json!(value.to_string())
    } else {
        json!(value)
    }
}

/// The values of one row.
fn row_of(columns: &[Column], row: usize) -> Vec<f64> {
    columns.iter().map(|column| column[row]).collect()
}

/// Returns an error if the log-likelihood is not finite.
fn finite(log_likelihood: f64) -> Result<f64> {
    if log_likelihood.is_finite() {
        return Ok(log_likelihood);
    }
    Err(Error::data(
        "the log-likelihood is not a finite number: the data are too far from what the network expects",
    ))
}
