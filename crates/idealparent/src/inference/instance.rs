//! Likelihood and posterior of a single instance, in networks with densities of any kind.
//!
//! Missing variables that are neither parent and child nor parents of the same child are
//! independent given the observed values. The posterior therefore splits into components, which are
//! integrated over separately.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::integrate::{Component, Density, FEW};
use super::mean_field::{Instance, MeanField};
use crate::network::Network;
use crate::numerics::Rule;

/// The posterior of the missing variables of one instance.
///
/// Part of a `RowPosterior`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InstancePosterior {
    /// Means, in the order of the unobserved variables.
    pub means: Vec<f64>,
    /// Variances, in the same order.
    pub variances: Vec<f64>,
    /// Draws from the joint posterior.
    pub draws: Vec<Vec<f64>>,
}

/// The likelihood of the observed values of an instance.
///
/// Part of a `RowPosterior`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InstanceLikelihood {
    /// The mean-field lower bound of the log-likelihood.
    pub bound: f64,
    /// An estimate of the log-likelihood, from a grid for each missing variable that is independent
    /// of the others, and from importance sampling for the rest.
    pub estimate: f64,
    /// Whether the estimate is rough because the effective number of draws is small.
    pub is_rough: bool,
}

/// Integrates over the missing variables of instances.
pub(crate) struct Integrator<'a> {
    network: &'a Network,
    field: MeanField<'a>,
    /// A topological order: parents before children.
    order: Vec<usize>,
    /// Whether each variable has a child whose density needs positive parents.
    positive: Vec<bool>,
}

impl<'a> Integrator<'a> {
    pub(crate) fn new(network: &'a Network) -> Self {
        Integrator {
            network,
            field: MeanField::new(network, &[], Rule::fine()),
            order: network.order(),
            positive: network.positive(),
        }
    }

    /// The mean-field distribution of an instance. `values` is NaN for the `unobserved` variables,
    /// which are in ascending order.
    ///
    /// Takes the better result of two starts: the predictions from the parents, and the maximum of
    /// the joint density near them.
    fn mean_field(&self, values: &[f64], unobserved: &[usize]) -> Instance {
        let mut guess = Instance {
            means: values.to_vec(),
            variances: vec![0.0; values.len()],
        };
        self.field.guess(&mut guess, unobserved, &self.order);
        let mut best: Option<(Instance, f64)> = None;
        let at_mode = self.at_mode(&guess, unobserved);
        for mut at in [Some(guess), at_mode].into_iter().flatten() {
            self.field.improve(&mut at, unobserved);
            let energy = self.field.free_energy(&at, unobserved);
            if best.as_ref().is_none_or(|(_, known)| energy > *known) {
                best = Some((at, energy));
            }
        }
        best.expect("there is at least one start").0
    }

    /// The maximum of the joint density near a guess, with the variance of each entry given all
    /// others.
    fn at_mode(&self, guess: &Instance, unobserved: &[usize]) -> Option<Instance> {
        let mut at = guess.clone();
        let mut touched = vec![false; self.network.len()];
        for component in self.components(unobserved, &mut touched) {
            let density = Density {
                network: self.network,
                component: &component,
                values: guess.means.clone(),
            };
            let (mode, precisions) = density.mode()?;
            for (i, &v) in component.members.iter().enumerate() {
                at.means[v] = mode[i];
                at.variances[v] = 1.0 / precisions[i];
            }
        }
        let sound = |&v: &usize| at.means[v].is_finite() && at.variances[v] > 0.0;
        unobserved.iter().all(sound).then_some(at)
    }

    /// The mean-field lower bound of the log-likelihood.
    pub(crate) fn bound(&self, values: &[f64], unobserved: &[usize]) -> f64 {
        let at = self.mean_field(values, unobserved);
        self.field.free_energy(&at, unobserved)
    }

