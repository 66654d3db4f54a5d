//! The kinds of densities a user can ask for.

use std::sync::Arc;

use super::{CpdModel, LinearModel, Link, LinkModel, ProductModel, Sigmoid};
use crate::error::{Error, Result};

/// A kind of density to learn.
#[derive(Clone, Debug, Default)]
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

    /// The word for it in options and files.
    pub fn word(&self) -> &str {
        match self {
            CpdKind::Linear => "linear",
            CpdKind::Link(link) => link.word(),
            CpdKind::Product => "product",
        }
    }

    /// Reads one word.
    pub fn parse(word: &str) -> Result<Self> {
        match word {
            "linear" => Ok(CpdKind::Linear),
            "sigmoid" => Ok(CpdKind::sigmoid()),
            "product" => Ok(CpdKind::Product),
            _ => Err(Error::Options(format!(
                "unknown cpd '{word}' (there are: linear, sigmoid, product)"
            ))),
        }
    }

    /// Reads several words separated by commas, each once.
    pub fn parse_list(words: &str) -> Result<Vec<Self>> {
        let kinds: Vec<CpdKind> = words
            .split(',')
            .map(|word| CpdKind::parse(word.trim()))
            .collect::<Result<_>>()?;
        for (i, kind) in kinds.iter().enumerate() {
            if kinds[..i].contains(kind) {
                return Err(Error::Options(format!("cpd '{}' twice", kind.word())));
            }
        }
        Ok(kinds)
    }

    /// How it is fitted and extended.
    pub fn model(&self, bias: bool, baseline: bool) -> Box<dyn CpdModel> {
        match self {
            CpdKind::Linear => Box::new(LinearModel),
            CpdKind::Link(link) => Box::new(LinkModel::new(link.clone(), bias)),
            CpdKind::Product => Box::new(ProductModel { baseline }),
        }
    }

    /// How it is fitted and extended in a search: see [`LinkModel::hasty`].
    pub fn search_model(&self, bias: bool, baseline: bool) -> Box<dyn CpdModel> {
        match self {
            CpdKind::Link(link) => Box::new(LinkModel::new(link.clone(), bias).hasty()),
            other => other.model(bias, baseline),
        }
    }
}

impl PartialEq for CpdKind {
    fn eq(&self, other: &Self) -> bool {
        self.word() == other.word()
    }
}

impl Eq for CpdKind {}
