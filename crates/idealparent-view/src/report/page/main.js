// Tabs, search, theme and start of the page.

document.getElementById("title").textContent = content.title;
document.title = content.title;
document.getElementById("subtitle").textContent = [
  plural(variables.filter((one) => !one.hidden).length, "variable"),
  variables.some((one) => one.hidden) ? variables.filter((one) => one.hidden).length + " hidden" : null,
  plural(edges.length, "edge"),
  data ? plural(data.total, "instance") : null,
  content.score ? content.score.name + " " + exact(content.score.value) : null,
].filter(Boolean).join(" · ");

const tabs = [
  ["graph", "Graph", graphPanel, true],
  ["family", "Family", familyPanel, true],
  ["candidates", "Candidates", candidatesPanel, true],
  ["search", "Search", searchPanel, true],
  ["missing", "Missing", missingPanel, data !== null],
  ["hidden", "Hidden", hiddenPanel, data !== null && variables.some((one) => one.hidden)],
  ["bootstrap", "Bootstrap", bootstrapPanel, content.bootstrap.length > 0],
  ["summary", "Summary", summaryPanel, true],
].filter((tab) => tab[3]);
const bar = document.getElementById("tabs"), panels = document.getElementById("panels");
const buttons = new Map(), made = new Map();

for (const [id, text, make] of tabs) {
  const button = h("button", { type: "button", role: "tab", id: "tab-" + id, "aria-controls": "panel-" + id, text, onclick: () => change({ tab: id }) });
  const panel = h("section", { role: "tabpanel", id: "panel-" + id, "aria-labelledby": "tab-" + id, hidden: true });
  buttons.set(id, button);
  made.set(id, { panel, make, inner: null });
  bar.append(button);
  panels.append(panel);
}

function build(id) {
  const one = made.get(id);
  if (one.inner) return;
  one.inner = one.make();
  one.panel.append(one.inner);
  one.inner.begin();
}

function showTab(id) {
  hideTip();
  for (const [name, button] of buttons) {
    const here = name === id;
    button.setAttribute("aria-selected", String(here));
    button.tabIndex = here ? 0 : -1;
    made.get(name).panel.hidden = !here;
  }
  build(id);
}

bar.addEventListener("keydown", (event) => {
  const order = tabs.map((tab) => tab[0]), at = order.indexOf(state.tab);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: order.length - 1 }[event.key];
  if (to === undefined) return;
  const id = order[(to + order.length) % order.length];
  change({ tab: id });
  buttons.get(id).focus();
  event.preventDefault();
});

whenChanged((what) => { if ("tab" in what) showTab(state.tab); });

// Search: names that begin with the text come first, then those that contain it.
const search = document.getElementById("search"), hits = document.getElementById("hits");
let found = [], active = 0;

function look() {
  const text = search.value.trim().toLowerCase();
  const lower = variables.map((one) => one.name.toLowerCase());
  const begin = [], within = [];
  if (text) lower.forEach((name, v) => { if (name.startsWith(text)) begin.push(v); else if (name.includes(text)) within.push(v); });
  found = begin.concat(within).slice(0, 12);
  active = 0;
  hits.replaceChildren(...found.map((v, i) => h("li", { role: "option", id: "hit-" + i, "aria-selected": String(i === 0), onmousedown: (event) => { event.preventDefault(); take(v); } }, h("span", { text: cut(nameOf(v), 80) }), h("small", { text: plural(degree[v], "edge") }))));
  if (text && found.length === 0) hits.replaceChildren(h("li", { class: "none", text: "No variable name contains this text." }));
  hits.hidden = !text;
  search.setAttribute("aria-expanded", String(!hits.hidden));
  search.setAttribute("aria-activedescendant", found.length ? "hit-0" : "");
}

function take(v) {
  hits.hidden = true;
  search.value = "";
  search.blur();
  change({ selected: v, edge: -1, found: true });
}

search.addEventListener("input", look);
search.addEventListener("blur", () => { hits.hidden = true; });
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && found.length > 0) take(found[active]);
  else if (event.key === "Escape") { search.value = ""; look(); search.blur(); }
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    active = (active + (event.key === "ArrowDown" ? 1 : -1) + found.length) % Math.max(1, found.length);
    [...hits.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === active)));
    search.setAttribute("aria-activedescendant", "hit-" + active);
    event.preventDefault();
  }
});
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !typing) { search.focus(); event.preventDefault(); }
  else if (event.key === "Escape" && !typing) { hideTip(); change({ selected: -1, edge: -1, steps: 0 }); }
});

document.getElementById("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  change({ theme: document.documentElement.dataset.theme });
});

// Print has no tabs: all panels follow one after the other.
window.addEventListener("beforeprint", () => { for (const [id] of tabs) build(id); change({ print: true }); });

showTab("graph");
document.documentElement.dataset.ready = "yes";
