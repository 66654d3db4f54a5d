//! Graphs of which some edges are directed and others are not yet, and what the ones say of the
//! others (Meek 1995).

use std::collections::BTreeSet;

use super::{Cpdag, Dag};

/// Some edges with a direction, and some without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdag {
    pub(super) directed: Dag,
    /// Other ends of the undirected edges of every variable.
    pub(super) neighbours: Vec<BTreeSet<usize>>,
}

impl Pdag {
    /// Edges with a direction, which form no cycle, and pairs without.
    pub fn new(directed: Dag, undirected: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![BTreeSet::new(); directed.len()];
        for (one, other) in undirected {
            neighbours[one].insert(other);
            neighbours[other].insert(one);
        }
        Pdag {
            directed,
            neighbours,
        }
    }

    /// What the graphs equivalent to `dag` agree on that have some of its edges as it has them.
    pub fn of_class(dag: &Dag, is_fixed: impl Fn(usize, usize) -> bool) -> Self {
        let Cpdag(mut pdag) = Cpdag::new(dag);
        for (parent, child) in dag.edges() {
            if pdag.is_undirected(parent, child) && is_fixed(parent, child) {
                pdag.direct(parent, child);
            }
        }
        while let Some((parent, child)) = pdag.implied() {
            pdag.direct(parent, child);
        }
        pdag
    }

    /// Whether the two are joined without a direction.
    pub fn is_undirected(&self, one: usize, other: usize) -> bool {
        self.neighbours[one].contains(&other)
    }

    fn are_joined(&self, one: usize, other: usize) -> bool {
        self.is_undirected(one, other)
            || self.directed.has_edge(one, other)
            || self.directed.has_edge(other, one)
    }

    /// Gives an edge a direction.
    fn direct(&mut self, parent: usize, child: usize) {
        self.drop_undirected(parent, child);
        self.directed.add_edge(parent, child);
    }

    fn drop_undirected(&mut self, one: usize, other: usize) {
        self.neighbours[one].remove(&other);
        self.neighbours[other].remove(&one);
    }

    /// An edge whose direction follows from the others: the other way it would close a cycle, or
    /// make two variables parents of a third that no edge joins.
    fn implied(&self) -> Option<(usize, usize)> {
        let pairs = self.neighbours.iter().enumerate();
        let mut pairs = pairs.flat_map(|(a, of)| of.iter().map(move |&b| (a, b)));
        pairs.find(|&(a, b)| self.implies(a, b))
    }

    /// Whether one of Meek's four rules directs the edge from `a` to `b`.
    fn implies(&self, a: usize, b: usize) -> bool {
        let into_a = self.directed.parents(a).iter();
        if into_a.clone().any(|&c| !self.are_joined(c, b)) {
            return true;
        }
        let into_b = self.directed.parents(b);
        if into_b.iter().any(|&c| self.directed.has_edge(a, c)) {
            return true;
        }
        let between: Vec<usize> = into_b
            .iter()
            .copied()
            .filter(|&c| self.is_undirected(a, c))
            .collect();
        for (i, &c) in between.iter().enumerate() {
            if between[i + 1..].iter().any(|&d| !self.are_joined(c, d)) {
                return true;
            }
        }
        let before = |&c: &usize| {
            let mut parents = self.directed.parents(c).iter();
            parents.any(|&d| self.is_undirected(a, d) && !self.are_joined(d, b))
        };
        into_b
            .iter()
            .filter(|&&c| self.are_joined(a, c))
            .any(before)
    }

    /// Gives every edge a direction, those first that `may_have` allows to be told by others; where
    /// nothing tells, as the pairs in `order` have it. An edge that may have neither direction is
    /// left out.
    pub fn directed(
        mut self,
        order: &[(usize, usize)],
        may_have: impl Fn(&Dag, usize, usize) -> bool,
    ) -> Dag {
        let mut order = order.iter();
        loop {
            let (parent, child) = match self.implied() {
                Some(edge) => edge,
                None => match order.find(|(one, other)| self.is_undirected(*one, *other)) {
                    Some(&edge) => edge,
                    None => return self.directed,
                },
            };
            let fits = |pdag: &Pdag, parent: usize, child: usize| {
                !pdag.directed.reaches(child, parent) && may_have(&pdag.directed, parent, child)
            };
            if fits(&self, parent, child) {
                self.direct(parent, child);
            } else if fits(&self, child, parent) {
                self.direct(child, parent);
            } else {
                self.drop_undirected(parent, child);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::super::cpdag::tests::{equivalence_class, random_dag};
    use super::*;

    /// What the members of a class with some edges fixed agree on, found by looking at all of them.
    #[test]
    fn members_agree_on_what_is_directed() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        for _ in 0..200 {
            let dag = random_dag(&mut rng, 5, 0.4);
            let fixed: Vec<(usize, usize)> =
                dag.edges().filter(|_| rng.random::<f64>() < 0.25).collect();
            let has_fixed = |other: &Dag| fixed.iter().all(|&(a, b)| other.has_edge(a, b));
            let mut members = equivalence_class(&dag);
            members.retain(has_fixed);
            let pdag = Pdag::of_class(&dag, |a, b| fixed.contains(&(a, b)));
            for (a, b) in dag.edges() {
                let both = members.iter().any(|other| other.has_edge(b, a));
                assert_eq!(pdag.is_undirected(a, b), both, "{dag:?} {fixed:?} {a} {b}");
            }
            // Any order of the rest gives a member.
            let mut order: Vec<(usize, usize)> = dag.edges().map(|(a, b)| (b, a)).collect();
            order.sort_unstable();
            let whole = pdag.directed(&order, |_, _, _| true);
            assert!(members.contains(&whole));
        }
    }
}
