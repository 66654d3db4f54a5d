"""The command's numbers agree with oracle.py, which recomputes them from network file and table."""

import numpy as np
import pytest

import common
from common import close, idealparent, oracle, report
from conftest import yeast

SLOW = {True: pytest.mark.slow, False: ()}
TABLES = ["linear20", "linear44", "linear100", "sachs", "aa", "marks", "gaussian_test"]
# Score, gamma, penalty.
SCORES = [
    ("ebic", "auto", 1.0),
    ("ebic", 1.0, 1.0),
    ("ebic", 0.5, 1.0),
    ("ebic", 0.0, 2.0),
    ("bic", 1.0, 1.0),
    ("bic", 1.0, 3.5),
    ("aic", 1.0, 1.0),
    ("aic", 1.0, 2.0),
]
DEFAULT = SCORES[0]
METHODS = {
    "greedy": ["--method", "greedy"],
    **{
        f"{measure}-{k}": ["--method", "ideal", "-k", k, "--measure", measure]
        for measure in ("tangent", "c2", "c1")
        for k in (1, 2)
    },
}


def score_options(score):
    kind, gamma, penalty = score
    # Only ebic has a gamma.
    own = ["--gamma", gamma] if kind == "ebic" else []
    return ["--score", kind, *own, "--penalty", penalty]


def oracle_key(score):
    """The oracle's name of a score. Unless gamma is fixed, prices are calibrated."""
    return "ebic_calibrated" if score[1] == "auto" else score[0]


def agrees(said, oracle_said, score):
    """Asserts that the output of learn, fit or score agrees with the oracle's."""
    for ours, theirs in {
        "log_likelihood": "log_likelihood",
        "score": oracle_key(score),
        "dimension": "dimension",
        "instances": "instances",
    }.items():
        assert close(said[ours], oracle_said[theirs]), (ours, said, oracle_said)


def check(said, network, data, score, reading=()):
    """Compares the output of `learn` or `fit`, that of `score`, and the network file with the
    oracle.
    """
    # Without a gamma, the oracle uses the one in the network file.
    own = [] if score[1] == "auto" else ["--gamma", score[1]]
    prices = [*own, "--penalty", score[2]]
    turned = ["--transpose"] if "--transpose" in reading else []
    wanted = oracle(network, data, *prices, *turned, "--per-variable")
    agrees(said, wanted, score)
    assert said["edges"] == wanted["edges"] and said["variables"] == wanted["variables"]
    # Without options, `score` uses those that the network was learned with.
    scored = report("score", network, data, *reading)
    agrees(scored, wanted, score)
    assert scored["score_name"] == score[0]
    each = wanted["per_variable"]
    found = scored["per_variable"]
    assert all(close(found[name], each.get(name, 0.0)) for name in found)
    assert set(each) <= set(found)
    recorded = common.read_json(network)["score"]
    assert close(recorded["value"], wanted[oracle_key(score)]) and recorded["name"] == score[0]
    assert close(recorded["log_likelihood"], wanted["log_likelihood"])
    assert recorded["dimension"] == wanted["dimension"]


@pytest.mark.parametrize("score", SCORES, ids=lambda s: "-".join(map(str, s)))
@pytest.mark.parametrize("table", TABLES)
def test_every_score_agrees_with_the_oracle(tables, tmp_path, table, score):
    data, network = tables.path(table), tmp_path / "net.json"
    said = report("learn", data, "-o", network, *score_options(score))
    assert said["edges"] > 0
    check(said, network, data, score)


