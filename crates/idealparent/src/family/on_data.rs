//! One child with its parents on data.

use super::{Blocks, GramFamily, LinearFit, Profiles, Rows, fit_linear};
use crate::cpd::Cpd;

/// A family on data, as fits, scores and rankings use it.
#[derive(Clone, Copy, Debug)]
pub struct FamilyData<'a> {
    /// The data.
    pub data: &'a Profiles<'a>,
    /// The child.
    pub child: usize,
    /// Its parents, ascending.
    pub parents: &'a [usize],
}

impl<'a> FamilyData<'a> {
    /// The rows on which the family is fitted.
    pub fn rows(&self) -> &'a Rows {
        self.data.rows(self.child)
    }

    /// The columns of the parents.
    pub fn blocks(&self) -> Blocks {
        self.data.blocks(self.parents)
    }

    /// The child's column, centred and of unit variance.
    pub fn target(&self) -> &'a [f64] {
        self.data.scaled(self.child)
    }

    /// The linear regression of the child, from the moments; `None` if the parents are collinear.
    pub fn linear(&self) -> Option<GramFamily> {
        GramFamily::new(self.data.gram(), self.child, self.parents, |_| 0.0)
    }

    /// The maximum likelihood linear density, in the units of the data; `None` if the parents are
    /// collinear.
    pub fn fit_linear(&self) -> Option<LinearFit> {
        fit_linear(self.data.data(), self.child, self.parents)
    }

    /// The same child with other parents.
    pub fn with_parents<'b>(&self, parents: &'b [usize]) -> FamilyData<'b>
    where
        'a: 'b,
    {
        FamilyData { parents, ..*self }
    }

    /// Sets the noise variance of a density to its maximum likelihood estimate, but not below the
    /// floor.
    pub(crate) fn with_variance(&self, mut cpd: Cpd) -> Cpd {
        let sum = self.data.squared_errors(self.child, self.parents, &cpd);
        let least = self.data.gram().variance_floor() * self.data.gram().variance(self.child);
        cpd.set_variance((sum / self.rows().total()).max(least));
        cpd
    }
}
