//! The directions of a network's edges that the data and prior knowledge determine.

use super::Network;
use crate::cpd::Cpd;
use crate::data::{EdgeList, TierList};
use crate::graph::{Constraints, Knowledge, Pdag};

impl Network {
    /// The directions on which all networks agree that represent the same distributions as this one
    /// and satisfy the prior knowledge it was learned with.
    ///
    /// Non-linear densities identify directions: the edges of a variable with such a density cannot
    /// be reversed.
    ///
    /// ```
    /// use idealparent::{Cpd, Family, LinearCpd, Network, Variable};
    ///
    /// // A chain of two: either direction fits the data equally well.
    /// let slope = LinearCpd { intercept: 0.0, weights: vec![2.0], variance: 0.25 };
    /// let network = Network::new(
    ///     vec![Variable::observed("A"), Variable::observed("B")],
    ///     vec![
    ///         Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0))),
    ///         Family::new(vec![0], Cpd::Linear(slope)),
    ///     ],
    /// );
    /// assert!(network.equivalence_class().is_undirected(0, 1));
    /// ```
    pub fn equivalence_class(&self) -> Pdag {
        let constraints = self.constraints();
        let is_nonlinear = |v: usize| !matches!(self.families[v].cpd, Cpd::Linear(_));
        Pdag::of_class(&self.dag(), |from, to| {
            constraints.fixes(from, to) || is_nonlinear(from) || is_nonlinear(to)
        })
    }

    /// The prior knowledge that the network was learned with, as far as it is recorded.
    pub fn constraints(&self) -> Constraints {
        let free = Constraints::none(self.len());
        let Some(provenance) = &self.provenance else {
            return free;
        };
        let knowledge = Knowledge {
            require: provenance.recorded::<EdgeList>("require").edges,
            forbid: provenance.recorded::<EdgeList>("forbid").edges,
            tiers: provenance.recorded::<TierList>("tiers").tiers,
            max_parents: provenance.recorded("max_parents"),
            ..Knowledge::default()
        };
        let observed: Vec<usize> = (0..self.len())
            .filter(|&v| !self.variables[v].hidden)
            .collect();
        let names: Vec<String> = observed.iter().map(|&v| self.name(v).to_string()).collect();
        let inactive: Vec<bool> = observed
            .iter()
            .map(|&v| self.families[v].inactive)
            .collect();
        // Hidden variables come last.
        let hidden = self.len() - observed.len();
        match Constraints::new(&names, &knowledge, &inactive, &[]) {
            Ok(found) if observed.iter().copied().eq(0..observed.len()) => {
                found.with_hidden(hidden, provenance.has("two_layer"), false, &[])
            }
            _ => free,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::cpd::LinearCpd;
    use crate::network::{DataRecord, Family, Provenance, Variable};

    /// A -> B -> C, with these options recorded.
    fn chain(options: Value) -> Network {
        let cpd = |weights: Vec<f64>| {
            Cpd::Linear(LinearCpd {
                intercept: 0.0,
                weights,
                variance: 1.0,
            })
        };
        let families = vec![
            Family::new(vec![], cpd(vec![])),
            Family::new(vec![0], cpd(vec![1.0])),
            Family::new(vec![1], cpd(vec![1.0])),
        ];
        let mut network = Network::new(["A", "B", "C"].map(Variable::observed).to_vec(), families);
        let options: Map<String, Value> = options.as_object().unwrap().clone();
        network.provenance = Some(Provenance {
            version: String::new(),
            options,
            seed: 0,
            data: DataRecord {
                rows: 1,
                columns: 3,
                missing: 0,
                sha256: String::new(),
            },
        });
        network
    }

    fn reversible(options: Value) -> Vec<(usize, usize)> {
        let network = chain(options);
        let class = network.equivalence_class();
        let edges = network.dag();
        let found = edges.edges().filter(|&(p, c)| class.is_undirected(p, c));
        found.collect()
    }

    #[test]
    fn prior_knowledge_fixes_directions() {
        assert_eq!(reversible(json!({})), [(0, 1), (1, 2)]);
        // B -> A is then impossible, and B <- C would make a new v-structure.
        assert_eq!(reversible(json!({"require": [["A", "B"]]})), []);
        assert_eq!(reversible(json!({"forbid": [["B", "A"]]})), []);
        assert_eq!(reversible(json!({"tiers": [["A"], ["B", "C"]]})), []);
        // With the second edge fixed, the first can still be reversed.
        assert_eq!(reversible(json!({"forbid": [["C", "B"]]})), [(0, 1)]);
        assert_eq!(
            reversible(json!({"forbid": [["A", "C"]]})),
            [(0, 1), (1, 2)]
        );
    }

    #[test]
    fn unreadable_knowledge_is_ignored() {
        assert_eq!(
            reversible(json!({"require": [["A", "X"]]})),
            [(0, 1), (1, 2)]
        );
        assert_eq!(reversible(json!({"tiers": 3})), [(0, 1), (1, 2)]);
    }
}
