//! Kinds of scores and their settings.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use super::{Gamma, Prices};
use crate::error::{Error, Result, option, option_value};
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
    pub gamma: Gamma,
    /// Factor of the penalty of a parameter, which is `(log M)/2` for BIC and EBIC, and 1 for AIC.
    pub penalty: f64,
    /// BGe's degrees of freedom; `None`: N + 2.
    pub alpha_w: Option<f64>,
}

impl Default for ScoreOptions {
    fn default() -> Self {
        ScoreOptions {
            kind: ScoreKind::Ebic,
            gamma: Gamma::Auto,
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
            ("gamma", self.gamma.value()),
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
            self.gamma == Gamma::Auto || is_ebic,
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

    /// EBIC's gamma, if it was chosen from the data.
    pub fn chosen_gamma(&self) -> Option<f64> {
        match self.gamma {
            Gamma::AutoAt(gamma) if self.kind == ScoreKind::Ebic => Some(gamma),
            _ => None,
        }
    }

    /// The penalties for `instances` rows and `variables` observed, active variables. If gamma has
    /// not been chosen yet, it is 1.
    pub fn prices(&self, instances: f64, variables: usize) -> Prices {
        let half_log = 0.5 * instances.ln();
        match self.kind {
            ScoreKind::Ebic => {
                // Without active variables there are no edges, and log 0 must be avoided.
                let edge = self.gamma.value() * (variables.max(1) as f64).ln();
                let prices = Prices::new(self.penalty * half_log, edge);
                if self.gamma.is_calibrated() {
                    prices.calibrated(instances)
                } else {
                    prices
                }
            }
            ScoreKind::Bic => Prices::new(self.penalty * half_log, 0.0),
            ScoreKind::Aic => Prices::new(self.penalty, 0.0),
            ScoreKind::Bge => Prices::default(),
        }
    }
}
