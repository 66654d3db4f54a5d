// Charts: axes with round numbers, points, lines, bands and bars, with tooltips.

function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  const size = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((k) => k * size).find((k) => k >= raw * 0.999) || size * 10;
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  const out = [];
  if (!(last - first < 50)) return out;
  for (let i = 0; i <= last - first; i++) out.push([(first + i) * step, tickText((first + i) * step, step)]);
  return out;
}

function range(lists, pad) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) {
    for (const x of list) {
      if (Math.abs(x) < 1e300) { if (x < low) low = x; if (x > high) high = x; }
    }
  }
  if (low > high) { low = 0; high = 1; }
  // Values that differ only by rounding are treated as equal.
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) { const by = Math.abs(low) * 0.1 || 1; low -= by; high += by; }
  const by = (high - low) * (pad === undefined ? 0.04 : pad);
  return [low - by, high + by];
}

// series: {kind: "points" | "line" | "band" | "bars", x, y, y0, colour, name, say(i), picked(i)}
function chart(options) {
  const width = options.width || 400, height = options.height || 290;
  const box = { left: 62, right: 14, top: options.title ? 30 : 12, bottom: 46 };
  const xs = options.xrange || range(options.series.map((one) => one.x));
  const ys = options.yrange || range(options.series.flatMap((one) => one.y0 ? [one.y, one.y0] : [one.y]));
  const px = (x) => box.left + (x - xs[0]) / (xs[1] - xs[0]) * (width - box.left - box.right);
  const py = (y) => height - box.bottom - (y - ys[0]) / (ys[1] - ys[0]) * (height - box.top - box.bottom);
  const svg = s("svg", {
    class: "chart", viewBox: "0 0 " + width + " " + height, width, height, role: "img",
    "aria-label": options.label || options.title || options.ylabel + " against " + options.xlabel,
  });
  for (const [x, word] of ticks(xs[0], xs[1], 6)) {
    svg.append(s("line", { class: "grid", x1: px(x), x2: px(x), y1: box.top, y2: height - box.bottom }));
    svg.append(s("text", { class: "tick", x: px(x), y: height - box.bottom + 15, "text-anchor": "middle", text: word }));
  }
  for (const [y, word] of ticks(ys[0], ys[1], 5)) {
    svg.append(s("line", { class: "grid", x1: box.left, x2: width - box.right, y1: py(y), y2: py(y) }));
    svg.append(s("text", { class: "tick", x: box.left - 6, y: py(y) + 4, "text-anchor": "end", text: word }));
  }
  if (options.title) svg.append(s("text", { class: "heading", x: box.left, y: 18, text: cut(options.title, Math.floor((width - box.left) / 7.8)) }));
  svg.append(s("text", { class: "axis", x: (box.left + width - box.right) / 2, y: height - 10, "text-anchor": "middle", text: cut(options.xlabel, Math.floor((width - box.left) / 6.8)) }));
  svg.append(s("text", {
    class: "axis", x: -(box.top + height - box.bottom) / 2, y: 14, transform: "rotate(-90)", "text-anchor": "middle", text: cut(options.ylabel, Math.floor((height - box.top - box.bottom) / 6.8)),
  }));
  for (const x of options.marks || []) {
    svg.append(s("line", { class: "mark", x1: px(x), x2: px(x), y1: box.top, y2: height - box.bottom }));
  }
  const inside = s("svg", { x: 0, y: 0, width, height });
  svg.append(inside);
  for (const one of options.series) {
    const finite = [];
    for (let i = 0; i < one.x.length; i++) {
      if (Math.abs(one.x[i]) < 1e300 && Math.abs(one.y[i]) < 1e300) finite.push(i);
    }
    if (finite.length === 0) continue;
    if (one.kind === "points") {
      for (const i of finite) {
        inside.append(s("circle", {
          class: "point " + (one.colour || "one") + (one.faint && one.faint(i) ? " faint" : ""), cx: px(one.x[i]).toFixed(1), cy: py(one.y[i]).toFixed(1), r: one.size || 3,
          onmousemove: one.say ? (event) => showTip(event, one.say(i)) : null, onmouseleave: one.say ? hideTip : null,
          onclick: one.picked ? () => one.picked(i) : null,
        }));
      }
    } else if (one.kind === "bars") {
      for (const i of finite) {
        const top = py(one.y[i]);
        inside.append(s("rect", {
          class: "bar " + (one.colour || "one"), x: px(one.x[i] - 0.46 * one.step), y: top, width: Math.max(1, px(one.x[i] + 0.46 * one.step) - px(one.x[i] - 0.46 * one.step)), height: Math.max(0, py(0) - top),
          onmousemove: one.say ? (event) => showTip(event, one.say(i)) : null, onmouseleave: one.say ? hideTip : null,
        }));
      }
    } else {
      const path = finite.map((i, k) => (k ? "L" : "M") + px(one.x[i]).toFixed(1) + " " + py(one.y[i]).toFixed(1)).join("");
      if (one.kind === "band") {
        const back = finite.slice().reverse().map((i) => "L" + px(one.x[i]).toFixed(1) + " " + py(one.y0[i]).toFixed(1)).join("");
        inside.append(s("path", { class: "band " + (one.colour || "one"), d: path + back + "Z" }));
      } else {
        inside.append(s("path", { class: "line " + (one.colour || "one"), d: path }));
      }
    }
  }
  const named = options.series.filter((one) => one.name);
  let x = width - box.right - 4;
  for (const one of named.slice().reverse()) {
    x -= one.name.length * 6.4 + 20;
    svg.append(s("circle", { class: "point " + (one.colour || "one"), cx: x, cy: 14, r: 4 }));
    svg.append(s("text", { class: "legend", x: x + 8, y: 18, text: one.name }));
  }
  return svg;
}

function tableOf(heads, rows, most) {
  const body = h("tbody");
  const first = rows.slice(0, most || 500);
  const drawn = first.map((cells) => h("tr", {}, ...cells.map((cell) => cell instanceof Node ? h("td", {}, cell) : h("td", { class: typeof cell === "number" ? "number" : null, text: typeof cell === "number" ? number(cell) : cell }))));
  body.append(...drawn);
  const titles = heads.map((text, column) => h("th", { scope: "col" }, h("button", { type: "button", text, title: "Sort by " + text, onclick: () => sortBy(column) })));
  const head = h("thead", {}, h("tr", {}, ...titles));
  // Sorts by value; cells without a number come last in columns of numbers.
  function sortBy(column) {
    const down = titles[column].getAttribute("aria-sort") === "ascending";
    titles.forEach((title) => title.removeAttribute("aria-sort"));
    titles[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (i) => { const cell = first[i][column]; return cell instanceof Node ? cell.textContent : cell; };
    const order = drawn.map((_, i) => i).sort((i, j) => {
      const a = key(i), b = key(j), x = typeof a === "number", y = typeof b === "number";
      if (x !== y) return x ? -1 : 1;
      return (down ? -1 : 1) * (x ? a - b : a.localeCompare(b)) || i - j;
    });
    body.append(...order.map((i) => drawn[i]));
  }
  const wrap = h("div", { class: "scroll", tabindex: 0 }, h("table", {}, head, body));
  if (rows.length > first.length) wrap.append(h("p", { class: "note", text: "The first " + first.length + " of " + rows.length + "." }));
  return wrap;
}

function variableButton(v) {
  return h("button", { type: "button", class: "link", text: cut(nameOf(v), 120), onclick: () => select(v) });
}
