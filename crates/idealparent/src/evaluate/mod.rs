//! Evaluation of learned networks (section 6 of the paper).

mod assignment;
mod bootstrap;
mod compare;
mod cross_validate;
mod matching;
mod rank;
mod structure;

pub use bootstrap::{
    Bootstrapped, EdgeStrength, MAX_REPLICATES, Replicate, averaged, bootstrap, bootstrap_notes,
    edge_strengths,
};
#[cfg(feature = "testing")]
pub use bootstrap::{averaged_edges, strength_threshold};
pub use compare::{Agreement, Comparison, compare};
pub use cross_validate::{
    FoldResult, MethodSpec, MethodSummary, cross_validate, cross_validate_one, summarise,
};
pub use matching::{HiddenMatch, HiddenMatches};
#[cfg(feature = "testing")]
pub use rank::rank_replacements;
pub use rank::{ParentRanking, RankedParent, rank_completed, rank_parents, rank_parents_in};
pub use structure::Structure;
