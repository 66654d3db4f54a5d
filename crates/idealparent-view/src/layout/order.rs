//! The order of the vertices within each layer, chosen to reduce edge crossings.

use super::Layers;

/// Number of sweeps, alternately down and up.
const SWEEPS: usize = 12;

/// Repeatedly sorts every layer by the mean positions of its vertices' neighbours, and keeps the
/// order with the fewest crossings.
pub(super) fn untangle(graph: &mut Layers) {
    let mut best = (crossings(graph), graph.layers.clone());
    for sweep in 0..SWEEPS {
        let count = graph.layers.len();
        if sweep % 2 == 0 {
            (1..count).for_each(|layer| sort(graph, layer, true));
        } else {
            (0..count.saturating_sub(1))
                .rev()
                .for_each(|layer| sort(graph, layer, false));
        }
        let found = crossings(graph);
        if found < best.0 {
            best = (found, graph.layers.clone());
        }
        if best.0 == 0 {
            break;
        }
    }
    graph.layers = best.1;
}

/// Position of each vertex of a layer.
fn places(graph: &Layers, layer: usize) -> std::collections::HashMap<usize, usize> {
    graph.layers[layer].iter().copied().zip(0..).collect()
}

fn sort(graph: &mut Layers, layer: usize, by_above: bool) {
    let other = places(graph, if by_above { layer - 1 } else { layer + 1 });
    let own = places(graph, layer);
    let mean = |v: usize| {
        let joined = if by_above {
            &graph.above[v]
        } else {
            &graph.below[v]
        };
        match joined.len() {
            // Without neighbours, a vertex keeps its relative position.
            0 => own[&v] as f64 * other.len() as f64 / own.len() as f64,
            count => joined.iter().map(|u| other[u] as f64).sum::<f64>() / count as f64,
        }
    };
    let mut keyed: Vec<(f64, usize)> = graph.layers[layer].iter().map(|&v| (mean(v), v)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    graph.layers[layer] = keyed.into_iter().map(|(_, v)| v).collect();
}

/// Number of pairs of edges that cross.
fn crossings(graph: &Layers) -> usize {
    let between = |layer: usize| {
        let below = places(graph, layer + 1);
        let mut seen = Fenwick(vec![0; below.len() + 1]);
        let (mut count, mut total) = (0, 0);
        for v in &graph.layers[layer] {
            let mut ends: Vec<usize> = graph.below[*v].iter().map(|u| below[u]).collect();
            ends.sort_unstable();
            // Counts edges from vertices to the left that end further right.
            count += ends
                .iter()
                .map(|&end| total - seen.up_to(end))
                .sum::<usize>();
            total += ends.len();
            ends.into_iter().for_each(|end| seen.add(end));
        }
        count
    };
    (0..graph.layers.len().saturating_sub(1)).map(between).sum()
}

/// A Fenwick tree: counts per position, with fast prefix sums.
struct Fenwick(Vec<usize>);

impl Fenwick {
    fn add(&mut self, place: usize) {
        let mut i = place + 1;
        while i < self.0.len() {
            self.0[i] += 1;
            i += i & i.wrapping_neg();
        }
    }

    /// Number of counts at this position or before it.
    fn up_to(&self, place: usize) -> usize {
        let (mut i, mut sum) = (place + 1, 0);
        while i > 0 {
            sum += self.0[i];
            i -= i & i.wrapping_neg();
        }
        sum
    }
}
