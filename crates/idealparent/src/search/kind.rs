//! The search procedures there are.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::options::word_value;

/// The search procedure.
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
pub enum SearchKind {
    /// [`SearchKind::Order`] where it takes seconds, [`SearchKind::Hill`] otherwise; decided after
    /// climbing once.
    #[default]
    Auto,
    /// Greedy hill climbing.
    Hill,
    /// Hill climbing that goes on through worse networks, with recent changes forbidden.
    Tabu,
    /// Simulated annealing.
    Anneal,
    /// Search over orders of the variables, in turns with hill climbing.
    Order,
}

word_value!(SearchKind);
