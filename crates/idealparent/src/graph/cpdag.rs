//! The completed partially directed graph (CPDAG) of a Markov equivalence class.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{Dag, Pdag};

/// How two variables are joined in a [`Cpdag`].
///
/// Returned by [`Cpdag::adjacency`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Adjacency {
    /// There is no edge.
    None,
    /// A compelled edge leads from the first to the second.
    Forward,
    /// A compelled edge leads from the second to the first.
    Backward,
    /// The edge is reversible: the class contains graphs with either direction.
    Undirected,
}

/// The essential graph of a directed acyclic graph.
///
/// All graphs of one Markov equivalence class (same adjacencies, same v-structures) have the same
/// `Cpdag`. Two of them compare equal exactly if the graphs they came from are equivalent.
///
/// ```
/// use idealparent::Dag;
/// use idealparent::extend::Cpdag;
///
/// // In a chain every edge can be reversed; in a collider none can.
/// let (mut chain, mut collider) = (Dag::new(3), Dag::new(3));
/// chain.add_edge(0, 1);
/// chain.add_edge(1, 2);
/// collider.add_edge(0, 1);
/// collider.add_edge(2, 1);
/// assert!(!Cpdag::new(&chain).is_compelled(0, 1));
/// assert!(Cpdag::new(&collider).is_compelled(0, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpdag(pub(super) Pdag);

impl Cpdag {
    /// Labels every edge of `dag` as compelled or reversible.
    ///
    /// This is the edge ordering and labelling of Chickering (1995), "A transformational
    /// characterization of equivalent Bayesian network structures".
    ///
    /// # Panics
    /// If `dag` has a cycle.
    pub fn new(dag: &Dag) -> Self {
        let labels = label_edges(dag);
        let mut compelled = Dag::new(dag.len());
        let mut reversible = Vec::new();
        for ((parent, child), label) in dag.edges().zip(labels.into_iter().flatten()) {
            if label == Label::Compelled {
                compelled.add_edge(parent, child);
            } else {
                reversible.push((parent, child));
            }
        }
        Cpdag(Pdag::new(compelled, reversible))
    }

    /// Whether every graph of the class has the edge `parent -> child`.
    pub fn is_compelled(&self, parent: usize, child: usize) -> bool {
        self.0.directed.has_edge(parent, child)
    }

    /// Whether a reversible edge joins the two variables.
    pub fn is_reversible(&self, one: usize, other: usize) -> bool {
        self.0.is_undirected(one, other)
    }

    /// How `first` and `second` are joined.
    pub fn adjacency(&self, first: usize, second: usize) -> Adjacency {
        if self.is_compelled(first, second) {
            Adjacency::Forward
        } else if self.is_compelled(second, first) {
            Adjacency::Backward
        } else if self.is_reversible(first, second) {
            Adjacency::Undirected
        } else {
            Adjacency::None
        }
    }

    /// Number of compelled edges.
    pub fn compelled_count(&self) -> usize {
        self.0.directed.edge_count()
    }

    /// Number of reversible edges.
    pub fn reversible_count(&self) -> usize {
        self.0.neighbours.iter().map(BTreeSet::len).sum::<usize>() / 2
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Unknown,
    Compelled,
    Reversible,
}

/// A label for every edge, in the order of `dag.parents`.
fn label_edges(dag: &Dag) -> Vec<Vec<Label>> {
    let order = dag
        .topological_order()
        .expect("a structure to label has no cycle");
    let mut rank = vec![0; dag.len()];
    for (at, &v) in order.iter().enumerate() {
        rank[v] = at;
    }
    let mut labels: Vec<Vec<Label>> = (0..dag.len())
        .map(|v| vec![Label::Unknown; dag.parents(v).len()])
        .collect();
    // Chickering's edge order: children from first to last, parents of each from last to first.
    for &child in &order {
        let parents = dag.parents(child);
        let mut positions: Vec<usize> = (0..parents.len()).collect();
        positions.sort_unstable_by_key(|&at| Reverse(rank[parents[at]]));
        for at in positions {
            if labels[child][at] == Label::Unknown {
                label_family(dag, &mut labels, child, parents[at]);
            }
        }
    }
    labels
}

/// Labels `parent -> child`, and the other edges into `child` whose labels follow from it.
fn label_family(dag: &Dag, labels: &mut [Vec<Label>], child: usize, parent: usize) {
    for (at, &grandparent) in dag.parents(parent).iter().enumerate() {
        if labels[parent][at] != Label::Compelled {
            continue;
        }
        match dag.parents(child).binary_search(&grandparent) {
            Ok(direct) => labels[child][direct] = Label::Compelled,
            Err(_) => {
                // Reversed, the edge would make a v-structure with `grandparent -> parent`. Since
                // it is fixed, no other edge into `child` can be reversed.
                labels[child].fill(Label::Compelled);
                return;
            }
        }
    }
    let collides = dag
        .parents(child)
        .iter()
        .any(|&other| other != parent && !dag.has_edge(other, parent));
    let verdict = if collides {
        Label::Compelled
    } else {
        Label::Reversible
    };
    for label in &mut labels[child] {
        if *label == Label::Unknown {
            *label = verdict;
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
