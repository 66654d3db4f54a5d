"""Parameters, likelihoods and scores agree with SciPy and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import least_squares
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import LinearRegression

import idealparent as ip


@pytest.fixture(scope="module")
def frame(chain):
    return pd.DataFrame(chain[1], columns=chain[0])


def test_linear_families_agree_with_linear_regression(frame):
    net = ip.fit([("A", "C"), ("B", "C"), ("A", "B")], frame, score="bic")
    fit = LinearRegression().fit(frame[["A", "B"]], frame["C"])
    density = net["C"]
    weights = dict(zip(density.parents, density.parameters["weights"], strict=True))
    np.testing.assert_allclose([weights["A"], weights["B"]], fit.coef_, rtol=1e-9)
    assert density.parameters["intercept"] == pytest.approx(fit.intercept_, abs=1e-9)
    residual = frame["C"] - fit.predict(frame[["A", "B"]])
    assert density.variance == pytest.approx(np.mean(residual**2), rel=1e-9)
    # Computes BIC directly: the network is complete over A, B and C, and D is separate.
    joint = multivariate_normal(frame[["A", "B", "C"]].mean(), frame[["A", "B", "C"]].cov(ddof=0))
    alone = norm(frame["D"].mean(), frame["D"].std(ddof=0))
    wanted = joint.logpdf(frame[["A", "B", "C"]]) + alone.logpdf(frame["D"])
    np.testing.assert_allclose(net.log_likelihoods(frame), wanted, rtol=1e-9, atol=1e-9)
    assert net.score == pytest.approx(wanted.sum() - 0.5 * np.log(200) * (4 * 2 + 3), rel=1e-9)


def test_sigmoid_families_agree_with_least_squares(frame):
    rng = np.random.default_rng(0)
    data = frame.assign(E=3 * expit(2 * frame["A"] - frame["B"] + 0.5) + 0.1 * rng.normal(size=len(frame)))
    net = ip.fit([("A", "E"), ("B", "E")], data, cpd="sigmoid", bias=True)

    def residuals(p):
        return p[0] + p[1] * expit(p[2] + p[3] * data["A"] + p[4] * data["B"]) - data["E"]

    best = least_squares(residuals, [0.0, 3.0, 0.5, 2.0, -1.0], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    density = net["E"]
    weights = dict(zip(density.parents, density.parameters["weights"], strict=True))
    found = [density.parameters[k] for k in ("offset", "scale", "bias")] + [weights["A"], weights["B"]]
    np.testing.assert_allclose(found, best.x, rtol=1e-4, atol=1e-5)
    assert density.variance == pytest.approx(2 * best.cost / len(data), rel=1e-8)


def test_imputed_values_agree_with_the_conditional_normal(holes):
    """The joint distribution is estimated from a large sample of the network."""
    names, values = holes
    frame = pd.DataFrame(values, columns=names)
    net = ip.learn(frame)
    drawn = net.sample(200_000, seed=1)
    mean, cov = drawn.mean().to_numpy(), drawn.cov().to_numpy()
    filled = net.impute(frame).to_numpy()
    row = np.flatnonzero(np.isnan(values).sum(axis=1) == 1)[0]
    v = int(np.flatnonzero(np.isnan(values[row]))[0])
    rest = [i for i in range(4) if i != v]
    expected = mean[v] + cov[v, rest] @ np.linalg.solve(cov[np.ix_(rest, rest)], values[row, rest] - mean[rest])
    assert filled[row, v] == pytest.approx(expected, abs=0.02)
