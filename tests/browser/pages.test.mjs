// Tests of the report page in a real browser.
//
//   node --test tests/browser/
//
// Needs PLAYWRIGHT (a folder with playwright-core), CHROMIUM and IDEALPARENT_BIN in the environment.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";

const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../..");
const { chromium } = createRequire(path.join(process.env.PLAYWRIGHT, "node_modules", "x.js"))("playwright-core");
const command = process.env.IDEALPARENT_BIN ?? path.join(root, "target/release/idealparent");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "idealparent-pages-"));
const shots = process.env.SCREENSHOTS;
const shared = process.env.IDEALPARENT_DATA ?? path.join(root, "../shared/data");
const yeast = path.join(shared, "gasch2000_yeast_stress");
let browser;

function idealparent(...words) {
  return execFileSync(command, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function learned(name, ...words) {
  idealparent("learn", ...words, "-o", `${name}.json`, "--report", `${name}.html`, "--quiet");
  return path.join(folder, `${name}.html`);
}

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

// Opens a page and uses it, then asserts that there was no error, no dialog and no request.
async function open(file, use, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, ...options });
  const wrong = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) wrong.push(message.text()); });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("dialog", async (dialog) => { wrong.push("a dialog"); await dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== `file://${file}`) wrong.push(request.url()); });
  try {
    const began = Date.now();
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes" && document.querySelectorAll(".node").length > 0);
    const ready = Date.now() - began;
    await use(page, ready);
    if (shots) await page.screenshot({ path: path.join(shots, `${path.basename(file, ".html")}.png`) });
    assert.deepEqual(wrong, []);
  } finally {
    await page.close();
  }
}

async function shot(page, name) {
  if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
}

async function find(page, name) {
  await page.fill("#search", name);
  await page.keyboard.press("Enter");
}

// Asserts that every tab has content, no chart is empty, no label is cut and no two boxes touch.
async function assertNoDefects(page, name) {
  const touching = await page.evaluate(() => {
    const found = [];
    const boxes = [...document.querySelectorAll(".node")].map((node) => [node.getAttribute("aria-label"), node.querySelector("rect").getBoundingClientRect(), node.querySelector("text").getBoundingClientRect()]);
    boxes.forEach(([label, box, text], i) => {
      if (text.width > box.width + 0.5) found.push(`${label} is cut`);
      for (const [other, there] of boxes.slice(0, i)) {
        if (box.left < there.right - 0.5 && there.left < box.right - 0.5 && box.top < there.bottom - 0.5 && there.top < box.bottom - 0.5) found.push(`${label} touches ${other}`);
      }
    });
    return found;
  });
  assert.deepEqual(touching, []);
  for (const tab of await page.$$eval("#tabs button", (buttons) => buttons.map((button) => button.id.slice(4)))) {
    await page.click(`#tab-${tab}`);
    assert.equal(await page.getAttribute(`#tab-${tab}`, "aria-selected"), "true");
    assert.equal(await page.locator("section:not([hidden])").count(), 1);
    assert.ok((await page.innerText(`#panel-${tab}`)).trim().length > 20, tab);
    const faults = await page.$$eval(`#panel-${tab} svg.chart`, (charts) => charts.flatMap((chart) => {
      const name = chart.getAttribute("aria-label");
      const marks = chart.querySelectorAll("circle, path, rect.bar").length;
      const out = marks === 0 ? [`${name} is empty`] : [];
      const box = chart.getBoundingClientRect();
      for (const text of chart.querySelectorAll("text")) {
        const own = text.getBoundingClientRect();
        if (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1) out.push(`${name}: "${text.textContent}" is cut`);
      }
      if (/NaN|Infinity/.test(chart.innerHTML)) out.push(`${name} has values that are not finite`);
      return out;
    }));
    assert.deepEqual(faults, []);
    await shot(page, `${name}-${tab}`);
  }
  await page.click("#tab-graph");
}

