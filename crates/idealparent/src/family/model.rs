//! What learning asks of a kind of density: how to fit a family, and how to look for further
//! parents.

use std::fmt::Debug;
use std::sync::Arc;

use super::{
    Blocks, FamilyData, GramFamily, IdealProfile, LinearModel, LinkModel, Opening, ProductModel,
};
use crate::cpd::{Cpd, CpdKind, FactorKind};

/// Parameters of a family on the models' own scale (variables centred, of unit variance).
///
/// Offset, scale and variance follow from these by a closed form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FamilyFit {
    /// Share of the child's variance left unexplained: SSE / (M Var).
    pub residual: f64,
    /// One per parent, then the inner bias if it is free; of a product the logarithms of its
    /// weights.
    pub weights: Vec<f64>,
    /// Of a product: how each parent acts.
    pub kinds: Vec<FactorKind>,
}

/// Fits of smaller families of the same child, from the cache.
pub type Nested<'a> = &'a dyn Fn(&[usize]) -> Option<Arc<FamilyFit>>;

/// Of so many parents each is left out in turn.
const EACH: usize = 3;

/// Of more parents, this many: smaller families are fitted from smaller ones in turn, and their
/// number grows fast.
const WEAKEST: usize = 2;

/// Positions of the parents without which a family is fitted first, to begin from there: a fit that
/// begins from one of them is no worse than it. Those whose loss costs a linear family least come
/// first.
pub(super) fn weakest_parents(linear: &GramFamily) -> Vec<usize> {
    let k = linear.parents.len();
    let mut order = linear.by_loss();
    order.truncate(if k <= EACH { k } else { WEAKEST });
    order
}

/// The parents but the one at a position.
pub(super) fn without(parents: &[usize], position: usize) -> Vec<usize> {
    let mut rest = parents.to_vec();
    rest.remove(position);
    rest
}

/// A family whose candidate parents are to be ranked.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The family as it is.
    pub family: FamilyData<'a>,
    /// The parent whose place the candidates would take; `None`: they would be added.
    pub replaced: Option<usize>,
}

impl Job<'_> {
    /// The parents that stay.
    pub fn remaining(&self) -> Vec<usize> {
        let stays = |p: &usize| Some(*p) != self.replaced;
        self.family.parents.iter().copied().filter(stays).collect()
    }

    /// Position of the parent that is replaced.
    pub fn place(&self) -> Option<usize> {
        let place = |p: usize| self.family.parents.binary_search(&p);
        self.replaced.map(|p| place(p).expect("replaces a parent"))
    }
}

/// A kind of density that can be learned.
///
/// This is where the library's own kinds meet its searches. It is public so that scorers and
/// selectors can be put together by hand, but it is no place for kinds from outside: options,
/// network files and predictions know the kinds of [`CpdKind`] and [`Cpd`] only. A density of your
/// own is a [`Link`](crate::cpd::Link).
pub trait FamilyModel: Debug + Send + Sync {
    /// Number of free parameters of a family with at least one parent.
    fn parameters(&self, blocks: &Blocks) -> usize;

    /// Fits a family with at least one parent; `None` if it cannot be fitted.
    ///
    /// The same child and parents always give the same fit, however a search got there: what it
    /// builds on comes from `nested`, which gives fits of smaller families.
    fn fit(&self, family: FamilyData, nested: Nested) -> Option<FamilyFit>;

    /// The density of a fitted family in the data's own units, its fit brought to full precision.
    fn cpd(&self, family: FamilyData, fit: &FamilyFit) -> Cpd;

    /// The density at the local optimum next to a given one, on other data; `None` if it is of
    /// another kind.
    fn refine(&self, family: FamilyData, cpd: &Cpd) -> Option<Cpd>;

    /// The ways in which a candidate can lower the residual; its estimate is the best of them.
    /// Empty if the family of the remaining parents cannot be fitted.
    fn openings(&self, job: &Job, fits: Nested) -> Vec<Opening>;

    /// The ideal parent's profile, once for every way in which a parent can act. Empty if the
    /// current family cannot be fitted.
    fn ideal_profiles(&self, job: &Job, fits: Nested) -> Vec<IdealProfile>;
}

impl CpdKind {
    /// How families of this kind are fitted and extended.
    pub fn model(&self, bias: bool, baseline: bool) -> Box<dyn FamilyModel> {
        match self {
            CpdKind::Linear => Box::new(LinearModel),
            CpdKind::Link(link) => Box::new(LinkModel::new(link.clone(), bias)),
            CpdKind::Product => Box::new(ProductModel { baseline }),
        }
    }

    /// How they are fitted and extended in a search: see [`LinkModel::hasty`].
    pub fn search_model(&self, bias: bool, baseline: bool) -> Box<dyn FamilyModel> {
        match self {
            CpdKind::Link(link) => Box::new(LinkModel::new(link.clone(), bias).hasty()),
            other => other.model(bias, baseline),
        }
    }
}
