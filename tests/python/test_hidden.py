"""Hidden variables are found, and their likelihoods agree with oracle.py."""

import subprocess
import sys

import numpy as np
import pytest

from common import GENERATE, close, data_file, oracle, read_json, report


def generate(folder, kind, *numbers, missing=0):
    """Generates a case with generate.py; returns its folder."""
    words = [sys.executable, GENERATE, kind, *numbers, folder, "--missing", missing]
    subprocess.run(list(map(str, words)), check=True)
    return folder


def learned(folder, *options):
    """The output of `learn` for the training table, compared with the oracle."""
    said = report("learn", folder / "train.tsv", "-o", folder / "net.json", *options)
    wanted = oracle(folder / "net.json", folder / "train.tsv")
    for ours, theirs in {"log_likelihood": "log_likelihood", "score": "ebic_calibrated", "dimension": "dimension", "hidden": "hidden"}.items():
        assert close(said[ours], wanted[theirs]), ours
    return said


@pytest.mark.parametrize("missing", [0, 0.05])
@pytest.mark.parametrize("seed", [0, 1])
def test_all_hidden_variables_of_two_layers_are_found(seed, missing, tmp_path):
    """All seven hidden variables and their children are found. The held-out likelihood is near that
    of the true structure.
    """
    folder = generate(tmp_path / "case", "twolayer", 7, 141, 200, seed, missing=missing)
    said = learned(folder, "--hidden", "auto", "--two-layer")
    assert said["hidden"] == 7
    found = report("compare", folder / "net.json", folder / "truth.tsv")
    assert found["directed"]["f1"] >= 0.98
    assert len(found["hidden"]["matches"]) == 7
    names = ",".join(f"H{i + 1}" for i in range(7))
    report("fit", folder / "truth.tsv", folder / "train.tsv", "--hidden", names, "-o", folder / "golden.json")
    held_out = [report("score", folder / net, folder / "test.tsv")["log_likelihood"] for net in ("net.json", "golden.json")]
    assert (held_out[0] - held_out[1]) / 1000 > -0.3


def test_hidden_variables_are_found_with_few_instances(tmp_path):
    f1 = []
    for seed in range(3):
        folder = generate(tmp_path / f"case{seed}", "twolayer", 7, 141, 50, seed)
        assert 6 <= learned(folder, "--hidden", "auto", "--two-layer")["hidden"] <= 8
        f1.append(report("compare", folder / "net.json", folder / "truth.tsv")["directed"]["f1"])
    assert np.mean(f1) >= 0.93


@pytest.mark.slow
def test_confounders_are_found_and_replace_spurious_edges(tmp_path):
    folder = generate(tmp_path / "case", "confounded", 100, 500, 2)
    learned(folder)
    observed = folder / "observed.tsv"
    lines = (folder / "truth.tsv").read_text(encoding="utf-8").splitlines()
    observed.write_text("\n".join(line for line in lines if not line.startswith("H")) + "\n", encoding="utf-8")
    before = report("compare", folder / "net.json", observed)["skeleton"]["shd"]
    assert learned(folder, "--hidden", "auto")["hidden"] == 3
    found = report("compare", folder / "net.json", folder / "truth.tsv")
    assert found["observed"]["shd"] < before / 2
    assert len(found["hidden"]["matches"]) == 3


def test_no_hidden_variable_is_found_if_there_is_none(tmp_path):
    folder = generate(tmp_path / "case", "linear", 100, 500, 1)
    assert learned(folder, "--hidden", "auto")["hidden"] == 0


def test_cell_cycle_network_agrees_with_the_oracle(tmp_path):
    """17 arrays with missing values: at most three hidden variables, with the likelihood of the
    oracle.
    """
    table = data_file("yeast_cell_cycle_topology", "cdc28_expression.tsv")
    network = tmp_path / "net.json"
    options = ["--transpose", "--hidden", "auto", "--two-layer", "--max-parents", 2]
    said = report("learn", table, "-o", network, *options)
    assert 1 <= said["hidden"] <= 3
    assert close(said["log_likelihood"], oracle(network, table, "--transpose")["log_likelihood"])
    families = {family["variable"]: family for family in read_json(network)["families"]}
    for variable in read_json(network)["variables"]:
        family = families[variable["name"]]
        assert len(family["parents"]) <= 2
        if variable["hidden"]:
            assert (family["parents"], family["cpd"]["intercept"], family["cpd"]["variance"]) == ([], 0, 1)
