//! For densities, searches and rankings of candidates of your own.
//!
//! - A density: implement [`Link`].
//! - A search inside [`learn`](crate::learn()): implement [`Strategy`] and call [`learn_by`].
//! - A search on its own: ask a [`Scorer`] for scores and a [`Selector`] for candidates, or take
//!   the best moves of a [`Neighbourhood`].
//! - A ranking of candidates: implement [`Selector`].

pub use crate::cpd::{IdealValue, Link, ideal_value};
pub use crate::data::Completed;
pub use crate::family::{Blocks, FamilyModel, Gram, Profiles, Rows};
pub use crate::graph::{Adjacency, Constraints, Cpdag, Knowledge, Reach};
pub use crate::ideal::{
    Budget, Candidate, Exhaustive, FamilySelector, GramSelector, Query, Ranking, Selector, Survey,
    TIE, sort_with_ties,
};
// The paper's formulas, on vectors.
pub use crate::ideal::{
    c1, c1_distorted, c1_replace, c2, c2_distorted, c2_expected, c2_replace, distorted_weight,
    ideal_profile, replacement_profile,
};
pub use crate::inference::{InstanceLikelihood, InstancePosterior, RowPosterior};
pub use crate::learn::{
    ClusterScore, IntegratedScore, SearchTask, Standard, Strategy, TaskResult, TaskScorer, learn_by,
};
pub use crate::numerics::{LeastSquares, least_squares};
pub use crate::score::{Ceiling, Ceilings, FamilyScorer, GramScorer, Prices, ScoreOptions, Scorer};
pub use crate::search::{
    Neighbourhood, Plan, SearchObserver, SearchResult, SearchState, with_parent, without_parent,
};
