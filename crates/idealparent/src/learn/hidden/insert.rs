//! A network with hidden variables; inserting and removing them.

use super::propose::Proposal;
use super::residuals::residual;
use crate::cpd::{Cpd, LinearCpd};
use crate::data::Completed;
use crate::error::{Result, quoted};
use crate::inference::Completion;
use crate::learn::em::{CompletedNetwork, Em, EmLimits, LEAST_HIDDEN, anchor, normalise};
use crate::learn::learner::Learner;
use crate::learn::prepared::Prepared;
use crate::network::{Family, Network, Variable};
use crate::numerics::mean_and_variance;

/// Noise below this share of a variable's variance is reported as a Heywood case.
const TIGHT: f64 = 1e-4;

/// A network with hidden variables, the table with their columns, and their expectations.
#[derive(Clone)]
pub(in crate::learn) struct HiddenModel {
    pub(super) prepared: Prepared,
    pub(super) state: CompletedNetwork,
}

impl HiddenModel {
    /// The hidden variables.
    pub(super) fn hidden(&self) -> Vec<usize> {
        let variables = &self.state.network.variables;
        (0..variables.len())
            .filter(|&v| variables[v].hidden)
            .collect()
    }

    /// The children of a variable, with its position among their parents.
    fn children(&self, v: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let families = self.state.network.families.iter().enumerate();
        families.filter_map(move |(child, family)| {
            Some((child, family.parents.iter().position(|&p| p == v)?))
        })
    }

    /// The observed children of a variable.
    pub(super) fn observed_children(&self, v: usize) -> Vec<usize> {
        let variables = &self.state.network.variables;
        let children = self.children(v).map(|(child, _)| child);
        children.filter(|&child| !variables[child].hidden).collect()
    }

    /// Hidden variables with fewer than `fewest` children.
    pub(super) fn with_few_children(&self, fewest: usize) -> Vec<usize> {
        let few = |v: &usize| self.children(*v).count() < fewest;
        self.hidden().into_iter().filter(few).collect()
    }

    /// Inserts a hidden variable, the parent of a cluster.
    ///
    /// Its initial profile is the posterior of a N(0, 1) variable given the ideal profiles of the
    /// members, by the loadings of the proposal.
    pub(super) fn insert(&self, base: Learner, proposal: &Proposal) -> Result<HiddenModel> {
        let data = &self.state.completion.data;
        let mut network = self.state.network.clone();
        let factor = &proposal.factor;
        self.cut(&mut network, base, proposal)?;
        let options = base.options;
        let mut profile = vec![0.0; data.instances()];
        let (weights, variance) = factor.posterior();
        for (&v, weight) in factor.members.iter().zip(weights) {
            let residual = residual(&network, data, v, options.measure);
            for (z, r) in profile.iter_mut().zip(residual) {
                *z += weight * r;
            }
        }
        if options.needs_positive() {
            // Parents of a product density must be positive.
            profile.iter_mut().for_each(|z| *z = z.max(LEAST_HIDDEN));
        }
        let two_layer = options.two_layer;
        let prepared = base
            .prepared
            .with_hidden(self.hidden().len() + 1, two_layer);
        let data = data.with_column(profile, variance);
        let new = network.len();
        network.variables.push(Variable {
            name: prepared.table.names()[new].clone(),
            hidden: true,
        });
        let root = Cpd::Linear(LinearCpd::root(0.0, 1.0));
        network.families.push(Family::new(Vec::new(), root));
        let with_new = |&v: &usize| {
            let mut parents = network.families[v].parents.clone();
            parents.push(new);
            (v, parents)
        };
        let families: Vec<(usize, Vec<usize>)> = factor.members.iter().map(with_new).collect();
        base.on(&prepared).refit(&mut network, &data, families)?;
        HiddenModel::settled(base, prepared, network, data)
    }

    /// Removes the edges that a hidden variable is to replace.
    fn cut(&self, network: &mut Network, base: Learner, proposal: &Proposal) -> Result<()> {
        let kept = proposal.parents.iter().flatten();
        let changed: Vec<(usize, Vec<usize>)> = proposal
            .factor
            .members
            .iter()
            .zip(kept)
            .filter(|(v, parents)| network.families[**v].parents != **parents)
            .map(|(&v, parents)| (v, parents.clone()))
            .collect();
        let data = &self.state.completion.data;
        base.on(&self.prepared).refit(network, data, changed)
    }

