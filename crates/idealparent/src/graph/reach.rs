//! Descendants of every variable, updated as edges are added and removed.

use fixedbitset::FixedBitSet;

use super::Dag;

/// The descendants of every variable.
///
/// A search needs to know at every step whether an edge would close a cycle. With the descendants
/// stored as bit sets, this takes one bit test. An update changes only the variables whose
/// descendants change and returns them, so that callers need not examine the others.
///
/// ```
/// use idealparent::Dag;
/// use idealparent::extend::Reach;
///
/// let mut dag = Dag::from_edges(3, [(0, 1)]).unwrap();
/// let mut reach = Reach::new(&dag);
/// dag.add_edge(1, 2);
/// reach.edge_added(&dag, 1, 2);
/// assert!(reach.reaches(0, 2));
/// assert!(!reach.allows(2, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Reach {
    /// Strict descendants, one set per variable.
    descendants: Vec<FixedBitSet>,
}

impl Reach {
    /// The descendants of every variable in a graph.
    ///
    /// # Panics
    /// If the graph has a cycle.
    pub fn new(dag: &Dag) -> Self {
        let n = dag.len();
        let mut reach = Reach {
            descendants: vec![FixedBitSet::with_capacity(n); n],
        };
        let order = dag.topological_order().expect("a DAG has no cycle");
        for &v in order.iter().rev() {
            reach.descendants[v] = reach.descendants_via_children(dag, v);
        }
        reach
    }

    /// Whether a directed path leads from `from` to another variable `to`.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.descendants[from].contains(to)
    }

    /// Strict descendants of a variable.
    pub fn descendants(&self, of: usize) -> &FixedBitSet {
        &self.descendants[of]
    }

    /// Whether adding `parent -> child` keeps the graph acyclic.
    pub fn allows(&self, parent: usize, child: usize) -> bool {
        parent != child && !self.reaches(child, parent)
    }

    /// Whether reversing the edge `parent -> child` keeps the graph acyclic, that is, whether no
    /// other path leads from `parent` to `child`.
    pub fn allows_reversal(&self, dag: &Dag, parent: usize, child: usize) -> bool {
        let detour = |&other: &usize| other != child && self.reaches(other, child);
        !dag.children(parent).iter().any(detour)
    }

    /// Updates the descendants after the edge `parent -> child` was added to `dag`. Returns the
    /// variables whose descendants changed.
    pub fn edge_added(&mut self, dag: &Dag, parent: usize, child: usize) -> Vec<usize> {
        let mut gained = self.descendants[child].clone();
        gained.insert(child);
        let mut grown = Vec::new();
        let mut stack = vec![parent];
        while let Some(v) = stack.pop() {
            // If `v` already reaches the child, then `v` and its ancestors already reach everything
            // that the child reaches.
            if self.descendants[v].contains(child) {
                continue;
            }
            self.descendants[v].union_with(&gained);
            grown.push(v);
            stack.extend(dag.parents(v));
        }
        grown
    }

    /// Updates the descendants after an edge out of `parent` was removed from `dag`. Returns the
    /// variables whose descendants changed.
    pub fn edge_removed(&mut self, dag: &Dag, parent: usize) -> Vec<usize> {
        let mut shrunk = Vec::new();
        let mut stale = FixedBitSet::with_capacity(dag.len());
        stale.insert(parent);
        for v in self.ancestors_nearest_first(dag, parent) {
            if !stale.contains(v) {
                continue;
            }
            let now = self.descendants_via_children(dag, v);
            if now != self.descendants[v] {
                self.descendants[v] = now;
                shrunk.push(v);
                for &above in dag.parents(v) {
                    stale.insert(above);
                }
            }
        }
        shrunk
    }

    /// The descendants of `v`, computed from those of its children.
    fn descendants_via_children(&self, dag: &Dag, v: usize) -> FixedBitSet {
        let mut union = FixedBitSet::with_capacity(dag.len());
        for &child in dag.children(v) {
            union.union_with(&self.descendants[child]);
            union.insert(child);
        }
        union
    }

    /// `of` and its ancestors, every variable before its ancestors.
    fn ancestors_nearest_first(&self, dag: &Dag, of: usize) -> Vec<usize> {
        // Depth-first from `of` upwards; reversed post-order puts a variable before its parents.
        let mut seen = FixedBitSet::with_capacity(dag.len());
        let mut order = Vec::new();
        let mut stack = vec![(of, 0)];
        seen.insert(of);
        while let Some((v, next)) = stack.pop() {
            match dag.parents(v).get(next) {
                Some(&above) => {
                    stack.push((v, next + 1));
                    if !seen.put(above) {
                        stack.push((above, 0));
                    }
                }
                None => order.push(v),
            }
        }
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Random additions and removals of edges.
    #[test]
    fn updates_agree_with_recomputation() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for n in [2, 5, 12, 70] {
            let mut dag = Dag::new(n);
            let mut reach = Reach::new(&dag);
            for _ in 0..600 {
                let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
                let before = reach.clone();
                let changed = if dag.has_edge(a, b) {
                    let alone = !Dag::from_edges(n, dag.edges().filter(|&e| e != (a, b)))
                        .unwrap()
                        .reaches(a, b);
                    assert_eq!(reach.allows_reversal(&dag, a, b), alone);
                    dag.remove_edge(a, b);
                    reach.edge_removed(&dag, a)
                } else if reach.allows(a, b) {
                    assert!(!dag.reaches(b, a));
                    dag.add_edge(a, b);
                    reach.edge_added(&dag, a, b)
                } else {
                    assert!(a == b || dag.reaches(b, a));
                    continue;
                };
                let fresh = Reach::new(&dag);
                for v in 0..n {
                    assert_eq!(reach.descendants[v], fresh.descendants[v]);
                    let differs = before.descendants[v] != fresh.descendants[v];
                    assert_eq!(changed.contains(&v), differs);
                }
            }
        }
    }
}
