//! Choices that are a word each.

use std::str::FromStr;

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::error::{Error, Result, words};

/// Which candidates get a full score.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = Error, parse_err_fn = Method::unknown)]
pub enum Method {
    /// Those most similar to the ideal parent.
    #[default]
    Ideal,
    /// All of them.
    Greedy,
}

words!(Method, "method");

/// How many candidates per slot the ideal parent method scores: the paper's K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// This many.
    Top(usize),
    /// Every one: greedy search.
    All,
    /// As many as could still win, given how far estimates have been off so far.
    Auto,
}

impl Default for Candidates {
    fn default() -> Self {
        Candidates::Top(2)
    }
}

impl FromStr for Candidates {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "all" => Ok(Candidates::All),
            "auto" => Ok(Candidates::Auto),
            _ => match word.parse::<usize>() {
                Ok(k) if k > 0 => Ok(Candidates::Top(k)),
                _ => Err(Error::Options(format!(
                    "--candidates: '{word}' is neither a whole number above 0 nor 'all' or 'auto'"
                ))),
            },
        }
    }
}

/// Which distribution stands for what is missing.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = Error, parse_err_fn = PosteriorKind::unknown)]
pub enum PosteriorKind {
    /// The exact one where it exists, in networks that are all linear; else mean field.
    #[default]
    Exact,
    /// The best one in which every missing entry is independent of the others.
    MeanField,
}

words!(PosteriorKind, "posterior");
