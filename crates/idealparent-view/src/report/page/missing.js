// The map of missing entries.

function missingPanel() {
  const panel = h("div", {});
  panel.begin = () => {
    const observed = variables.map((_, v) => v).filter((v) => !variables[v].hidden);
    const total = observed.reduce((sum, v) => sum + data.missing[v], 0);
    const parts = [h("h2", { text: "Missing values" })];
    const cells = data.total * observed.length;
    if (total === 0) {
      panel.replaceChildren(...parts, h("p", { text: "No values are missing: " + plural(observed.length, "variable") + ", " + plural(data.total, "instance") + "." }));
      return;
    }
    parts.push(h("p", { text: plural(total, "entry").replace("entrys", "entries") + " of " + cells.toLocaleString("en") + " are missing (" + (100 * total / cells).toFixed(1) + " %)." }));
    const wide = Math.max(1, Math.min(14, Math.floor(1000 / observed.length))), tall = Math.max(1, Math.min(6, Math.floor(420 / shown)));
    const canvas = h("canvas", { class: "map", width: observed.length * wide, height: shown * tall, role: "img", "aria-label": "Missing entries: one column per variable, one row per instance" });
    const pen = canvas.getContext("2d");
    const paint = () => {
      const style = getComputedStyle(document.documentElement);
      pen.fillStyle = style.getPropertyValue("--cell");
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.fillStyle = style.getPropertyValue("--negative");
      observed.forEach((v, column) => {
        for (let i = 0; i < shown; i++) if (isHole(v, i)) pen.fillRect(column * wide, i * tall, wide > 3 ? wide - 1 : wide, tall > 3 ? tall - 1 : tall);
      });
    };
    paint();
    whenChanged((what) => { if ("theme" in what) paint(); });
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect();
      const column = Math.floor((event.clientX - box.left) / box.width * observed.length), row = Math.floor((event.clientY - box.top) / box.height * shown);
      const v = observed[column];
      if (v === undefined || row < 0 || row >= shown) return;
      showTip(event, [nameOf(v) + ", " + rowName(row), isHole(v, row) ? "missing; the network expects " + number(valuesOf(v)[row]) : number(valuesOf(v)[row])]);
    });
    canvas.addEventListener("mouseleave", hideTip);
    parts.push(h("div", { class: "scroll" }, canvas), h("p", { class: "note", text: "One column per variable and one row per instance. Orange cells are missing." + thinned() }));
    const sorted = observed.filter((v) => data.missing[v] > 0).sort((a, b) => data.missing[b] - data.missing[a] || a - b);
    parts.push(h("h3", { text: "By variable" }), tableOf(["variable", "missing", "percent"], sorted.map((v) => [variableButton(v), data.missing[v], 100 * data.missing[v] / data.total])));
    panel.replaceChildren(...parts);
  };
  return panel;
}
