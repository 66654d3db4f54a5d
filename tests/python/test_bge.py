"""The BGe score agrees with its definition, and scores are equal within an equivalence class."""

import math

import numpy as np
import pytest

import common
from common import close, idealparent, report

ALPHA_MU = 1.0


def log_multigamma(size, x):
    """Log of the multivariate gamma function, without its power of pi."""
    return sum(math.lgamma(x + 0.5 * (1 - j)) for j in range(1, size + 1))


class Bge:
    """The score of Kuipers, Moffa and Heckerman (2014), equations 4 and 5, in the units of the
    data.

    The marginal likelihood of l columns Y out of n is

        (alpha_mu/(M + alpha_mu))^(l/2) * Gamma_l((M + alpha_w - n + l)/2)
        / (pi^(l M/2) * Gamma_l((alpha_w - n + l)/2))
        * |T_YY|^((alpha_w - n + l)/2) / |R_YY|^((M + alpha_w - n + l)/2)

    with T = t I, t = alpha_mu (alpha_w - n - 1)/(alpha_mu + 1), and R = T + S_M + a term in the
    difference of the prior mean and the sample mean, which are equal here.
    """

    def __init__(self, values, alpha_w=None):
        self.m, self.n = values.shape
        self.alpha_w = self.n + 2 if alpha_w is None else alpha_w
        t = ALPHA_MU * (self.alpha_w - self.n - 1) / (ALPHA_MU + 1)
        centred = values - values.mean(0)
        self.prior = t * np.eye(self.n)
        self.posterior = self.prior + centred.T @ centred

    def columns(self, chosen):
        size = len(chosen)
        if size == 0:
            return 0.0
        block = np.ix_(chosen, chosen)
        before = self.alpha_w - self.n + size
        after = self.m + before
        return (
            0.5 * size * math.log(ALPHA_MU / (self.m + ALPHA_MU))
            - 0.5 * size * self.m * math.log(math.pi)
            + log_multigamma(size, 0.5 * after)
            - log_multigamma(size, 0.5 * before)
            + 0.5 * before * np.linalg.slogdet(self.prior[block])[1]
            - 0.5 * after * np.linalg.slogdet(self.posterior[block])[1]
        )

    def network(self, names, network):
        at = {name: i for i, name in enumerate(names)}
        total = 0.0
        for family in network["families"]:
            if not family.get("inactive"):
                parents = [at[p] for p in family["parents"]]
                total += self.columns([at[family["variable"]], *parents]) - self.columns(parents)
        return total


TABLES = ["sachs", "ecoli70", "random"]


def table_of(tables, tmp_path, name):
    """Path, names and values of a table. The table `random` is generated here."""
    if name != "random":
        return tables.path(name), *tables.values(name)
    rng = np.random.default_rng(11)
    mixing = np.eye(9) + np.triu(rng.normal(size=(9, 9)) * (rng.random((9, 9)) < 0.4), 1)
    values = (rng.normal(size=(40, 9)) @ mixing + rng.normal(size=9)) * 10.0 ** rng.integers(-3, 4, 9)
    names = [f"V{i}" for i in range(9)]
    return common.write_table(tmp_path / "random.tsv", names, values), names, values


@pytest.mark.parametrize("extra", [None, 1.01, 7.5])
@pytest.mark.parametrize("name", TABLES)
def test_scores_follow_the_definition(tables, tmp_path, name, extra):
    path, names, values = table_of(tables, tmp_path, name)
    network = tmp_path / "net.json"
    alpha_w = None if extra is None else len(names) + extra
    options = ["--score", "bge"] + ([] if alpha_w is None else ["--alpha-w", alpha_w])
    said = report("learn", path, "-o", network, *options)
    content = common.read_json(network)
    assert said["edges"] > 0
    wanted = Bge(values, alpha_w).network(names, content)
    assert close(said["score"], wanted, 1e-8)
    assert close(content["score"]["value"], wanted, 1e-8)
    assert close(report("score", network, path)["score"], wanted, 1e-8)
    # A network learned with another score, and the options of the command `score`.
    idealparent("learn", path, "-o", network, "--score", "bic")
    scored = report("score", network, path, *options)
    assert close(scored["score"], Bge(values, alpha_w).network(names, common.read_json(network)), 1e-8)
    assert scored["score_name"] == "bge"


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_random_structures_follow_the_definition(tables, tmp_path, seed):
    path, names, values = table_of(tables, tmp_path, "random")
    pairs = common.random_edges(names, np.random.default_rng(seed), 3.0)
    structure = common.write_edges(tmp_path / "edges.tsv", pairs)
    network = tmp_path / "net.json"
    said = report("fit", structure, path, "-o", network, "--score", "bge")
    assert close(said["score"], Bge(values).network(names, common.read_json(network)), 1e-8)


def test_constant_columns_do_not_change_the_score(tables, tmp_path):
    _, names, values = table_of(tables, tmp_path, "random")
    constant = np.full((len(values), 2), 3.25)
    path = common.write_table(
        tmp_path / "constant.tsv", [*names, "K1", "K2"], np.column_stack([values, constant])
    )
    network = tmp_path / "net.json"
    said = report("learn", path, "-o", network, "--score", "bge")
    assert close(said["score"], Bge(values).network(names, common.read_json(network)), 1e-8)


def test_missing_values_are_refused(tables, tmp_path):
    path, names, values = table_of(tables, tmp_path, "random")
    network = tmp_path / "net.json"
    idealparent("learn", path, "-o", network)
    values[3, 2] = np.nan
    holes = common.write_table(tmp_path / "holes.tsv", names, values)
    refused = idealparent("score", network, holes, "--score", "bge", ok=False)
    assert refused.returncode == 2 and "complete data" in refused.stderr
    assert refused.stderr.count("\n") == 1


def covered(pairs):
    """Covered edges x -> y: the parents of y are x and the parents of x. Reversing such an edge
    gives an equivalent network.
    """
    parents = {v: set() for pair in pairs for v in pair}
    for parent, child in pairs:
        parents[child].add(parent)
    return sorted((x, y) for x, y in pairs if parents[y] == parents[x] | {x})


@pytest.mark.parametrize("score", ["bge", "bic", "ebic"])
@pytest.mark.parametrize("name", TABLES)
def test_equivalent_structures_score_the_same(tables, tmp_path, name, score):
    path, names, _ = table_of(tables, tmp_path, name)
    network = tmp_path / "net.json"
    said = report("learn", path, "-o", network, "--score", score)
    pairs = common.edges(common.read_json(network))
    rng = np.random.default_rng(1)
    changed = 0
    # A random walk through the equivalence class.
    for step in range(8):
        choices = covered(pairs)
        if not choices:
            break
        x, y = choices[rng.integers(len(choices))]
        pairs = pairs - {(x, y)} | {(y, x)}
        changed += 1
        structure = common.write_edges(tmp_path / f"edges{step}.tsv", sorted(pairs))
        fitted = tmp_path / f"net{step}.json"
        again = report("fit", structure, path, "-o", fitted, "--score", score)
        assert abs(again["score"] - said["score"]) <= 1e-8 * abs(said["score"]), (x, y)
        scored = report("score", fitted, path)
        assert abs(scored["score"] - said["score"]) <= 1e-8 * abs(said["score"]), (x, y)
    assert changed, "the learned network has a covered edge"
