//! A directed acyclic graph over variable indices.

use pathfinding::directed::dfs::dfs_reach;

use crate::error::shorten;

/// Parents and children of every variable, both sorted.
///
/// [`Dag::add_edge`] does not check for cycles: the caller must check first, with [`Dag::reaches`]
/// or, in a search, with [`Reach`](crate::graph::Reach).
///
/// ```
/// use idealparent::Dag;
///
/// let mut dag = Dag::new(3);
/// dag.add_edge(0, 1);
/// dag.add_edge(1, 2);
/// assert_eq!(dag.parents(2), [1]);
/// assert_eq!(dag.edge_count(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dag {
    parents: Vec<Vec<usize>>,
    children: Vec<Vec<usize>>,
}

impl Dag {
    /// A graph of `n` variables without edges.
    pub fn new(n: usize) -> Self {
        Dag {
            parents: vec![Vec::new(); n],
            children: vec![Vec::new(); n],
        }
    }

    /// A graph from `(parent, child)` pairs; `None` if they close a cycle.
    pub fn from_edges(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Option<Self> {
        Dag::or_cycle(n, edges).ok()
    }

    /// A graph from `(parent, child)` pairs; the error is a cycle that they close, as in
    /// [`Dag::cycle`].
    pub fn or_cycle(
        n: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, Vec<usize>> {
        let mut dag = Dag::new(n);
        // Sorted once at the end: inserting edges into sorted lists one by one could be quadratic.
        for (parent, child) in edges {
            dag.parents[child].push(parent);
            dag.children[parent].push(child);
        }
        for list in dag.parents.iter_mut().chain(&mut dag.children) {
            list.sort_unstable();
            list.dedup();
        }
        dag.cycle().map_or(Ok(dag), Err)
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Parents of a variable, in ascending order.
    pub fn parents(&self, child: usize) -> &[usize] {
        &self.parents[child]
    }

    /// Children of a variable, in ascending order.
    pub fn children(&self, parent: usize) -> &[usize] {
        &self.children[parent]
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.parents.iter().map(Vec::len).sum()
    }

    /// All edges as `(parent, child)`, by child, then parent.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let families = self.parents.iter().enumerate();
        families.flat_map(|(child, parents)| parents.iter().map(move |&parent| (parent, child)))
    }

    /// Whether `parent -> child` is an edge.
    pub fn has_edge(&self, parent: usize, child: usize) -> bool {
        self.parents[child].binary_search(&parent).is_ok()
    }

    /// Adds `parent -> child`; does nothing if the edge exists.
    pub fn add_edge(&mut self, parent: usize, child: usize) {
        if let Err(at) = self.parents[child].binary_search(&parent) {
            self.parents[child].insert(at, parent);
            let at = self.children[parent].partition_point(|&other| other < child);
            self.children[parent].insert(at, child);
        }
    }

    /// Removes `parent -> child`; does nothing if the edge does not exist.
    pub fn remove_edge(&mut self, parent: usize, child: usize) {
        if let Ok(at) = self.parents[child].binary_search(&parent) {
            self.parents[child].remove(at);
            self.children[parent].retain(|&other| other != child);
        }
    }

    /// Whether a directed path leads from `from` to `to` (a variable reaches itself).
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        dfs_reach(from, |&v| self.children[v].iter().copied()).any(|v| v == to)
    }

    /// A cycle, with its first variable repeated at the end; `None` if the graph is acyclic.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        // Removes variables without children until none is left. Every remaining variable has a
        // remaining child, so following children ends in a cycle.
        let mut children_left: Vec<usize> = self.children.iter().map(Vec::len).collect();
        let mut stack: Vec<usize> = (0..self.len()).filter(|&v| children_left[v] == 0).collect();
        while let Some(v) = stack.pop() {
            for &parent in &self.parents[v] {
                children_left[parent] -= 1;
                if children_left[parent] == 0 {
                    stack.push(parent);
                }
            }
        }
        let remains = |v: &usize| children_left[*v] > 0;
        let mut path = vec![(0..self.len()).find(remains)?];
        let mut position = vec![usize::MAX; self.len()];
        loop {
            let at = path[path.len() - 1];
            if position[at] != usize::MAX {
                return Some(path.split_off(position[at]));
            }
            position[at] = path.len() - 1;
            path.extend(self.children[at].iter().copied().find(|v| remains(v)));
        }
    }

    /// The variables in an order in which parents precede their children; `None` if there is a
    /// cycle. Of the variables that may come next, the smallest index is first.
    pub fn topological_order(&self) -> Option<Vec<usize>> {
        self.topological_order_by(|v| v)
    }

    /// The variables in an order in which parents precede their children; `None` if there is a
    /// cycle. Of the variables that may come next, the smallest key is first; ties are broken by
    /// index.
    pub fn topological_order_by<K: Ord>(&self, key: impl Fn(usize) -> K) -> Option<Vec<usize>> {
        use std::cmp::Reverse;
        let mut waiting: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        let entry = |v: usize| Reverse((key(v), v));
        let mut ready: std::collections::BinaryHeap<Reverse<(K, usize)>> = (0..self.len())
            .filter(|&v| waiting[v] == 0)
            .map(entry)
            .collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse((_, v))) = ready.pop() {
            order.push(v);
            for &child in &self.children[v] {
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    ready.push(entry(child));
                }
            }
        }
        (order.len() == self.len()).then_some(order)
    }
}

/// A path or cycle as text, for example `A -> B -> A`. The middle of a long one is replaced by `…`.
pub fn names_along<S: AsRef<str>>(path: &[usize], names: &[S]) -> String {
    const SHOWN: usize = 10;
    let mut along: Vec<String> = path.iter().map(|&v| shorten(names[v].as_ref())).collect();
    if along.len() > SHOWN {
        along.splice(SHOWN / 2..along.len() - SHOWN / 2, ["…".to_string()]);
    }
    along.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_can_be_added_and_removed() {
        let mut dag = Dag::from_edges(4, [(2, 1), (0, 1), (1, 3)]).unwrap();
        assert_eq!(dag.parents(1), [0, 2]);
        assert_eq!(dag.edges().collect::<Vec<_>>(), [(0, 1), (2, 1), (1, 3)]);
        assert!(dag.reaches(2, 3) && !dag.reaches(3, 2) && dag.reaches(3, 3));
        dag.remove_edge(0, 1);
        assert!(!dag.has_edge(0, 1) && dag.children(0).is_empty());
        assert_eq!(dag.edge_count(), 2);
    }

    #[test]
    fn a_cycle_has_no_order() {
        assert!(Dag::from_edges(3, [(0, 1), (1, 2), (2, 0)]).is_none());
        assert!(Dag::from_edges(2, [(1, 1)]).is_none());
        let cycle = Dag::or_cycle(4, [(3, 0), (0, 1), (1, 2), (2, 0)]).unwrap_err();
        assert_eq!(
            names_along(&cycle, &["a", "b", "c", "d"]),
            "a -> b -> c -> a"
        );
        let dag = Dag::from_edges(3, [(2, 0)]).unwrap();
        assert_eq!(dag.topological_order().unwrap(), [1, 2, 0]);
    }
}
