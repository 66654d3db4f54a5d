"""Sigmoid and product densities agree with oracle.py, and fit at least as well as scipy."""

import numpy as np
import pytest
from scipy.optimize import least_squares

import common
from common import report
from test_oracle import check

SIGMOID = [["--cpd", "sigmoid"], ["--cpd", "sigmoid", "--bias"]]
PRODUCT = [["--cpd", "product", "--exp2"], ["--cpd", "product", "--baseline", "--exp2"]]
MIXED = [
    ["--cpd", "linear,sigmoid"],
    ["--cpd", "linear,sigmoid,product", "--bias", "--baseline", "--exp2"],
]
# Limits of the standard deviation of a sigmoid's argument. Beyond them the sigmoid is a step or a
# line, and the fit stops there; scipy does not.
STEEPEST, FLATTEST = 20, 1e-2


def bent(instances, seed):
    """Eight variables, each a sigmoid of up to three earlier ones, on the scale of log-ratios."""
    rng = np.random.default_rng(seed)
    values = np.empty((instances, 8))
    for j in range(8):
        parents = rng.permutation(j)[:3]
        weights = rng.uniform(1, 3, len(parents)) * rng.choice([-1, 1], len(parents))
        eta = values[:, parents] @ weights
        values[:, j] = rng.normal(0, 0.4, instances)
        values[:, j] += 3 / (1 + np.exp(-eta)) - 1.5 if j else rng.normal(size=instances)
    return [f"V{j}" for j in range(8)], values


def options_id(options):
    return "".join(options)


@pytest.mark.parametrize("options", SIGMOID + PRODUCT + MIXED, ids=options_id)
@pytest.mark.parametrize("score", [("ebic", "auto", 1.0), ("bic", 1.0, 1.0)], ids=lambda s: s[0])
@pytest.mark.parametrize("table", ["bent", pytest.param("aa", marks=pytest.mark.slow)])
def test_learned_networks_agree_with_the_oracle(tables, tmp_path, table, options, score):
    if table == "bent":
        data = common.write_table(tmp_path / "data.tsv", *bent(150, 1))
    else:
        data = tables.path(table)
    network = tmp_path / "net.json"
    # Fits with many parents take long, and agree no less.
    limit = ["--max-parents", 3]
    said = report("learn", data, "-o", network, "--score", score[0], *limit, *options)
    assert said["edges"] > 3
    check(said, network, data, score)
    kinds = {f["cpd"]["type"] for f in common.read_json(network)["families"] if f["parents"]}
    assert kinds <= set(options[1].split(","))


class Family:
    """A fitted family and its data, as a problem for scipy.

    The parameters are the weights inside the function, then scale and offset.
    """

    def __init__(self, family, columns, bias, baseline):
        cpd = family["cpd"]
        self.x = columns[family["variable"]]
        self.u = np.column_stack([columns[p] for p in family["parents"]])
        self.cpd, self.product = cpd, cpd["type"] == "product"
        self.inner_bias, self.offset = bias, baseline or not self.product
        if self.product:
            self.u /= np.exp(np.log(self.u).mean(0))
        else:
            self.u = (self.u - self.u.mean(0)) / self.u.std(0)
        self.ours = np.sum((self.x - self.mean_of(columns, family)) ** 2)

    def mean_of(self, columns, family):
        cpd, parents = self.cpd, [columns[p] for p in family["parents"]]
        if not self.product:
            eta = cpd["bias"] + sum(w * u for w, u in zip(cpd["weights"], parents))
            self.spread = eta.std()
            return cpd["offset"] + cpd["scale"] / (1 + np.exp(-eta))
        out = cpd["scale"] * np.ones(len(self.x))
        for factor, u in zip(cpd["factors"], parents):
            y = factor["weight"] * u
            out *= (y if factor["kind"] == "activator" else 1) / (1 + y)
        return cpd["offset"] + out

    def shape(self, inner):
        """The prediction without scale and offset."""
        if not self.product:
            k = self.u.shape[1]
            eta = self.u @ inner[:k] + (inner[k] if self.inner_bias else 0)
            return 1 / (1 + np.exp(-np.clip(eta, -700, 700)))
        y = np.exp(np.clip(inner, -12, 12)) * self.u
        ups = [factor["kind"] == "activator" for factor in self.cpd["factors"]]
        return np.prod(np.where(ups, y, 1) / (1 + y), axis=1)

    def outer(self, inner):
        columns = [self.shape(inner)] + [np.ones(len(self.x))] * self.offset
        design = np.column_stack(columns)
        return np.linalg.lstsq(design, self.x, rcond=None)[0]

    def residual(self, parameters):
        outer = parameters[len(parameters) - 1 - self.offset :]
        inner = parameters[: len(parameters) - len(outer)]
        return self.shape(inner) * outer[0] + (outer[1] if self.offset else 0) - self.x

    def starts(self):
        """Starting points: the least squares direction at several steepnesses. For products, rates
        around the geometric mean.
        """
        k = self.u.shape[1]
        if self.product:
            return [np.full(k, rate) for rate in (-1.0, 0.0, 1.0)]
        direction = np.linalg.lstsq(self.u, self.x - self.x.mean(), rcond=None)[0]
        direction = direction / (self.u @ direction).std()
        return [np.append(size * direction, [0.0] * self.inner_bias) for size in (0.5, 1.0)]

    def scipy(self):
        """The smallest sum of squares that scipy finds."""
        found = []
        for inner in self.starts():
            start = np.append(inner, self.outer(inner))
            fit = least_squares(self.residual, start, method="lm", xtol=1e-12, ftol=1e-12, max_nfev=5000)
            found.append(2 * fit.cost)
        return min(found)


@pytest.mark.parametrize("options", SIGMOID + PRODUCT, ids=options_id)
@pytest.mark.parametrize("seed", range(4))
def test_fits_are_not_worse_than_scipys(tmp_path, options, seed):
    names, values = bent(100 + 40 * seed, 10 + seed)
    data = common.write_table(tmp_path / "data.tsv", names, values)
    pairs = common.random_edges(names, np.random.default_rng(seed), 1.5)
    structure = common.write_edges(tmp_path / "edges.tsv", pairs)
    network = tmp_path / "net.json"
    report("fit", structure, data, "-o", network, *options)
    if "--exp2" in options:
        values = np.exp2(values)
    columns = dict(zip(names, values.T))
    m, compared = len(values), 0
    for family in common.read_json(network)["families"]:
        if not family["parents"]:
            continue
        fitted = Family(family, columns, "--bias" in options, "--baseline" in options)
        if not fitted.product and not 1.01 * FLATTEST < fitted.spread < 0.99 * STEEPEST:
            continue
        ahead = -0.5 * m * np.log(fitted.ours / fitted.scipy())
        assert ahead >= -1e-6, (family["variable"], family["parents"], ahead)
        compared += 1
    assert compared >= 3
