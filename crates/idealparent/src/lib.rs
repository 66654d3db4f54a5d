//! Learns Bayesian networks over continuous variables from data: which variable depends on which, and how.
//!
//! The method is that of Nachman, Elidan and Friedman, *"Ideal Parent" Structure Learning for Continuous Variable
//! Networks* (UAI 2004): for every variable compute the profile of the parent that would predict it best, compare
//! candidates with that profile, and fit only the few most similar ones.
//!
//! ```
//! use idealparent::{LearnOptions, data, learn};
//!
//! // 853 cells, 11 signalling proteins.
//! let table = data::example("sachs")?.table();
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
//! # From the paper to the code
//!
//! | section | what | where |
//! |---|---|---|
//! | 2 | networks, likelihood, BIC (and EBIC, AIC, BGe) | [`network`], [`score`] |
//! | 2, 7 | greedy hill climbing, TABU, random walks, annealing; orders, ours | [`search`] |
//! | 3.1 | the ideal parent's profile, Eq. 3 and 4 | [`ideal::ideal_profile`], [`family::IdealProfile`] |
//! | 3.2 | linear Gaussian densities and their fits | [`cpd::LinearCpd`], [`family::GramFamily`] |
//! | 3.2 | C1 and C2, Propositions 3.2 and 3.3 | [`ideal::c1`], [`ideal::c2`] |
//! | 3.2, 5 | the tangent measure, ours | [`ideal::Measure::Tangent`], [`family::Opening`] |
//! | 4.1 | choosing candidates: K (a number, or by itself), add and replace | [`Candidates`], [`ideal::Selector`], [`search::Neighbourhood`] |
//! | 4.2 | hidden variables: clusters of ideal parents, Eq. 5 to 7; insertion | [`learn::agglomerate`], [`learn::HiddenOptions`] |
//! | 4.3 | missing values: posteriors; structural EM | [`inference`], [`data::Completed`]; [`learn`](mod@learn) |
//! | 5 | sigmoid, product and users' own densities | [`cpd::LinkCpd`], [`cpd::ProductCpd`], [`cpd::Link`] |
//! | 5 | their fits | [`family::FamilyModel`], [`numerics::minimise`] |
//! | 5 | Eq. 8 and 9 | [`ideal::c1_distorted`], [`ideal::c2_distorted`] |
//! | 6 | cross-validation, comparison with the truth | [`evaluate`] |
//! | Figure 1 | measures beside the true change | [`evaluate::rank_parents`] |
//!
//! Tables are read by [`data`]; structures and what follows from them live in [`graph`].

pub mod cpd;
pub mod data;
pub mod error;
pub mod evaluate;
pub mod family;
pub mod graph;
pub mod ideal;
pub mod inference;
mod kernel;
pub mod learn;
mod memory;
pub mod network;
pub mod numerics;
pub mod options;
pub mod score;
pub mod search;

pub use data::Table;
pub use error::{Error, Note, OptionStyle, Result};
pub use learn::{
    Candidates, HiddenCount, LearnOptions, Learned, Method, PosteriorKind, fit_file, fit_structure,
    fit_structure_with_hidden, learn, learn_from,
};
pub use network::Network;
pub use score::ScoreKind;
pub use search::SearchKind;
