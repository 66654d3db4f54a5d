//! Where in its layer a vertex is: near its neighbours, and not over another.

use super::{GAP, Layers};

/// Sweeps down and up.
const SWEEPS: usize = 16;

/// Centres of all vertices along their layers.
pub(super) fn places(graph: &Layers) -> Vec<f64> {
    let mut x = vec![0.0; graph.widths.len()];
    for layer in &graph.layers {
        let mut from = 0.0;
        for &v in layer {
            x[v] = from + 0.5 * graph.widths[v];
            from += graph.widths[v] + GAP;
        }
    }
    let count = graph.layers.len();
    let offsets: Vec<Vec<f64>> = (0..count).map(|layer| offsets(graph, layer)).collect();
    for sweep in 0..SWEEPS {
        let last = sweep + 2 >= SWEEPS;
        let mut settle = |layer: usize| {
            let near = |v: usize| -> Option<f64> {
                let (above, below) = (&graph.above[v], &graph.below[v]);
                // In the end by both sides.
                let joined: Vec<usize> = match (last, sweep % 2 == 0) {
                    (true, _) => above.iter().chain(below).copied().collect(),
                    (false, true) => above.clone(),
                    (false, false) => below.clone(),
                };
                let sum: f64 = joined.iter().map(|&u| x[u]).sum();
                (!joined.is_empty()).then(|| sum / joined.len() as f64)
            };
            let wanted: Vec<f64> = graph.layers[layer]
                .iter()
                .map(|&v| near(v).unwrap_or(x[v]))
                .collect();
            let found = apart(&wanted, &offsets[layer]);
            for (&v, place) in graph.layers[layer].iter().zip(found) {
                x[v] = place;
            }
        };
        if sweep % 2 == 0 {
            (0..count).for_each(&mut settle)
        } else {
            (0..count).rev().for_each(&mut settle)
        }
    }
    x
}

/// How far from the first of a layer each vertex is at least.
fn offsets(graph: &Layers, layer: usize) -> Vec<f64> {
    let rows = graph.rows(layer);
    let layer = &graph.layers[layer];
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    for (i, &v) in layer.iter().enumerate() {
        if i > 0 {
            let before = layer[i - 1];
            offset += match rows {
                1 => 0.5 * (graph.widths[before] + graph.widths[v]) + graph.gap(before, v),
                // The next in the same row is so many places on.
                _ => {
                    let near = &layer[i.saturating_sub(rows)..layer.len().min(i + rows)];
                    let widest = near.iter().map(|&u| graph.widths[u]).fold(0.0, f64::max);
                    (widest + GAP) / rows as f64
                }
            };
        }
        offsets.push(offset);
    }
    offsets
}

/// The places next to those wanted, by their squared distances, at which vertices in this order do
/// not touch.
///
/// Less the room that each needs left of it the places must not fall: isotonic regression, by
/// pooling neighbours.
fn apart(wanted: &[f64], offsets: &[f64]) -> Vec<f64> {
    // Pools of neighbours: their number, and the sum of what they want.
    let mut pools: Vec<(usize, f64)> = Vec::new();
    for (want, offset) in wanted.iter().zip(offsets) {
        pools.push((1, want - offset));
        while let [.., (a, x), (b, y)] = pools[..] {
            if x / a as f64 <= y / b as f64 {
                break;
            }
            pools.pop();
            *pools.last_mut().expect("there were two") = (a + b, x + y);
        }
    }
    let means = pools
        .into_iter()
        .flat_map(|(count, sum)| std::iter::repeat_n(sum / count as f64, count));
    means
        .zip(offsets)
        .map(|(mean, offset)| mean + offset)
        .collect()
}

/// Nodes in rows no wider than this, with their centres.
pub(super) fn rows(
    nodes: &[usize],
    widths: &[f64],
    width: f64,
    gap: f64,
) -> Vec<Vec<(usize, f64)>> {
    let mut rows = vec![Vec::new()];
    let mut from = gap;
    for &v in nodes {
        if from + widths[v] + gap > width && from > gap {
            rows.push(Vec::new());
            from = gap;
        }
        let row = rows.last_mut().expect("there is one");
        row.push((v, from + 0.5 * widths[v]));
        from += widths[v] + gap;
    }
    rows
}
