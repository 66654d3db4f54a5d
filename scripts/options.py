#!/usr/bin/env python3
"""Writes what follows from the library's options: the Python package's types and docs/options.md.

    scripts/options.py [--check] [--idealparent BIN]

The options are declared once, in crates/idealparent/src/learn/options/mod.rs and data/read/mod.rs; `idealparent
options` prints them. With --check nothing is written: exit code 1 and a line per file that is out of date.
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
SCOPES = ["score", "fit", "learn"]
GROUPS = {
    "Data": "Reading a table",
    "Model": "Densities",
    "Score": "Score",
    "Search": "Search",
    "Knowledge": "What is known beforehand",
    "Hidden": "Hidden variables",
}
SIMPLE = {
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
}
# scikit-learn has a method `score`, and calls the seed `random_state`.
ESTIMATOR_NAMES = {"score": "criterion", "seed": "random_state"}


# Only Python has arrays without names.
NAMES = {"name": "names", "kind": "name_file", "help": "Names of an array's columns", "default": None}


def python_type(option):
    kind = option["kind"]
    if isinstance(kind, str):
        return SIMPLE[kind]
    (name, _), = kind.items()
    return {"word": "str", "words": "str | Iterable[str]", "whole_or": "int | str"}[name]


def typed_dict(name, base, doc, options):
    lines = [f"class {name}({base}, total=False):", f'    """{doc}"""', ""]
    for option in options:
        lines.append(f"    {option['name']}: {python_type(option)}")
        text = option["help"] + "."
        if option["default"] is not None:
            text = f"{option['help']} (default: {option['default']})."
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


def types(declared):
    learn, read = declared["learn"], declared["read"]

    def of(scope):
        return [option for option in learn if SCOPES.index(option["command"]) <= SCOPES.index(scope)]

    aliases = {alias: option["name"] for option in learn for alias in option["aliases"]}
    parts = [
        '"""Options as the library declares them. Written by scripts/options.py: do not edit."""',
        "from __future__ import annotations",
        "from collections.abc import Iterable\nfrom typing import Any, TypedDict",
        f"ALIASES = {json.dumps(aliases)}\n" + '"""Names from earlier versions, and short ones."""',
        "\n" + typed_dict("ReadOptions", "TypedDict", "Which part of a table is meant, and how it is read.", [NAMES, *read]),
        "\n" + typed_dict("ScoreOptions", "ReadOptions", "What decides the score of a table.", of("score")),
        "\n" + typed_dict("FitOptions", "ReadOptions", "What decides the parameters of a given structure.", of("fit")),
        "\n" + typed_dict("Options", "ReadOptions", "What decides the learned network.", learn),
        "\n" + estimator(learn),
    ]
    return "\n\n".join(parts) + "\n"


def page(declared):
    lines = [
        "# Options",
        "",
        "Every option of `idealparent learn`. In Python the same names, with `_` for `-`, are keyword",
        "arguments of `ip.learn`. `fit`, `score`, `rank`, `cv` and `bootstrap` take those that make sense",
        "there; `idealparent COMMAND --help-all` lists them, with those that only concern the run, such as",
        "`--threads` and `--checkpoint`.",
        "",
        "This page is written by `scripts/options.py` from the library's declaration of its options.",
    ]
    for group, title in GROUPS.items():
        options = [option for option in declared["read"] + declared["learn"] if option["group"] == group]
        lines += ["", f"## {title}", "", "| option | meaning | default |", "|---|---|---|"]
        for option in options:
            word = "--" + option["name"].replace("_", "-")
            value = f" {option['placeholder']}" if option["placeholder"] else ""
            short = f"`-{option['short']}`, " if option["short"] else ""
            shown = (word + value).replace("|", "\\|")
            meaning = option["help"].replace("|", "\\|")
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
