"""Missing values: likelihoods agree with oracle.py, networks are nearly as good as those of
complete tables, and imputed values are right.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

from common import GENERATE, close, data_file, idealparent, oracle, read_json, report, write_table

SEEDS = [1, 2, 3]
# Share of removed entries, and how much lower the held-out log-likelihood per variable may be.
SHARES = {"0.05": 0.02, "0.2": 0.08}


def generate(folder, kind, n, m, seed, missing=0):
    """Generates a case with generate.py; returns its folder."""
    words = [sys.executable, GENERATE, kind, n, m, seed, folder, "--missing", missing]
    subprocess.run(list(map(str, words)), check=True)
    return folder


def read_holes(path):
    """The names and values of a table, with NaN for missing values."""
    names, *rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return names, np.array([[float(cell or "nan") for cell in row] for row in rows])


def learned(folder, *options):
    """The output of `learn` for the training table, with F1 and held-out likelihood."""
    network = folder / "net.json"
    said = report("learn", folder / "train.tsv", "-o", network, *options)
    same = report("compare", network, folder / "truth.tsv")
    test = report("score", network, folder / "test.tsv")
    held_out = test["log_likelihood"] / test["instances"] / said["variables"]
    return said | {"f1": same["skeleton"]["f1"], "held_out": held_out}


@pytest.mark.parametrize("share", SHARES)
def test_linear_networks_are_recovered(share, tmp_path):
    scores = []
    for seed in SEEDS:
        whole = learned(generate(tmp_path / f"whole{seed}", "linear", 44, 173, seed))
        folder = generate(tmp_path / f"holes{seed}", "linear", 44, 173, seed, share)
        holes = learned(folder)
        assert holes["held_out"] > whole["held_out"] - SHARES[share]
        scores.append(holes["f1"])
        wanted = oracle(folder / "net.json", folder / "train.tsv")
        for ours, theirs in {"log_likelihood": "log_likelihood", "score": "ebic_calibrated", "dimension": "dimension"}.items():
            assert close(holes[ours], wanted[theirs]), ours
        recorded = read_json(folder / "net.json")["score"]
        assert recorded["value"] == holes["score"]
    assert np.mean(scores) >= 0.92


@pytest.mark.parametrize("score", ["bic", "aic", "ebic"])
def test_scores_of_fitted_structures_agree_with_the_oracle(score, tmp_path):
    """The parameters are fitted by EM."""
    folder = generate(tmp_path / "case", "linear", 20, 60, 4, 0.1)
    said = report("fit", folder / "truth.tsv", folder / "train.tsv", "-o", folder / "fit.json", "--score", score)
    wanted = oracle(folder / "fit.json", folder / "train.tsv")
    assert close(said["score"], wanted[{"ebic": "ebic_calibrated"}.get(score, score)])


@pytest.mark.slow
def test_sigmoid_networks_are_recovered(tmp_path):
    whole = learned(generate(tmp_path / "whole", "sigmoid", 44, 500, 1), "--cpd", "sigmoid", "--restarts", "1")
    folder = generate(tmp_path / "holes", "sigmoid", 44, 500, 1, 0.05)
    holes = learned(folder, "--cpd", "sigmoid", "--restarts", "1")
    assert holes["held_out"] > whole["held_out"] - 0.1
    assert holes["f1"] > 0.95
    scored = report("score", folder / "net.json", folder / "train.tsv")
    assert scored["bound"] <= scored["estimate"]
    assert close(scored["bound"], holes["log_likelihood"])


def gaussian(network):
    """Names, mean and covariance of a linear network."""
    names = [variable["name"] for variable in network["variables"]]
    place = {name: i for i, name in enumerate(names)}
    weights, noise, offset = np.zeros((len(names),) * 2), np.zeros(len(names)), np.zeros(len(names))
    for i, family in enumerate(network["families"]):
        cpd = family["cpd"]
        offset[i], noise[i] = cpd["intercept"], cpd["variance"]
        for parent, weight in zip(family["parents"], cpd["weights"]):
            weights[i, place[parent]] = weight
    inverse = np.linalg.inv(np.eye(len(names)) - weights)
    return names, inverse @ offset, inverse * noise @ inverse.T


def test_imputed_values_follow_the_conditional_gaussian(tmp_path):
    """Means, standard deviations and draws are those of the network's conditional distribution."""
    folder = generate(tmp_path / "case", "linear", 12, 80, 2, 0.2)
    idealparent("learn", folder / "train.tsv", "-o", folder / "net.json", "-q")
    places = [folder / name for name in ("filled.tsv", "sd.tsv")]
    idealparent("impute", folder / "net.json", folder / "train.tsv", "-o", places[0], "--sd", places[1], "--draws", 200)
    (_, holes), (_, filled), (_, sd) = map(read_holes, [folder / "train.tsv", *places])
    draws = np.array([read_holes(folder / f"filled-{i}.tsv")[1] for i in range(1, 201)])
    _, mean, covariance = gaussian(read_json(folder / "net.json"))
    for row, values in enumerate(holes):
        gone, seen = np.isnan(values), ~np.isnan(values)
        weights = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[np.ix_(seen, gone)]).T
        wanted = mean[gone] + weights @ (values[seen] - mean[seen])
        left = covariance[np.ix_(gone, gone)] - weights @ covariance[np.ix_(seen, gone)]
        assert np.allclose(filled[row, gone], wanted, atol=1e-8)
        assert np.allclose(sd[row, gone], np.sqrt(np.diag(left)), atol=1e-8)
        assert np.array_equal(filled[row, seen], values[seen]) and not sd[row, seen].any()
    gone = np.isnan(holes)
    distances = (draws[:, gone] - filled[gone]) / sd[gone]
    assert abs(distances.mean()) < 0.02 and abs(distances.std() - 1) < 0.02


