//! Densities in a network file.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cpd::{Cpd, Factor, FactorKind, LinearCpd, Link, LinkCpd, ProductCpd, Sigmoid};

/// A density as it stands in the file; which fields it has depends on its type.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RawCpd {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intercept: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factors: Option<Vec<RawFactor>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bias: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<f64>,
    variance: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RawFactor {
    kind: RawKind,
    weight: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawKind {
    Activator,
    Repressor,
}

impl RawCpd {
    /// The density, for a family of `parents` parents; `links` are known besides the sigmoid.
    pub(super) fn check(self, parents: usize, links: &[Arc<dyn Link>]) -> Result<Cpd, String> {
        let variance = self.variance;
        if variance <= 0.0 {
            return Err(format!("variance {variance} is not above 0"));
        }
        let numbers = [
            self.intercept,
            self.bias,
            self.scale,
            self.offset,
            Some(variance),
        ];
        let weights = self.weights.iter().flatten().copied();
        let factors = self.factors.iter().flatten().map(|factor| factor.weight);
        let mut numbers = numbers.into_iter().flatten().chain(weights).chain(factors);
        if numbers.any(|x| !x.is_finite()) {
            return Err("a parameter is not a finite number".to_string());
        }
        let needed = |value: Option<f64>, name: &str| {
            value.ok_or_else(|| format!("a {} cpd without \"{name}\"", self.kind))
        };
        let link = |word: &str| -> Option<Arc<dyn Link>> {
            let known = links.iter().find(|link| link.word() == word).cloned();
            known.or_else(|| (word == "sigmoid").then(|| Arc::new(Sigmoid) as Arc<dyn Link>))
        };
        let wrong_number = |found: usize, what: &str| {
            if found == parents {
                return Ok(());
            }
            Err(format!("{parents} parents but {found} {what}"))
        };
        match self.kind.as_str() {
            "linear" => {
                let weights = self.weights.ok_or("a linear cpd without \"weights\"")?;
                wrong_number(weights.len(), "weights")?;
                Ok(Cpd::Linear(LinearCpd {
                    intercept: needed(self.intercept, "intercept")?,
                    weights,
                    variance,
                }))
            }
            "product" => {
                let raw = self.factors.as_ref();
                let raw = raw.ok_or("a product cpd without \"factors\"")?;
                wrong_number(raw.len(), "factors")?;
                if let Some(factor) = raw.iter().find(|factor| factor.weight <= 0.0) {
                    return Err(format!(
                        "the factor's weight {} is not above 0",
                        factor.weight
                    ));
                }
                let factor = |raw: &RawFactor| Factor {
                    kind: match raw.kind {
                        RawKind::Activator => FactorKind::Activator,
                        RawKind::Repressor => FactorKind::Repressor,
                    },
                    weight: raw.weight,
                };
                Ok(Cpd::Product(ProductCpd {
                    factors: raw.iter().map(factor).collect(),
                    scale: needed(self.scale, "scale")?,
                    offset: self.offset.unwrap_or(0.0),
                    variance,
                }))
            }
            word => {
                let Some(link) = link(word) else {
                    return Err(format!(
                        "unknown cpd type '{word}' (there are: linear, sigmoid, product)"
                    ));
                };
                let weights = self.weights.clone();
                let weights = weights.ok_or_else(|| format!("a {word} cpd without \"weights\""))?;
                wrong_number(weights.len(), "weights")?;
                Ok(Cpd::Link(LinkCpd {
                    link,
                    weights,
                    bias: self.bias.unwrap_or(0.0),
                    scale: needed(self.scale, "scale")?,
                    offset: needed(self.offset, "offset")?,
                    variance,
                }))
            }
        }
    }
}

impl From<&Cpd> for RawCpd {
    fn from(cpd: &Cpd) -> Self {
        let raw = RawCpd {
            kind: cpd.kind().to_string(),
            variance: cpd.variance(),
            ..RawCpd::default()
        };
        match cpd {
            Cpd::Linear(cpd) => RawCpd {
                intercept: Some(cpd.intercept),
                weights: Some(cpd.weights.clone()),
                ..raw
            },
            Cpd::Link(cpd) => RawCpd {
                weights: Some(cpd.weights.clone()),
                bias: Some(cpd.bias),
                scale: Some(cpd.scale),
                offset: Some(cpd.offset),
                ..raw
            },
            Cpd::Product(cpd) => {
                let factor = |factor: &Factor| RawFactor {
                    kind: match factor.kind {
                        FactorKind::Activator => RawKind::Activator,
                        FactorKind::Repressor => RawKind::Repressor,
                    },
                    weight: factor.weight,
                };
                RawCpd {
                    factors: Some(cpd.factors.iter().map(factor).collect()),
                    scale: Some(cpd.scale),
                    offset: Some(cpd.offset),
                    ..raw
                }
            }
        }
    }
}
