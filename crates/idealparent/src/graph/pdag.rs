//! Partially directed graphs, and the directions that follow from the directed edges (Meek 1995).

use std::collections::BTreeSet;

use super::{Cpdag, Dag};

/// A graph with directed and undirected edges.
///
/// ```
/// use idealparent::{Dag, Pdag};
///
/// // If 0 -> 1 is known, then 1 -> 2 follows: 2 -> 1 would make a new v-structure.
/// let known = Dag::from_edges(3, [(0, 1)]).unwrap();
/// let pdag = Pdag::new(known, [(1, 2)]);
/// assert!(pdag.is_undirected(1, 2));
/// let directed = pdag.directed(&[], |_, _, _| true);
/// assert!(directed.has_edge(1, 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdag {
    pub(super) directed: Dag,
    /// Per variable, the other ends of its undirected edges.
    pub(super) neighbours: Vec<BTreeSet<usize>>,
}

impl Pdag {
    /// A graph from directed edges, which must not form a cycle, and undirected pairs.
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

    /// The directions on which all graphs agree that are Markov equivalent to `dag` and keep the
    /// edges for which `is_fixed(parent, child)` holds.
    pub fn of_class(dag: &Dag, is_fixed: impl Fn(usize, usize) -> bool) -> Self {
        let Cpdag(mut pdag) = Cpdag::new(dag);
        // Variables whose undirected edges may now follow from directed ones.
        let mut open = BTreeSet::new();
        for (parent, child) in dag.edges() {
            if pdag.is_undirected(parent, child) && is_fixed(parent, child) {
                pdag.direct(parent, child);
                pdag.open_around(parent, child, &mut open);
            }
        }
        while let Some(one) = open.pop_first() {
            for other in pdag.neighbours[one].clone() {
                for (parent, child) in [(one, other), (other, one)] {
                    if pdag.is_undirected(parent, child) && pdag.implies(parent, child) {
                        pdag.direct(parent, child);
                        pdag.open_around(parent, child, &mut open);
                    }
                }
            }
        }
        pdag
    }

    /// Adds the variables whose undirected edges a new edge may direct. Meek's rules look at the
    /// edges of its two ends and, for the fourth, of the child's children.
    fn open_around(&self, parent: usize, child: usize, open: &mut BTreeSet<usize>) {
        open.extend([parent, child]);
        open.extend(self.directed.children(child));
    }

    /// Whether an undirected edge joins the two variables.
    pub fn is_undirected(&self, one: usize, other: usize) -> bool {
        self.neighbours[one].contains(&other)
    }

    fn are_joined(&self, one: usize, other: usize) -> bool {
        self.is_undirected(one, other)
            || self.directed.has_edge(one, other)
            || self.directed.has_edge(other, one)
    }

    /// Directs an undirected edge.
    fn direct(&mut self, parent: usize, child: usize) {
        self.drop_undirected(parent, child);
        self.directed.add_edge(parent, child);
    }

    fn drop_undirected(&mut self, one: usize, other: usize) {
        self.neighbours[one].remove(&other);
        self.neighbours[other].remove(&one);
    }

    /// An undirected edge whose direction follows from the others: reversed, it would lead to a
    /// cycle or to a new v-structure (two parents of a variable that no edge joins).
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

    /// Directs every edge.
    ///
    /// Edges whose direction follows from others are directed first. If there are none, the next
    /// undirected pair in `order` is directed as it is written there. A direction that would close
    /// a cycle, or that `may_have` rejects, is reversed; an edge that can have neither direction is
    /// removed.
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

    /// Compares with the enumeration of all members of the class that keep the fixed edges.
    #[test]
    fn an_edge_is_directed_exactly_if_all_members_agree() {
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
            // Directing the remaining edges in any order gives a member of the class.
            let mut order: Vec<(usize, usize)> = dag.edges().map(|(a, b)| (b, a)).collect();
            order.sort_unstable();
            let whole = pdag.directed(&order, |_, _, _| true);
            assert!(members.contains(&whole));
        }
    }
}
