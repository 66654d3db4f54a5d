//! Layered layout of a graph: parents above their children, few crossings, short edges (Sugiyama,
//! Tagawa and Toda 1981).

mod order;
mod place;

use idealparent::Dag;

/// Space between two nodes of a layer, and distance of two layers, which is shorter if there are
/// many.
const GAP: f64 = 24.0;
const STEP: f64 = 76.0;
const SHORT_STEP: f64 = 60.0;
const MANY_LAYERS: usize = 9;

/// Width of an edge where it passes through a layer.
const PASSAGE: f64 = 4.0;

/// A layer wider than this (more in large graphs) is folded into several rows, `ROW` apart.
const WIDEST: f64 = 1300.0;
const ROW: f64 = 40.0;

/// Space between the ends of edges at a node.
const PORT: f64 = 9.0;

/// Positions of the nodes and edges of a drawing; y grows downwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Centre of every node.
    pub nodes: Vec<(f64, f64)>,
    /// Points of every edge from the parent to the child, in the order of [`Dag::edges`]. The first
    /// and the last point are at the height of the nodes' centres, shifted sideways if several
    /// edges begin or end there.
    pub edges: Vec<Vec<(f64, f64)>>,
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
}

/// Vertices in layers: the nodes, and a passage for every layer that an edge passes through.
struct Layers {
    /// Vertices of every layer, from left to right.
    layers: Vec<Vec<usize>>,
    /// Neighbours of each vertex in the layer above.
    above: Vec<Vec<usize>>,
    /// Neighbours of each vertex in the layer below.
    below: Vec<Vec<usize>>,
    widths: Vec<f64>,
    /// Number of nodes. Vertices below this index are nodes, the others passages.
    nodes: usize,
    /// Maximum width of a layer.
    widest: f64,
}

impl Layers {
    /// Space between two neighbouring vertices of a layer.
    fn gap(&self, a: usize, b: usize) -> f64 {
        match (a < self.nodes, b < self.nodes) {
            (true, true) => GAP,
            (false, false) => 0.25 * GAP,
            _ => 0.5 * GAP,
        }
    }

    /// Number of rows that a layer is folded into.
    fn rows(&self, layer: usize) -> usize {
        let layer = &self.layers[layer];
        let own: f64 = layer.iter().map(|&v| self.widths[v]).sum();
        let gaps: f64 = layer
            .windows(2)
            .map(|pair| self.gap(pair[0], pair[1]))
            .sum();
        (((own + gaps) / self.widest).ceil() as usize).clamp(1, 8)
    }
}

