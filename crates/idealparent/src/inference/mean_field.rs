//! Mean field: the best distribution of the missing values in which all entries are Gaussian and
//! independent of each other (section 4.3), for densities of any kind.
//!
//! Means take Gauss-Newton steps. Variances move towards the reciprocal of the curvature. All
//! entries of an instance are updated together ([`super::joint`]), or one at a time if there are
//! many or the joint update fails. A step is halved until the free energy rises.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::joint::JointEntries;
use super::{Completion, entropy};
use crate::cpd::Expected;
use crate::data::{Column, Completed, Holes};
use crate::network::Network;
use crate::numerics::Rule;

/// Maximum number of sweeps over the missing entries of an instance.
const MOST_SWEEPS: usize = 100;

/// Sweeps over an instance stop if one gains less than this, in nats.
const LITTLE: f64 = 1e-9;

/// Maximum number of halvings of a step.
const HALVINGS: usize = 12;

/// Maximum change of the logarithm of a variance in one step.
const LARGEST_STEP: f64 = 2.0;

/// Mean-field inference for single instances of a network.
pub(crate) struct MeanField<'a> {
    pub(super) network: &'a Network,
    /// The children of every variable, with its position among their parents.
    children: Vec<Vec<(usize, usize)>>,
    /// Lower bounds of the means; empty if there are none.
    least: &'a [f64],
    pub(super) rule: &'static Rule,
}

/// Means and variances of one instance's entries; an observed entry has variance 0.
#[derive(Clone)]
pub(crate) struct Instance {
    pub(crate) means: Vec<f64>,
    pub(crate) variances: Vec<f64>,
}

/// Means and variances of a family's parents.
#[derive(Default)]
pub(super) struct Inputs {
    pub(super) means: Vec<f64>,
    pub(super) variances: Vec<f64>,
}

impl<'a> MeanField<'a> {
    /// `least` are lower bounds of the means of all variables; empty if there are none.
    pub(crate) fn new(network: &'a Network, least: &'a [f64], rule: &'static Rule) -> Self {
        let mut children = vec![Vec::new(); network.len()];
        for (child, family) in network.families.iter().enumerate() {
            for (place, &parent) in family.parents.iter().enumerate() {
                children[parent].push((child, place));
            }
        }
        MeanField {
            network,
            children,
            least,
            rule,
        }
    }

    /// The children of a variable.
    pub(crate) fn children_of(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        self.children[v].iter().map(|&(child, _)| child)
    }

    /// The lower bound of the means of a variable.
    pub(super) fn least_of(&self, v: usize) -> f64 {
        self.least.get(v).copied().unwrap_or(f64::NEG_INFINITY)
    }

    pub(super) fn inputs(&self, child: usize, at: &Instance, inputs: &mut Inputs) {
        let parents = &self.network.families[child].parents;
        inputs.means.clear();
        inputs.means.extend(parents.iter().map(|&p| at.means[p]));
        inputs.variances.clear();
        inputs
            .variances
            .extend(parents.iter().map(|&p| at.variances[p]));
    }

    fn expected(&self, child: usize, at: &Instance, inputs: &mut Inputs) -> Expected {
        self.inputs(child, at, inputs);
        let cpd = &self.network.families[child].cpd;
        cpd.expected(&inputs.means, &inputs.variances, self.rule)
    }

    /// Expected squared error of a family.
    fn squares(&self, child: usize, at: &Instance, inputs: &mut Inputs) -> f64 {
        let Expected { mean, variance } = self.expected(child, at, inputs);
        (at.means[child] - mean).powi(2) + at.variances[child] + variance
    }

    /// The terms of the free energy that depend on an entry.
    fn local(&self, v: usize, at: &Instance, inputs: &mut Inputs) -> f64 {
        let term = |child: usize, inputs: &mut Inputs| {
            self.squares(child, at, inputs) / self.network.families[child].cpd.variance()
        };
        let mut squares = term(v, inputs);
        for &(child, _) in &self.children[v] {
            squares += term(child, inputs);
        }
        0.5 * (at.variances[v].ln() - squares)
    }

    /// `E_Q log p + H(Q)` of an instance; `unobserved` are its missing variables.
    pub(crate) fn free_energy(&self, at: &Instance, unobserved: &[usize]) -> f64 {
        let mut inputs = Inputs::default();
        let mut sum = 0.0;
        for (v, family) in self.network.families.iter().enumerate() {
            if !family.inactive {
                let variance = family.cpd.variance();
                let squares = self.squares(v, at, &mut inputs) / variance;
                sum -= 0.5 * ((2.0 * PI * variance).ln() + squares);
            }
        }
        sum + entropy_of(at, unobserved)
    }

    /// Raises the free energy of an instance until it has converged.
    pub(crate) fn improve(&self, at: &mut Instance, unobserved: &[usize]) {
        let mut together = JointEntries::new(self, unobserved);
        let mut inputs = Inputs::default();
        for _ in 0..MOST_SWEEPS {
            if let Some(together) = &mut together
                && together.improve(at, LITTLE)
            {
                return;
            }
            let mut gained = 0.0;
            for &v in unobserved {
                gained += self.step(v, at, &mut inputs);
            }
            if gained < LITTLE {
                return;
            }
        }
    }

