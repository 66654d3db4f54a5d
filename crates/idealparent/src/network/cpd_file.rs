//! Densities in a network file.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cpd::{Cpd, LinearCpd, Link, LinkCpd, ProductCpd, ProductFactor, Sigmoid};
use crate::error::quoted;

/// The JSON form of a density. Which fields are present depends on its type.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RawCpd {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intercept: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factors: Option<Vec<ProductFactor>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bias: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<f64>,
    variance: f64,
}

impl RawCpd {
    /// Validates and converts the density of a family with `parents` parents. `links` are the link
    /// functions accepted in addition to the sigmoid.
    pub(super) fn check(self, parents: usize, links: &[Arc<dyn Link>]) -> Result<Cpd, String> {
        self.check_numbers()?;
        match self.kind.as_str() {
            "linear" => Ok(Cpd::Linear(LinearCpd {
                weights: self.weights_for(parents)?,
                intercept: self.required(self.intercept, "intercept")?,
                variance: self.variance,
            })),
            "product" => self.product(parents),
            word => {
                let known = links.iter().find(|link| link.word() == word).cloned();
                let sigmoid = || (word == "sigmoid").then(|| Arc::new(Sigmoid) as Arc<dyn Link>);
                let link = known.or_else(sigmoid).ok_or_else(|| {
                    let word = quoted(word);
                    format!("unknown cpd type {word} (known types: linear, sigmoid, product)")
                })?;
                Ok(Cpd::Link(LinkCpd {
                    link,
                    weights: self.weights_for(parents)?,
                    bias: self.bias.unwrap_or(0.0),
                    scale: self.required(self.scale, "scale")?,
                    offset: self.required(self.offset, "offset")?,
                    variance: self.variance,
                }))
            }
        }
    }

    /// Returns an error if the variance is not positive or a number is not finite.
    fn check_numbers(&self) -> Result<(), String> {
        if self.variance <= 0.0 {
            return Err(format!("variance {} is not above 0", self.variance));
        }
        let own = [self.intercept, self.bias, self.scale, self.offset];
        let weights = self.weights.iter().flatten().copied();
        let factors = self.factors.iter().flatten().map(|factor| factor.weight);
        let mut numbers = own.into_iter().flatten().chain(weights).chain(factors);
        if numbers.any(|x| !x.is_finite()) || !self.variance.is_finite() {
            return Err("a parameter is not a finite number".to_string());
        }
        Ok(())
    }

    fn required<T>(&self, value: Option<T>, name: &str) -> Result<T, String> {
        value.ok_or_else(|| format!("\"{name}\" is missing from the {} cpd", self.kind))
    }

    fn weights_for(&self, parents: usize) -> Result<Vec<f64>, String> {
        let weights = self.required(self.weights.clone(), "weights")?;
        check_count(parents, weights.len(), "weights")?;
        Ok(weights)
    }

    fn product(&self, parents: usize) -> Result<Cpd, String> {
        let factors = self.required(self.factors.clone(), "factors")?;
        check_count(parents, factors.len(), "factors")?;
        if let Some(ProductFactor { weight, .. }) =
            factors.iter().find(|factor| factor.weight <= 0.0)
        {
            return Err(format!("the factor's weight {weight} is not above 0"));
        }
        Ok(Cpd::Product(ProductCpd {
            factors,
            scale: self.required(self.scale, "scale")?,
            offset: self.offset.unwrap_or(0.0),
            variance: self.variance,
        }))
    }
}

fn check_count(parents: usize, found: usize, what: &str) -> Result<(), String> {
    if found == parents {
        return Ok(());
    }
    let what = if found == 1 {
        what.trim_end_matches('s')
    } else {
        what
    };
    let of = if parents == 1 { "parent" } else { "parents" };
    Err(format!("{parents} {of} but {found} {what}"))
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
            Cpd::Product(cpd) => RawCpd {
                factors: Some(cpd.factors.clone()),
                scale: Some(cpd.scale),
                offset: Some(cpd.offset),
                ..raw
            },
        }
    }
}
