"""Quality of the networks that searches find in data with a known structure."""

import json
import subprocess
import sys

import numpy as np
import pytest

from common import GENERATE, close, edges, idealparent, oracle, read_json, read_table, report, write_table

SEARCHES = ["hill", "tabu", "anneal", "order"]


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A function that returns the folder of a generated case. Each case is generated once."""
    made = {}

    def make(kind, n, m, seed):
        key = (kind, n, m, seed)
        if key not in made:
            folder = tmp_path_factory.mktemp(f"{kind}_{n}_{m}_{seed}")
            words = [sys.executable, str(GENERATE), *map(str, key), str(folder)]
            subprocess.run(words, check=True)
            made[key] = folder
        return made[key]

    return make


def learned(folder, *options, table="train.tsv"):
    """The output of `learn`, the network, and its comparison with the true structure."""
    net = folder / "net.json"
    told = report("learn", folder / table, "-o", net, *options)
    compared = json.loads(idealparent("compare", net, folder / "truth.tsv", "--json"))
    return told, read_json(net), compared


# Minimum of the mean over three seeds.
@pytest.mark.parametrize(
    "n, m, skeleton", [(44, 173, 0.96), (100, 500, 0.98), (100, 5000, 0.98), pytest.param(500, 1000, 0.98, marks=pytest.mark.slow)]
)
def test_skeletons_of_linear_networks_are_recovered(case, n, m, skeleton):
    found, counts = [], []
    for seed in (1, 2, 3):
        folder = case("linear", n, m, seed)
        told, network, compared = learned(folder)
        truth = sum(1 for _ in open(folder / "truth.tsv")) - 1
        found.append(compared["skeleton"]["f1"])
        counts.append(told["edges"] / truth)
        if m <= 500:
            # Standardised data give the same network.
            names, values = read_table(folder / "train.tsv")
            values = (values - values.mean(0)) / values.std(0)
            write_table(folder / "scaled.tsv", names, values)
            assert edges(learned(folder, table="scaled.tsv")[1]) == edges(network)
    assert np.mean(found) >= skeleton, found
    assert abs(np.mean(counts) - 1) <= 0.05, counts


def test_sigmoid_networks_are_recovered(case):
    directed, skeleton = [], []
    for seed in (1, 2, 3):
        folder = case("sigmoid", 44, 500, seed)
        _, _, compared = learned(folder, "--cpd", "sigmoid")
        directed.append(compared["directed"]["f1"])
        skeleton.append(compared["skeleton"]["f1"])
    assert np.mean(directed) >= 0.93, directed
    assert np.mean(skeleton) >= 0.95, skeleton


# The scores of Tetrad's BOSS on these tables.
@pytest.mark.parametrize("m, boss", [(500, -59516.0), (5000, -587019.0)])
def test_scores_are_no_worse_than_those_of_boss(case, m, boss):
    folder = case("linear", 100, m, 1)
    told, _, _ = learned(folder, "--score", "bic")
    assert told["score"] >= boss - 5


@pytest.mark.parametrize("kind, options", [("linear", []), ("sigmoid", ["--cpd", "sigmoid"])])
def test_no_search_ends_below_hill_climbing(case, kind, options):
    folder = case(kind, 20, 150, 1)
    for k in ("2", "all"):
        scores = {}
        for search in SEARCHES:
            told, network, _ = learned(folder, "--search", search, "-k", k, *options)
            scores[search] = told["score"]
            one, _, _ = learned(folder, "--search", search, "-k", k, "--threads", "1", *options)
            assert one == {**told, "seconds": one["seconds"]}
            checked = oracle(folder / "net.json", folder / "train.tsv")
            assert close(checked["ebic_calibrated"], told["score"]), (search, k)
        assert min(scores.values()) >= scores["hill"] - 1e-6, scores
