"""The order of the rows does not change the network, and all exact methods take the same moves."""

import json
import math

import numpy as np
import pytest

import common
from common import idealparent

SHUFFLES = 6


def learn(data, folder, name, *options):
    """The learned network and the steps of the search."""
    network, trace = folder / f"{name}.json", folder / f"{name}.jsonl"
    idealparent("learn", data, "-o", network, "--trace", trace, "--quiet", *options)
    steps = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    return common.read_json(network), steps


def moves(steps):
    return [tuple(step[key] for key in ("move", "child", "parent", "replaced")) for step in steps]


def parameters(network):
    for family in network["families"]:
        cpd = family["cpd"]
        yield family["variable"], "variance", cpd["variance"]
        yield family["variable"], "intercept", cpd["intercept"]
        for parent, weight in zip(family["parents"], cpd["weights"]):
            yield family["variable"], parent, weight


CLIMBING = [["--search", "hill"], ["--score", "bic", "--search", "hill"]]


@pytest.mark.parametrize("options", [[], *CLIMBING], ids=["default", "ebic", "bic"])
@pytest.mark.parametrize("table", ["aa", "met", "linear100"])
def test_shuffled_rows_give_the_same_network(tables, tmp_path, table, options):
    names, values = tables.values(table)
    network, steps = learn(tables.path(table), tmp_path, "first", *options)
    assert steps
    for seed in range(SHUFFLES):
        order = np.random.default_rng(seed).permutation(len(values))
        data = common.write_table(tmp_path / "shuffled.tsv", names, values[order])
        again, others = learn(data, tmp_path, "again", *options)
        assert common.edges(again) == common.edges(network), seed
        if options:
            # A search over orders may reach the same network by other moves.
            assert moves(others) == moves(steps), seed
        for (child, what, x), (_, _, y) in zip(parameters(network), parameters(again), strict=True):
            assert math.isclose(x, y, rel_tol=1e-6), (seed, child, what, x, y)


# These methods score all candidates that greedy search scores, or rank the best one first.
EXACT = {
    "tangent-1": ["--method", "ideal", "--measure", "tangent", "-k", 1],
    "c2-all": ["--method", "ideal", "--measure", "c2", "-k", "all"],
}


def same_moves(data, folder, options, others):
    network, steps = learn(data, folder, "greedy", "--method", "greedy", *options)
    again, same = learn(data, folder, "other", *others, *options)
    assert len(steps) > 5 and moves(same) == moves(steps)
    assert common.edges(again) == common.edges(network)
    for step, other in zip(steps, same):
        assert math.isclose(step["score"], other["score"], rel_tol=1e-9), (step, other)


@pytest.mark.parametrize("score", ["bic", "ebic"])
@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("table", ["aa", "met"])
def test_exact_methods_take_the_moves_of_greedy_search(tables, tmp_path, table, method, score):
    options = ["--search", "hill", "--score", score]
    same_moves(tables.path(table), tmp_path, options, EXACT[method])


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("seed", [21, 22, 23])
def test_exact_methods_take_the_moves_of_greedy_search_on_random_networks(tmp_path, seed, method):
    generate = common.generator()
    values = generate.linear(40, 200, seed)[0]
    data = common.write_table(tmp_path / "data.tsv", [f"X{i}" for i in range(40)], values)
    same_moves(data, tmp_path, ["--search", "hill", "--score", "bic"], EXACT[method])


def test_the_number_of_threads_does_not_change_the_network(tables, tmp_path):
    one, steps = learn(tables.path("met"), tmp_path, "one", "--threads", 1)
    three, others = learn(tables.path("met"), tmp_path, "three", "--threads", 3)
    assert one == three and steps == others
