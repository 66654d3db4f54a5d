"""Ideal parent search compared with greedy search on sigmoid networks."""

import json
import subprocess
import sys

import pytest

from common import ROOT, idealparent


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sigmoid")
    generate = [sys.executable, str(ROOT / "bench" / "generate.py"), "sigmoid", "44", "1000", "1"]
    subprocess.run([*generate, str(folder)], check=True)
    return folder / "train.tsv"


def learn(table, *options):
    trace = table.parent / "trace.jsonl"
    arguments = ["--cpd", "sigmoid", "--score", "bic", "--search", "hill", "--json"]
    out = idealparent("learn", table, *arguments, "--trace", trace, *options)
    steps = [json.loads(line) for line in trace.read_text().splitlines()]
    moves = [(s["move"], s["child"], s["parent"], s["replaced"]) for s in steps]
    return json.loads(out), moves


def test_one_candidate_takes_the_moves_of_greedy_search(table):
    greedy, moves = learn(table, "--method", "greedy")
    ideal, same = learn(table, "--candidates", "1")
    assert same == moves
    assert ideal["score"] == greedy["score"]
    assert 10 * ideal["evaluations"] <= greedy["evaluations"]