    /// Removes some of the hidden variables. The others are renumbered and renamed without gaps.
    pub(super) fn without(&self, base: Learner, dropped: &[usize]) -> Result<HiddenModel> {
        let network = &self.state.network;
        let kept: Vec<usize> = (0..network.len())
            .filter(|v| !dropped.contains(v))
            .collect();
        let place = |v: &usize| kept.binary_search(v).ok();
        let left = self.hidden().len() - dropped.len();
        let two_layer = base.options.two_layer;
        let prepared = base.prepared.with_hidden(left, two_layer);
        let data = self.state.completion.data.select(&kept);
        let mut fewer = network.clone();
        fewer.variables = kept.iter().map(|&v| network.variables[v].clone()).collect();
        for (variable, name) in fewer.variables.iter_mut().zip(prepared.table.names()) {
            variable.name = name.clone();
        }
        fewer.families = kept.iter().map(|&v| network.families[v].clone()).collect();
        let mut changed = Vec::new();
        for (v, family) in fewer.families.iter_mut().enumerate() {
            let parents: Vec<usize> = family.parents.iter().filter_map(place).collect();
            if parents.len() < family.parents.len() {
                changed.push((v, parents.clone()));
            }
            family.parents = parents;
        }
        base.on(&prepared).refit(&mut fewer, &data, changed)?;
        HiddenModel::settled(base, prepared, fewer, data)
    }

    /// Runs EM for the current structure.
    pub(super) fn settle(&mut self, base: Learner, limits: EmLimits) -> Result<()> {
        let em = Em::new(base.on(&self.prepared));
        let settled = em.settle(self.state.clone(), limits, &mut ())?;
        self.state = settled.state;
        Ok(())
    }

    /// Sets the parents of all families, and refits those that changed.
    pub(super) fn restructure(
        &mut self,
        base: Learner,
        mut families: Vec<(usize, Vec<usize>)>,
    ) -> Result<()> {
        let network = &mut self.state.network;
        families.retain(|(v, parents)| network.families[*v].parents != *parents);
        let data = &self.state.completion.data;
        base.on(&self.prepared).refit(network, data, families)?;
        self.expect(base)
    }

    /// A model with updated expectations; `data` are the expectations before.
    fn settled(
        base: Learner,
        prepared: Prepared,
        network: Network,
        data: Completed<'static>,
    ) -> Result<HiddenModel> {
        let state = CompletedNetwork {
            network,
            completion: Completion { data, entropy: 0.0 },
            free_energy: f64::NEG_INFINITY,
        };
        let mut model = HiddenModel { prepared, state };
        model.expect(base)?;
        Ok(model)
    }

    /// Converts hidden variables to their standard units, and runs the E-step.
    fn expect(&mut self, base: Learner) -> Result<()> {
        anchor(&mut self.state.network, &self.state.completion.data);
        normalise(&mut self.state);
        Em::new(base.on(&self.prepared)).expect(&mut self.state)
    }

    /// A note about children with almost no noise given a hidden variable (Heywood cases).
    pub(super) fn tight(&self) -> Option<String> {
        let (network, completion) = (&self.state.network, &self.state.completion);
        let is_tight = |v: &usize| {
            let family = &network.families[*v];
            let own = mean_and_variance(&completion.data.means()[*v]).1;
            let has_hidden = family.parents.iter().any(|&p| network.variables[p].hidden);
            has_hidden && !network.variables[*v].hidden && family.cpd.variance() < TIGHT * own
        };
        let tight: Vec<usize> = (0..network.len()).filter(is_tight).collect();
        let first = tight.first()?;
        let more = match tight.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        Some(format!(
            "a hidden variable explains almost all of {}{more} (a Heywood case): it may be a copy of that variable",
            quoted(network.name(*first))
        ))
    }

    /// Flips the sign of hidden variables so that their strongest effects are positive, and records
    /// the strengths of the edges and the score.
    pub(super) fn finish(&mut self, base: Learner) -> Result<()> {
        for v in self.hidden() {
            let families = &self.state.network.families;
            let effect = |(child, place): (usize, usize)| {
                let cpd = &families[child].cpd;
                cpd.effect(place) / cpd.variance().sqrt()
            };
            let effects = self.children(v).map(effect);
            let largest = effects.fold(
                0.0,
                |most: f64, x| if x.abs() > most.abs() { x } else { most },
            );
            if largest < 0.0 {
                self.flip_sign(v);
            }
        }
        let CompletedNetwork {
            network,
            completion,
            ..
        } = &mut self.state;
        // The strengths of the edges, given the final expectations.
        let learner = base.on(&self.prepared);
        let fitted = learner.parameters(&completion.data, &network.dag())?;
        for (family, fitted) in network.families.iter_mut().zip(fitted.families) {
            let place = |p: &usize| fitted.parents.iter().position(|q| q == p);
            let strength = |p: &usize| Some(*fitted.strengths.get(place(p)?)?);
            let strengths: Option<Vec<f64>> = family.parents.iter().map(strength).collect();
            family.strengths = strengths.unwrap_or_default();
        }
        let mut state = self.state.clone();
        state.network.score = fitted.score;
        self.state.network = Em::new(learner).recorded(state)?;
        Ok(())
    }

    /// Flips the sign of a hidden variable.
    fn flip_sign(&mut self, v: usize) {
        let children: Vec<(usize, usize)> = self.children(v).collect();
        let families = &mut self.state.network.families;
        families[v].cpd.rescale(-1.0);
        for (child, place) in children {
            families[child].cpd.rescale_parent(place, -1.0);
        }
        self.state.completion.data.rescale(v, -1.0);
    }
}
