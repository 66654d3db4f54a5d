#!/usr/bin/env python3
"""The library's modules, which of them use which, and whether that is in order.

    scripts/module_graph.py            prints what is out of order; exit code 1 if anything is
    scripts/module_graph.py --write    also draws the graph into ARCHITECTURE.md

Each layer may use those above it in LAYERS, never those below, nor its neighbours in the same layer. Every path that
begins with `crate::` counts, doc comments included.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "crates/idealparent/src"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- module graph: scripts/module_graph.py --write -->\n", "<!-- end of the module graph -->\n"

LAYERS = [
    ["error"],
    ["memory", "kernel"],
    ["numerics"],
    ["data", "graph"],
    ["cpd"],
    ["family"],
    ["score"],
    ["ideal"],
    ["search"],
    ["network"],
    ["inference"],
    ["learn"],
    ["evaluate"],
]
LEVEL = {module: level for level, layer in enumerate(LAYERS) for module in layer}


def items(text, at):
    """What stands between the brace at `at - 1` and its partner, cut at the commas outside inner braces."""
    depth, current, found = 1, "", []
    while depth:
        character = text[at]
        depth += (character == "{") - (character == "}")
        if depth == 0 or (character == "," and depth == 1):
            found.append(current.strip())
            current = ""
        else:
            current += character
        at += 1
    return [item for item in found if item]


def uses(text):
    """The first words after `crate::`, each with its line."""
    for match in re.finditer(r"\bcrate::(\{)?", text):
        line = text.count("\n", 0, match.start()) + 1
        words = items(text, match.end()) if match.group(1) else [text[match.end() :]]
        for word in words:
            yield re.match(r"\w+", word).group(0), line


def module_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".rs")


def sources():
    for path in sorted(SOURCE.rglob("*.rs")):
        if path.name != "lib.rs":
            yield path, path.read_text()


def graph():
    """Which modules each module uses."""
    edges = collections.defaultdict(set)
    for path, text in sources():
        own = module_of(path)
        edges[own] |= {word for word, _ in uses(text) if word in LEVEL and word != own}
    return edges


def problems():
    """Lines that say what is out of order."""
    for path, text in sources():
        own = module_of(path)
        place = path.relative_to(ROOT)
        if own not in LEVEL:
            yield f"{place}: the module '{own}' has no layer (add it to scripts/module_graph.py)"
            continue
        for word, line in uses(text):
            if word in LEVEL:
                if word != own and LEVEL[word] >= LEVEL[own]:
                    yield f"{place}:{line}: '{own}' uses '{word}', which is not above it"
            else:
                yield f"{place}:{line}: 'crate::{word}' is a re-export (name the module it comes from)"
        seen = set()
        for match in re.finditer(r"^([ \t]*(?:pub(?:\([^)]*\))? )?)use crate::((?:\w+::)+)|^[ \t]*(?:fn|mod|impl) ", text, re.M):
            if match.group(2) is None:
                # Another scope may begin here.
                seen = {key for key in seen if not key[0][:1].isspace()}
                continue
            key = (match.group(1), match.group(2))
            if key in seen:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{place}:{line}: a second `use crate::{key[1]}…` (join it with the first)"
            seen.add(key)


def lines_of(module):
    files = [path for path, _ in sources() if module_of(path) == module]
    return sum(path.read_text().count("\n") for path in files)


def drawn():
    """The graph as text: a line a module, in the order of the layers, with what it uses directly."""
    edges = graph()
    rows = ["| module | lines | uses |", "|---|---|---|"]
    for layer in LAYERS:
        for module in layer:
            used = sorted(edges[module], key=lambda other: (LEVEL[other], other))
            rows.append(f"| `{module}` | {lines_of(module)} | {', '.join(used) or '-'} |")
    return "\n".join(rows) + "\n"


def page_with_graph(text):
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + drawn() + END + after


def edges_shown(text):
    """The part of the page's table that a change of a few lines leaves as it is."""
    table = text.split(BEGIN)[1].split(END)[0]
    return [re.sub(r"\| \d+ \|", "|", row) for row in table.splitlines()]


def main():
    found = list(problems())
    for line in found:
        print(line)
    if "--write" in sys.argv:
        PAGE.write_text(page_with_graph(PAGE.read_text()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
