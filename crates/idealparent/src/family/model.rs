//! The interface of a kind of density to learning: fits of families, and profiles for candidate
//! parents.

use std::fmt::Debug;
use std::sync::Arc;

use super::{
    Blocks, FamilyData, GramFamily, IdealProfile, LinearModel, LinkModel, Opening, ProductModel,
};
use crate::cpd::{Cpd, CpdKind, FactorKind};

/// Fitted weights of a family in scaled units (variables centred, of unit variance).
///
/// Offset, scale and variance follow from these in closed form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FamilyFit {
    /// Share of the child's variance left unexplained: SSE / (M Var).
    pub residual: f64,
    /// One weight per parent, then the inner bias if it is free. For a product, the logarithms of
    /// its weights relative to the parents' geometric means.
    pub weights: Vec<f64>,
    /// For a product, whether each parent activates or represses the child; empty otherwise.
    pub kinds: Vec<FactorKind>,
}

/// Returns the fit of a family of the same child with other parents, usually from a cache; `None`
/// if it cannot be fitted.
pub type Nested<'a> = &'a dyn Fn(&[usize]) -> Option<Arc<FamilyFit>>;

/// With at most this many parents, each is left out in turn.
const EACH: usize = 3;

/// Number of parents that are left out in turn if there are more. Smaller families are themselves
/// fitted from smaller ones, so their number grows fast.
const WEAKEST: usize = 2;

/// Positions of the parents that are left out in turn to get starts for a fit. A fit that starts
/// from a smaller family's fit is never worse than that. The parents whose loss costs the linear
/// fit least come first.
pub(super) fn weakest_parents(linear: &GramFamily) -> Vec<usize> {
    let k = linear.parents.len();
    let mut order = linear.by_loss();
    order.truncate(if k <= EACH { k } else { WEAKEST });
    order
}

/// The parents without the one at the given position.
pub(super) fn without(parents: &[usize], position: usize) -> Vec<usize> {
    let mut rest = parents.to_vec();
    rest.remove(position);
    rest
}

/// The task of ranking candidate parents for a family.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The current family.
    pub family: FamilyData<'a>,
    /// The parent that a candidate would replace; `None`: candidates would be added.
    pub replaced: Option<usize>,
}

impl Job<'_> {
    /// The parents that are not replaced.
    pub fn remaining(&self) -> Vec<usize> {
        let stays = |p: &usize| Some(*p) != self.replaced;
        self.family.parents.iter().copied().filter(stays).collect()
    }

    /// Position of the replaced parent.
    pub fn place(&self) -> Option<usize> {
        let place = |p: usize| self.family.parents.binary_search(&p);
        self.replaced.map(|p| place(p).expect("replaces a parent"))
    }
}

/// A kind of density that can be learned.
///
/// The searches use the built-in kinds through this trait. It is public so that scorers and
/// selectors can be constructed by hand. It cannot be implemented outside the library: options,
/// network files and predictions support only the kinds of [`CpdKind`] and [`Cpd`]. To add your own
/// density, implement [`Link`](crate::cpd::Link).
///
/// ```
/// use idealparent::CpdKind;
/// use idealparent::extend::Blocks;
///
/// let model = CpdKind::sigmoid().model(false, false);
/// // Two weights, scale, offset and variance.
/// assert_eq!(model.parameters(&Blocks::single(2)), 5);
/// ```
pub trait FamilyModel: sealed::Sealed + Debug + Send + Sync {
    /// Number of free parameters of a family with at least one parent.
    fn parameters(&self, blocks: &Blocks) -> usize;

    /// Fits a family with at least one parent; `None` if it cannot be fitted.
    ///
    /// The same child and parents always give the same fit, whatever the search did before. Fits of
    /// smaller families, from which this one may start, come from `nested`.
    fn fit(&self, family: FamilyData, nested: Nested) -> Option<FamilyFit>;

    /// The density of a fitted family in the units of the data, with its fit iterated to full
    /// precision.
    fn cpd(&self, family: FamilyData, fit: &FamilyFit) -> Cpd;

    /// Refits a density, which may come from other data: the local optimum reached from its
    /// parameters. `None` if the density is of another kind.
    fn refine(&self, family: FamilyData, cpd: &Cpd) -> Option<Cpd>;

    /// The ways in which a candidate can lower the residual. A candidate's estimate is the best of
    /// them. Empty if the family of the remaining parents cannot be fitted.
    fn openings(&self, job: &Job, fits: Nested) -> Vec<Opening>;

    /// The ideal parent's profile; for products one as activator and one as repressor. Empty if the
    /// current family cannot be fitted.
    fn ideal_profiles(&self, job: &Job, fits: Nested) -> Vec<IdealProfile>;
}

/// Keeps other crates from implementing [`FamilyModel`].
mod sealed {
    use super::{LinearModel, LinkModel, ProductModel};

    pub trait Sealed {}

    impl Sealed for LinearModel {}
    impl Sealed for LinkModel {}
    impl Sealed for ProductModel {}
}

impl CpdKind {
    /// The model that fits and extends families of this kind.
    pub fn model(&self, bias: bool, baseline: bool) -> Box<dyn FamilyModel> {
        match self {
            CpdKind::Linear => Box::new(LinearModel),
            CpdKind::Link(link) => Box::new(LinkModel::new(link.clone(), bias)),
            CpdKind::Product => Box::new(ProductModel { baseline }),
        }
    }

    /// The model for use in a search, which is faster for links.
    pub fn search_model(&self, bias: bool, baseline: bool) -> Box<dyn FamilyModel> {
        match self {
            CpdKind::Link(link) => Box::new(LinkModel::new(link.clone(), bias).hasty()),
            other => other.model(bias, baseline),
        }
    }
}
