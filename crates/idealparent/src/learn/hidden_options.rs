//! What a user can ask about hidden variables.

use std::str::FromStr;

use crate::error::{Error, Result};

/// How many hidden variables there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenCount {
    /// At most so many.
    AtMost(usize),
    /// As many as raise the score.
    Auto,
}

impl Default for HiddenCount {
    fn default() -> Self {
        HiddenCount::AtMost(0)
    }
}

impl HiddenCount {
    /// The word for it in options.
    pub fn word(self) -> String {
        match self {
            HiddenCount::AtMost(count) => count.to_string(),
            HiddenCount::Auto => "auto".to_string(),
        }
    }

    /// The largest number.
    pub fn most(self) -> usize {
        match self {
            HiddenCount::AtMost(count) => count,
            HiddenCount::Auto => usize::MAX,
        }
    }
}

impl FromStr for HiddenCount {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match (word, word.parse()) {
            ("auto", _) => Ok(HiddenCount::Auto),
            (_, Ok(count)) => Ok(HiddenCount::AtMost(count)),
            _ => Err(Error::Options(format!(
                "--hidden: '{word}' is neither a whole number nor 'auto'"
            ))),
        }
    }
}

/// Which hidden variables are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenOptions {
    /// How many.
    pub count: HiddenCount,
    /// Whether they are roots, and all observed variables leaves with hidden parents only.
    pub two_layer: bool,
    /// Fewest children that one may have. `None`: 2 with two layers, otherwise 3.
    pub min_children: Option<usize>,
}

impl HiddenOptions {
    /// Whether any are asked for.
    pub fn is_wanted(&self) -> bool {
        self.count != HiddenCount::AtMost(0)
    }

    /// Fewest children: a hidden cause of two variables is as good as an edge between them, where
    /// there may be one.
    pub fn fewest(&self) -> usize {
        self.min_children
            .unwrap_or(if self.two_layer { 2 } else { 3 })
    }

    /// Refuses combinations that make no sense.
    pub fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::Options(what.to_string()));
        if !self.is_wanted() && self.two_layer {
            return wrong("--two-layer goes with --hidden");
        }
        if !self.is_wanted() && self.min_children.is_some() {
            return wrong("--min-children goes with --hidden");
        }
        if self.min_children.is_some_and(|least| least < 2) {
            return wrong(
                "--min-children must be at least 2 (one child of a hidden variable is noise)",
            );
        }
        Ok(())
    }
}
