//! How good a learned network is (section 6 of the paper).

mod assignment;
mod bootstrap;
mod compare;
mod cross_validate;
mod matching;
mod rank;
mod structure;

pub use bootstrap::{
    Bootstrapped, EdgeStrength, Replicate, averaged, averaged_edges, bootstrap, bootstrap_notes,
    edge_strengths, strength_threshold,
};
pub use compare::{Agreement, Comparison, compare};
pub use cross_validate::{
    FoldResult, MethodSpec, MethodSummary, cross_validate, cross_validate_one, summarise,
};
pub use matching::{HiddenMatch, HiddenMatches};
pub use rank::{
    ParentRanking, RankedParent, rank_completed, rank_parents, rank_parents_in, rank_replacements,
};
pub use structure::Structure;
