//! The attributes of nodes and edges that all graph formats write.

use std::collections::HashSet;

use super::refuse;
use crate::error::{Result, quoted};
use crate::network::{Network, Variable};

/// An edge of a network, with the attributes that exports and pictures show.
///
/// Returned by [`Network::edge_views`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EdgeView {
    /// Index of the parent among the network's variables.
    pub parent: usize,
    /// Index of the child among the network's variables.
    pub child: usize,
    /// The parent's weight in the child's density.
    pub weight: f64,
    /// Whether the child's mean falls with the parent.
    pub is_negative: bool,
    /// Score lost when the edge is deleted, if known.
    pub strength: Option<f64>,
    /// Whether neither data nor prior knowledge determine the direction.
    pub is_reversible: bool,
}

impl EdgeView {
    /// The sign of the effect as a word: `positive` or `negative`.
    pub fn sign(&self) -> &'static str {
        if self.is_negative {
            "negative"
        } else {
            "positive"
        }
    }

    /// What is known about the direction, as a word: `compelled` or `reversible`.
    pub fn direction(&self) -> &'static str {
        if self.is_reversible {
            "reversible"
        } else {
            "compelled"
        }
    }
}

impl Network {
    /// The edges with their attributes, ordered by child, then by the order of the parents in the
    /// child's family.
    ///
    /// ```
    /// use idealparent::{Cpd, Family, LinearCpd, Network, Variable};
    ///
    /// let slope = LinearCpd { intercept: 0.0, weights: vec![-2.0], variance: 0.5 };
    /// let root = Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0)));
    /// let families = vec![root, Family::new(vec![0], Cpd::Linear(slope))];
    /// let network = Network::new(["A", "B"].map(Variable::observed).into(), families);
    /// let edge = &network.edge_views()[0];
    /// assert_eq!(edge.weight, -2.0);
    /// assert!(edge.is_negative && edge.is_reversible);
    /// ```
    pub fn edge_views(&self) -> Vec<EdgeView> {
        let class = self.equivalence_class();
        let mut edges = Vec::with_capacity(self.edge_count());
        for (child, family) in self.families.iter().enumerate() {
            for (at, &parent) in family.parents.iter().enumerate() {
                let strength = family.strengths.get(at).copied();
                edges.push(EdgeView {
                    parent,
                    child,
                    weight: family.cpd.weight(at),
                    is_negative: family.cpd.sign(at) < 0.0,
                    // A strength that overflowed is not useful to readers.
                    strength: strength.filter(|s| s.is_finite()),
                    is_reversible: class.is_undirected(parent, child),
                });
            }
        }
        edges
    }
}

/// Returns an error for what no format can represent: empty or repeated names, and parameters that
/// are not finite.
pub(super) fn check(network: &Network, format: &str) -> Result<()> {
    check_names(&network.variables, format)?;
    for (variable, family) in network.variables.iter().zip(&network.families) {
        let cpd = &family.cpd;
        let mut numbers = cpd.numbers().into_iter().chain([cpd.variance()]);
        if numbers.any(|x| !x.is_finite()) {
            let problem = format!(
                "variable {} has a parameter that is not a finite number",
                quoted(&variable.name)
            );
            return Err(refuse(format, problem));
        }
    }
    Ok(())
}

fn check_names(variables: &[Variable], format: &str) -> Result<()> {
    let mut seen = HashSet::new();
    for Variable { name, .. } in variables {
        if name.is_empty() {
            return Err(refuse(format, "a variable has an empty name"));
        }
        if !seen.insert(name) {
            let problem = format!("two variables are called {}", quoted(name));
            return Err(refuse(format, problem));
        }
    }
    Ok(())
}

/// The shortest decimal that reads back as the same number. It always has a point or an exponent,
/// so that readers that infer types read a real number.
pub(super) fn number(value: f64) -> String {
    format!("{value:?}")
}

/// A prefix for edge ids that no node name can clash with, for formats in which nodes and edges
/// share one namespace.
pub(super) fn edge_id_prefix(network: &Network) -> String {
    let mut prefix = String::from("e");
    let taken = |prefix: &str| {
        network.variables.iter().any(|variable| {
            let rest = variable.name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    while taken(&prefix) {
        prefix.push('_');
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn edges_have_weight_sign_strength_and_direction() {
        let network = testing::hostile();
        let edges = network.edge_views();
        assert_eq!(edges.len(), network.edge_count());
        let first = &edges[0];
        assert_eq!((first.weight, first.sign()), (-2.5, "negative"));
        assert_eq!(first.strength, Some(12.25));
        assert!(edges.iter().any(|e| e.strength.is_none()));
        assert!(edges.iter().any(|e| e.is_reversible));
        assert!(edges.iter().any(|e| !e.is_reversible));
    }

    #[test]
    fn edge_ids_differ_from_node_names() {
        let mut network = testing::plain();
        assert_eq!(edge_id_prefix(&network), "e");
        network.variables[0].name = "e0".into();
        assert_eq!(edge_id_prefix(&network), "e_");
        network.variables[1].name = "e_17".into();
        assert_eq!(edge_id_prefix(&network), "e__");
    }

    #[test]
    fn numbers_read_back_exactly() {
        for value in [
            0.1,
            -0.0,
            1.0,
            1e-12,
            1e300,
            5e-324,
            1.0 / 3.0,
            123456789.125,
        ] {
            let text = number(value);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
            assert!(text.contains(['.', 'e']), "{text}");
        }
    }
}