describe("pages of the examples", () => {
  for (const [name, words] of [
    ["sachs", ["--example", "sachs"]],
    ["ecoli70-holes", ["--example", "ecoli70-holes"]],
    ["mixed", ["--example", "sachs", "--cpd", "linear,sigmoid"]],
  ]) {
    test(name, async () => {
      const file = learned(name, ...words);
      await open(file, (page) => assertNoDefects(page, name));
      await open(file, (page) => assertNoDefects(page, `${name}-dark`), { colorScheme: "dark" });
      await open(file, (page) => assertNoDefects(page, `${name}-narrow`), { viewport: { width: 700, height: 900 } });
    });
  }
});

test("searching, focusing, selecting an edge and switching tabs change the view", async () => {
  await open(learned("doing", "--example", "sachs"), async (page) => {
    const nodes = () => page.locator(".node").count();
    assert.equal(await nodes(), 11);
    await page.fill("#search", "pk");
    assert.deepEqual(await page.$$eval("#hits li span", (items) => items.map((item) => item.textContent)), ["PKA", "PKC"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.innerText("#details h2"), "PKC");
    assert.equal(await page.locator(".node.selected").count(), 1);
    await find(page, "Erk");
    assert.equal(await page.innerText("#details h2"), "Erk");
    await page.click("button[data-value='1']");
    const near = await nodes();
    assert.ok(near > 1 && near < 11, `${near}`);
    assert.match(await page.innerText("#graph-note"), /within 1 step of Erk/);
    await page.click("button[data-value='0']");
    assert.equal(await nodes(), 11);
    await page.locator(".edge .touch").first().dispatchEvent("click");
    assert.match(await page.innerText("#details .edge-box"), /→[\s\S]*weight/);
    assert.equal(await page.locator(".edge.selected").count(), 1);
    await page.locator(".node").first().dispatchEvent("mousemove", { clientX: 200, clientY: 200 });
    assert.match(await page.innerText("#tip"), /E\[.*\] =/);
    const child = await page.innerText("#details h2");
    await page.click("#tab-family");
    assert.equal(await page.innerText("#panel-family h2"), child);
    assert.ok(await page.locator("#panel-family svg.chart circle").count() > 1000);
    await page.click("#tab-candidates");
    assert.equal(await page.innerText("#panel-candidates h2"), `Candidate parents of ${child}`);
    await page.click("#panel-candidates tbody button >> nth=0");
    assert.notEqual(await page.innerText("#panel-candidates h2"), `Candidate parents of ${child}`);
    await page.click("#tab-search");
    assert.ok(await page.locator("#panel-search tbody tr").count() >= 8);
    await page.click("#tab-summary");
    assert.match(await page.innerText("#command"), /^idealparent learn --example sachs -o net.json$/);
  });
});

test("the page can be used with the keyboard", async () => {
  await open(learned("keys", "--example", "sachs"), async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("raf");
    await page.keyboard.press("Enter");
    assert.equal(await page.innerText("#details h2"), "Raf");
    await page.focus("svg.graph");
    const before = await page.getAttribute("svg.graph > g", "transform");
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await page.getAttribute("svg.graph > g", "transform"), before);
    await page.keyboard.press("n");
    assert.notEqual(await page.innerText("#details h2"), "Raf");
    await page.focus("#tab-graph");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#tab-family", "aria-selected"), "true");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-family");
    await page.keyboard.press("End");
    assert.equal(await page.getAttribute("#tab-summary", "aria-selected"), "true");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Home");
    assert.match(await page.innerText("#details h2"), /Hubs/);
  });
});

