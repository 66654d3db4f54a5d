// Candidate parents of a variable: each measure's estimate against the true change (Figure 1 of
// the paper).

function candidatesPanel() {
  const panel = h("div", {});
  const measures = [["c1", 1], ["c2", 2], ["tangent", 3]];

  function draw() {
    const v = current();
    const parts = [picker(), h("h2", { text: "Candidate parents of " + nameOf(v) })];
    const rows = data ? data.rankings[v] : null;
    if (!data) parts.push(h("p", { class: "note", text: "This report was written without data." }));
    else if (!rows || rows.length === 0) {
      const ranked = Object.keys(data.rankings).map(Number);
      parts.push(h("p", { class: "note", text: variables[v].hidden ? "This variable is hidden, so it has no ideal parent to rank." : variables[v].inactive ? "This variable never varies in the data." : "Not computed for this variable. To compute it: idealparent rank net.json DATA NAME" }));
      if (ranked.length > 0) parts.push(h("p", {}, "Rankings are available for ", ...ranked.slice(0, 12).flatMap((u) => [variableButton(u), " "])));
    } else {
      const fitted = rows.filter((row) => row[4] !== null);
      const delta = fitted.map((row) => row[4]);
      const diagonal = range([delta], 0);
      parts.push(h("p", { class: "note", text: "Each point is a candidate for a further parent. C1, C2 and the tangent estimate how much it would add to the log-likelihood, without fitting. The true change is the log-likelihood gained when the family is refitted with the candidate. Points on the line are estimated exactly. The ideal parent method fits only the candidates that a measure ranks first. Pale candidates would close a cycle or are not allowed." }));
      parts.push(h("div", { class: "charts" }, ...measures.map(([name, at]) => chart({
        title: name === "tangent" ? "Tangent measure" : name.toUpperCase(), xlabel: "true change in log-likelihood", ylabel: name, width: 400, height: 300,
        series: [{ kind: "line", x: diagonal, y: diagonal, colour: "two" }, {
          kind: "points", x: delta, y: fitted.map((row) => row[at]), faint: (i) => fitted[i][5] !== "",
          say: (i) => [nameOf(fitted[i][0]), name + " " + number(fitted[i][at]), "true change " + number(delta[i]), fitted[i][5]],
        }],
      }))));
      parts.push(tableOf(["candidate", "C1", "C2", "tangent", "true change", "allowed"], rows.map((row) => [variableButton(row[0]), row[1], row[2], row[3], row[4] === null ? "–" : row[4], row[5] || "yes"])));
    }
    panel.replaceChildren(...parts);
  }

  whenChanged((what) => { if (state.tab === "candidates" || "print" in what) draw(); });
  panel.begin = draw;
  return panel;
}
