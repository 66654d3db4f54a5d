//! Parameters of a given structure.

use rayon::prelude::*;

use crate::cpd::{Cpd, CpdKind, LinearCpd};
use crate::data::Completed;
use crate::error::Result;
use crate::family::{Profiles, fit_linear};
use crate::graph::Dag;
use crate::network::{Family, Network, ScoreRecord, Transform, Variable};
use crate::options::LearnOptions;
use crate::score::{FamilyScorer, GramScorer, ScoreKind, Scorer, log_likelihood};
use crate::search::without_parent;

use super::Prepared;

/// Who says what a network's edges are worth, and who fits the densities that are written.
///
/// A search ends where no edge is worth less than nothing by its own fits. By more careful ones, which find a better
/// maximum of some families, an edge could seem to be.
#[derive(Clone, Copy)]
pub(super) struct Scorers<'a, 'd> {
    pub(super) compared: &'a FamilyScorer<'d>,
    pub(super) written: &'a FamilyScorer<'d>,
}

impl<'a, 'd> Scorers<'a, 'd> {
    /// One for both.
    pub(super) fn same(scorer: &'a FamilyScorer<'d>) -> Self {
        Scorers {
            compared: scorer,
            written: scorer,
        }
    }
}

impl Prepared {
    /// Parameters of a linear network, in the data's own units, and the score.
    pub(super) fn fit(
        &self,
        data: &Completed,
        dag: &Dag,
        scorer: &GramScorer,
        options: &LearnOptions,
    ) -> Result<Network> {
        let m = data.instances() as f64;
        let cpd = |child: usize, parents: &[usize]| {
            let fit = fit_linear(data, child, parents)?;
            let likelihood = log_likelihood(m, fit.own, fit.residual);
            Some((Cpd::Linear(fit.cpd), likelihood))
        };
        self.network(data, dag, scorer, options, cpd)
    }

    /// Parameters of a network of any densities.
    pub(super) fn fit_any(
        &self,
        data: &Completed,
        dag: &Dag,
        scorers: Scorers,
        options: &LearnOptions,
    ) -> Result<Network> {
        let m = data.instances() as f64;
        let cpd = |child: usize, parents: &[usize]| {
            let cpd = scorers.written.cpd(child, parents)?;
            let data = scorers.written.data();
            let sse = data.squared_errors(child, parents, &cpd);
            let own = data.gram().variance(child);
            Some((cpd, log_likelihood(m, own, sse / (m * own))))
        };
        self.network(data, dag, scorers.compared, options, cpd)
    }

    /// Densities of some families.
    pub(crate) fn densities(
        &self,
        data: &Completed,
        families: &[(usize, Vec<usize>)],
        options: &LearnOptions,
    ) -> Result<Vec<Cpd>> {
        if options.is_linear() {
            let fit = |(child, parents): &(usize, Vec<usize>)| {
                let fit = fit_linear(data, *child, parents).ok_or_else(|| self.unfit(*child))?;
                Ok(Cpd::Linear(fit.cpd))
            };
            return families.par_iter().map(fit).collect();
        }
        let gram = self.gram(data, options);
        let profiles = Profiles::expected(data, &gram, true);
        let mut scorer = FamilyScorer::new(&profiles, options.models(), self.prices(options));
        self.keep_hidden_linear(&mut scorer, options);
        for (&v, kind) in &self.kinds {
            let models = (0..options.cpds.len()).filter(|&model| options.cpds[model] == *kind);
            scorer.restrict(v, models.collect());
        }
        let fit = |(child, parents): &(usize, Vec<usize>)| {
            let cpd = match self.columns.hidden[*child] {
                true => fit_linear(data, *child, parents).map(|fit| Cpd::Linear(fit.cpd)),
                false => scorer.cpd(*child, parents),
            };
            cpd.ok_or_else(|| self.unfit(*child))
        };
        families.par_iter().map(fit).collect()
    }

    /// Hidden variables depend on others linearly.
    pub(super) fn keep_hidden_linear(&self, scorer: &mut FamilyScorer, options: &LearnOptions) {
        let is_linear = |model: &usize| options.cpds[*model] == CpdKind::Linear;
        let models: Vec<usize> = (0..options.cpds.len()).filter(is_linear).collect();
        for v in (0..self.columns.hidden.len()).filter(|&v| self.columns.hidden[v]) {
            if !models.is_empty() {
                scorer.restrict(v, models.clone());
            }
        }
    }

    /// A network whose families' densities and log-likelihoods are given by `cpd`.
    fn network(
        &self,
        data: &Completed,
        dag: &Dag,
        scorer: &dyn Scorer,
        options: &LearnOptions,
        cpd: impl Fn(usize, &[usize]) -> Option<(Cpd, f64)>,
    ) -> Result<Network> {
        let mut families = Vec::with_capacity(dag.len());
        let (mut total, mut dimension, mut scores) = (0.0, 0, 0.0);
        for child in 0..dag.len() {
            let parents = dag.parents(child);
            if self.columns.inactive[child] {
                let (mean, variance) = self.columns.idle(&self.table, child);
                let cpd = LinearCpd::root(mean, variance);
                families.push(Family {
                    parents: Vec::new(),
                    cpd: Cpd::Linear(cpd),
                    inactive: true,
                    strengths: Vec::new(),
                });
                continue;
            }
            let score = scorer
                .score(child, parents)
                .ok_or_else(|| self.unfit(child))?;
            let (cpd, log_likelihood) = cpd(child, parents).ok_or_else(|| self.unfit(child))?;
            let lost = |&p: &usize| {
                let without = scorer.score(child, &without_parent(parents, p));
                without.map(|without| score - without)
            };
            total += log_likelihood;
            dimension += match self.columns.hidden[child] {
                true => parents.len(),
                false => cpd.parameters(options.bias, options.baseline),
            };
            scores += score;
            families.push(Family {
                parents: parents.to_vec(),
                cpd,
                inactive: false,
                strengths: parents
                    .iter()
                    .map(lost)
                    .collect::<Option<_>>()
                    .unwrap_or_default(),
            });
        }
        let value = match options.score.kind {
            ScoreKind::Bge => scores,
            _ => total - self.prices(options).total(dimension, dag.edge_count()),
        };
        let variable = |(name, &hidden): (&String, &bool)| Variable {
            name: name.clone(),
            hidden,
        };
        let mut network = Network {
            transform: if options.exp2 {
                Transform::Exp2
            } else {
                Transform::None
            },
            variables: self
                .table
                .names()
                .iter()
                .zip(&self.columns.hidden)
                .map(variable)
                .collect(),
            families,
            score: Some(ScoreRecord {
                name: options.score.kind.word().to_string(),
                value,
                log_likelihood: total,
                dimension,
            }),
            provenance: None,
        };
        if data.is_complete() {
            network.settle_score(self.table.columns());
        }
        network.check_finite()?;
        Ok(network)
    }
}
