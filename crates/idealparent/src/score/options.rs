//! Which score, and what it charges for parameters and edges.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::error::{Error, Result, words};
use crate::family::Blocks;

/// A network score; all are sums over families.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "lowercase", parse_err_ty = Error, parse_err_fn = ScoreKind::unknown)]
pub enum ScoreKind {
    /// BIC with Chen and Chen's price for choosing each parent among N: the default.
    #[default]
    Ebic,
    /// The Bayesian information criterion of section 2, the paper's score.
    Bic,
    /// Akaike's information criterion.
    Aic,
    /// The Bayesian score of linear Gaussian networks (Geiger and Heckerman; Kuipers et al. 2014).
    Bge,
}

words!(ScoreKind, "score");

/// A score and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreOptions {
    /// The score.
    pub kind: ScoreKind,
    /// EBIC's gamma: the price of an edge is `gamma log N`.
    pub gamma: f64,
    /// Multiplies `(log M)/2` of BIC and EBIC, and AIC's 1.
    pub penalty: f64,
    /// BGe's degrees of freedom; N + 2 where not given.
    pub alpha_w: Option<f64>,
}

impl Default for ScoreOptions {
    fn default() -> Self {
        ScoreOptions {
            kind: ScoreKind::Ebic,
            gamma: 1.0,
            penalty: 1.0,
            alpha_w: None,
        }
    }
}

/// Largest gamma, penalty and alpha_w.
///
/// Prices far beyond any likelihood make no sense, and would end in infinity. BGe subtracts terms
/// of about alpha_w log(alpha_w) from each other: up to this limit its relative error is below
/// 1e-9.
const LARGEST: f64 = 1e6;

impl ScoreOptions {
    /// Refuses settings that make no sense.
    pub fn check(&self) -> Result<()> {
        for (option, value) in [("--gamma", self.gamma), ("--penalty", self.penalty)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::Options(format!("{option} must be a number >= 0")));
            }
        }
        let alpha_w = self.alpha_w.unwrap_or(0.0);
        for (option, value) in [
            ("--gamma", self.gamma),
            ("--penalty", self.penalty),
            ("--alpha-w", alpha_w),
        ] {
            if value.is_finite() && value > LARGEST {
                return Err(Error::Options(format!(
                    "{option} must be at most {LARGEST:e}"
                )));
            }
        }
        if self.alpha_w.is_some() && self.kind != ScoreKind::Bge {
            return Err(Error::Options(
                "--alpha-w goes with --score bge".to_string(),
            ));
        }
        Ok(())
    }

    /// The prices for `instances` rows and `variables` observed, active variables.
    pub fn prices(&self, instances: f64, variables: usize) -> Prices {
        let half_log = 0.5 * instances.ln();
        match self.kind {
            ScoreKind::Ebic => Prices {
                parameter: self.penalty * half_log,
                // Where nothing varies there are no edges to pay for, and no logarithm.
                edge: self.gamma * (variables.max(1) as f64).ln(),
            },
            ScoreKind::Bic => Prices {
                parameter: self.penalty * half_log,
                edge: 0.0,
            },
            ScoreKind::Aic => Prices {
                parameter: self.penalty,
                edge: 0.0,
            },
            ScoreKind::Bge => Prices::default(),
        }
    }
}

/// What a penalised likelihood charges, in nats.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Per free parameter.
    pub parameter: f64,
    /// Per edge, on top of its parameters.
    pub edge: f64,
}

impl Prices {
    /// The charge for a family whose parents bring these columns, with so many parameters besides
    /// theirs.
    pub fn family(&self, blocks: &Blocks, others: usize) -> f64 {
        self.total(blocks.columns() + others, blocks.parents())
    }

    /// The charge for a family or network.
    pub fn total(&self, parameters: usize, edges: usize) -> f64 {
        self.parameter * parameters as f64 + self.edge * edges as f64
    }
}
