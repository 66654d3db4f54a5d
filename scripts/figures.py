#!/usr/bin/env python3
"""Draws the figures of docs/theory.md. The output is reproducible.

    python scripts/figures.py            writes docs/figures/
    python scripts/figures.py --check    writes nothing, but compares with the existing files

Needs the Python package with pandas. The SVG files are written without a plotting library.
"""

import argparse
import html
import pathlib
import sys

import idealparent as ip

TARGET = pathlib.Path(__file__).resolve().parent.parent / "docs/figures"

# Measure, its label, its colour and the shape of its marks.
MEASURES = [
    ("tangent", "tangent", "#0072b2", "circle"),
    ("c2", "C2", "#d55e00", "square"),
    ("c1", "C1", "#009e73", "cross"),
]
CHILD = "yfaD"
DRAWN = 500
COUNTS = (1, 2, 5)


def text(x, y, words, anchor="middle", size=12, extra=""):
    words = html.escape(words)
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{extra}>{words}</text>'


def line(x1, y1, x2, y2, colour="#888", extra=""):
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}"{extra}/>'


def mark(x, y, colour, shape):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" fill-opacity="0.7"/>'
    if shape == "square":
        return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    ends = f"M{x - 3.5:.1f} {y - 3.5:.1f}l7 7m0 -7l-7 7"
    return f'<path d="{ends}" stroke="{colour}" stroke-width="1.5"/>'


def picture(width, height, title, parts):
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" role="img">'
    )
    ground = f'<rect width="{width}" height="{height}" fill="white"/>'
    return "\n".join([head, f"<title>{html.escape(title)}</title>", ground, *parts, "</svg>"]) + "\n"


def legend(x, y):
    parts = []
    for row, (_, word, colour, shape) in enumerate(MEASURES):
        parts += [mark(x, y + 18 * row, colour, shape), text(x + 12, y + 18 * row + 4, word, "start")]
    return parts


def panel(left, title, ranked, most, step):
    """A plot of the measures against the true change, with a diagonal."""
    side, top = 260, 40
    bottom = top + side

    def place(x, y):
        return left + side * x / most, bottom - side * y / most

    parts = [text(left + side / 2, 24, title, size=14)]
    parts.append(f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" stroke="#888"/>')
    parts.append(line(*place(0, 0), *place(most, most), "#bbb", ' stroke-dasharray="4 3"'))
    for tick in range(0, most + 1, step):
        x, y = place(tick, tick)
        parts += [line(x, bottom, x, bottom + 4), text(x, bottom + 18, str(tick), size=11)]
        parts += [line(left - 4, y, left, y), text(left - 8, y + 4, str(tick), "end", 11)]
    parts.append(text(left + side / 2, bottom + 38, "true change, nats"))
    turned = f' transform="rotate(-90 {left - 38} {top + side / 2:g})"'
    parts.append(text(left - 38, top + side / 2, "estimate, nats", extra=turned))
    for name, _, colour, shape in reversed(MEASURES):
        for true, estimate in zip(ranked["delta"], ranked[name]):
            parts.append(mark(*place(true, estimate), colour, shape))
    best = ranked.iloc[0]
    x, _ = place(best["delta"], 0)
    parts.append(text(x, bottom - 8, best["candidate"], size=11))
    return parts


def without_strongest(net, child):
    """The parents of a child without the strongest one."""
    strengths = net.strengths()
    parents = list(net.parents(child))
    parents.remove(max(parents, key=lambda parent: strengths[parent, child]))
    return parents


def measures(genes, linear, drawn, bent):
    straight = ip.rank_parents(genes, CHILD, without_strongest(linear, CHILD), measure="delta")
    parents = without_strongest(bent, CHILD)
    curved = ip.rank_parents(drawn, CHILD, parents, measure="delta", cpd="sigmoid")
    parts = panel(60, "linear", straight, 60, 10) + panel(400, "sigmoid", curved, 80, 20) + legend(80, 60)
    return picture(690, 350, "C1, C2 and the tangent measure against the true change in log-likelihood", parts)


def hits(drawn, bent):
    """How often the best candidate is among the first K after removing one parent, and the number
    of cases.
    """
    found = {name: [0] * len(COUNTS) for name, *_ in MEASURES}
    for missing, child in bent.edges:
        parents = [parent for parent in bent.parents(child) if parent != missing]
        ranked = ip.rank_parents(drawn, child, parents, measure="delta", cpd="sigmoid")
        for name, counts in found.items():
            place = int((ranked[name] > ranked[name].iloc[0]).sum())
            for i, count in enumerate(COUNTS):
                counts[i] += place < count
    return found, len(bent.edges)


def top(found, cases):
    left, bottom, height, group, bar = 70, 250, 200, 130, 34
    parts = [line(left, bottom, left + 3 * group, bottom)]
    for share in (0, 50, 100):
        y = bottom - height * share / 100
        parts += [line(left - 4, y, left, y), text(left - 8, y + 4, f"{share} %", "end", 11)]
    for i, count in enumerate(COUNTS):
        for j, (name, word, colour, _) in enumerate(MEASURES):
            share = found[name][i] / cases
            x = left + group * i + 14 + bar * j
            parts.append(
                f'<rect x="{x}" y="{bottom - height * share:.1f}" width="{bar - 4}" height="{height * share:.1f}" fill="{colour}"/>'
            )
            parts.append(text(x + bar / 2 - 2, bottom - height * share - 5, f"{100 * share:.0f}", size=11))
            parts.append(text(x + bar / 2 - 2, bottom + 14, word, size=9))
        parts.append(text(left + group * i + 14 + 1.5 * bar, bottom + 34, f"K = {count}", size=13))
    parts.append(text(left + 1.5 * group, 22, f"the best candidate is among the first K, share of {cases} families"))
    return picture(480, 300, "How often the truly best candidate is ranked among the first K", parts)


def hidden():
    """A network learned from the children of two hidden causes of the example, as drawn by `export
    --format svg`.
    """
    truth = ip.example_truth("twolayer")
    inside = {child for cause, child in truth if cause in ("H1", "H2")}
    inside -= {child for cause, child in truth if cause not in ("H1", "H2")}
    table = ip.example("twolayer")
    table = table[[name for name in table.columns if name in inside]]
    return ip.learn(table, hidden="auto", two_layer=True).to_svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, but compare with the existing files")
    check = parser.parse_args().check
    genes = ip.example("ecoli70")
    linear, bent = ip.learn(genes), ip.learn(genes, cpd="sigmoid")
    drawn = bent.sample(DRAWN, seed=1)
    found, cases = hits(drawn, bent)
    figures = {"measures.svg": measures(genes, linear, drawn, bent), "top.svg": top(found, cases), "hidden.svg": hidden()}
    changed = []
    for name, figure in figures.items():
        path = TARGET / name
        if check:
            if not path.is_file() or path.read_text(encoding="utf-8") != figure:
                changed.append(name)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(figure, encoding="utf-8")
    for name in changed:
        print(f"{name} differs", file=sys.stderr)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
