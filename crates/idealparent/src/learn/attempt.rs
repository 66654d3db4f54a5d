//! Attempts to add a hidden variable, and their outcomes.

use serde::{Deserialize, Serialize};

/// The outcome of an attempt to add a hidden variable.
///
/// Part of a [`HiddenAttempt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum HiddenOutcome {
    /// The attempt has begun and is not decided yet.
    Tried,
    /// The variable raised the score by enough and was added.
    Added,
    /// The variable did not raise the score by enough.
    Refused,
}

impl HiddenOutcome {
    /// The name used in traces.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// An attempt to add a hidden variable.
///
/// Part of `Learned`, and passed to `Observer::hidden`; see docs/hidden.md.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct HiddenAttempt {
    /// Name of the variable.
    pub name: String,
    /// The proposed children.
    pub children: Vec<usize>,
    /// Estimated rise of the score, computed before the variable was inserted.
    pub estimate: f64,
    /// Rise of the score after the search and EM; NaN while the attempt is undecided, 0 if the
    /// network could not be fitted.
    pub achieved: f64,
    /// The outcome.
    pub outcome: HiddenOutcome,
}
