//! The search procedures there are.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The search procedure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// [`SearchKind::Order`] where it takes seconds, [`SearchKind::Hill`] otherwise; decided after climbing once.
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

impl SearchKind {
    /// All of them.
    pub const ALL: [SearchKind; 5] = [
        SearchKind::Auto,
        SearchKind::Hill,
        SearchKind::Tabu,
        SearchKind::Anneal,
        SearchKind::Order,
    ];

    /// The word for it in options.
    pub fn word(self) -> &'static str {
        match self {
            SearchKind::Auto => "auto",
            SearchKind::Hill => "hill",
            SearchKind::Tabu => "tabu",
            SearchKind::Anneal => "anneal",
            SearchKind::Order => "order",
        }
    }
}

impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for SearchKind {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let known = SearchKind::ALL.into_iter().find(|kind| kind.word() == word);
        known.ok_or_else(|| {
            let words = SearchKind::ALL.map(SearchKind::word).join(", ");
            Error::Options(format!("unknown search '{word}' (there are: {words})"))
        })
    }
}