def test_imputation_beats_the_column_mean(tmp_path):
    """Ten per cent of the entries of a complete table are removed."""
    idealparent("examples", "ecoli70", "-o", tmp_path / "all.tsv")
    names, values = read_holes(tmp_path / "all.tsv")
    gone = np.random.default_rng(1).random(values.shape) < 0.1
    write_table(tmp_path / "holes.tsv", names, np.where(gone, np.nan, values))
    idealparent("learn", tmp_path / "holes.tsv", "-o", tmp_path / "net.json", "-q")
    idealparent("impute", tmp_path / "net.json", tmp_path / "holes.tsv", "-o", tmp_path / "filled.tsv")
    filled = read_holes(tmp_path / "filled.tsv")[1]
    error = lambda guess: np.sqrt((((guess - values) / values.std(0))[gone] ** 2).mean())
    mean = np.nanmean(np.where(gone, np.nan, values), 0)
    assert error(filled) < 0.75 * error(np.broadcast_to(mean, values.shape))


def test_yeast_data_with_missing_values_agree_with_the_oracle(tmp_path):
    """349 genes. The free energy never falls from one iteration to the next."""
    folder = "gasch2000_yeast_stress"
    table, genes = data_file(folder, "gasch2000_complete.tsv.gz"), data_file(folder, "aa_rebuild.txt")
    network, trace = tmp_path / "net.json", tmp_path / "trace.jsonl"
    reading = ["--transpose", "--variables", genes]
    said = report("learn", table, *reading, "-o", network, "--search", "hill", "--trace", trace)
    wanted = oracle(network, table, "--transpose")
    assert close(said["log_likelihood"], wanted["log_likelihood"])
    assert close(said["score"], wanted["ebic_calibrated"])
    lines = trace.read_text(encoding="utf-8").splitlines()
    energies = [line["free_energy"] for line in map(json.loads, lines) if "free_energy" in line]
    assert len(energies) == said["iterations"]
    assert all(b >= a - 1e-9 * abs(a) for a, b in zip(energies, energies[1:]))