test("zoom, pan, themes and printing work", async () => {
  await open(learned("paper", "--example", "ecoli70-holes"), async (page) => {
    const transform = () => page.getAttribute("svg.graph > g", "transform");
    const box = await page.locator("svg.graph").boundingBox();
    const first = await transform();
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.wheel(0, -400);
    await page.waitForFunction((old) => document.querySelector("svg.graph > g").getAttribute("transform") !== old, first);
    const zoomed = await transform();
    await page.mouse.down();
    await page.mouse.move(box.x + 260, box.y + 160, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await transform(), zoomed);
    await page.click("button[title='The whole graph']");
    assert.equal(await transform(), first);
    const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await colour();
    await page.click("#theme");
    assert.notEqual(await colour(), light);
    await page.click("#theme");
    assert.equal(await colour(), light);
    await page.click("#tab-family");
    await page.click("#tab-graph");
    await find(page, "lacA");
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.innerText("#panel-family h2"), "lacA");
    await page.emulateMedia({ media: "print" });
    for (const part of ["family", "search", "missing", "summary"]) assert.ok(await page.locator(`#panel-${part} h2`).first().isVisible(), part);
    assert.ok(!await page.locator("#search").isVisible());
    const pdf = await page.pdf({ format: "A4" });
    assert.ok(pdf.length > 20000);
    await page.emulateMedia({ media: "screen" });
  });
});

test("hidden variables look different and have profiles", async () => {
  await open(learned("hidden", "--example", "twolayer", "--hidden", "auto", "--two-layer"), async (page) => {
    const hidden = await page.locator(".node.hidden").count();
    assert.ok(hidden >= 3);
    const dashes = (kind) => page.locator(kind).first().locator("rect").evaluate((node) => getComputedStyle(node).strokeDasharray);
    assert.notEqual(await dashes(".node.hidden"), await dashes(".node:not(.hidden)"));
    await page.click("#tab-hidden");
    assert.equal(await page.locator("#panel-hidden svg.chart").count(), hidden);
    await page.click("#tab-search");
    assert.ok(await page.locator("#panel-search .mark").count() >= hidden);
    await page.click("#tab-graph");
    await assertNoDefects(page, "hidden");
  });
});

test("bootstrap strengths of edges are shown", async () => {
  idealparent("bootstrap", "--example", "sachs", "-n", "20", "-o", "edges.tsv", "--quiet");
  learned("sure", "--example", "sachs");
  idealparent("report", "sure.json", "--example", "sachs", "--bootstrap", "edges.tsv", "--title", "How <sure>?", "-o", "sure2.html");
  await open(path.join(folder, "sure2.html"), async (page) => {
    assert.equal(await page.innerText("h1"), "How <sure>?");
    assert.equal(await page.title(), "How <sure>?");
    await page.locator(".edge .touch").first().dispatchEvent("click");
    assert.match(await page.innerText("#details .edge-box"), /bootstrap/);
    await page.click("#tab-search");
    assert.match(await page.innerText("#panel-search"), /not recorded/);
    await page.click("#tab-graph");
    await assertNoDefects(page, "sure");
  });
});

const noYeast = !fs.existsSync(yeast) && "the yeast data are missing";
test("a network of yeast genes with sigmoids is shown", { skip: process.env.CI === "true" ? false : noYeast }, async () => {
  const words = [path.join(yeast, "gasch2000_complete.tsv.gz"), "--transpose", "--variables", path.join(yeast, "aa_rebuild_nomiss.txt")];
  const file = learned("yeast", ...words, "--cpd", "sigmoid", "--restarts", "1");
  assert.ok(fs.statSync(file).size < 6e6);
  await open(file, async (page) => {
    await find(page, "YPL273W");
    await page.click("#tab-family");
    assert.match(await page.innerText("#panel-family"), /sigmoid density/);
    await page.click("#tab-graph");
    await page.keyboard.press("Escape");
    await assertNoDefects(page, "yeast");
  });
});

