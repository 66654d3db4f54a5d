"""Paths of the programs and the data, and functions that run the programs."""

import csv
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
COMMAND = pathlib.Path(os.environ.get("IDEALPARENT_BIN") or TARGET / "release/idealparent")
PAPER = pathlib.Path(os.environ.get("IDEALPARENT_PAPER_BIN") or COMMAND.with_name("paper"))
DATA = pathlib.Path(os.environ.get("IDEALPARENT_DATA") or ROOT.parent / "shared/data")
GENERATE = ROOT / "bench/generate.py"
ORACLE = ROOT / "tests/tools/oracle.py"


def lacking(what):
    """Skips a test that lacks data or programs. On the build server the test fails instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


def has_data():
    """Whether the shared data exist; on the build server they must."""
    return DATA.is_dir() or os.environ.get("CI") == "true"


def data_file(*parts):
    path = DATA.joinpath(*parts)
    if not path.exists():
        lacking(f"missing data: {'/'.join(parts)} in IDEALPARENT_DATA")
    return path


def generator():
    """The module generate.py."""
    spec = importlib.util.spec_from_file_location("generate", GENERATE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def idealparent(*arguments, ok=True):
    """Runs the command. Returns its standard output or, with `ok=False`, the whole result."""
    return run(COMMAND, *arguments, ok=ok)


def paper(*arguments, ok=True):
    """Runs the program of the paper's experiments, as `idealparent` does."""
    return run(PAPER, *arguments, ok=ok)


def run(program, *arguments, ok=True):
    words = [str(program), *map(str, arguments)]
    result = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=900
    )
    if not ok:
        return result
    assert result.returncode == 0, f"{words}: exit {result.returncode}\n{result.stderr}"
    return result.stdout


def report(*arguments):
    """The output of the command with --json."""
    return json.loads(idealparent(*arguments, "--json"))


def read_json(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def oracle(network, data, *options):
    """The output of the oracle for a network file and a table."""
    words = [sys.executable, str(ORACLE), str(network), str(data), *map(str, options)]
    result = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=900)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def close(found, wanted, tolerance=1e-6):
    """Whether two numbers agree within `tolerance`, which is relative to a `wanted` above 1."""
    return abs(found - wanted) <= tolerance * max(1.0, abs(wanted))


def write_table(path, names, values):
    """Writes a table as TSV. Names are quoted if necessary, and missing values written as NA."""

    def cell(value):
        return "NA" if np.isnan(value) else repr(float(value))

    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(names)
        writer.writerows([cell(value) for value in row] for row in values)
    return path


def read_table(path):
    """The names and values of a complete TSV table."""
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file, delimiter="\t")
    return names, np.array(rows, float)


def edges(network):
    """The edges of a parsed network file, as a set of pairs."""
    return {(p, f["variable"]) for f in network["families"] for p in f["parents"]}


def write_edges(path, pairs):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([("from", "to"), *pairs])
    return path


def random_edges(names, rng, indegree=2.0):
    """The edges of a random acyclic graph."""
    order = rng.permutation(len(names))
    chance = min(1.0, 2.0 * indegree / (len(names) - 1))
    later = np.triu(rng.random((len(names), len(names))) < chance, 1)
    return [(names[order[i]], names[order[j]]) for i, j in zip(*np.nonzero(later))]


def names_of_options(text):
    """A message of the command or the package, with `--max-parents 3` and `max_parents=3` in the
    same form, and `--bias` and `bias=True`.
    """
    text = text.strip().removeprefix("error: ").removesuffix(" (see --help)")
    text = re.sub(r"--([a-z][a-z0-9-]*)", lambda found: found[1].replace("-", "_"), text)
    text = re.sub(r"\b([a-z][a-z0-9_]*)=True\b", r"\1", text)
    return re.sub(r"\b([a-z][a-z0-9_]*)=(?:'([^']*)')?", lambda found: f"{found[1]} {found[2] or ''}".strip(), text)
