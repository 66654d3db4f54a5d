#!/usr/bin/env python3
"""Checks which modules of the library use which.

    scripts/module_graph.py            prints violations; exit code 1 if there are any
    scripts/module_graph.py --write    also writes the graph into ARCHITECTURE.md

Each layer may use those above it in LAYERS, but neither those below nor its neighbours in the same
layer. Paths that start with `crate::`, or that reach the root by `super::`, count as uses. In
examples of doc comments, so do paths that start with `idealparent::`.
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
    ["options"],
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
    """The text between the brace at `at - 1` and the matching closing brace, split at top-level
    commas."""
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


def first_words(text, at):
    """The first words of the paths that start at `at`: of one path, or of all paths in a brace."""
    paths = items(text, at + 1) if text[at] == "{" else [text[at:]]
    for path in paths:
        path = re.sub(r"^(//.*\n\s*)+", "", path)
        word = re.match(r"\w+|\*", path)
        yield (word.group(0), path) if word else ("", path)


def depth_of(path, text, at):
    """How many times `super` leads from this place to the root of the library."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    depth = len(parts) - (parts[-1] == "mod")
    line = text[text.rfind("\n", 0, at) + 1 : at]
    is_inside = line[:1].isspace() and re.search(r"^(pub(\([^)]*\))? )?mod \w+ \{", text[:at], re.M)
    return depth + bool(is_inside)


def uses(path, text):
    """The first words of all paths from the root, with their lines."""

    def line_of(at):
        return text.count("\n", 0, at) + 1

    for match in re.finditer(r"\bcrate::", text):
        for word, _ in first_words(text, match.end()):
            yield word, line_of(match.start())
    for match in re.finditer(r"\b(?:super::)+", text):
        climbed = match.group(0).count("super")
        if climbed >= depth_of(path, text, match.start()):
            for word, _ in first_words(text, match.end()):
                yield word, line_of(match.start())
    for match in re.finditer(r"^ *//[/!].*\bidealparent::(extend::)?", text, re.M):
        for word, rest in first_words(text, match.end()):
            is_module = word in LEVEL and rest.startswith(f"{word}::")
            yield word if is_module else EXPORTED.get(word, word), line_of(match.start())


def exported():
    """The names that lib.rs and extend.rs re-export, with the modules they come from."""
    found = {}
    for page in ("lib.rs", "extend.rs"):
        text = (SOURCE / page).read_text()
        for match in re.finditer(r"^pub use (?:crate::)?(\w+)::", text, re.M):
            found |= {word: match.group(1) for word, _ in first_words(text, match.end())}
    return found


EXPORTED = exported()


def module_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".rs")


def sources():
    for path in sorted(SOURCE.rglob("*.rs")):
        # These only re-export names.
        if path.name not in ("lib.rs", "extend.rs", "internal.rs"):
            yield path, path.read_text()


def graph():
    """The modules that each module uses."""
    edges = collections.defaultdict(set)
    for path, text in sources():
        own = module_of(path)
        edges[own] |= {word for word, _ in uses(path, text) if word in LEVEL and word != own}
    return edges


def problems():
    """Violations, one line each."""
    for path, text in sources():
        own = module_of(path)
        place = path.relative_to(ROOT)
        if own not in LEVEL:
            yield f"{place}: the module '{own}' has no layer (add it to scripts/module_graph.py)"
            continue
        for word, line in uses(path, text):
            if word in LEVEL:
                if word != own and LEVEL[word] >= LEVEL[own]:
                    yield f"{place}:{line}: '{own}' uses '{word}', which is not above it"
            else:
                yield f"{place}:{line}: 'crate::{word}' is a re-export (name the module it comes from)"
        yield from repeated_uses(place, text)


def repeated_uses(place, text):
    """`use` statements that should be merged with another one in the same scope."""
    seen = set()
    statement = r"^([ \t]*(?:pub(?:\([^)]*\))? )?)use ((?:crate|super)(?:::\w+)*?)(?:::(?:\{|\w+;|\*;| )|;)"
    for match in re.finditer(statement + r"|^[ \t]*(?:fn|mod|impl) ", text, re.M):
        if match.group(2) is None:
            # A new scope may start here.
            seen = {key for key in seen if not key[0][:1].isspace()}
            continue
        key = match.groups()
        if key in seen:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{place}:{line}: a second `use {key[1]}::…` (merge it with the first)"
        seen.add(key)


def graph_table():
    """The graph as a Markdown table: one row per module, in the order of the layers."""
    edges = graph()
    rows = ["| module | uses |", "|---|---|"]
    for layer in LAYERS:
        for module in layer:
            used = sorted(edges[module], key=lambda other: (LEVEL[other], other))
            rows.append(f"| `{module}` | {', '.join(used) or '-'} |")
    return "\n".join(rows) + "\n"


def page_with_graph(text):
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + graph_table() + END + after


def main():
    found = list(problems())
    for line in found:
        print(line)
    if "--write" in sys.argv:
        PAGE.write_text(page_with_graph(PAGE.read_text()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
