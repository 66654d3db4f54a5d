// Layered layout of a part of the graph: parents above their children. The layout of the whole
// graph is part of the content.

const LAYER = 84, GAP = 20, ROW = 38, WIDEST = 1150;

// The positions closest to the wanted ones that keep the minimum distances, by pooling adjacent
// violators.
function spaced(wanted, distances) {
  const offsets = [0];
  for (let i = 1; i < wanted.length; i++) offsets.push(offsets[i - 1] + distances[i - 1]);
  const pools = [];
  wanted.forEach((x, i) => {
    pools.push({ sum: x - offsets[i], count: 1 });
    while (pools.length > 1) {
      const last = pools[pools.length - 1], before = pools[pools.length - 2];
      if (before.sum / before.count <= last.sum / last.count) break;
      before.sum += last.sum;
      before.count += last.count;
      pools.pop();
    }
  });
  const out = [];
  for (const pool of pools) {
    for (let i = 0; i < pool.count; i++) out.push(pool.sum / pool.count + offsets[out.length]);
  }
  return out;
}

function layoutOf(chosen) {
  if (chosen.length === 0) return { width: 1, height: 1, nodes: new Map(), edges: new Map() };
  const inside = new Set(chosen);
  const kept = edges.map((edge, i) => i).filter((i) => inside.has(edges[i].p) && inside.has(edges[i].c));
  const depth = new Map(chosen.map((v) => [v, 0]));
  // The graph has no cycle, so this ends after as many rounds as there are layers.
  for (let moved = true, round = 0; moved && round <= chosen.length; round++) {
    moved = false;
    for (const i of kept) {
      const below = depth.get(edges[i].p) + 1;
      if (depth.get(edges[i].c) < below) { depth.set(edges[i].c, below); moved = true; }
    }
  }
  // Roots move down to the layer directly above their highest child.
  for (const v of chosen) {
    const own = kept.filter((i) => edges[i].p === v);
    if (own.length > 0 && !kept.some((i) => edges[i].c === v)) {
      depth.set(v, Math.min(...own.map((i) => depth.get(edges[i].c))) - 1);
    }
  }
  const vertices = [], layers = [], at = new Map();
  const add = (layer, width, v) => {
    const vertex = { layer, width, v, up: [], down: [], x: 0 };
    vertices.push(vertex);
    (layers[layer] = layers[layer] || []).push(vertex);
    return vertex;
  };
  for (const v of chosen) at.set(v, add(depth.get(v), variables[v].w, v));
  const chains = kept.map((i) => {
    const chain = [at.get(edges[i].p)];
    for (let l = depth.get(edges[i].p) + 1; l < depth.get(edges[i].c); l++) chain.push(add(l, 8, -1));
    chain.push(at.get(edges[i].c));
    for (let k = 1; k < chain.length; k++) { chain[k].up.push(chain[k - 1]); chain[k - 1].down.push(chain[k]); }
    return chain;
  });
  for (let l = 0; l < layers.length; l++) layers[l] = layers[l] || [];
  const order = () => layers.forEach((layer) => layer.forEach((vertex, i) => { vertex.place = i; }));
  const mean = (list, key, own) => list.length ? list.reduce((sum, u) => sum + u[key], 0) / list.length : own;
  order();
  for (let sweep = 0; sweep < 16; sweep++) {
    const down = sweep % 2 === 0;
    const turn = down ? layers.slice(1) : layers.slice(0, -1).reverse();
    for (const layer of turn) {
      for (const vertex of layer) vertex.wish = mean(down ? vertex.up : vertex.down, "place", vertex.place);
      layer.sort((a, b) => a.wish - b.wish || a.place - b.place);
      layer.forEach((vertex, i) => { vertex.place = i; });
    }
  }
  // A layer that would be too wide is folded into rows.
  const rows = layers.map((layer) => {
    const total = layer.reduce((sum, vertex) => sum + vertex.width + GAP, 0);
    return Math.min(8, Math.max(1, Math.ceil(total / WIDEST)));
  });
  const distances = layers.map((layer, l) => layer.slice(1).map((vertex, i) => {
    if (rows[l] === 1) return 0.5 * (vertex.width + layer[i].width) + GAP;
    const near = layer.slice(Math.max(0, i - rows[l]), i + rows[l] + 1);
    return (Math.max(...near.map((u) => u.width)) + GAP) / rows[l];
  }));
  layers.forEach((layer, l) => {
    let x = 0;
    layer.forEach((vertex, i) => { vertex.x = x; x += distances[l][i] || 0; });
    layer.forEach((vertex) => { vertex.x -= 0.5 * x; });
  });
  for (let sweep = 0; sweep < 24; sweep++) {
    const turn = sweep % 2 === 0 ? layers.keys() : [...layers.keys()].reverse();
    for (const l of turn) {
      const wanted = layers[l].map((vertex) => {
        const near = sweep > 19 ? vertex.up.concat(vertex.down) : sweep % 2 === 0 ? vertex.up : vertex.down;
        return mean(near, "x", vertex.x);
      });
      spaced(wanted, distances[l]).forEach((x, i) => { layers[l][i].x = x; });
    }
  }
  let y = 0;
  layers.forEach((layer, l) => {
    layer.forEach((vertex, i) => { vertex.y = y + ROW * (i % rows[l]); });
    y += LAYER + ROW * (rows[l] - 1);
  });
  const left = vertices.reduce((least, vertex) => Math.min(least, vertex.x - 0.5 * vertex.width), Infinity) - GAP;
  const right = vertices.reduce((most, vertex) => Math.max(most, vertex.x + 0.5 * vertex.width), -Infinity) + GAP;
  const place = (vertex) => [vertex.x - left, vertex.y + 0.5 * LAYER];
  const lines = new Map(kept.map((i, k) => [i, chains[k].map(place)]));
  spreadEnds(lines);
  return { width: right - left, height: y, nodes: new Map(chosen.map((v) => [v, place(at.get(v))])), edges: lines };
}

// Spreads the ends of edges at each node, so that they do not overlap.
function spreadEnds(lines) {
  for (const end of ["p", "c"]) {
    const of = new Map();
    for (const i of lines.keys()) of.set(edges[i][end], (of.get(edges[i][end]) || []).concat(i));
    for (const [v, own] of of) {
      const next = (i) => { const points = lines.get(i); return points[end === "p" ? 1 : points.length - 2][0]; };
      own.sort((a, b) => next(a) - next(b) || a - b);
      const room = Math.min(9, Math.max(0, variables[v].w - 12) / own.length);
      own.forEach((i, k) => {
        const points = lines.get(i), at = end === "p" ? 0 : points.length - 1;
        points[at] = [points[at][0] + room * (k - (own.length - 1) / 2), points[at][1]];
      });
    }
  }
}

function wholeLayout() {
  return {
    width: content.size[0],
    height: content.size[1],
    nodes: new Map(variables.map((variable, v) => [v, [variable.x, variable.y]])),
    edges: new Map(edges.map((edge, i) => [i, edge.points])),
  };
}

// Variables within `steps` edges of `v`, in either direction, nearest first and at most `most`;
// `left` counts those that were left out.
function around(v, steps, most) {
  const found = [v], seen = new Set(found);
  let border = [v], left = 0;
  for (let step = 0; step < steps; step++) {
    const next = [];
    for (const u of border) {
      for (const w of parentsOf[u].concat(childrenOf[u])) {
        if (seen.has(w)) continue;
        seen.add(w);
        if (found.length < most) { found.push(w); next.push(w); } else left++;
      }
    }
    border = next;
  }
  return { found, left };
}
