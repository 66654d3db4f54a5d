#!/usr/bin/env python3
"""Writes the Python package's types and docs/options.md from the library's options.

    scripts/options.py [--check] [--idealparent BIN]

The options are declared once, in crates/idealparent/src/learn/options/mod.rs and data/read/mod.rs.
`idealparent options` prints them. With --check nothing is written; files that are out of date are
listed, and the exit code is 1.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
TYPES = ROOT / "python/idealparent/_declared.py"
PAGE = ROOT / "docs/options.md"
TYPES_OF = {
    "flag": "bool",
    "yes_no": "bool | None",
    "whole": "int",
    "number": "float",
    "text": "str",
    "names": "Iterable[str]",
    "name_file": "Iterable[str] | None",
    "edges": "Any",
    "tiers": "Any",
    "structure": "Any",
    "word": "str",
    "words": "str | Iterable[str]",
    "whole_or": "int | str",
    "number_or": "float | str",
}
# How values are written in Python, where that needs an explanation.
EDGES = "a list of pairs, a network or graph, a frame with the columns from and to, or a file"
SYNTAX = {
    "names": "a list of names",
    "name_file": "a list of names",
    "edges": EDGES,
    "tiers": "a list of lists of names, or a file",
    "structure": EDGES,
}
# scikit-learn estimators have a method `score`, and call the seed `random_state`.
ESTIMATOR_NAMES = {"score": "criterion", "seed": "random_state"}


# Only in Python can a table be an array without column names.
NAMES = {"name": "names", "kind": "name_file", "help": "The columns of an array", "default": None}


def kind_of(option):
    kind = option["kind"]
    return kind if isinstance(kind, str) else next(iter(kind))


def python_type(option):
    return TYPES_OF[kind_of(option)]


def typed_dict(name, base, doc, options):
    lines = [f"class {name}({base}, total=False):", f'    """{doc}"""', ""]
    for option in options:
        lines.append(f"    {option['name']}: {python_type(option)}")
        text = option["help"]
        if kind_of(option) in SYNTAX:
            text += f": {SYNTAX[kind_of(option)]}"
        text += "." if option["default"] is None else f" (default: {option['default']})."
        lines += docstring(text.replace("\\", "\\\\"))
    return "\n".join(lines)


def docstring(text):
    if len(text) <= 110:
        end = " " if text.endswith('"') else ""
        return [f'    """{text}{end}"""']
    wrapped = textwrap.wrap(text, 112)
    return [f'    """{wrapped[0]}', *(f"    {line}" for line in wrapped[1:]), '    """']


def estimator_default(option):
    value = option["value"]
    if option["kind"] in ("edges", "tiers", "structure") or isinstance(value, list):
        return None
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return value


def estimator(options):
    lines = [
        "class EstimatorOptions:",
        '    """The estimator\'s parameters: every option of `learn`, and the number of threads."""',
        "",
        "    def __init__(",
        "        self,",
    ]
    names = []
    for option in options:
        name = ESTIMATOR_NAMES.get(option["name"], option["name"])
        default = estimator_default(option)
        kind = "Any" if name == "random_state" else python_type(option)
        if default is None and kind != "Any":
            kind += " | None"
        shown = json.dumps(default) if isinstance(default, str) else repr(default)
        lines.append(f"        {name}: {kind} = {shown},")
        if len(names) == 0:
            lines.append("        *,")
        names.append(name)
    lines.append("        threads: int | None = None,")
    lines.append("    ) -> None:")
    lines += [f"        self.{name} = {name}" for name in [*names, "threads"]]
    return "\n".join(lines)


# A class for the options of each command: its name, the command and its description. Each extends
# the one before.
CLASSES = [
    ("ScoreOptions", "score", "Options that affect the score of a table."),
    ("FitOptions", "fit", "Options that affect the parameters of a given structure."),
    ("ComparisonOptions", "cv", "Options that the compared methods have in common."),
    ("Options", "learn", "Options that affect the learned network."),
]


def option_classes(declared):
    doc = "Which part of a table to use, and how to read it."
    classes = [typed_dict("ReadOptions", "TypedDict", doc, [NAMES, *declared["read"]])]
    base, inherited = "ReadOptions", []
    for name, command, doc in CLASSES:
        own = [option for option in declared["learn"] if command in option["commands"]]
        assert all(option in own for option in inherited), f"{name} cannot extend {base}"
        classes.append(typed_dict(name, base, doc, [option for option in own if option not in inherited]))
        base, inherited = name, own
    return classes


def constant(name, values, doc):
    lines = [f"    {json.dumps(key)}: {json.dumps(value)}," for key, value in values.items()]
    return "\n".join([f"{name} = {{", *lines, "}", f'"""{doc}"""'])


def types(declared):
    learn = declared["learn"]
    aliases = {alias: option["name"] for option in learn for alias in option["aliases"]}
    declared_all = [*declared["read"], *learn]
    kinds = {option["name"]: kind_of(option) for option in declared_all}
    words = {option["name"]: option["kind"]["word"] for option in declared_all if kind_of(option) == "word"}
    parts = [
        '"""Options as the library declares them. Generated by scripts/options.py: do not edit."""',
        "from __future__ import annotations",
        "from collections.abc import Iterable\nfrom typing import Any, TypedDict",
        f"ALIASES = {json.dumps(aliases)}\n" + '"""Short names of options, and names from earlier versions."""',
        constant("KINDS", kinds, "The kind of value of every option."),
        constant("WORDS", words, "The words that an option of the kind `word` can have."),
        *("\n" + text for text in option_classes(declared)),
        "\n" + estimator(learn),
    ]
    return "\n\n".join(parts) + "\n"


def page(declared):
    lines = [
        "# Options",
        "",
        "All options of `idealparent learn`. In Python they are keyword arguments of `ip.learn`, with `_`",
        "instead of `-`. `fit`, `score`, `rank`, `cv` and `bootstrap` take the options that apply to them.",
        "`idealparent COMMAND --help-all` lists these, and also options that only affect the run, such as",
        "`--threads` and `--checkpoint`.",
        "",
        "This page is generated by `scripts/options.py` from the library's declaration of its options.",
    ]
    for group in declared["groups"]:
        options = [option for option in declared["read"] + declared["learn"] if option["group"] == group]
        lines += ["", f"## {group}", "", "| option | meaning | default |", "|---|---|---|"]
        for option in options:
            word = "--" + option["name"].replace("_", "-")
            value = f" {option['placeholder']}" if option["placeholder"] else ""
            short = f"`-{option['short']}`, " if option["short"] else ""
            shown = (word + value).replace("|", "\\|")
            meaning = option["command_help"].replace("|", "\\|")
            lines.append(f"| {short}`{shown}` | {meaning} | {option['default'] or ''} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    built = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/idealparent"
    parser.add_argument("--idealparent", default=os.environ.get("IDEALPARENT_BIN", built))
    args = parser.parse_args()
    declared = json.loads(subprocess.run([args.idealparent, "options"], check=True, capture_output=True).stdout)
    stale = []
    for path, text in [(TYPES, types(declared)), (PAGE, page(declared))]:
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path)
        if not args.check:
            path.write_text(text)
    for path in stale if args.check else []:
        print(f"{path.relative_to(ROOT)} is out of date: run scripts/options.py")
    return 1 if stale and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
