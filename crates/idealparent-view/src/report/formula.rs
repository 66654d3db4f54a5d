//! The formula of a density, with as many digits as are needed.

use idealparent::{Column, Cpd, FactorKind, Network, ProductFactor};

/// Maximum number of instances on which the rounding of a formula is tested.
const MAX_TESTED_ROWS: usize = 200;

/// The formula of a variable's mean, rounded so that a reader can compute it.
///
/// At the data's values, the rounded formula differs from the network by at most a hundredth of the
/// noise's standard deviation.
pub(super) fn formula(network: &Network, v: usize, means: Option<&[Column]>) -> String {
    let family = &network.families[v];
    let allowed = 0.01 * family.cpd.variance().sqrt();
    let digits = [4, 6, 9, 12].into_iter().find(|&digits| {
        let rounded = rounded(&family.cpd, digits);
        let rows = means.map_or(0, |means| means[v].len());
        let step = rows.div_ceil(MAX_TESTED_ROWS).max(1);
        (0..rows).step_by(step).all(|row| {
            let inputs = inputs(family.parents.iter(), means, row);
            (family.cpd.mean(&inputs) - rounded.mean(&inputs)).abs() <= allowed
        })
    });
    written(network, v, &rounded(&family.cpd, digits.unwrap_or(17)))
}

fn inputs<'a>(
    parents: impl Iterator<Item = &'a usize>,
    means: Option<&[Column]>,
    row: usize,
) -> Vec<f64> {
    parents.filter_map(|&p| Some(means?[p][row])).collect()
}

/// Rounds a number to significant digits.
fn rounded_to(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

fn rounded(cpd: &Cpd, digits: usize) -> Cpd {
    let mut cpd = cpd.clone();
    for number in cpd.numbers_mut() {
        *number = rounded_to(*number, digits);
    }
    cpd
}

fn written(network: &Network, v: usize, cpd: &Cpd) -> String {
    let parents = &network.families[v].parents;
    let own = network.name(v);
    let number = |x: f64| {
        if x != 0.0 && !(1e-4..1e9).contains(&x.abs()) {
            format!("{x:e}")
        } else {
            x.to_string()
        }
    };
    let signed = |x: f64, first: bool| match (x < 0.0, first) {
        (true, true) => format!("-{}", number(-x)),
        (true, false) => format!(" - {}", number(-x)),
        (false, true) => number(x),
        (false, false) => format!(" + {}", number(x)),
    };
    let sum = |start: f64, weights: &[f64]| {
        let mut text = signed(start, true);
        for (&p, &w) in parents.iter().zip(weights) {
            text += &format!("{}·{}", signed(w, false), network.name(p));
        }
        text
    };
    match cpd {
        Cpd::Linear(cpd) => format!("E[{own}] = {}", sum(cpd.intercept, &cpd.weights)),
        Cpd::Link(cpd) => format!(
            "E[{own}] = {}{}·{}({})",
            signed(cpd.offset, true),
            signed(cpd.scale, false),
            cpd.link.word(),
            sum(cpd.bias, &cpd.weights)
        ),
        Cpd::Product(cpd) => {
            let factor = |(&p, factor): (&usize, &ProductFactor)| {
                let term = format!("{}·{}", number(factor.weight), network.name(p));
                match factor.kind {
                    FactorKind::Activator => format!("({term})/(1 + {term})"),
                    FactorKind::Repressor => format!("1/(1 + {term})"),
                    _ => term,
                }
            };
            let factors: Vec<String> = parents.iter().zip(&cpd.factors).map(factor).collect();
            let (offset, scale) = (signed(cpd.offset, true), signed(cpd.scale, false));
            format!("E[{own}] = {offset}{scale}·{}", factors.join("·"))
        }
        other => format!("{own}: {}", other.kind()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_significant_digits() {
        assert_eq!(
            (rounded_to(1234.56, 4), rounded_to(-0.000123456, 4)),
            (1235.0, -0.0001235)
        );
        assert_eq!(rounded_to(0.1 + 0.2, 17), 0.1 + 0.2);
    }
}
