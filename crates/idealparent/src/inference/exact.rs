//! The exact posterior of missing values in linear networks.

use rayon::prelude::*;

use crate::cpd::{Cpd, LinearCpd};
use crate::data::{Column, Completed, CovarianceSums, Holes, Pattern};
use crate::error::Result;
use crate::network::{Conditional, Gaussian, Network};

/// Approximate maximum number of values held in memory at once. Patterns are processed in batches,
/// because the covariances of all patterns together may not fit.
const MAX_BATCH_VALUES: usize = 1 << 23;

/// The parts of a posterior to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The likelihood of the observed values only.
    Likelihood,
    /// Also the means and covariances of the missing values.
    Exact,
    /// The best factorised distribution instead of the exact posterior: it has the same means, and
    /// the variances `1 / P_jj`.
    Factorised,
}

/// The posterior of the missing values of a table.
#[derive(Clone, Debug)]
pub struct Posterior {
    /// Expectations of all entries; `None` if only the likelihood was requested.
    pub data: Option<Completed<'static>>,
    /// Log-likelihood of the observed values of each row; for a factorised posterior, the bound
    /// `E log p + H`.
    pub log_likelihood: Vec<f64>,
    /// Entropy of the distribution of the missing values.
    pub entropy: f64,
}

/// The posterior of the rows with one pattern of missing values.
struct Part {
    /// For every row, the means of its missing values and its log-likelihood.
    rows: Vec<(Vec<f64>, f64)>,
    /// Blocks of the covariance matrix with their variables, the same for every row.
    covariances: Vec<(Vec<usize>, Vec<f64>)>,
    entropy: f64,
}

/// The posterior of the missing values of a linear network. Inactive columns must be complete.
///
/// Given the observed values, the missing ones are Gaussian with precision `P_uu`. This takes one
/// factorisation per pattern.
pub fn exact(
    network: &Network,
    columns: &[Column],
    holes: &Holes,
    wanted: Wanted,
) -> Result<Posterior> {
    let joint = Gaussian::new(network)?;
    let n = network.len();
    let mut filled = Filled::new(columns, holes, wanted);
    let mut from = 0;
    while from < holes.patterns.len() {
        let mut held = 0;
        let fits = |pattern: &&Pattern| {
            held += pattern.unobserved.len().pow(2) + pattern.rows.len() * n / 8;
            held <= MAX_BATCH_VALUES
        };
        let length = holes.patterns[from..].iter().take_while(fits).count();
        let some = &holes.patterns[from..from + length.max(1)];
        let parts: Vec<Result<Part>> = some
            .par_iter()
            .map(|pattern| part(network, &joint, columns, pattern, wanted))
            .collect();
        for (pattern, part) in some.iter().zip(parts) {
            filled.add(pattern, part?);
        }
        from += some.len();
    }
    Ok(filled.posterior())
}

fn part(
    network: &Network,
    joint: &Gaussian,
    columns: &[Column],
    pattern: &Pattern,
    wanted: Wanted,
) -> Result<Part> {
    let unobserved = &pattern.unobserved;
    let takes_part = |v: &usize| !network.families[*v].inactive;
    let active: Vec<usize> = (0..network.len()).filter(takes_part).collect();
    if unobserved.len() == active.len() && wanted == Wanted::Likelihood {
        let nothing = (Vec::new(), 0.0);
        return Ok(Part {
            rows: vec![nothing; pattern.rows.len()],
            covariances: Vec::new(),
            entropy: 0.0,
        });
    }
    let posterior = joint.conditional(unobserved)?;
    let own: Vec<f64> = unobserved.iter().map(|&u| joint.precision_of(u)).collect();
    // Half the log determinant of the distribution's precision.
    let tightness = match wanted {
        Wanted::Factorised => own.iter().map(|p| 0.5 * p.ln()).sum(),
        _ => 0.5 * posterior.log_det(),
    };
    let size = unobserved.len() as f64;
    let circle = (2.0 * std::f64::consts::PI).ln();
    let mut values = vec![0.0; network.len()];
    // Look up the families once, since the loop over rows takes most of the time.
    let linear = |&v: &usize| match &network.families[v].cpd {
        Cpd::Linear(cpd) => Some((v, &network.families[v].parents[..], cpd)),
        _ => None,
    };
    let families: Vec<(usize, &[usize], &LinearCpd)> = active.iter().filter_map(linear).collect();
    // The part of the log densities that is the same in every row.
    let spread = |(_, _, cpd): &(_, _, &LinearCpd)| 0.5 * (circle + cpd.variance.ln());
    let constants: f64 = families.iter().map(spread).sum();
    let mut row = |&row: &usize| {
        for &v in &active {
            values[v] = columns[v][row];
        }
        let means = posterior.mean(joint, |v| values[v]);
        for (&v, mean) in unobserved.iter().zip(&means) {
            values[v] = *mean;
        }
        // The joint density at the posterior means; the integral around them is constant.
        let mut squares = 0.0;
        for &(v, parents, cpd) in &families {
            let terms = parents.iter().zip(&cpd.weights);
            let mean = cpd.intercept + terms.map(|(&p, w)| w * values[p]).sum::<f64>();
            squares += (values[v] - mean).powi(2) / cpd.variance;
        }
        (
            means,
            0.5 * (size * circle - squares) - constants - tightness,
        )
    };
    Ok(Part {
        rows: pattern.rows.iter().map(&mut row).collect(),
        covariances: covariances(&posterior, unobserved, &own, wanted),
        entropy: 0.5 * size * (circle + 1.0) - tightness,
    })
}

