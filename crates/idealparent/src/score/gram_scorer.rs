//! Linear families scored from the Gram matrix, without reading the data again.

use super::ceiling::{LinearCeilings, Unknown};
use super::{Bge, Ceilings, Likelihood, Prices, ScoreKind, ScoreOptions, Scorer};
use crate::error::Result;
use crate::family::{Blocks, Gram, GramFamily};

/// Converts a linear family's residual into a score.
#[derive(Clone, Debug)]
pub enum Objective {
    /// Log-likelihood minus the penalties of parameters and edges.
    Penalised(Prices),
    /// The BGe marginal likelihood.
    Bge(Bge),
}

/// Scores linear Gaussian families from second moments.
///
/// ```
/// use idealparent::extend::{Gram, GramScorer, ScoreOptions, Scorer};
///
/// let parent: Vec<f64> = (0..20).map(f64::from).collect();
/// let child: Vec<f64> = parent.iter().map(|u| 2.0 * u + u.sin()).collect();
/// let gram = Gram::new(&[parent.into(), child.into()]);
/// let scorer = GramScorer::new(&gram, 2, &ScoreOptions::default())?;
/// assert!(scorer.score(1, &[0]) > scorer.score(1, &[]));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GramScorer<'a> {
    gram: &'a Gram,
    objective: Objective,
}

impl<'a> GramScorer<'a> {
    /// Creates a scorer; `variables` is the number of active variables of `gram`.
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

    /// The prior's term on the diagonal of the correlation matrix; 0 without a prior.
    pub fn ridge(&self, variable: usize) -> f64 {
        match &self.objective {
            Objective::Penalised(_) => 0.0,
            Objective::Bge(bge) => bge.ridge(variable),
        }
    }

    /// The regression of a family; `None` if its parents are collinear or there are too few
    /// instances.
    pub fn family(&self, child: usize, parents: &[usize]) -> Option<GramFamily> {
        let columns = self.gram.blocks(parents).columns();
        if !self.gram.supports(child, columns) {
            return None;
        }
        if let Objective::Bge(_) = self.objective {
            // With the prior even collinear parents have a score, but no unique weights.
            GramFamily::new(self.gram, child, parents, |_| 0.0)?;
        }
        GramFamily::new(self.gram, child, parents, |v| self.ridge(v))
    }

    /// Score of a regression.
    pub fn family_score(&self, family: &GramFamily) -> f64 {
        self.score_without(family, None)
    }

    /// Scores of a regression without one parent, as pairs `(parent, score)`.
    pub(crate) fn family_scores_without(&self, family: &GramFamily) -> Vec<(usize, f64)> {
        let parents = family.parents.iter().enumerate();
        parents
            .map(|(i, &parent)| (parent, self.score_without(family, Some(i))))
            .collect()
    }

    /// Score of a regression without the parent at the given position, from the inverse of the
    /// parents' correlations.
    fn score_without(&self, family: &GramFamily, without: Option<usize>) -> f64 {
        let variance = self.gram.variance(family.child);
        if variance == 0.0 {
            // A constant does not contribute to the likelihood.
            return 0.0;
        }
        let residual = without.map_or(family.residual, |i| family.residual_without(i));
        let blocks = self.blocks_without(family, without);
        match &self.objective {
            Objective::Penalised(prices) => {
                let likelihood = Likelihood::of(self.gram, family.child);
                let likelihood = likelihood.family(variance, residual);
                likelihood - prices.family(&blocks, 2)
            }
            Objective::Bge(bge) => {
                let log_det = bge.log_det_parents(family, without);
                let residual = bge.log_residual(family.child, residual);
                bge.family(blocks.parents(), log_det, residual)
            }
        }
    }

    /// The columns of a family without the parent at the given position.
    pub(crate) fn blocks_without(&self, family: &GramFamily, without: Option<usize>) -> Blocks {
        without.map_or(family.blocks.clone(), |i| {
            family.blocks.without(self.gram.columns(family.parents[i]))
        })
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
        let Some(family) = self.family(child, parents) else {
            return (Vec::new(), 0);
        };
        (self.family_scores_without(&family), parents.len())
    }

    fn ceilings<'s>(
        &'s self,
        child: usize,
        required: &[usize],
        candidates: &[usize],
    ) -> Box<dyn Ceilings + 's> {
        if self.gram.variance(child) == 0.0 {
            return Box::new(Unknown::new(required.len(), candidates.len()));
        }
        Box::new(LinearCeilings::new(self, child, required, candidates))
    }
}
