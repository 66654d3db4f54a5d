// One family: the fitted curve with the data, and the residuals.

function familyPanel() {
  const panel = h("div", {});
  let parent = 0;

  function draw() {
    const v = current();
    const family = content.families[v];
    const own = parentsOf[v];
    if (parent >= own.length) parent = 0;
    if (state.edge >= 0 && edges[state.edge].c === v) parent = own.indexOf(edges[state.edge].p);
    const parts = [picker(), h("h2", { text: nameOf(v) }), h("p", { class: "formula", text: family.text }),
      h("p", { text: family.kind + " density, noise sd " + number(Math.sqrt(family.variance)) + explained(v) + "." })];
    if (!data) parts.push(h("p", { class: "note", text: "This report was written without data." }));
    else if (own.length === 0) parts.push(root(v));
    else parts.push(...curves(v, own));
    panel.replaceChildren(...parts);
  }

  function curves(v, own) {
    const fit = data.fits[v], x = valuesOf(own[parent]), y = valuesOf(v), curve = fit.curves[parent];
    const residual = differences(v, fit.residual), mean = Float64Array.from(y, (value, i) => value - residual[i]);
    const line = places(v, curve.y), grid = Float64Array.from(line, (_, i) => curve.low + (curve.high - curve.low) * i / (line.length - 1));
    const at = (value) => {
      const place = (value - curve.low) / (curve.high - curve.low || 1) * (line.length - 1);
      const i = Math.max(0, Math.min(line.length - 2, Math.floor(place)));
      return line[i] + (line[i + 1] - line[i]) * (place - i);
    };
    // The other parents' contributions are subtracted, so that points scatter around the curve.
    const adjusted = own.length === 1 ? y : Float64Array.from(residual, (left, i) => at(x[i]) + left);
    const unsure = (i) => isHole(v, i) || own.some((p) => isHole(p, i));
    const say = (i) => [rowName(i), nameOf(own[parent]) + " " + number(x[i]) + (isHole(own[parent], i) ? " (expected)" : ""), nameOf(v) + " " + number(y[i]) + (isHole(v, i) ? " (expected)" : ""), "fitted " + number(mean[i])];
    const sd = Math.sqrt(content.families[v].variance);
    const parts = [];
    if (own.length > 1 && own.length <= 40) parts.push(choice("Parent", own.map((p, i) => [String(i), cut(nameOf(p), 30)]), String(parent), (value) => { parent = +value; change({ selected: v, edge: edgeAt.get(own[parent] + ":" + v) }); }));
    parts.push(h("div", { class: "charts" },
      chart({
        title: own.length === 1 ? "Fitted curve and data" : "Fitted curve, others at their means", xlabel: nameOf(own[parent]), ylabel: nameOf(v),
        series: [
          { kind: "band", x: grid, y: Float64Array.from(line, (m) => m + sd), y0: Float64Array.from(line, (m) => m - sd), colour: "two" },
          { kind: "points", x, y: adjusted, say, faint: unsure },
          { kind: "line", x: grid, y: line, colour: "two" },
        ],
      }),
      chart({ title: "Residuals", xlabel: "fitted", ylabel: "residual", series: [{ kind: "line", x: range([mean], 0), y: [0, 0], colour: "two" }, { kind: "points", x: mean, y: residual, say, faint: unsure }] }),
      chart({ title: "Fitted and observed", xlabel: "fitted", ylabel: "observed", series: [{ kind: "line", x: range([mean], 0), y: range([mean], 0), colour: "two" }, { kind: "points", x: mean, y, say, faint: unsure }] })));
    parts.push(h("p", { class: "note", text: "The band shows one noise standard deviation on either side." + (thinned() || "") + (holesIn([v, ...own]) ? " Pale points have missing values, and are drawn where the network expects them." : "") }));
    return parts;
  }

  function root(v) {
    const mean = content.families[v].mean, sd = Math.sqrt(content.families[v].variance);
    const y = valuesOf(v).filter((_, i) => !isHole(v, i)), [low, high] = range([y, [mean - 3 * sd, mean + 3 * sd]], 0), bins = 30, step = (high - low) / bins;
    const counts = new Float64Array(bins), middle = Float64Array.from(counts, (_, i) => low + (i + 0.5) * step);
    for (const value of y) counts[Math.min(bins - 1, Math.floor((value - low) / step))]++;
    const grid = Float64Array.from({ length: 121 }, (_, i) => low + (high - low) * i / 120);
    const normal = Float64Array.from(grid, (x) => y.length * step / sd / Math.sqrt(2 * Math.PI) * Math.exp(-0.5 * ((x - mean) / sd) ** 2));
    const most = Math.max(...counts, ...normal);
    return h("div", { class: "charts" }, chart({
      title: "Observed values and the normal density", xlabel: nameOf(v), ylabel: "instances", yrange: [0, most * 1.06],
      series: [{ kind: "bars", x: middle, y: counts, step, say: (i) => [number(middle[i]), plural(counts[i], "instance")] }, { kind: "line", x: grid, y: normal, colour: "two" }],
    }));
  }

  whenChanged((what) => {
    if ("selected" in what && !("edge" in what && what.edge >= 0)) parent = 0;
    if (state.tab === "family" || "print" in what) draw();
  });
  panel.begin = draw;
  return panel;
}

function thinned() { return data && shown < data.total ? " " + plural(shown, "instance") + " of " + data.total.toLocaleString("en") + " are shown." : ""; }

function holesIn(list) { return list.some((v) => data.missing[v] > 0); }
