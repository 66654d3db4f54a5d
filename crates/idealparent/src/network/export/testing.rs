//! Networks shared by the tests of several formats and crates.

use super::super::{Family, Network, Variable};
use crate::cpd::{Cpd, LinearCpd};

/// A variable's name, and its parents with their weights.
type Part<'a> = (&'a str, &'a [(usize, f64)]);

fn network(parts: &[Part]) -> Network {
    let variable = |&(name, _): &Part| Variable {
        name: name.into(),
        hidden: false,
    };
    let family = |(at, (_, edges)): (usize, &Part)| {
        let (parents, weights) = edges.iter().copied().unzip();
        let cpd = LinearCpd {
            intercept: 0.5 + at as f64,
            weights,
            variance: 0.25 / (1.0 + at as f64),
        };
        Family::new(parents, Cpd::Linear(cpd))
    };
    Network {
        variables: parts.iter().map(variable).collect(),
        families: parts.iter().enumerate().map(family).collect(),
        ..Network::default()
    }
}

/// Names that every format accepts: A -> 'B c' <- if, 'B c' -> 1st; 'alone' has no edges.
pub fn plain() -> Network {
    network(&[
        ("A", &[]),
        ("B c", &[(0, 0.53), (3, -1.2)]),
        ("1st", &[(1, 1e-12)]),
        ("if", &[]),
        ("alone", &[]),
    ])
}

/// Names that need escaping, a hidden and an inactive variable, and strengths for some edges only.
pub fn hostile() -> Network {
    let mut network = network(&[
        ("<script>alert(1)</script>", &[(1, -2.5), (2, 0.125)]),
        ("say \"hi\" & 'bye' &amp; \\N \\", &[]),
        ("two\nlines\r\tand a tab", &[]),
        ("β-catenin ]]>", &[(0, 3.0)]),
        ("e0", &[]),
        ("plain", &[(4, 1e300)]),
        ("constant", &[]),
    ]);
    network.families[0].strengths = vec![12.25, 0.5];
    network.variables[2].hidden = true;
    network.families[6].inactive = true;
    network
}

/// Mutable access to the linear density of a variable.
pub fn linear(network: &mut Network, at: usize) -> &mut LinearCpd {
    match &mut network.families[at].cpd {
        Cpd::Linear(linear) => linear,
        other => panic!("{} is not linear", other.kind()),
    }
}
