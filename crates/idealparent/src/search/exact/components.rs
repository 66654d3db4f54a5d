//! Groups of variables that may lie on a common cycle.

/// Strongly connected components of a graph, each ascending, in the order of their smallest
/// members. `next` are the nodes to which each node has an edge.
pub(super) fn components(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = next.len();
    let mut search = Tarjan {
        next,
        number: vec![usize::MAX; n],
        lowest: vec![0; n],
        is_open: vec![false; n],
        open: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for v in 0..n {
        if search.number[v] == usize::MAX {
            search.from(v);
        }
    }
    let mut found = search.found;
    found.sort_unstable();
    found
}

/// Tarjan's algorithm, without recursion.
struct Tarjan<'a> {
    next: &'a [Vec<usize>],
    /// When a node was reached first.
    number: Vec<usize>,
    /// The earliest open node known to be reachable.
    lowest: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    count: usize,
    found: Vec<Vec<usize>>,
}

impl Tarjan<'_> {
    fn from(&mut self, root: usize) {
        self.enter(root);
        let mut calls = vec![(root, 0)];
        while let Some((v, edge)) = calls.last_mut() {
            let v = *v;
            if let Some(&to) = self.next[v].get(*edge) {
                *edge += 1;
                if self.number[to] == usize::MAX {
                    self.enter(to);
                    calls.push((to, 0));
                } else if self.is_open[to] {
                    self.lowest[v] = self.lowest[v].min(self.number[to]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(from, _)) = calls.last() {
                self.lowest[from] = self.lowest[from].min(self.lowest[v]);
            }
            if self.lowest[v] == self.number[v] {
                self.close(v);
            }
        }
    }

    fn enter(&mut self, v: usize) {
        (self.number[v], self.lowest[v]) = (self.count, self.count);
        self.count += 1;
        self.open.push(v);
        self.is_open[v] = true;
    }

    /// The open nodes from this one on are a component.
    fn close(&mut self, v: usize) {
        let at = self.open.iter().rposition(|&w| w == v);
        let mut members = self.open.split_off(at.expect("an open node"));
        for &member in &members {
            self.is_open[member] = false;
        }
        members.sort_unstable();
        self.found.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_agree_with_reachability() {
        for seed in 0..200_usize {
            let n = 7;
            let edge = |a: usize, b: usize| (seed * 7919 + a * 131 + b * 37) % 97 < 14;
            let next: Vec<Vec<usize>> = (0..n)
                .map(|a| (0..n).filter(|&b| a != b && edge(a, b)).collect())
                .collect();
            let mut reaches = vec![vec![false; n]; n];
            for (a, row) in reaches.iter_mut().enumerate() {
                row[a] = true;
                next[a].iter().for_each(|&b| row[b] = true);
            }
            for via in 0..n {
                for a in 0..n {
                    for b in 0..n {
                        reaches[a][b] |= reaches[a][via] && reaches[via][b];
                    }
                }
            }
            let found = components(&next);
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), n);
            for component in &found {
                for b in 0..n {
                    let together = reaches[component[0]][b] && reaches[b][component[0]];
                    assert_eq!(component.contains(&b), together, "{seed}");
                }
            }
        }
    }
}
