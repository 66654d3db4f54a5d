// Provenance of the network, and the command that repeats the run.

function summaryPanel() {
  const panel = h("div", {});
  panel.begin = () => {
    const facts = [];
    const hidden = variables.filter((one) => one.hidden).length;
    facts.push(["Variables", variables.length - hidden + (hidden ? " observed, " + hidden + " hidden" : "")]);
    facts.push(["Edges", String(edges.length)]);
    if (reversibleCount > 0) {
      facts.push(["Directions", edges.length - reversibleCount + " determined, " + reversibleCount + " could be reversed"]);
    }
    const kinds = new Map();
    content.families.forEach((family) => { if (family.parents.length) kinds.set(family.kind, (kinds.get(family.kind) || 0) + 1); });
    if (kinds.size > 0) facts.push(["Families with parents", [...kinds].map(([kind, count]) => count + " " + kind).join(", ")]);
    if (content.score) {
      facts.push(["Score", content.score.name + " " + exact(content.score.value)], ["Log-likelihood", exact(content.score.log_likelihood)], ["Parameters", String(content.score.dimension)]);
    }
    if (content.learned) facts.push(["Learned from", plural(content.learned.rows, "instance") + " of " + plural(content.learned.columns, "variable") + ", " + plural(content.learned.missing, "missing value")], ["SHA-256 of the data", content.learned.sha256]);
    if (data) facts.push(["Data shown", plural(data.total, "instance")]);
    if (content.exp2) facts.push(["Transform", "2^x of every value"]);
    facts.push(["Made by", "idealparent " + content.version]);
    const options = Object.entries(content.options || {}).map(([key, value]) => [key, Array.isArray(value) ? (value.length > 8 ? value.length + " entries" : value.map((part) => Array.isArray(part) ? part.join(" → ") : part).join(", ")) : typeof value === "object" ? JSON.stringify(value) : String(value)]);
    if (content.seed !== null) options.push(["seed", String(content.seed)]);
    const copy = h("button", { type: "button", text: "Copy", onclick: () => {
      const range = document.createRange();
      range.selectNodeContents(document.getElementById("command"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
      copy.textContent = "Copied";
    } });
    const list = (pairs) => h("dl", {}, ...pairs.flatMap(([key, value]) => [h("dt", { text: key }), h("dd", { text: value })]));
    panel.replaceChildren(
      ...(content.command ? [h("h2", { text: "Command that repeats the run" }), h("pre", { id: "command", text: content.command }), copy] : []),
      ...(content.notes.length ? [h("h2", { text: "Notes" }), h("ul", {}, ...content.notes.map((text) => h("li", { text })))] : []),
      h("h2", { text: "The network" }), list(facts),
      ...(options.length ? [h("h2", { text: "Options" }), list(options)] : []),
      h("h2", { text: "Families" }),
      tableOf(["variable", "parents", "density", "noise sd", "explained %"], variables.map((_, v) => [variableButton(v), parentsOf[v].map(nameOf).join(", "), parentsOf[v].length ? content.families[v].kind : "", Math.sqrt(content.families[v].variance), data && data.fits[v] && data.fits[v].explained !== null ? 100 * data.fits[v].explained : "–"]), 2000));
  };
  return panel;
}
