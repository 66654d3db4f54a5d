//! Linear families scored from the Gram matrix, without reading the data again.

use super::{Bge, Prices, ScoreKind, ScoreOptions, Scorer, log_likelihood};
use crate::error::Result;
use crate::family::{Gram, GramFamily};

/// How a linear family's residual becomes a score.
#[derive(Clone, Debug)]
pub enum Objective {
    /// Log-likelihood minus prices.
    Penalised(Prices),
    /// The BGe marginal likelihood.
    Bge(Bge),
}

/// Scores linear Gaussian families from second moments.
#[derive(Clone, Debug)]
pub struct GramScorer<'a> {
    gram: &'a Gram,
    objective: Objective,
}

impl<'a> GramScorer<'a> {
    /// A scorer for `variables` active ones among the columns of `gram`.
    pub fn new(gram: &'a Gram, variables: usize, options: &ScoreOptions) -> Result<Self> {
        let objective = match options.kind {
            ScoreKind::Bge => Objective::Bge(Bge::new(gram, variables, options.alpha_w)?),
            _ => Objective::Penalised(options.prices(gram.instances(), variables)),
        };
        Ok(GramScorer { gram, objective })
    }

    /// The moments.
    pub fn gram(&self) -> &'a Gram {
        self.gram
    }

    /// The kind of score.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// What the score's prior adds to the diagonal of the correlations.
    pub fn ridge(&self, variable: usize) -> f64 {
        match &self.objective {
            Objective::Penalised(_) => 0.0,
            Objective::Bge(bge) => bge.ridge(variable),
        }
    }

    /// The regression of a family; `None` where it is refused.
    pub fn family(&self, child: usize, parents: &[usize]) -> Option<GramFamily> {
        let columns = self.gram.blocks(parents).columns();
        if !enough_instances(self.gram.observed(child), columns) {
            return None;
        }
        if let Objective::Bge(_) = self.objective {
            // The prior makes any parents scorable, but their weights must be estimable too.
            GramFamily::new(self.gram, child, parents, |_| 0.0)?;
        }
        GramFamily::new(self.gram, child, parents, |v| self.ridge(v))
    }

    /// Score of a regression.
    pub fn family_score(&self, family: &GramFamily) -> f64 {
        if self.gram.variance(family.child) == 0.0 {
            // A constant takes no part in the likelihood.
            return 0.0;
        }
        match &self.objective {
            Objective::Penalised(prices) => {
                let variance = self.gram.variance(family.child);
                let likelihood = log_likelihood(family.rows.total(), variance, family.residual);
                likelihood - prices.family(&family.blocks, 2)
            }
            Objective::Bge(bge) => {
                let scales: f64 = family.parents.iter().map(|&p| bge.log_scale(p)).sum();
                let log_det = family.factor.log_det() + scales;
                let residual = bge.log_residual(family.child, family.residual);
                bge.family(family.parents.len(), log_det, residual)
            }
        }
    }
}

impl Scorer for GramScorer<'_> {
    fn width(&self) -> usize {
        self.gram.len()
    }

    fn score(&self, child: usize, parents: &[usize]) -> Option<f64> {
        let family = self.family(child, parents)?;
        Some(self.family_score(&family))
    }

    fn scores_without(
        &self,
        child: usize,
        parents: &[usize],
        _most: usize,
    ) -> (Vec<(usize, f64)>, usize) {
        let k = parents.len();
        let Some(family) = self.family(child, parents) else {
            return (Vec::new(), 0);
        };
        let m = family.rows.total();
        let variance = self.gram.variance(child);
        let score = |i: usize| match &self.objective {
            _ if variance == 0.0 => 0.0,
            Objective::Penalised(prices) => {
                let likelihood = log_likelihood(m, variance, family.residual_without(i));
                let own = self.gram.blocks(&parents[i..=i]).columns();
                likelihood - prices.family(&family.blocks.without(own), 2)
            }
            Objective::Bge(bge) => {
                let scales: f64 = parents.iter().map(|&p| bge.log_scale(p)).sum();
                let dropped = family.precision[i].ln() - bge.log_scale(parents[i]);
                let log_det = family.factor.log_det() + scales + dropped;
                let residual = bge.log_residual(child, family.residual_without(i));
                bge.family(k - 1, log_det, residual)
            }
        };
        ((0..k).map(|i| (parents[i], score(i))).collect(), k)
    }
}

/// Whether so many observed entries of a child can support so many columns of parents: more than two to spare.
pub fn enough_instances(instances: f64, columns: usize) -> bool {
    columns == 0 || (columns as f64) < instances - 2.0
}