impl Layout {
    /// Lays out a graph; `widths` are the widths of its nodes.
    ///
    /// # Panics
    /// If the graph has a cycle, or the number of widths differs from the number of nodes.
    pub fn new(dag: &Dag, widths: &[f64]) -> Self {
        assert_eq!(dag.len(), widths.len(), "one width per node");
        let is_isolated = |v: usize| dag.parents(v).is_empty() && dag.children(v).is_empty();
        let depth = depths(dag);
        let (mut graph, chains) = Layers::new(dag, widths, &depth, is_isolated);
        order::untangle(&mut graph);
        let x = place::places(&graph);
        let count = graph.layers.len();
        let step = if count >= MANY_LAYERS {
            SHORT_STEP
        } else {
            STEP
        };
        let mut y = vec![0.0; graph.widths.len()];
        let mut top = 0.0;
        for layer in 0..count {
            let rows = graph.rows(layer);
            for (i, &v) in graph.layers[layer].iter().enumerate() {
                y[v] = top + 0.5 * step + ROW * (i % rows) as f64;
            }
            top += step + ROW * (rows - 1) as f64;
        }
        let vertices = || graph.layers.iter().flatten().copied();
        let left = vertices()
            .map(|v| x[v] - 0.5 * graph.widths[v])
            .fold(f64::INFINITY, f64::min);
        let left = if left.is_finite() { left - GAP } else { 0.0 };
        let right = |v: usize| x[v] - left + 0.5 * graph.widths[v] + GAP;
        let mut width = vertices().map(right).fold(0.0, f64::max);
        let mut nodes = vec![(0.0, 0.0); dag.len()];
        let mut edges = Vec::with_capacity(chains.len());
        for (chain, (parent, child)) in chains.iter().zip(dag.edges()) {
            let points: Vec<(f64, f64)> = chain.iter().map(|&v| (x[v] - left, y[v])).collect();
            (nodes[parent], nodes[child]) = (points[0], points[points.len() - 1]);
            edges.push(points);
        }
        spread_ends(dag, &mut edges, widths);
        let mut height = top;
        let isolated: Vec<usize> = (0..dag.len()).filter(|&v| is_isolated(v)).collect();
        if !isolated.is_empty() {
            let rows = place::rows(&isolated, widths, width.max(900.0), GAP);
            for (row, members) in rows.iter().enumerate() {
                for &(v, x) in members {
                    nodes[v] = (x, height + 0.6 * STEP * (row as f64 + 0.5));
                    width = width.max(x + 0.5 * widths[v] + GAP);
                }
            }
            height += 0.6 * STEP * rows.len() as f64;
        }
        Layout {
            nodes,
            edges,
            width,
            height,
        }
    }
}

/// Spreads the ends of edges at each node, so that they do not overlap.
fn spread_ends(dag: &Dag, edges: &mut [Vec<(f64, f64)>], widths: &[f64]) {
    let pairs: Vec<(usize, usize)> = dag.edges().collect();
    for is_end in [false, true] {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); dag.len()];
        for (edge, &(parent, child)) in pairs.iter().enumerate() {
            of[if is_end { child } else { parent }].push(edge);
        }
        for (v, own) in of.iter_mut().enumerate() {
            let next = |edge: usize| {
                if is_end {
                    edges[edge][edges[edge].len() - 2].0
                } else {
                    edges[edge][1].0
                }
            };
            own.sort_by(|&a, &b| next(a).total_cmp(&next(b)).then(a.cmp(&b)));
            let room = PORT.min((widths[v] - 12.0).max(0.0) / own.len().max(1) as f64);
            let middle = 0.5 * (own.len() as f64 - 1.0);
            for (place, &edge) in own.iter().enumerate() {
                let at = if is_end { edges[edge].len() - 1 } else { 0 };
                edges[edge][at].0 += room * (place as f64 - middle);
            }
        }
    }
}

/// The layer of every node: directly below its lowest parent, or directly above its highest child
/// if it has more children than parents.
fn depths(dag: &Dag) -> Vec<usize> {
    let order = dag.topological_order().expect("the graph has no cycle");
    let mut depth = vec![0; dag.len()];
    for &v in &order {
        let parents = dag.parents(v).iter();
        depth[v] = parents.map(|&p| depth[p] + 1).max().unwrap_or(0);
    }
    // Nodes with more children than parents move down to their highest child.
    for &v in order.iter().rev() {
        let children = dag.children(v).iter().map(|&c| depth[c]);
        if let Some(nearest) = children.min()
            && dag.parents(v).len() < dag.children(v).len()
        {
            depth[v] = nearest - 1;
        }
    }
    depth
}

