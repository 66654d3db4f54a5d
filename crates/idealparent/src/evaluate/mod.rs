//! Evaluation of learned networks (section 6 of the paper).

mod assignment;
mod bootstrap;
mod compare;
mod cross_validate;
mod matching;
mod named_dag;
mod rank;

pub use bootstrap::{
    Bootstrapped, EdgeStrength, MAX_REPLICATES, Replicate, bootstrap, bootstrap_notes,
};
#[cfg(feature = "testing")]
pub use bootstrap::{averaged_edges, strength_threshold};
pub use compare::{Agreement, Comparison, compare};
pub use cross_validate::{
    FoldResult, MethodSpec, MethodSummary, cross_validate, cross_validate_one,
};
pub use matching::{HiddenMatch, HiddenMatches};
pub use named_dag::NamedDag;
#[cfg(feature = "testing")]
pub use rank::rank_replacements;
pub use rank::{ParentRanking, RankedParent, rank_completed, rank_parents};
