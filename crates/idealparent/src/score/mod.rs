//! Scores of families and networks (section 2 of the paper).

mod bge;
mod ceiling;
mod family_scorer;
mod gamma;
mod gram_scorer;
mod likelihood;
mod memo;
mod options;
mod prices;
mod scorer;

pub use bge::Bge;
pub use ceiling::{Ceiling, Ceilings};
pub use family_scorer::FamilyScorer;
pub use gamma::Gamma;
pub use gram_scorer::{GramScorer, Objective};
pub use likelihood::Likelihood;
pub use options::{ScoreKind, ScoreOptions};
pub use prices::Prices;
pub use scorer::{Evaluations, Scorer};
