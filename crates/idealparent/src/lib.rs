//! Learns Bayesian networks over continuous variables from data: which variable depends on which,
//! and how.
//!
//! The method is from Nachman, Elidan and Friedman, *"Ideal Parent" Structure Learning for
//! Continuous Variable Networks* (UAI 2004). For each variable it computes the profile of the
//! parent that would predict it perfectly, compares all candidates with that profile, and fits only
//! the few most similar ones.
//!
//! ```
//! use idealparent::{LearnOptions, example, learn};
//!
//! // 853 cells, 11 signalling proteins.
//! let table = example("sachs")?.table();
//! let learned = learn(&table, &LearnOptions::default(), &mut ())?;
//! let network = learned.network;
//!
//! for (child, family) in network.families.iter().enumerate() {
//!     let parents: Vec<&str> = family.parents.iter().map(|&p| network.name(p)).collect();
//!     println!("{} <- {}", network.name(child), parents.join(", "));
//! }
//! std::fs::write(std::env::temp_dir().join("net.json"), network.to_json()?).unwrap();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The names below are all a user of the library needs. [`extend`] adds what is needed to write
//! densities, searches or rankings of candidates.
//!
//! # From the paper to the code
//!
//! | section | topic | module | entry points |
//! |---|---|---|---|
//! | 2 | networks, likelihood, BIC (and EBIC, AIC, BGe) | `network`, `score` | [`Network`], [`ScoreKind`] |
//! | 2, 7 | greedy hill climbing, TABU, random walks, annealing; orders and the best network of all (not in the paper) | `search` | [`SearchKind`], [`extend::Neighbourhood`] |
//! | 3.1 | ideal profiles, Eq. 3 and 4 | `ideal/profile.rs`, `family/opening.rs` | [`extend::ideal_profile`] |
//! | 3.2 | linear Gaussian densities and their fits | `cpd/linear.rs`, `family/gram_family.rs` | [`LinearCpd`] |
//! | 3.2 | C1 and C2, Propositions 3.2 and 3.3 | `ideal/measure.rs` | [`extend::c1`], [`extend::c2`] |
//! | 3.2, 5 | the tangent measure (not in the paper) | `ideal/measure.rs`, `family/opening.rs` | [`Measure::Tangent`] |
//! | 4.1 | choosing candidates: K, add and replace | `ideal`, `search/neighbourhood` | [`Candidates`], [`extend::Selector`] |
//! | 4.2 | hidden variables: clusters of ideal parents, Eq. 5 to 7 | `learn/hidden` | [`HiddenCount`], [`HiddenAttempt`] |
//! | 4.3 | missing values: posteriors; structural EM | `inference`, `learn/em` | [`PosteriorKind`], [`impute`] |
//! | 5 | sigmoid, product and user-defined densities | `cpd`, `family/link`, `family/product` | [`CpdKind`], [`extend::Link`] |
//! | 5 | Eq. 8 and 9 | `ideal/measure.rs` | [`Measure::C1`], [`Measure::C2`] |
//! | 6 | cross-validation, comparison with the truth | `evaluate` | [`cross_validate`], [`compare`] |
//! | Figure 1 | measures compared with the true change of the score | `evaluate/rank.rs` | [`rank_parents`] |

pub mod extend;
#[doc(hidden)]
pub mod internal;

mod kernel;
mod memory;

// Tests and experiments see the inner modules; users do not.
#[cfg(not(feature = "testing"))]
mod cpd;
#[cfg(not(feature = "testing"))]
mod data;
#[cfg(not(feature = "testing"))]
mod error;
#[cfg(not(feature = "testing"))]
mod evaluate;
#[cfg(not(feature = "testing"))]
mod family;
#[cfg(not(feature = "testing"))]
mod graph;
#[cfg(not(feature = "testing"))]
mod ideal;
#[cfg(not(feature = "testing"))]
mod inference;
#[cfg(not(feature = "testing"))]
mod learn;
#[cfg(not(feature = "testing"))]
mod network;
#[cfg(not(feature = "testing"))]
mod numerics;
#[cfg(not(feature = "testing"))]
mod options;
#[cfg(not(feature = "testing"))]
mod score;
#[cfg(not(feature = "testing"))]
mod search;

#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod cpd;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod data;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod error;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod evaluate;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod family;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod graph;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod ideal;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod inference;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod learn;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod network;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod numerics;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod options;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod score;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod search;

// Data.
pub use data::{
    Column, Delimiter, EdgeList, Example, NameList, ReadOptions, ReadOutcome, Table, TierList,
    example, examples, read_bytes, read_path,
};
pub use error::{Error, Message, OptionStyle, Result};
// Learning.
pub use cpd::{CpdKind, CpdSettings};
pub use ideal::Measure;
pub use learn::{
    Candidates, Fitted, HiddenAttempt, HiddenCount, HiddenOutcome, LearnOptions, Learned, Method,
    PosteriorKind, StartEdges, fit, learn,
};
pub use score::{Evaluations, Gamma, ScoreKind};
pub use search::{CandidatesUsed, Ending, MoveSet, SearchKind};
// Watching a run.
pub use learn::{Checkpoint, Iteration, Observer};
pub use search::{Move, MoveKind, Step, Taken};
// The network.
pub use cpd::{Cpd, FactorKind, LinearCpd, LinkCpd, ProductCpd, ProductFactor};
pub use graph::{Dag, Pdag};
pub use network::{
    DataRecord, EdgeView, ExportFormat, Family, Network, Provenance, ScoreRecord, Structure,
    Transform, Variable,
};
// Inference.
pub use inference::{Imputation, NetworkScore, Prediction, impute};
// Evaluation.
pub use evaluate::{
    Agreement, Bootstrapped, Comparison, EdgeStrength, FoldResult, HiddenMatch, HiddenMatches,
    MethodSpec, MethodSummary, NamedDag, ParentRanking, RankedParent, Replicate, bootstrap,
    compare, cross_validate, rank_parents,
};
