//! The kinds of densities that can be learned.

use std::sync::Arc;

use super::{Link, Sigmoid};
use crate::error::Result;
use crate::options::unknown_word;

/// A kind of density to learn.
///
/// ```
/// use idealparent::CpdKind;
///
/// assert_eq!(CpdKind::parse("sigmoid")?, CpdKind::sigmoid());
/// // With two parents: two weights, intercept and variance.
/// assert_eq!(CpdKind::Linear.parameters(2, false, false), 4);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum CpdKind {
    /// Linear Gaussian.
    #[default]
    Linear,
    /// A link function of a weighted sum of the parents.
    Link(Arc<dyn Link>),
    /// A product of saturating factors.
    Product,
}

impl CpdKind {
    /// The sigmoid of Eq. 2.
    pub fn sigmoid() -> Self {
        CpdKind::Link(Arc::new(Sigmoid))
    }

    /// The name of this kind in options and files.
    pub fn word(&self) -> &str {
        match self {
            CpdKind::Linear => "linear",
            CpdKind::Link(link) => link.word(),
            CpdKind::Product => "product",
        }
    }

    /// The words accepted by [`CpdKind::parse`].
    pub(crate) const WORDS: &[&str] = &["linear", "sigmoid", "product"];

    /// Parses the name of a built-in kind.
    pub fn parse(word: &str) -> Result<Self> {
        match word {
            "linear" => Ok(CpdKind::Linear),
            "sigmoid" => Ok(CpdKind::sigmoid()),
            "product" => Ok(CpdKind::Product),
            _ => unknown_word(word, CpdKind::WORDS),
        }
    }

    /// Whether this kind is defined for positive parents only.
    pub fn needs_positive(&self) -> bool {
        matches!(self, CpdKind::Product)
    }

    /// Approximate time of a fit relative to a sigmoid's.
    pub fn fit_cost(&self, bias: bool) -> f64 {
        match self {
            CpdKind::Product => 300.0,
            CpdKind::Link(_) if bias => 10.0,
            CpdKind::Link(_) | CpdKind::Linear => 1.0,
        }
    }

    /// Number of free parameters of a family with `parents >= 1` parents. `bias` and `baseline` say
    /// whether these parameters are free.
    pub fn parameters(&self, parents: usize, bias: bool, baseline: bool) -> usize {
        match self {
            CpdKind::Linear => parents + 2,
            CpdKind::Link(_) => parents + 3 + usize::from(bias),
            CpdKind::Product => parents + 2 + usize::from(baseline),
        }
    }
}

/// A kind of density to fit, and which of its optional parameters are free.
///
/// ```
/// use idealparent::{CpdKind, CpdSettings};
///
/// let mut settings = CpdSettings::from(CpdKind::sigmoid());
/// assert!(!settings.bias);
/// settings.bias = true;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CpdSettings {
    /// The kind of density.
    pub kind: CpdKind,
    /// Whether a link has a free bias.
    pub bias: bool,
    /// Whether a product has a free offset.
    pub baseline: bool,
}

impl From<CpdKind> for CpdSettings {
    fn from(kind: CpdKind) -> Self {
        CpdSettings {
            kind,
            ..CpdSettings::default()
        }
    }
}

impl PartialEq for CpdKind {
    fn eq(&self, other: &Self) -> bool {
        self.word() == other.word()
    }
}

impl Eq for CpdKind {}