    /// Like [`MeanField::improve`], but always one entry at a time.
    #[cfg(test)]
    pub(super) fn improve_one_by_one(&self, at: &mut Instance, unobserved: &[usize]) {
        let mut inputs = Inputs::default();
        for _ in 0..100 * MOST_SWEEPS {
            let steps = unobserved.iter().map(|&v| self.step(v, at, &mut inputs));
            if steps.sum::<f64>() < LITTLE {
                return;
            }
        }
    }

    /// Takes one step for one entry, and returns its gain.
    fn step(&self, v: usize, at: &mut Instance, inputs: &mut Inputs) -> f64 {
        let before = self.local(v, at, inputs);
        let (mean, variance) = (at.means[v], at.variances[v]);
        let (rise, curvature, tightness) = self.derivatives(v, at, inputs);
        let by = rise / curvature;
        let log_by = log_step(tightness, variance);
        let least = self.least_of(v);
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            at.means[v] = (mean + share * by).max(least);
            at.variances[v] = variance * (share * log_by).exp();
            let gained = self.local(v, at, inputs) - before;
            if gained > 0.0 {
                return gained;
            }
            share *= 0.5;
        }
        (at.means[v], at.variances[v]) = (mean, variance);
        0.0
    }

    /// Derivatives of an entry's terms: the first derivative with respect to its mean, minus the
    /// second one (Gauss-Newton approximation), and the reciprocal of the variance at which the
    /// derivative with respect to the variance vanishes, approximately.
    fn derivatives(&self, v: usize, at: &Instance, inputs: &mut Inputs) -> (f64, f64, f64) {
        let own = self.network.families[v].cpd.variance();
        let expected = self.expected(v, at, inputs).mean;
        let mut rise = (expected - at.means[v]) / own;
        let mut curvature = 1.0 / own;
        let mut tightness = 1.0 / own;
        let mut slopes = Vec::new();
        for &(child, place) in &self.children[v] {
            self.inputs(child, at, inputs);
            let cpd = &self.network.families[child].cpd;
            let (means, variances) = (&inputs.means, &inputs.variances);
            let expected = cpd.expected_with_slopes(means, variances, self.rule, &mut slopes);
            let residual = at.means[child] - expected.mean;
            let by = |of: Expected| (residual * of.mean - 0.5 * of.variance) / cpd.variance();
            rise += by(slopes[place].by_mean);
            curvature += slopes[place].by_mean.mean.powi(2) / cpd.variance();
            tightness -= 2.0 * by(slopes[place].by_variance);
        }
        (rise, curvature, tightness)
    }

    /// Sets the initial expectations: the predictions from the expectations of the parents.
    pub(crate) fn guess(&self, at: &mut Instance, unobserved: &[usize], order: &[usize]) {
        let mut inputs = Inputs::default();
        for &v in order.iter().filter(|v| unobserved.binary_search(v).is_ok()) {
            let Expected { mean, .. } = self.expected(v, at, &mut inputs);
            at.means[v] = mean.max(self.least_of(v));
            at.variances[v] = self.network.families[v].cpd.variance();
        }
    }
}

/// The step of the logarithm of a variance towards `1 / tightness`.
pub(super) fn log_step(tightness: f64, variance: f64) -> f64 {
    if tightness > 0.0 {
        (-(tightness * variance).ln()).clamp(-LARGEST_STEP, LARGEST_STEP)
    } else {
        LARGEST_STEP
    }
}

/// Entropy of an instance's missing entries.
fn entropy_of(at: &Instance, unobserved: &[usize]) -> f64 {
    entropy(unobserved.iter().map(|&v| at.variances[v]))
}

/// The result for an instance: means and variances of its missing entries.
struct ImprovedInstance {
    entries: Vec<(f64, f64)>,
    energy: f64,
    entropy: f64,
}

/// Improves the distribution of the missing values, starting from `from`. Returns it with its free
/// energy, without penalties.
pub(crate) fn mean_field(
    network: &Network,
    columns: &[Column],
    holes: &Holes,
    from: &Completion,
    least: &[f64],
) -> (Completion, f64) {
    let field = MeanField::new(network, least, Rule::fast());
    let rows = columns.first().map_or(0, |column| column.len());
    let instance = |row: usize| Instance {
        means: from.data.means().iter().map(|c| c[row]).collect(),
        variances: (0..columns.len())
            .map(|v| from.data.variances(v).get(row).copied().unwrap_or(0.0))
            .collect(),
    };
    let jobs: Vec<(usize, &[usize])> = holes.rows().collect();
    let improve = |&(row, unobserved): &(usize, &[usize])| {
        let mut at = instance(row);
        field.improve(&mut at, unobserved);
        let entries = unobserved.iter();
        ImprovedInstance {
            entries: entries.map(|&v| (at.means[v], at.variances[v])).collect(),
            energy: field.free_energy(&at, unobserved),
            entropy: entropy_of(&at, unobserved),
        }
    };
    let improved: Vec<ImprovedInstance> = jobs.par_iter().map(improve).collect();
    let mut means = columns.to_vec();
    let mut variances = vec![Vec::new(); columns.len()];
    let (mut energies, mut total) = (vec![0.0; rows], 0.0);
    for ((row, unobserved), found) in jobs.into_iter().zip(improved) {
        energies[row] = found.energy;
        total += found.entropy;
        for (&v, (mean, variance)) in unobserved.iter().zip(found.entries) {
            means[v][row] = mean;
            variances[v].resize(rows, 0.0);
            variances[v][row] = variance;
        }
    }
    let data = Completed::new(means, variances, Default::default());
    let completion = Completion {
        data,
        entropy: total,
    };
    (completion, energies.iter().sum())
}
