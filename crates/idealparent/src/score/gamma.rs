//! EBIC's gamma.

use serde_json::{Value, json};

use crate::error::Result;
use crate::options::{OptionKind, OptionValue, restored, wrong};

/// EBIC's gamma: the penalty of an edge is `gamma log N`, in addition to that of its parameters.
///
/// ```
/// use idealparent::Gamma;
///
/// assert_eq!(Gamma::default(), Gamma::Auto);
/// // Among 45 pairs of ten variables, edges are cheap if many pairs have one.
/// assert!(Gamma::of_density(10, 45, 20) < Gamma::of_density(10, 45, 5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Gamma {
    /// Chosen from the data: an edge is cheaper in dense networks than in sparse ones. Edges cost
    /// more if instances are few.
    #[default]
    Auto,
    /// A value that `Auto` has chosen before. Edges cost more if instances are few.
    ///
    /// Used for replicates and folds, and for scoring a network later.
    AutoAt(f64),
    /// The given value, as in plain EBIC.
    Fixed(f64),
}

impl Gamma {
    /// The value; 1 if it has not been chosen yet.
    pub fn value(self) -> f64 {
        match self {
            Gamma::Auto => 1.0,
            Gamma::AutoAt(value) | Gamma::Fixed(value) => value,
        }
    }

    /// The same setting, if the value that `Auto` has chosen is left open.
    pub(crate) fn without_choice(self) -> Gamma {
        match self {
            Gamma::Auto | Gamma::AutoAt(_) => Gamma::Auto,
            Gamma::Fixed(value) => Gamma::Fixed(value),
        }
    }

    /// The value that `Auto` chooses for a network over this many variables, in which this many of
    /// the pairs of variables that may be joined have an edge.
    ///
    /// The penalty of an edge, `gamma log N`, is the logarithm of the odds that a pair has none. It
    /// lies between 0 and the logarithm of the number of pairs. Without a choice, gamma is 1.
    pub fn of_density(variables: usize, pairs: usize, edges: usize) -> f64 {
        if variables < 2 || pairs == 0 {
            return 1.0;
        }
        let (pairs, edges) = (pairs as f64, edges as f64);
        let odds = (pairs - edges + 1.0).max(1.0) / (edges + 1.0);
        odds.ln().clamp(0.0, pairs.ln()) / (variables as f64).ln()
    }

    /// Whether prices are calibrated for few instances: unless the value is fixed.
    pub fn is_calibrated(self) -> bool {
        !matches!(self, Gamma::Fixed(_))
    }
}

/// Beginning of the text for [`Gamma::AutoAt`].
const AT: &str = "auto:";

impl OptionValue for Gamma {
    const KIND: OptionKind = OptionKind::NumberOr(&["auto"]);

    fn parse(text: &str) -> Result<Self> {
        let number = |text: &str| text.parse().ok();
        let parsed = match text.strip_prefix(AT) {
            _ if text == "auto" => Some(Gamma::Auto),
            Some(rest) => number(rest).map(Gamma::AutoAt),
            None => number(text).map(Gamma::Fixed),
        };
        parsed.map_or_else(|| wrong(text, "is neither a number nor 'auto'"), Ok)
    }

    fn record(&self) -> Option<Value> {
        Some(match self {
            Gamma::Auto => json!("auto"),
            Gamma::AutoAt(value) => json!(format!("{AT}{value:?}")),
            Gamma::Fixed(value) => json!(value),
        })
    }

    fn restore(value: &Value) -> Result<Self> {
        match value {
            Value::String(word) if word.starts_with("auto") => Self::parse(word),
            other => restored(other, "is neither a number nor 'auto'").map(Gamma::Fixed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gamma_is_restored_from_its_record() {
        for gamma in [Gamma::Auto, Gamma::AutoAt(0.1 + 0.2), Gamma::Fixed(1.0)] {
            let record = gamma.record().unwrap();
            assert_eq!(Gamma::restore(&record).unwrap(), gamma);
            let text = match record {
                Value::String(text) => text,
                other => other.to_string(),
            };
            assert_eq!(Gamma::parse(&text).unwrap(), gamma);
        }
    }

    #[test]
    fn dense_networks_have_cheap_edges() {
        // An empty network over N variables: about 2.
        let empty = Gamma::of_density(100, 4950, 0);
        assert_eq!(empty, f64::ln(4950.0) / f64::ln(100.0));
        let usual = Gamma::of_density(100, 4950, 100);
        assert!((usual - f64::ln(4851.0 / 101.0) / f64::ln(100.0)).abs() < 1e-15);
        // More than half of the pairs.
        assert_eq!(Gamma::of_density(10, 45, 30), 0.0);
        assert_eq!(Gamma::of_density(10, 45, 45), 0.0);
        // No pair may be joined.
        assert_eq!(Gamma::of_density(10, 0, 0), 1.0);
        assert_eq!(Gamma::of_density(1, 0, 0), 1.0);
    }

    #[test]
    fn other_words_are_errors() {
        for text in ["", "auto:", "auto:x", "car", "autos"] {
            assert!(Gamma::parse(text).is_err(), "{text}");
        }
        assert!(Gamma::restore(&json!("1")).is_err());
    }
}