impl Layers {
    /// The layers, and the vertices along every edge.
    fn new(
        dag: &Dag,
        widths: &[f64],
        depth: &[usize],
        is_isolated: impl Fn(usize) -> bool,
    ) -> (Self, Vec<Vec<usize>>) {
        let n = dag.len();
        let connected = || (0..n).filter(|&v| !is_isolated(v));
        let count = connected().map(|v| depth[v] + 1).max().unwrap_or(0);
        let mut graph = Layers {
            layers: vec![Vec::new(); count],
            above: vec![Vec::new(); n],
            below: vec![Vec::new(); n],
            widths: widths.to_vec(),
            nodes: n,
            widest: WIDEST
                .max(1.6 * (STEP * connected().map(|v| widths[v] + GAP).sum::<f64>()).sqrt()),
        };
        for v in connected() {
            graph.layers[depth[v]].push(v);
        }
        // Isolated nodes are placed below the layers.
        for v in (0..n).filter(|&v| is_isolated(v)) {
            graph.widths[v] = 0.0;
        }
        let mut chains = Vec::with_capacity(dag.edge_count());
        for (parent, child) in dag.edges() {
            let mut chain = vec![parent];
            for layer in depth[parent] + 1..depth[child] {
                let passage = graph.widths.len();
                graph.widths.push(PASSAGE);
                graph.above.push(Vec::new());
                graph.below.push(Vec::new());
                graph.layers[layer].push(passage);
                chain.push(passage);
            }
            chain.push(child);
            for pair in chain.windows(2) {
                graph.below[pair[0]].push(pair[1]);
                graph.above[pair[1]].push(pair[0]);
            }
            chains.push(chain);
        }
        (graph, chains)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossings(layout: &Layout) -> usize {
        let segments: Vec<[(f64, f64); 2]> = layout
            .edges
            .iter()
            .flat_map(|points| points.windows(2).map(|pair| [pair[0], pair[1]]))
            .collect();
        let mut count = 0;
        for (i, a) in segments.iter().enumerate() {
            for b in &segments[i + 1..] {
                let same = (a[0].1 - b[0].1).abs() < 1e-9;
                count += usize::from(same && (a[0].0 - b[0].0) * (a[1].0 - b[1].0) < -1e-9);
            }
        }
        count
    }

    /// Children are below their parents, and nodes of a layer do not touch.
    #[test]
    fn trees_have_no_crossings() {
        let edges: Vec<(usize, usize)> = (1..40)
            .map(|v| ((v * 7 % v.max(1)).min(v - 1).max((v - 1) / 2), v))
            .collect();
        let dag = Dag::from_edges(41, edges).unwrap();
        let widths: Vec<f64> = (0..41).map(|v| 30.0 + (v % 5) as f64 * 12.0).collect();
        let layout = Layout::new(&dag, &widths);
        for (parent, child) in dag.edges() {
            assert!(layout.nodes[parent].1 < layout.nodes[child].1);
        }
        for a in 0..41 {
            let (x, y) = layout.nodes[a];
            assert!(
                x - widths[a] / 2.0 > 0.0
                    && x + widths[a] / 2.0 < layout.width
                    && y < layout.height
            );
            for b in 0..a {
                let (other, row) = layout.nodes[b];
                let apart = (x - other).abs() - 0.5 * (widths[a] + widths[b]);
                assert!(
                    (row - y).abs() > 1.0 || apart > 0.9 * GAP,
                    "{a} {b} {apart}"
                );
            }
        }
        assert_eq!(crossings(&layout), 0);
    }

    /// Also checks an empty graph and isolated nodes.
    #[test]
    fn long_edges_pass_between_nodes() {
        let dag = Dag::from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)]).unwrap();
        let layout = Layout::new(&dag, &[40.0; 4]);
        let long = dag.edges().position(|edge| edge == (0, 3)).unwrap();
        assert_eq!(layout.edges[long].len(), 4);
        for &(x, y) in &layout.edges[long][1..3] {
            for &(other, row) in &layout.nodes {
                assert!((y - row).abs() > 1.0 || (x - other).abs() > 20.0);
            }
        }
        let empty = Layout::new(&Dag::new(0), &[]);
        assert_eq!((empty.width, empty.height), (0.0, 0.0));
        let apart = Layout::new(&Dag::new(100), &[50.0; 100]);
        assert!(apart.height > 100.0 && apart.width < 1100.0);
    }
}
