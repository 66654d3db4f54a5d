// The search: score, edges and evaluations by move.

function searchPanel() {
  const panel = h("div", {});
  panel.begin = () => {
    const steps = content.trace.filter((line) => "step" in line);
    const others = content.trace.filter((line) => !("step" in line));
    if (content.trace.length === 0) {
      panel.replaceChildren(h("h2", { text: "The search" }), h("p", { class: "note", text: "The search was not recorded. Learn with --report, or add the trace of the run: idealparent report net.json DATA --trace trace.jsonl" }));
      return;
    }
    const at = steps.map((line) => line.place);
    // Positions at which hidden variables were added that the network still has.
    const hidden = others.filter((line) => "hidden" in line), kept = new Map();
    for (const line of hidden) if (line.outcome === "added" && variables.some((one) => one.hidden && one.name === line.hidden)) kept.set(line.hidden, line.place);
    const marks = [...kept.values()];
    const say = (i) => {
      const line = steps[i];
      return ["move " + line.step + ": " + line.move, line.child ? (line.parent ? line.parent + " → " : "") + line.child + (line.replaced ? ", replacing " + line.replaced : "") : "", "score " + exact(line.score) + " (" + (line.delta >= 0 ? "+" : "") + number(line.delta) + ")", plural(line.evaluations, "evaluation")];
    };
    const curve = (title, key) => {
      const y = steps.map((line) => line[key]);
      return chart({ title, xlabel: "move", ylabel: key, marks, series: [{ kind: "line", x: at, y }, { kind: "points", x: at, y, say, size: steps.length > 400 ? 1.5 : 2.5 }] });
    };
    const parts = [h("h2", { text: "The search" })];
    if (steps.length > 0) parts.push(h("div", { class: "charts" }, curve("Score", "score"), steps.some((line) => line.edges !== null) ? curve("Edges", "edges") : null, curve("Families scored to add or replace", "evaluations")));
    if (marks.length > 0) parts.push(h("p", { class: "note", text: "Dashed lines mark where a hidden variable was added and kept." }));
    const iterations = others.filter((line) => "iteration" in line);
    if (iterations.length > 0) {
      parts.push(h("h3", { text: "Iterations of structural EM" }), h("div", { class: "charts" }, chart({
        title: "Free energy", xlabel: "iteration", ylabel: "free energy",
        series: [{ kind: "line", x: iterations.map((_, i) => i + 1), y: iterations.map((line) => line.free_energy) }, { kind: "points", x: iterations.map((_, i) => i + 1), y: iterations.map((line) => line.free_energy), say: (i) => ["iteration " + iterations[i].iteration, "free energy " + number(iterations[i].free_energy), plural(iterations[i].edges, "edge") + (iterations[i].changed ? ", changed" : ", unchanged")] }],
      })));
    }
    if (hidden.length > 0) {
      parts.push(h("h3", { text: "Attempted hidden variables" }), tableOf(["variable", "outcome", "after move", "estimated", "achieved", "children"],
        hidden.map((line) => [line.hidden, line.outcome, line.place, line.estimated, line.achieved === null ? "–" : line.achieved, cut(line.children.slice(0, 12).join(", "), 200) + (line.children.length > 12 ? " and " + (line.children.length - 12) + " more" : "")])));
    }
    if (steps.length > 0) {
      parts.push(h("h3", { text: "Moves" }), tableOf(["move", "what", "child", "parent", "replaced", "change", "score", "evaluations"],
        steps.map((line) => [line.step, line.move, line.child || "", line.parent || "", line.replaced || "", line.delta, exact(line.score), line.evaluations]), 300));
    }
    panel.replaceChildren(...parts);
  };
  return panel;
}
