//! What came of a proposed hidden variable.

use serde::{Deserialize, Serialize};

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum HiddenOutcome {
    /// Nothing yet.
    Tried,
    /// The score rose.
    Added,
    /// It did not.
    Refused,
}

impl HiddenOutcome {
    /// The word for it in traces.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A proposed hidden variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HiddenAttempt {
    /// Its name.
    pub name: String,
    /// The cluster that was to be its children.
    pub children: Vec<usize>,
    /// By how much the cluster promised to raise the score.
    pub estimate: f64,
    /// By how much the score rose, once structure and parameters had settled; NaN before, 0 if they
    /// could not be fitted.
    pub achieved: f64,
    /// What became of it.
    pub outcome: HiddenOutcome,
}
