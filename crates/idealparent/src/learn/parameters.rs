//! Fitting the parameters of a structure.

use rayon::prelude::*;

use crate::cpd::Cpd;
use crate::data::Completed;
use crate::error::Result;
use crate::family::{Profiles, fit_linear};
use crate::graph::Dag;
use crate::network::{Family, Network, ScoreRecord, Variable};
use crate::score::{FamilyScorer, GramScorer, Likelihood, ScoreKind, Scorer};
use crate::search::without_parent;

use super::learner::Learner;
use super::strategy::unusable;

/// Two scorers: `compared` gives the strengths of the edges, `written` fits the final densities.
///
/// Strengths are computed with the fits of the search, so that no edge of its result has a negative
/// strength. The final fits are more accurate and find a better maximum for some families. With
/// these, a strength could be negative.
#[derive(Clone, Copy)]
pub(super) struct Scorers<'a, 'd> {
    pub(super) compared: &'a FamilyScorer<'d>,
    pub(super) written: &'a FamilyScorer<'d>,
}

impl<'a, 'd> Scorers<'a, 'd> {
    /// Uses one scorer for both purposes.
    pub(super) fn same(scorer: &'a FamilyScorer<'d>) -> Self {
        Scorers {
            compared: scorer,
            written: scorer,
        }
    }
}

impl Learner<'_> {
    /// Fits the parameters of a structure.
    pub(super) fn parameters(&self, data: &Completed, dag: &Dag) -> Result<Network> {
        let gram = self.gram(data);
        if self.options.is_linear() {
            return self.fit_linear(data, dag, &self.linear_scorer(&gram)?);
        }
        let profiles = Profiles::expected(data, &gram);
        let scorer = self.scorer(&profiles, self.options.models());
        self.fit_any(data, dag, Scorers::same(&scorer))
    }

    /// Fits a linear network, with parameters in the units of the data, and computes its score.
    pub(super) fn fit_linear(
        &self,
        data: &Completed,
        dag: &Dag,
        scorer: &GramScorer,
    ) -> Result<Network> {
        let cpd = |child: usize, parents: &[usize]| {
            let likelihood = Likelihood::of(scorer.gram(), child);
            let fit = fit_linear(data, child, parents)?;
            let likelihood = likelihood.family(fit.own, fit.residual);
            Some((Cpd::Linear(fit.cpd), likelihood))
        };
        self.network(data, dag, scorer, cpd)
    }

    /// Fits a network with densities of any kind, and computes its score.
    pub(super) fn fit_any(&self, data: &Completed, dag: &Dag, scorers: Scorers) -> Result<Network> {
        let m = data.instances() as f64;
        let cpd = |child: usize, parents: &[usize]| {
            let cpd = scorers.written.cpd(child, parents)?;
            let data = scorers.written.data();
            let sse = data.squared_errors(child, parents, &cpd);
            let own = data.gram().variance(child);
            let likelihood = Likelihood::of(data.gram(), child);
            Some((cpd, likelihood.family(own, sse / (m * own))))
        };
        self.network(data, dag, scorers.compared, cpd)
    }

    /// Replaces the parents of some variables and refits their densities.
    pub(super) fn refit(
        &self,
        network: &mut Network,
        data: &Completed,
        families: Vec<(usize, Vec<usize>)>,
    ) -> Result<()> {
        let densities = self.densities(data, &families)?;
        for ((v, parents), cpd) in families.into_iter().zip(densities) {
            network.families[v] = Family::new(parents, cpd);
        }
        Ok(())
    }

    /// Fits the densities of some families.
    fn densities(&self, data: &Completed, families: &[(usize, Vec<usize>)]) -> Result<Vec<Cpd>> {
        if families.is_empty() {
            return Ok(Vec::new());
        }
        if self.options.is_linear() {
            let fit = |(child, parents): &(usize, Vec<usize>)| {
                let fit = fit_linear(data, *child, parents).ok_or_else(|| self.unfit(*child))?;
                Ok(Cpd::Linear(fit.cpd))
            };
            return families.par_iter().map(fit).collect();
        }
        let gram = self.gram(data);
        let profiles = Profiles::expected(data, &gram);
        let scorer = self.scorer(&profiles, self.options.models());
        let fit = |(child, parents): &(usize, Vec<usize>)| {
            let cpd = if self.prepared.columns.hidden[*child] {
                fit_linear(data, *child, parents).map(|fit| Cpd::Linear(fit.cpd))
            } else {
                scorer.cpd(*child, parents)
            };
            cpd.ok_or_else(|| self.unfit(*child))
        };
        families.par_iter().map(fit).collect()
    }

    /// Assembles a network; `cpd` returns the density and the log-likelihood of a family.
    fn network(
        &self,
        data: &Completed,
        dag: &Dag,
        scorer: &dyn Scorer,
        cpd: impl Fn(usize, &[usize]) -> Option<(Cpd, f64)>,
    ) -> Result<Network> {
        let (options, prepared) = (self.options, self.prepared);
        let mut families = Vec::with_capacity(dag.len());
        let (mut total, mut scores) = (0.0, 0.0);
        for child in 0..dag.len() {
            if prepared.columns.inactive[child] {
                let constant = prepared.columns.constant(&prepared.table, child);
                families.push(constant.map_or_else(Family::unobserved, Family::constant));
                continue;
            }
            let parents = dag.parents(child);
            let score = scorer
                .score(child, parents)
                .ok_or_else(|| self.unfit(child))?;
            let (cpd, log_likelihood) = cpd(child, parents).ok_or_else(|| self.unfit(child))?;
            total += log_likelihood;
            scores += score;
            families.push(Family {
                strengths: strengths(scorer, child, parents, score),
                ..Family::new(parents.to_vec(), cpd)
            });
        }
        let mut network = Network {
            transform: options.transform(),
            variables: self.variables(),
            families,
            ..Network::default()
        };
        let dimension = network.free_parameters(options.bias, options.baseline);
        network.score = Some(ScoreRecord {
            name: options.score.word().to_string(),
            value: match options.score {
                ScoreKind::Bge => scores,
                _ => total - network.price(&self.prices(), dimension),
            },
            log_likelihood: total,
            dimension,
            gamma: self.score_options().chosen_gamma(),
        });
        if data.is_complete() {
            network.settle_score(prepared.table.columns());
        }
        network.check_finite().map_err(unusable)?;
        Ok(network)
    }

    fn variables(&self) -> Vec<Variable> {
        let names = self.prepared.table.names().iter().cloned();
        let all = names.zip(&self.prepared.columns.hidden);
        all.map(|(name, &hidden)| Variable { name, hidden })
            .collect()
    }
}

/// The loss of score if each edge into a child is deleted; empty if a family cannot be scored.
fn strengths(scorer: &dyn Scorer, child: usize, parents: &[usize], score: f64) -> Vec<f64> {
    let lost = |&p: &usize| Some(score - scorer.score(child, &without_parent(parents, p))?);
    let lost: Option<Vec<f64>> = parents.iter().map(lost).collect();
    lost.unwrap_or_default()
}