    /// The posterior and the likelihood of an instance. Random numbers come from the given seed and
    /// stream.
    pub(crate) fn posterior(
        &self,
        values: &[f64],
        unobserved: &[usize],
        draws: usize,
        (seed, stream): (u64, u64),
    ) -> (InstancePosterior, InstanceLikelihood) {
        let at = self.mean_field(values, unobserved);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        let mut posterior = InstancePosterior {
            means: vec![0.0; unobserved.len()],
            variances: vec![0.0; unobserved.len()],
            draws: vec![vec![0.0; unobserved.len()]; draws],
        };
        let mut likelihood = InstanceLikelihood {
            bound: self.field.free_energy(&at, unobserved),
            estimate: 0.0,
            is_rough: false,
        };
        let mut touched = vec![false; self.network.len()];
        for component in self.components(unobserved, &mut touched) {
            let members = &component.members;
            let spreads: Vec<f64> = members.iter().map(|&v| at.variances[v].sqrt()).collect();
            let density = Density {
                network: self.network,
                component: &component,
                values: at.means.clone(),
            };
            let mut weighted = density.integrate(&spreads, &mut random);
            likelihood.estimate += weighted.log_integral;
            likelihood.is_rough |= weighted.effective() < FEW && members.len() > 1;
            let is_positive = |(&v, x): (&usize, &f64)| !self.positive[v] || *x > 0.0;
            weighted.keep(|point| members.iter().zip(point).all(is_positive));
            let places = members.iter().map(|v| unobserved.binary_search(v));
            let places: Vec<usize> = places.map(|at| at.expect("it is unobserved")).collect();
            for (i, &place) in places.iter().enumerate() {
                (posterior.means[place], posterior.variances[place]) = weighted.moments(i);
            }
            for draw in &mut posterior.draws {
                for (&place, x) in places.iter().zip(weighted.draw(&mut random)) {
                    draw[place] = x;
                }
            }
        }
        self.keep_positive(&mut posterior, unobserved);
        let mut inputs = Vec::new();
        for v in 0..self.network.len() {
            if !touched[v] && !self.network.families[v].inactive {
                likelihood.estimate += self.network.log_density(v, |u| at.means[u], &mut inputs);
            }
        }
        (posterior, likelihood)
    }

    /// Raises means and draws that must be positive to a small positive number. They can be
    /// negative if no weighted point was positive, or within the cell of a point.
    fn keep_positive(&self, posterior: &mut InstancePosterior, unobserved: &[usize]) {
        for (i, &v) in unobserved
            .iter()
            .enumerate()
            .filter(|&(_, &v)| self.positive[v])
        {
            let least = 1e-6 * self.network.families[v].cpd.variance().sqrt();
            posterior.means[i] = posterior.means[i].max(least);
            for draw in &mut posterior.draws {
                draw[i] = draw[i].max(least);
            }
        }
    }

    /// Splits the missing variables into components that are independent of each other. Marks the
    /// families that contain them as `touched`.
    fn components(&self, unobserved: &[usize], touched: &mut [bool]) -> Vec<Component> {
        let place = |v: usize| unobserved.binary_search(&v).ok();
        let mut seen = vec![false; unobserved.len()];
        let mut found = Vec::new();
        for first in 0..unobserved.len() {
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            let mut members = vec![unobserved[first]];
            let mut families = Vec::new();
            let mut next = 0;
            while let Some(&v) = members.get(next) {
                next += 1;
                for family in std::iter::once(v).chain(self.field.children_of(v)) {
                    if std::mem::replace(&mut touched[family], true) {
                        continue;
                    }
                    families.push(family);
                    let parents = self.network.families[family].parents.iter().copied();
                    for other in parents.chain([family]) {
                        if let Some(at) = place(other)
                            && !std::mem::replace(&mut seen[at], true)
                        {
                            members.push(other);
                        }
                    }
                }
            }
            members.sort_unstable();
            families.sort_unstable();
            found.push(Component { members, families });
        }
        found
    }
}
