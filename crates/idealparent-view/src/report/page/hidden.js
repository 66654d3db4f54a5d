// Profiles and children of the hidden variables, and bootstrap confidence of the edges.

function hiddenPanel() {
  const panel = h("div", {});
  panel.begin = () => {
    const hidden = variables.map((_, v) => v).filter((v) => variables[v].hidden);
    const parts = [h("h2", { text: plural(hidden.length, "hidden variable") }), h("p", { class: "note", text: "Posterior means given the observed values, with a band of two standard deviations on either side. The sign and the scale of a hidden variable are arbitrary." + thinned() })];
    for (const v of hidden) {
      const mean = valuesOf(v), sd = differences(v, data.deviations[v]), x = Float64Array.from(mean, (_, i) => data.rows[i] + 1);
      const band = (by) => Float64Array.from(mean, (m, i) => m + by * sd[i]);
      parts.push(h("h3", {}, variableButton(v), h("span", { text: childrenOf[v].length === 1 ? ", 1 child" : ", " + childrenOf[v].length + " children" })), chart({
        xlabel: "instance", ylabel: nameOf(v), width: 920, height: 220, label: "Profile of " + nameOf(v),
        series: [{ kind: "band", x, y: band(2), y0: band(-2) }, { kind: "line", x, y: mean }, { kind: "points", x, y: mean, size: 2.2, say: (i) => [rowName(i), number(mean[i]) + " ± " + number(sd[i])] }],
      }));
      const own = childrenOf[v].map((c) => edges[edgeAt.get(v + ":" + c)]).sort((a, b) => Math.abs(b.strength || b.weight) - Math.abs(a.strength || a.weight));
      parts.push(h("ul", { class: "neighbours inline" }, ...own.slice(0, 60).map((edge) => h("li", { class: edge.sign < 0 ? "down" : "up" }, variableButton(edge.c), h("span", { text: " " + number(edge.weight) })))));
    }
    panel.replaceChildren(...parts);
  };
  return panel;
}

function bootstrapPanel() {
  const panel = h("div", {});
  panel.begin = () => {
    const place = new Map(variables.map((one, v) => [one.name, v]));
    const rows = content.bootstrap.map(([from, to, strength, direction]) => {
      const p = place.get(from), c = place.get(to);
      const there = p !== undefined && c !== undefined && edgeAt.has(p + ":" + c);
      const back = p !== undefined && c !== undefined && edgeAt.has(c + ":" + p);
      return { from, to, p, c, strength, direction, there, word: there ? "yes" : back ? "reversed" : "no" };
    });
    const sorted = rows.map((row) => row.strength).sort((a, b) => a - b);
    const share = sorted.map((_, i) => (i + 1) / sorted.length);
    panel.replaceChildren(h("h2", { text: "Confidence in edges" }),
      h("p", { class: "note", text: "Strength: the share of bootstrap networks that join the two variables. Direction: the share of those in which the edge points this way." }),
      h("div", { class: "charts" },
        chart({ title: "Strength of all edges", xlabel: "strength", ylabel: "cumulative share of edges", xrange: [0, 1.03], yrange: [0, 1.05], series: [{ kind: "line", x: sorted, y: share }] }),
        chart({
          title: "Strength and direction", xlabel: "strength", ylabel: "direction", xrange: [0, 1.05], yrange: [0, 1.05],
          series: [
            // Reversed edges are left out: they mirror the edges in the network.
            shownAs("no", "absent", "two"), shownAs("yes", "present", "one"),
          ],
        })),
      tableOf(["from", "to", "strength", "direction", "in the network"], rows.map((row) => [row.p === undefined ? row.from : variableButton(row.p), row.c === undefined ? row.to : variableButton(row.c), row.strength, row.direction, row.word])));
    function shownAs(word, name, colour) {
      const own = rows.filter((row) => row.word === word);
      return { kind: "points", name, colour, x: own.map((row) => row.strength), y: own.map((row) => row.direction), say: (i) => told(own[i]) };
    }
    function told(row) { return [row.from + " → " + row.to, "strength " + number(row.strength), "direction " + number(row.direction)]; }
  };
  return panel;
}
