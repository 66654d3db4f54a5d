// Shared by all panels: the content, DOM helpers, number formats and change listeners.

const content = JSON.parse(document.getElementById("content").textContent);
const variables = content.variables;
const edges = content.edges;
const reversibleCount = edges.filter((edge) => edge.reversible).length;
const data = content.data;

// The current selection.
const state = { selected: -1, edge: -1, steps: 0, tab: "graph" };
const listeners = [];

function whenChanged(listener) { listeners.push(listener); }

function change(what) {
  Object.assign(state, what);
  for (const listener of listeners) listener(what);
}

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "text") node.textContent = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children || []) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

// Text is always inserted as text, so that no variable name is interpreted as markup.
function h(tag, attributes, ...children) { return fill(document.createElement(tag), attributes, children); }
function s(tag, attributes, ...children) { return fill(document.createElementNS(SVG, tag), attributes, children); }

function nameOf(v) { return variables[v].name === "" ? "(no name)" : variables[v].name; }

function cut(text, most) { return text.length > most ? text.slice(0, most - 1) + "…" : text; }

// The label of a tick, with enough digits to distinguish neighbouring ticks.
function tickText(x, step) {
  const size = Math.abs(x), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (size < step * 1e-6) return "0";
  if (size >= 1e-4 && size < 1e6 || size < 1e15 && size / step < 1e12 && digits === 0) return x.toFixed(Math.min(digits, 12)).replace("-", "−");
  const wanted = Math.max(1, Math.min(12, Math.ceil(Math.log10(size / step)) + 1));
  return x.toExponential(wanted - 1).replace("-", "−").replace("e−", "e-");
}

function number(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(2).replace("-", "−").replace("e−", "e-");
  return String(+x.toPrecision(4)).replace("-", "−");
}

// A score or likelihood with two decimals, so that two of them can be compared.
function exact(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  return Math.abs(x) < 1e12 ? x.toFixed(2).replace("-", "−") : number(x);
}

// A list to select the variable that a panel shows.
function picker() {
  const list = h("select", { "aria-label": "Variable", onchange: () => select(+list.value) }, ...variables.map((_, v) => h("option", { value: v, text: cut(nameOf(v), 60) })));
  list.value = String(current());
  return h("label", { class: "choice" }, h("span", { text: "Variable" }), list);
}

function plural(count, word) { return count.toLocaleString("en") + " " + word + (count === 1 ? "" : "s"); }

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function floats(text) { return new Float32Array(bytesOf(text).buffer); }

// Values are stored by column; missing values are replaced by the network's expectations.
const shown = data ? data.rows.length : 0;
const holeBits = data ? bytesOf(data.holes) : new Uint8Array(0);

const unpacked = new Map();

// Values are packed centred and scaled by variable; differences are scaled only.
function places(v, text) { return Float64Array.from(floats(text), (x) => data.centres[v] + data.scales[v] * x); }
function differences(v, text) { return Float64Array.from(floats(text), (x) => data.scales[v] * x); }

function valuesOf(v) {
  if (!unpacked.has(v)) unpacked.set(v, places(v, data.values[v]));
  return unpacked.get(v);
}

function isHole(v, i) {
  const bit = v * shown + i;
  return (holeBits[bit >> 3] >> (bit & 7) & 1) === 1;
}

function rowName(i) { return data.names ? data.names[i] : "row " + (data.rows[i] + 1); }

const parentsOf = content.families.map((family) => family.parents);
const childrenOf = variables.map(() => []);
parentsOf.forEach((parents, child) => { for (const p of parents) childrenOf[p].push(child); });
const edgeAt = new Map(edges.map((edge, i) => [edge.p + ":" + edge.c, i]));
const degree = variables.map((_, v) => parentsOf[v].length + childrenOf[v].length);
const hubs = variables.map((_, v) => v).filter((v) => degree[v] > 0)
  .sort((a, b) => degree[b] - degree[a] || a - b);
const strongest = edges.reduce((most, edge) => Math.max(most, edge.strength || 0), 0);

// Shown while nothing is selected: the child of the strongest edge.
const favourite = edges.length ? edges.reduce((best, edge) => (edge.strength || 0) > (best.strength || 0) ? edge : best).c : 0;
function current() { return state.selected >= 0 ? state.selected : favourite; }

// Bootstrap strengths and directions by pair of names.
const confidence = new Map();
for (const [from, to, strength, direction] of content.bootstrap) {
  confidence.set(JSON.stringify([from, to]), { strength, direction });
}
function confidenceOf(edge) { return confidence.get(JSON.stringify([variables[edge.p].name, variables[edge.c].name])); }

const tip = document.getElementById("tip");

function showTip(event, lines) {
  tip.replaceChildren(...lines.map((line) => cut(String(line), 400)).map((line, i) => h(i === 0 ? "strong" : "div", { text: line })));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, window.innerWidth - box.width - 8);
  const y = event.clientY + 18 + box.height > window.innerHeight ? event.clientY - box.height - 10 : event.clientY + 18;
  tip.style.left = Math.max(4, x) + "px";
  tip.style.top = Math.max(4, y) + "px";
}

function hideTip() { tip.hidden = true; }

function describeEdge(edge) {
  const lines = [nameOf(edge.p) + " → " + nameOf(edge.c)];
  lines.push("weight " + number(edge.weight) + (edge.sign < 0 ? " (lowers)" : " (raises)"));
  if (edge.strength !== null) lines.push("score lost without it: " + number(edge.strength));
  if (reversibleCount > 0) lines.push(edge.reversible ? "direction not determined" : "direction determined");
  const found = confidenceOf(edge);
  if (found) lines.push("bootstrap strength " + number(found.strength) + ", direction " + number(found.direction));
  return lines;
}

function describeNode(v) {
  const family = content.families[v];
  const kind = variables[v].hidden ? "hidden variable" : variables[v].inactive ? "never varies in the data" : null;
  const lines = [nameOf(v) + (kind ? " (" + kind + ")" : ""), cut(family.text, 160), "noise sd " + number(Math.sqrt(family.variance))];
  lines.push(plural(parentsOf[v].length, "parent") + ", " + (childrenOf[v].length === 1 ? "1 child" : childrenOf[v].length + " children"));
  return lines;
}

function select(v) {
  if (v !== state.selected) change({ selected: v, edge: -1 });
}

// A group of buttons of which one is pressed.
function choice(label, options, current, chosen) {
  const buttons = options.map(([value, text]) => h("button", { type: "button", text, "data-value": value, onclick: () => { show(value); chosen(value); } }));
  const show = (now) => { for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === now)); };
  const group = h("div", { class: "choice", role: "group", "aria-label": label }, h("span", { text: label }), ...buttons);
  show(current);
  group.show = show;
  return group;
}
