//! The search procedures.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::options::word_value;

/// The search procedure.
///
/// The guide compares them in docs/searches.md.
///
/// ```
/// use idealparent::SearchKind;
///
/// assert_eq!("tabu".parse::<SearchKind>(), Ok(SearchKind::Tabu));
/// assert_eq!(SearchKind::default().word(), "auto");
/// ```
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum SearchKind {
    /// [`SearchKind::Exact`] or [`SearchKind::Order`] if that takes seconds, otherwise
    /// [`SearchKind::Hill`]. Decided after the first climb.
    #[default]
    Auto,
    /// Greedy hill climbing.
    Hill,
    /// Hill climbing that continues through worse networks and forbids undoing recent changes.
    Tabu,
    /// Simulated annealing.
    Anneal,
    /// Search over orders of the variables, alternating with hill climbing.
    Order,
    /// The best network of all, by dynamic programming over sets of variables.
    Exact,
}

word_value!(SearchKind);
