// The graph: zoom, pan, focus, selection and tooltips.

const READABLE = 80;
const MOST_FOCUSED = 70;
const MOST_DRAWN = 3000;

function graphPanel() {
  const view = s("g");
  const drawing = s("svg", { class: "graph", tabindex: 0, role: "application", "aria-label": "The network: arrow keys move it, + and - zoom, n and p select the next and the previous variable" }, arrowheads(), view);
  const message = h("p", { class: "note", id: "graph-note" });
  const side = h("aside", { id: "details" });
  const depth = choice("Show", [["0", "all"], ["1", "1 step"], ["2", "2 steps"], ["3", "3 steps"]], "0", (steps) => change({ steps: +steps }));
  const zoomers = h("div", { class: "choice", role: "group", "aria-label": "Zoom" },
    h("button", { type: "button", text: "+", title: "Zoom in", onclick: () => zoom(1.3) }),
    h("button", { type: "button", text: "−", title: "Zoom out", onclick: () => zoom(1 / 1.3) }),
    h("button", { type: "button", text: "fit", title: "The whole graph", onclick: () => fit() }));
  const legend = h("p", { class: "legend-line" },
    h("span", { class: "swatch up", text: "→" }), " raises ", h("span", { class: "swatch down", text: "⊣" }), " lowers ",
    h("span", { class: "swatch wide", text: "━" }), " wider: larger loss of score without it",
    reversibleCount > 0 ? h("span", { text: "; pale: direction not determined" }) : null,
    content.variables.some((one) => one.hidden) ? h("span", { text: "; dashed: hidden variable" }) : null);
  const panel = h("div", { class: "graph-panel" }, h("div", { class: "stage" }, h("div", { class: "bar-line" }, depth, zoomers), drawing, message, legend), side);

  let frame = { x: 0, y: 0, scale: 1 };
  let layout = null;
  let drawn = new Map();
  let lines = new Map();

  function arrowheads() {
    const head = (id, kind) => s("marker", { id, class: kind, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { d: "M0 0L10 5L0 10z" }));
    const bar = (id, kind) => s("marker", { id, class: kind, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 11, markerHeight: 11, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { d: "M6 0H9V10H6z" }));
    return s("defs", {}, head("head-up", "up"), bar("head-down", "down"));
  }

  function apply() { view.setAttribute("transform", "translate(" + frame.x.toFixed(1) + " " + frame.y.toFixed(1) + ") scale(" + frame.scale.toFixed(4) + ")"); }

  function size() {
    const box = drawing.getBoundingClientRect();
    return [box.width || 900, box.height || 560];
  }

  // If the graph is zoomed out, its boxes are enlarged as far as they do not touch.
  function enlarge() {
    let most = 2.2;
    const rows = new Map();
    for (const [v, [x, y]] of layout.nodes) rows.set(y, (rows.get(y) || []).concat([[x, variables[v].w]]));
    for (const row of rows.values()) {
      row.sort((a, b) => a[0] - b[0]);
      for (let i = 1; i < row.length; i++) most = Math.min(most, (row[i][0] - row[i - 1][0] - 3) / (0.5 * (row[i][1] + row[i - 1][1])));
    }
    const by = Math.max(1, Math.min(most, 0.85 / frame.scale));
    for (const [v, node] of drawn) {
      const [x, y] = layout.nodes.get(v);
      node.setAttribute("transform", by > 1 ? "translate(" + (x * (1 - by)).toFixed(2) + " " + (y * (1 - by)).toFixed(2) + ") scale(" + by.toFixed(3) + ")" : "");
    }
  }

  function fit() {
    const [width, height] = size();
    const scale = Math.min(1.4, (width - 16) / layout.width, (height - 16) / layout.height);
    frame = { scale, x: (width - layout.width * scale) / 2, y: (height - layout.height * scale) / 2 };
    apply();
    enlarge();
  }

  function zoom(by, at) {
    const [width, height] = size();
    const [x, y] = at || [width / 2, height / 2];
    const scale = Math.min(6, Math.max(0.02, frame.scale * by));
    frame.x = x - (x - frame.x) * scale / frame.scale;
    frame.y = y - (y - frame.y) * scale / frame.scale;
    frame.scale = scale;
    apply();
    enlarge();
  }

  function centre(v) {
    const place = layout.nodes.get(v);
    if (!place) return;
    const [width, height] = size();
    frame.scale = Math.max(frame.scale, 0.6);
    frame.x = width / 2 - place[0] * frame.scale;
    frame.y = height / 2 - place[1] * frame.scale;
    apply();
  }

  function pathOf(points) {
    // From the lower side of the parent's box to the upper side of the child's.
    const first = [points[0][0], points[0][1] + 13], last = points[points.length - 1];
    const through = [first, ...points.slice(1, -1), [last[0], last[1] - 15]];
    let path = "M" + first[0].toFixed(1) + " " + first[1].toFixed(1);
    for (let i = 1; i < through.length; i++) {
      const [x0, y0] = through[i - 1], [x1, y1] = through[i], middle = (y0 + y1) / 2;
      path += "C" + [x0, middle, x1, middle, x1, y1].map((x) => x.toFixed(1)).join(" ");
    }
    return path;
  }

  function draw() {
    let chosen = variables.map((_, v) => v), left = 0;
    const focused = state.steps > 0 && state.selected >= 0;
    if (focused) {
      const part = around(state.selected, state.steps, MOST_FOCUSED);
      chosen = part.found;
      left = part.left;
    } else if (chosen.length > MOST_DRAWN) {
      chosen = hubs.concat(chosen.filter((v) => degree[v] === 0)).slice(0, MOST_DRAWN);
      left = variables.length - chosen.length;
    }
    layout = focused || left > 0 ? layoutOf(chosen) : wholeLayout();
    drawn = new Map();
    lines = new Map();
    const parts = [];
    for (const [i, points] of layout.edges) {
      const edge = edges[i];
      const share = strongest > 0 && edge.strength !== null ? Math.sqrt(Math.max(0, edge.strength) / strongest) : 0.4;
      const path = pathOf(points);
      const kind = (edge.sign < 0 ? "down" : "up") + (edge.reversible ? " reversible" : "");
      const line = s("g", { class: "edge " + kind, "data-edge": i },
        s("path", { class: "stroke", d: path, "stroke-width": (1 + 3.5 * share).toFixed(2), "marker-end": "url(#head-" + (edge.sign < 0 ? "down" : "up") + ")" }),
        s("path", { class: "touch", d: path }));
      line.addEventListener("mousemove", (event) => showTip(event, describeEdge(edge)));
      line.addEventListener("mouseleave", hideTip);
      line.addEventListener("click", () => change({ selected: edge.c, edge: i }));
      lines.set(i, line);
      parts.push(line);
    }
    for (const [v, [x, y]] of layout.nodes) {
      const one = variables[v];
      const kind = one.hidden ? " hidden" : one.inactive ? " inactive" : "";
      const node = s("g", { class: "node" + kind, "data-v": v, tabindex: -1, role: "button", "aria-label": nameOf(v) },
        s("rect", { x: x - one.w / 2, y: y - 13, width: one.w, height: 26, rx: one.hidden ? 13 : 4 }),
        s("text", { x, y: y + 4.2, "text-anchor": "middle", text: cut(nameOf(v), 24) }));
      node.addEventListener("mousemove", (event) => showTip(event, describeNode(v)));
      node.addEventListener("mouseleave", hideTip);
      node.addEventListener("click", () => select(v));
      node.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { select(v); event.preventDefault(); }
      });
      node.addEventListener("dblclick", () => change({ selected: v, edge: -1, steps: Math.max(1, state.steps) }));
      drawn.set(v, node);
      parts.push(node);
    }
    view.replaceChildren(...parts);
    message.textContent = left > 0 ? plural(left, "variable") + " not drawn: search for one, or show fewer steps."
      : focused ? plural(chosen.length, "variable") + " within " + plural(state.steps, "step") + " of " + nameOf(state.selected) + "."
        : plural(variables.length, "variable") + ", " + plural(edges.length, "edge") + ".";
    fit();
    mark();
    if (!focused && frame.scale < 0.15) {
      // The whole graph would be too small to recognise anything.
      message.textContent += " Too large to show at once: drag to move, scroll to zoom, or press fit.";
      frame.scale = 0.6;
      centre(state.selected >= 0 ? state.selected : hubs[0]);
      enlarge();
    }
  }

  function mark() {
    const near = new Set(state.selected >= 0 ? parentsOf[state.selected].concat(childrenOf[state.selected]) : []);
    for (const [v, node] of drawn) {
      node.classList.toggle("selected", v === state.selected);
      node.classList.toggle("near", near.has(v));
    }
    for (const [i, line] of lines) {
      line.classList.toggle("selected", i === state.edge);
      line.classList.toggle("near", edges[i].p === state.selected || edges[i].c === state.selected);
    }
    drawing.classList.toggle("has-selection", state.selected >= 0);
    details();
  }

  function details() {
    const v = state.selected;
    if (v < 0) {
      side.replaceChildren(h("h2", { text: "Hubs" }), h("p", { class: "note", text: "Select a variable, or search for one." }), hubList());
      return;
    }
    const family = content.families[v];
    const held = side.contains(document.activeElement);
    const heading = h("h2", { text: cut(nameOf(v), 300), tabindex: -1 });
    const parts = [heading];
    if (variables[v].hidden) parts.push(h("p", { class: "badge", text: "hidden variable" }));
    if (variables[v].inactive) parts.push(h("p", { class: "badge", text: "never varies in the data" }));
    parts.push(h("p", { class: "formula", text: family.text }));
    parts.push(h("p", { text: family.kind + " density, noise sd " + number(Math.sqrt(family.variance)) + explained(v) }));
    if (state.edge >= 0) {
      const lines = describeEdge(edges[state.edge]);
      parts.push(h("div", { class: "edge-box" }, h("h3", { text: "Edge " + lines[0] }), ...lines.slice(1).map((text) => h("div", { text }))));
    }
    parts.push(h("p", { class: "actions" },
      h("button", { type: "button", text: "Neighbourhood", onclick: () => change({ steps: 1 }) }),
      data ? h("button", { type: "button", text: "Curve", onclick: () => change({ tab: "family" }) }) : null,
      data ? h("button", { type: "button", text: "Candidates", onclick: () => change({ tab: "candidates" }) }) : null));
    parts.push(h("h3", { text: plural(parentsOf[v].length, "parent") }), neighbours(parentsOf[v].map((p) => [p, edgeAt.get(p + ":" + v)])));
    parts.push(h("h3", { text: childrenOf[v].length === 1 ? "1 child" : childrenOf[v].length + " children" }), neighbours(childrenOf[v].map((c) => [c, edgeAt.get(v + ":" + c)])));
    side.replaceChildren(...parts);
    // The button that was pressed no longer exists: keep the keyboard focus in the panel.
    if (held) heading.focus();
  }

  function neighbours(list) {
    const sorted = list.slice().sort((a, b) => (edges[b[1]].strength || 0) - (edges[a[1]].strength || 0));
    return h("ul", { class: "neighbours" }, ...sorted.slice(0, 60).map(([u, i]) => h("li", { class: edges[i].sign < 0 ? "down" : "up" },
      variableButton(u), h("span", { text: " " + number(edges[i].weight) + (edges[i].strength !== null ? ", strength " + number(edges[i].strength) : "") }))));
  }

  function hubList() {
    return h("ol", { class: "hubs" }, ...hubs.slice(0, 25).map((v) => h("li", {}, variableButton(v), h("span", { text: " " + plural(degree[v], "edge") }))));
  }

  drawing.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), [event.clientX - box.left, event.clientY - box.top]);
  }, { passive: false });
  let held = null;
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button === 0) held = { x: event.clientX - frame.x, y: event.clientY - frame.y, moved: false };
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!held) return;
    const x = event.clientX - held.x, y = event.clientY - held.y;
    if (!held.moved && Math.hypot(x - frame.x, y - frame.y) < 4) return;
    if (!held.moved) { held.moved = true; drawing.setPointerCapture(event.pointerId); }
    frame.x = x;
    frame.y = y;
    hideTip();
    apply();
  });
  const release = () => { held = null; };
  drawing.addEventListener("pointerup", release);
  drawing.addEventListener("pointercancel", release);
  drawing.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (moves[event.key]) { frame.x += moves[event.key][0]; frame.y += moves[event.key][1]; apply(); }
    else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0") fit();
    else if (event.key === "n" || event.key === "p") step(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  });

  // Selects the next variable of the drawing, for use with the keyboard.
  function step(by) {
    const order = [...layout.nodes.keys()];
    const at = order.indexOf(state.selected);
    select(order[(at + by + order.length) % order.length]);
    centre(state.selected);
  }

  whenChanged((what) => {
    if ("steps" in what) { depth.show(String(state.steps)); draw(); }
    else if ("selected" in what) {
      if (state.steps > 0) draw();
      else { mark(); if (!drawn.has(state.selected) && state.selected >= 0) change({ steps: 1 }); }
    } else if ("edge" in what) mark();
    if (what.found) centre(state.selected);
    if (what.tab === "graph" && resized) { resized = false; fit(); }
  });
  let resized = false;
  window.addEventListener("resize", () => { if (state.tab === "graph") fit(); else resized = true; });
  panel.begin = () => {
    // A large graph starts with the neighbourhood of its largest hub.
    if (variables.length > READABLE && hubs.length > 0) change({ selected: hubs[0], steps: 1 });
    else draw();
  };
  return panel;
}

function explained(v) {
  const share = data && data.fits[v] ? data.fits[v].explained : null;
  return share === null ? "" : ", explains " + (100 * share).toFixed(1) + " % of the variance";
}
