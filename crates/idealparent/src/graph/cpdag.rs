//! The completed partially directed graph: what a structure's Markov equivalence class agrees on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::graph::Dag;

/// How two variables are joined in a [`Cpdag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adjacency {
    /// Not at all.
    None,
    /// By a compelled edge from the first to the second.
    Forward,
    /// By a compelled edge from the second to the first.
    Backward,
    /// By a reversible edge: the class holds graphs with either direction.
    Undirected,
}

/// The essential graph of a directed acyclic graph.
///
/// All graphs of one Markov equivalence class (same adjacencies, same v-structures) have the same
/// `Cpdag`, so two of them compare equal exactly when the graphs they came from are equivalent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpdag {
    compelled: Dag,
    /// Other ends of the reversible edges of every variable, in ascending order.
    neighbours: Vec<Vec<usize>>,
}

impl Cpdag {
    /// Labels every edge of `dag` compelled or reversible.
    ///
    /// This is the edge ordering and labelling of Chickering (1995), "A transformational
    /// characterization of equivalent Bayesian network structures".
    ///
    /// # Panics
    /// If `dag` has a cycle.
    pub fn new(dag: &Dag) -> Self {
        let labels = label_edges(dag);
        let mut compelled = Dag::new(dag.len());
        let mut neighbours = vec![Vec::new(); dag.len()];
        for child in 0..dag.len() {
            for (&parent, &label) in dag.parents(child).iter().zip(&labels[child]) {
                if label == Label::Compelled {
                    compelled.add_edge(parent, child);
                } else {
                    neighbours[child].push(parent);
                    neighbours[parent].push(child);
                }
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
        }
        Cpdag {
            compelled,
            neighbours,
        }
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Whether there are no variables at all.
    pub fn is_empty(&self) -> bool {
        self.neighbours.is_empty()
    }

    /// Whether every graph of the class has the edge `parent -> child`.
    pub fn is_compelled(&self, parent: usize, child: usize) -> bool {
        self.compelled.has_edge(parent, child)
    }

    /// Whether the class joins the two by an edge that may point either way.
    pub fn is_reversible(&self, one: usize, other: usize) -> bool {
        self.neighbours[one].binary_search(&other).is_ok()
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
        self.compelled.edge_count()
    }

    /// Number of reversible edges.
    pub fn reversible_count(&self) -> usize {
        self.neighbours.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// The compelled edges as `(parent, child)`, by child, then parent.
    pub fn compelled_edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.compelled.edges()
    }

    /// The reversible edges as pairs, the smaller index first, in ascending order.
    pub fn reversible_edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let of_one = |(one, list): (usize, &Vec<usize>)| {
            let later: Vec<usize> = list.iter().copied().filter(|&other| one < other).collect();
            later.into_iter().map(move |other| (one, other))
        };
        self.neighbours.iter().enumerate().flat_map(of_one)
    }

    /// A graph of the class: the compelled edges, and the reversible ones directed so that neither
    /// a cycle nor a v-structure appears.
    ///
    /// The reversible edges of an essential graph form chordal components, and directing a chordal
    /// graph along a maximum cardinality search joins all parents of every variable.
    pub fn consistent_extension(&self) -> Dag {
        let rank = self.cardinality_ranks();
        let mut dag = self.compelled.clone();
        for (one, other) in self.reversible_edges() {
            if rank[one] < rank[other] {
                dag.add_edge(one, other);
            } else {
                dag.add_edge(other, one);
            }
        }
        dag
    }

    /// Position of every variable in a maximum cardinality search over the reversible edges: next
    /// comes whoever has most visited neighbours, the smallest index among equals.
    fn cardinality_ranks(&self) -> Vec<usize> {
        let mut rank = vec![usize::MAX; self.len()];
        let mut visited_neighbours = vec![0usize; self.len()];
        let mut queue: BinaryHeap<_> = (0..self.len()).map(|v| (0, Reverse(v))).collect();
        let mut next = 0;
        while let Some((count, Reverse(v))) = queue.pop() {
            // An entry is outdated once its variable was visited or gained a neighbour.
            if rank[v] != usize::MAX || count != visited_neighbours[v] {
                continue;
            }
            rank[v] = next;
            next += 1;
            for &other in &self.neighbours[v] {
                if rank[other] == usize::MAX {
                    visited_neighbours[other] += 1;
                    queue.push((visited_neighbours[other], Reverse(other)));
                }
            }
        }
        rank
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Unknown,
    Compelled,
    Reversible,
}

/// A label for every edge, stored as `dag.parents` stores the edges.
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
    // Children first to last, the parents of each last to first: Chickering's edge order.
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

/// Labels `parent -> child`, and with it whatever edges into `child` it decides.
fn label_family(dag: &Dag, labels: &mut [Vec<Label>], child: usize, parent: usize) {
    for (at, &grandparent) in dag.parents(parent).iter().enumerate() {
        if labels[parent][at] != Label::Compelled {
            continue;
        }
        match dag.parents(child).binary_search(&grandparent) {
            Ok(direct) => labels[child][direct] = Label::Compelled,
            Err(_) => {
                // Reversed, the edge would make a v-structure with `grandparent -> parent`, and with
                // it fixed no other edge into `child` can turn.
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
mod tests;
