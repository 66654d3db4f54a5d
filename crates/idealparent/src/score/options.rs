//! Kinds of scores, their settings, and their penalties for parameters and edges.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::error::{Error, Result, option, option_value};
use crate::family::Blocks;
use crate::options::{needs, word_value};

/// A network score; all are sums over families.
///
/// ```
/// use idealparent::ScoreKind;
///
/// assert_eq!("bic".parse::<ScoreKind>(), Ok(ScoreKind::Bic));
/// assert_eq!(ScoreKind::default().word(), "ebic");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum ScoreKind {
    /// BIC with an additional penalty for choosing each parent among N variables (Chen and Chen).
    /// The default.
    #[default]
    Ebic,
    /// The Bayesian information criterion of section 2, the paper's score.
    Bic,
    /// Akaike's information criterion.
    Aic,
    /// The Bayesian score of linear Gaussian networks (Geiger and Heckerman; Kuipers et al. 2014).
    Bge,
}

word_value!(ScoreKind);

/// A score and its settings.
///
/// ```
/// use idealparent::ScoreKind;
/// use idealparent::extend::ScoreOptions;
///
/// let options = ScoreOptions { kind: ScoreKind::Bic, ..ScoreOptions::default() };
/// options.check()?;
/// let prices = options.prices(100.0, 5);
/// assert_eq!((prices.parameter, prices.edge), (0.5 * 100_f64.ln(), 0.0));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreOptions {
    /// The score.
    pub kind: ScoreKind,
    /// EBIC's gamma: the penalty of an edge is `gamma log N`.
    pub gamma: f64,
    /// Factor of the penalty of a parameter, which is `(log M)/2` for BIC and EBIC, and 1 for AIC.
    pub penalty: f64,
    /// BGe's degrees of freedom; `None`: N + 2.
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
/// Penalties far beyond any likelihood make no sense, and would overflow to infinity. BGe subtracts
/// terms of about alpha_w log(alpha_w) from each other: up to this limit its relative error is
/// below 1e-9.
const LARGEST: f64 = 1e6;

impl ScoreOptions {
    /// Returns an error if a setting is out of range, or does not belong to the score.
    pub fn check(&self) -> Result<()> {
        let alpha_w = self.alpha_w.unwrap_or(0.0);
        for (name, value) in [
            ("gamma", self.gamma),
            ("penalty", self.penalty),
            ("alpha_w", alpha_w),
        ] {
            if !(0.0..=LARGEST).contains(&value) {
                let name = option(name);
                return Err(Error::options(format!(
                    "{name} must be a number from 0 to {LARGEST:e}, not {value:?}"
                )));
            }
        }
        let usual = ScoreOptions::default();
        let (is_ebic, is_bge) = (self.kind == ScoreKind::Ebic, self.kind == ScoreKind::Bge);
        needs(
            self.alpha_w.is_none() || is_bge,
            option("alpha_w"),
            "score",
            "bge",
        )?;
        needs(
            self.gamma == usual.gamma || is_ebic,
            option("gamma"),
            "score",
            "ebic",
        )?;
        if is_bge && self.penalty != usual.penalty {
            let (penalty, score) = (option("penalty"), option_value("score", "bge"));
            return Err(Error::options(format!(
                "{penalty} cannot be used with {score}"
            )));
        }
        Ok(())
    }

    /// The penalties for `instances` rows and `variables` observed, active variables.
    pub fn prices(&self, instances: f64, variables: usize) -> Prices {
        let half_log = 0.5 * instances.ln();
        match self.kind {
            ScoreKind::Ebic => Prices {
                parameter: self.penalty * half_log,
                // Without active variables there are no edges, and log 0 must be avoided.
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

/// Prices of a penalised likelihood, in nats.
///
/// Returned by [`ScoreOptions::prices`].
///
/// ```
/// use idealparent::extend::Prices;
///
/// let prices = Prices { parameter: 2.0, edge: 3.0 };
/// assert_eq!(prices.total(4, 1), 11.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Price of a free parameter.
    pub parameter: f64,
    /// Price of an edge, in addition to its parameters.
    pub edge: f64,
}

impl Prices {
    /// Price of a family whose parents have these columns, with `others` further parameters.
    pub fn family(&self, blocks: &Blocks, others: usize) -> f64 {
        self.total(blocks.columns() + others, blocks.parents())
    }

    /// Price of a family or network.
    pub fn total(&self, parameters: usize, edges: usize) -> f64 {
        self.parameter * parameters as f64 + self.edge * edges as f64
    }
}