fn covariances(
    posterior: &Conditional,
    unobserved: &[usize],
    own: &[f64],
    wanted: Wanted,
) -> Vec<(Vec<usize>, Vec<f64>)> {
    match wanted {
        Wanted::Likelihood => Vec::new(),
        Wanted::Exact => posterior.covariances().collect(),
        Wanted::Factorised => {
            let single = |(&v, p): (&usize, &f64)| (vec![v], vec![1.0 / p]);
            unobserved.iter().zip(own).map(single).collect()
        }
    }
}

/// Accumulates the results of all patterns.
struct Filled {
    wanted: Wanted,
    /// Columns without missing values are shared with the data.
    means: Vec<Column>,
    variances: Vec<Vec<f64>>,
    /// Covariances summed over instances; `None` if the distribution is factorised or nothing is
    /// missing.
    sums: Option<CovarianceSums>,
    log_likelihood: Vec<f64>,
    entropy: f64,
}

impl Filled {
    fn new(columns: &[Column], holes: &Holes, wanted: Wanted) -> Self {
        let n = columns.len();
        let rows = columns.first().map_or(0, |column| column.len());
        let mut filled = Filled {
            wanted,
            means: Vec::new(),
            variances: vec![Vec::new(); n],
            sums: None,
            log_likelihood: vec![0.0; rows],
            entropy: 0.0,
        };
        if wanted != Wanted::Likelihood {
            filled.means = columns.to_vec();
            for pattern in &holes.patterns {
                for &v in &pattern.unobserved {
                    filled.variances[v].resize(rows, 0.0);
                }
            }
        }
        if wanted == Wanted::Exact && holes.count > 0 {
            filled.sums = Some(CovarianceSums::new(n));
        }
        filled
    }

    fn add(&mut self, pattern: &Pattern, part: Part) {
        let count = pattern.rows.len() as f64;
        self.entropy += count * part.entropy;
        for (&row, (_, likelihood)) in pattern.rows.iter().zip(&part.rows) {
            self.log_likelihood[row] = *likelihood;
        }
        if self.wanted != Wanted::Likelihood {
            for (i, &v) in pattern.unobserved.iter().enumerate() {
                let column = &mut self.means[v][..];
                for (&row, (means, _)) in pattern.rows.iter().zip(&part.rows) {
                    column[row] = means[i];
                }
            }
        }
        for (variables, matrix) in part.covariances {
            let k = variables.len();
            for (i, &a) in variables.iter().enumerate() {
                for &row in &pattern.rows {
                    self.variances[a][row] = matrix[i * k + i];
                }
            }
            if let Some(sums) = &mut self.sums {
                sums.add(&variables, &matrix, count);
            }
        }
    }

    fn posterior(self) -> Posterior {
        let covariances = self.sums.map(CovarianceSums::finish).unwrap_or_default();
        let has_data = self.wanted != Wanted::Likelihood;
        Posterior {
            data: has_data.then(|| Completed::new(self.means, self.variances, covariances)),
            log_likelihood: self.log_likelihood,
            entropy: self.entropy,
        }
    }
}