test("special characters in names are shown as text", async () => {
  const names = ["<script>window.hurt=1</script>", "<img src=x onerror=window.hurt=1>", "\"><b>", "</script><script>window.hurt=1</script>", "a'&amp;{{content}}", "__proto__", "x".repeat(120), "名前"];
  const quote = (name) => `"${name.replaceAll("\"", "\"\"")}"`;
  let seed = 7;
  const random = () => { seed = (seed * 16807) % 2147483647; return seed / 2147483647 - 0.5; };
  const rows = Array.from({ length: 80 }, () => { const z = random(); return names.map((_, i) => (z * (i + 1) + random()).toFixed(5)).join(","); });
  fs.writeFileSync(path.join(folder, "hostile.csv"), `${names.map(quote).join(",")}\n${rows.join("\n")}\n`);
  await open(learned("hostile", "hostile.csv"), async (page) => {
    for (const name of names) {
      await find(page, name);
      assert.equal(await page.innerText("#details h2"), name);
    }
    assert.deepEqual((await page.$$eval(".node", (nodes) => nodes.map((node) => node.getAttribute("aria-label")))).sort(), names.slice().sort());
    await assertNoDefects(page, "hostile");
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    assert.equal(await page.locator("script").count(), 2);
    assert.equal(await page.locator("img, b").count(), 0);
  });
});

test("numbers of any size and constant columns are shown", async () => {
  let seed = 3;
  const random = () => { seed = (seed * 16807) % 2147483647; return seed / 2147483647 - 0.5; };
  const rows = Array.from({ length: 60 }, (_, i) => { const z = random(); return [1.6e9 + 60 * (i + 20 * z), 1e39 * (z + 0.1 * random()), 1e-50 * (z + 0.2 * random()), 7].join(","); });
  fs.writeFileSync(path.join(folder, "sizes.csv"), `time,large,small,same\n${rows.join("\n")}\n`);
  learned("sizes", "sizes.csv");
  const score = -1000;
  const step = (number, value) => JSON.stringify({ step: number, move: "add", child: "large", parent: "small", replaced: null, delta: 1, score: value, evaluations: number });
  fs.writeFileSync(path.join(folder, "flat.jsonl"), `${step(1, score)}\n${step(2, score + 1.2e-13)}\n`);
  idealparent("report", "sizes.json", "sizes.csv", "--trace", "flat.jsonl", "-o", "sizes2.html");
  await open(path.join(folder, "sizes2.html"), async (page) => {
    await assertNoDefects(page, "sizes");
    for (const name of ["time", "large", "small"]) {
      await find(page, name);
      await page.click("#tab-family");
      const chart = page.locator("#panel-family svg.chart").first();
      // Points have different places, and the labels of the axis are different.
      const places = await chart.locator("circle").evaluateAll((dots) => new Set(dots.map((dot) => dot.getAttribute("cx"))).size);
      const bars = await chart.locator("rect.bar").count();
      assert.ok(places > 30 || bars > 5, `${name}: ${places} ${bars}`);
      const words = await chart.locator("text.tick").allTextContents();
      const across = words.slice(0, await chart.locator("text.tick[text-anchor=middle]").count());
      assert.equal(new Set(across).size, across.length, words.join(" "));
    }
  });
});

test("networks of two thousand variables are shown", async (t) => {
  let seed = 11;
  const random = () => { seed = (seed * 16807) % 2147483647; return seed / 2147483647 - 0.5; };
  const width = 2000;
  const rows = Array.from({ length: 150 }, () => {
    const row = [];
    for (let v = 0; v < width; v++) row.push((v ? 1.2 * row[Math.floor((v - 1) / 3)] : 0) + random());
    return row.map((x) => x.toFixed(4)).join("\t");
  });
  const names = Array.from({ length: width }, (_, v) => `gene${v}`);
  fs.writeFileSync(path.join(folder, "large.tsv"), `${names.join("\t")}\n${rows.join("\n")}\n`);
  await open(learned("large", "large.tsv", "--search", "hill"), async (page, ready) => {
    t.diagnostic(`ready after ${ready} ms`);
    const nodes = await page.locator(".node").count();
    assert.ok(nodes > 1 && nodes < 100, `${nodes}`);
    await assertNoDefects(page, "large");
    await find(page, "gene1234");
    assert.equal(await page.innerText("#details h2"), "gene1234");
    const began = Date.now();
    await page.click("button[data-value='0']");
    await page.waitForFunction(() => document.querySelectorAll(".node").length === 2000);
    t.diagnostic(`all drawn after ${Date.now() - began} ms`);
    assert.match(await page.innerText("#graph-note"), /Too large to show at once/);
  });
});
