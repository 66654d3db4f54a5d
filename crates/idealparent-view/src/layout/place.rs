//! Horizontal positions: each vertex near its neighbours, without overlaps.

use super::{GAP, Layers};

/// Number of sweeps, alternately down and up.
const SWEEPS: usize = 16;

/// Horizontal centres of all vertices.
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
        let mut place_layer = |layer: usize| {
            let near = |v: usize| -> Option<f64> {
                let (above, below) = (&graph.above[v], &graph.below[v]);
                // The last two sweeps use the neighbours on both sides.
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
            let found = without_overlaps(&wanted, &offsets[layer]);
            for (&v, place) in graph.layers[layer].iter().zip(found) {
                x[v] = place;
            }
        };
        if sweep % 2 == 0 {
            (0..count).for_each(&mut place_layer)
        } else {
            (0..count).rev().for_each(&mut place_layer)
        }
    }
    x
}

/// Minimum distance of each vertex of a layer from the first one.
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
                // The next vertex in the same row is `rows` positions further.
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

/// The positions closest to the wanted ones, by squared distance, at which vertices keep their
/// order and do not overlap.
///
/// After subtracting the offsets, positions must not decrease. This is an isotonic regression,
/// solved by pooling adjacent violators.
fn without_overlaps(wanted: &[f64], offsets: &[f64]) -> Vec<f64> {
    // Pools of adjacent vertices: their number, and the sum of their wanted positions.
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

/// Distributes nodes over rows of at most the given width; returns each node with its centre.
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