@pytest.mark.parametrize("score", ["bic", "ebic", "aic"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("table", [pytest.param(name, marks=SLOW[name == "linear100"]) for name in TABLES])
def test_every_method_agrees_with_the_oracle(tables, tmp_path, table, method, score):
    data, network = tables.path(table), tmp_path / "net.json"
    score = (score, 0.5, 1.0)
    said = report("learn", data, "-o", network, *METHODS[method], *score_options(score))
    check(said, network, data, score)


def test_a_compressed_table_with_variables_as_rows(tmp_path):
    """The published file has genes as rows; a list selects some of them."""
    data, genes = yeast("aa")
    network, reading = tmp_path / "net.json", ["--transpose", "--variables", genes]
    said = report("learn", data, *reading, "-o", network)
    assert said["variables"] == 44 and said["instances"] == 173 and said["missing"] == 0
    check(said, network, data, DEFAULT, reading)


@pytest.mark.parametrize("options", [["--standardize"], ["--exp2"], ["--max-parents", 2]])
@pytest.mark.parametrize("table", ["linear44", "aa"])
def test_options_of_learning_agree_with_the_oracle(tables, tmp_path, table, options):
    data, network = tables.path(table), tmp_path / "net.json"
    said = report("learn", data, "-o", network, *options)
    check(said, network, data, DEFAULT)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("table", ["linear20", "linear100", "sachs", "marks", "gaussian_test"])
def test_fits_of_random_structures_agree_with_the_oracle(tables, tmp_path, table, seed):
    data, network = tables.path(table), tmp_path / "net.json"
    pairs = common.random_edges(tables.values(table)[0], np.random.default_rng(seed))
    structure = common.write_edges(tmp_path / "edges.tsv", pairs)
    score = SCORES[seed]
    said = report("fit", structure, data, "-o", network, *score_options(score))
    assert common.edges(common.read_json(network)) == set(pairs)
    check(said, network, data, score)


def test_constant_columns_are_ignored(tmp_path):
    """Constant columns have no edges and no parameters, and do not count as variables."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(60, 6)) * [1, 10, 0.1, 1, 1, 1] + [0, 100, 0, 3, -2, 7]
    values[:, 1] += 12 * values[:, 0]
    values[:, 2] -= 0.2 * values[:, 0]
    values[:, 4:] = [-2.5, 0.0]
    data = common.write_table(tmp_path / "data.tsv", list("ABCDEF"), values)
    network = tmp_path / "net.json"
    said = report("learn", data, "-o", network)
    assert said["edges"] >= 2
    check(said, network, data, DEFAULT)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7])
@pytest.mark.parametrize("table", ["linear20", "linear44", "sachs", "aa", "marks", "gaussian_test"])
def test_the_likelihood_with_missing_values_is_the_exact_marginal(tables, tmp_path, table, share):
    names, values = tables.values(table)
    network = tmp_path / "net.json"
    idealparent("learn", tables.path(table), "-o", network, "--score", "bic")
    values[np.random.default_rng(8).random(values.shape) < share] = np.nan
    # Rows without any value are not counted as instances.
    values[[0, 7]] = np.nan
    data = common.write_table(tmp_path / "holes.tsv", names, values)
    for score in (("bic", 1.0, 1.0), ("ebic", 0.7, 1.2), ("aic", 1.0, 1.0)):
        scored = report("score", network, data, *score_options(score))
        wanted = oracle(network, data, "--gamma", score[1], "--penalty", score[2])
        agrees(scored, wanted, score)
        assert scored["instances"] < len(values) and "per_variable" not in scored


@pytest.mark.parametrize("table", ["linear20", "sachs"])
def test_new_instances_are_scored_by_column_name(tables, tmp_path, table):
    """The table has the columns in another order, and an additional column."""
    names, values = tables.values(table)
    rng = np.random.default_rng(3)
    half = len(values) // 2
    first = common.write_table(tmp_path / "first.tsv", names, values[:half])
    network = tmp_path / "net.json"
    idealparent("learn", first, "-o", network)
    order = rng.permutation(len(names))
    rest = np.column_stack([values[half:, order], rng.normal(size=len(values) - half)])
    shuffled = [names[j] for j in order] + ["new"]
    second = common.write_table(tmp_path / "second.tsv", shuffled, rest)
    scored = report("score", network, second)
    wanted = oracle(network, second, "--per-variable")
    agrees(scored, wanted, DEFAULT)
    assert all(close(x, scored["per_variable"][name]) for name, x in wanted["per_variable"].items())
