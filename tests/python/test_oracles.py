"""The numbers in tests/oracles.json follow from their definitions.

They are recomputed with numpy and scipy alone. tests/oracles.md describes the examples.
"""

import re

import numpy as np
from scipy import integrate, optimize, stats
from scipy.special import expit, logit

import common

TESTS = common.ROOT / "tests"
ORACLES = common.read_json(TESTS / "oracles.json")


def inputs(oracle):
    """The inputs of an oracle: numbers, and lists as arrays."""
    values = ORACLES[oracle]["inputs"].items()
    return {name: np.array(x, float) if isinstance(x, list) else x for name, x in values}


def agree(oracle, **found):
    """Asserts that `found` contains every expected number of an oracle, and nothing else."""
    expected = ORACLES[oracle]["expected"]
    assert found.keys() == expected.keys()
    for name, value in found.items():
        assert np.shape(value) == np.shape(expected[name]), name
        np.testing.assert_allclose(value, expected[name], rtol=0, atol=1e-9, err_msg=name)


def regression(x, *parents):
    """Intercept and weights of a least squares fit, and its residuals."""
    columns = np.column_stack([np.ones(len(x)), *parents])
    weights = np.linalg.lstsq(columns, x)[0]
    return weights, x - columns @ weights


def log_likelihood(residuals, variance=None):
    """Log-likelihood of residuals. Without a variance, it is the maximum over the variance."""
    variance = np.mean(residuals**2) if variance is None else variance
    return stats.norm.logpdf(residuals, scale=np.sqrt(variance)).sum()


def c1(y, z, variance):
    """Proposition 3.2: the gain in log-likelihood if only the weight of z is fitted."""
    weight = (y @ z) / (z @ z)
    return log_likelihood(y - weight * z, variance) - log_likelihood(y, variance)


def c2(y, z):
    """Proposition 3.3: the gain if the weight of z and the variance are fitted."""
    weight = (y @ z) / (z @ z)
    return log_likelihood(y - weight * z) - log_likelihood(y)


def centred(values):
    return values - values.mean()


def test_o1_linear_measures_are_lower_bounds_of_the_exact_gain():
    u, z, x = inputs("O1").values()
    weights, y = regression(x, u)
    full_weights, left = regression(x, u, z)
    fitted, variance = log_likelihood(y), np.mean(y**2)
    delta, price = log_likelihood(left) - fitted, np.log(len(x)) / 2
    on_parent = regression(z, u)[1]
    assert np.isclose(c2(y, on_parent), delta, rtol=0, atol=1e-9)
    assert c1(y, z, variance) < c2(y, z) < c2(y, centred(z)) < delta
    agree(
        "O1",
        intercept=weights[0],
        weight=weights[1],
        sse=y @ y,
        log_likelihood=fitted,
        bic=fitted - 3 * price,
        c1=c1(y, z, variance),
        c2=c2(y, z),
        c1_centred=c1(y, centred(z), variance),
        c2_centred=c2(y, centred(z)),
        delta=delta,
        delta_bic=delta - price,
        full_fit=full_weights,
    )


def test_o2_the_estimate_of_a_replacement_is_exact_for_centred_variables():
    u, z, x = inputs("O2").values()
    (_, weight), y = regression(x, u)
    raw, profile = y + weight * u, y + weight * centred(u)

    def loss(profile):
        """Loss in log-likelihood if the parent's term is dropped and the variance fitted again."""
        return log_likelihood(y) - log_likelihood(profile)

    agree(
        "O2",
        profile_square=raw @ raw,
        c2=c2(raw, z),
        estimate=c2(raw, z) - loss(raw),
        profile_square_centred=profile @ profile,
        c2_centred=c2(profile, centred(z)),
        estimate_centred=c2(profile, centred(z)) - loss(profile),
        true_change=log_likelihood(regression(x, z)[1]) - log_likelihood(y),
    )


def test_o3_the_measure_at_the_ideal_value_overshoots_the_gain_of_a_sigmoid():
    u, z, x, offset, scale, weight = inputs("O3").values()
    m = len(x)

    def predicted(further):
        return scale * expit(weight * u + further) + offset

    def slope_at(further):
        p = expit(weight * u + further)
        return scale * p * (1 - p)

    y = logit((x - offset) / scale) - weight * u
    np.testing.assert_allclose(predicted(y), x, atol=1e-12)
    slope, residuals = slope_at(y), x - predicted(0)
    c1_square, c2_square = np.sum((y * slope) ** 2), residuals @ residuals
    variance = c2_square / m
    eq8 = c1(y * slope, z * slope, variance) - (c1_square - c2_square) / (2 * variance)
    eq9 = c2(y * slope, z * slope) - m / 2 * np.log(c1_square / c2_square)

    # The optimum over the weight of z, if everything but this weight and the variance is frozen.
    gradient = lambda a: (x - predicted(a * z)) @ (slope_at(a * z) * z)
    best = optimize.brentq(gradient, 0, 1, xtol=1e-14)
    left = x - predicted(best * z)
    gain = log_likelihood(left) - log_likelihood(residuals)

    at_fit = z * slope_at(0)
    assert 4 * gain < eq9 and c2(residuals, at_fit) < 1.2 * gain
    agree(
        "O3",
        y=y,
        slope=slope,
        c1=c1_square,
        c2=c2_square,
        weight_of_z=(y * slope) @ (z * slope) / np.sum((z * slope) ** 2),
        equation_8=eq8,
        equation_9=eq9,
        best_weight_of_z=best,
        best_sse=left @ left,
        best_gain=gain,
        weight_of_z_at_fit=(residuals @ at_fit) / (at_fit @ at_fit),
        c2_at_fit=c2(residuals, at_fit),
    )


def test_o4_a_value_beyond_the_image_is_moved_inside_by_the_margin():
    u, x, offset, scale, weight, margins = inputs("O4").values()
    share = (x - offset) / scale
    assert share > 1
    share = np.clip(share, margins, 1 - margins)
    agree("O4", y=logit(share) - weight * u, slope=scale * share * (1 - share))


def test_o5_the_ideal_factor_of_a_product_reproduces_the_child():
    u, x, scale, weight = inputs("O5").values()
    without = scale * weight * u / (1 + weight * u)
    rho = x / without
    assert np.all((rho > 0.01) & (rho < 0.99))
    y = rho / (1 - rho)
    np.testing.assert_allclose(without * y / (1 + y), x, atol=1e-12)
    agree("O5", rho=rho, y=y, slope=without / (1 + y) ** 2)


def test_o6_the_largest_eigenvalue_gives_the_gain_of_a_hidden_parent():
    (profiles,) = inputs("O6").values()
    scaled = np.array([centred(y) / np.std(y) for y in profiles])
    m = scaled.shape[1]
    similarities = scaled @ scaled.T
    eigenvalues, eigenvectors = np.linalg.eigh(similarities)
    vector = eigenvectors[:, -1]
    vector = vector * np.sign(vector[np.argmax(np.abs(vector))])
    z = vector @ scaled
    total = sum(c1(y, z, 1.0) for y in scaled)
    np.testing.assert_allclose(total, eigenvalues[-1] / 2, atol=1e-12)

    # Integrating out z ~ N(0, 1): the profiles are normal with covariance I + bb' instead of I.
    share = eigenvalues[-1] / m
    loadings = np.sqrt(share - 1) * vector
    joint = lambda cov: stats.multivariate_normal(np.zeros(3), cov).logpdf(scaled.T).sum()
    gain = joint(np.eye(3) + np.outer(loadings, loadings)) - joint(np.eye(3))
    np.testing.assert_allclose(m / 2 * (share - 1 - np.log(share)), gain, atol=1e-12)
    agree(
        "O6",
        similarities=similarities,
        eigenvalues=eigenvalues,
        eigenvector=vector,
        sum_of_c1=total,
        sum_of_c2=sum(c2(y, z) for y in scaled),
        integrated_gain=gain,
    )


def test_o7_uncertainty_lowers_the_measure_of_a_candidate():
    x, x_var, u, u_var, z, z_var, weight = inputs("O7").values()
    m, y = len(x), x - weight * u

    def expected_sse(a):
        return np.sum((y - a * z) ** 2 + x_var + weight**2 * u_var + a**2 * z_var)

    z_square = z @ z + z_var.sum()
    a = (y @ z) / z_square
    assert expected_sse(a) < min(expected_sse(a - 1e-3), expected_sse(a + 1e-3))
    gain = -m / 2 * np.log(expected_sse(a) / expected_sse(0))
    assert gain < c2(y, z)
    agree(
        "O7",
        y_square=expected_sse(0),
        z_square=z_square,
        weight_of_z=a,
        c2=gain,
        c2_of_means=c2(y, z),
        sse_with_z=expected_sse(a),
    )


def test_o8_moments_of_a_sigmoid_are_integrals_over_the_normal_density():
    means, variances = inputs("O8").values()

    def moment(power, mean, variance):
        sd = np.sqrt(variance)
        value = lambda t: expit(mean + sd * t) ** power * stats.norm.pdf(t)
        return integrate.quad(value, -12, 12, epsabs=1e-13, epsrel=1e-13)[0]

    moments = lambda power: [moment(power, *pair) for pair in zip(means, variances)]
    agree("O8", first_moment=moments(1), second_moment=moments(2))


def test_o9_mean_field_has_the_exact_means_and_smaller_variances():
    loadings, noise, x = inputs("O9").values()
    # Conditioning the joint normal distribution of hidden and observed variables.
    observed = loadings @ loadings.T + np.diag(noise)
    gain = np.linalg.solve(observed, loadings).T
    mean, variance = gain @ x, np.diag(np.eye(2) - gain @ loadings)
    log_marginal = stats.multivariate_normal(np.zeros(3), observed).logpdf(x)

    # Mean field: one hidden variable at a time, given the mean of the other, until nothing changes.
    precision = 1 + np.sum(loadings**2 / noise[:, None], axis=0)
    field = np.zeros(2)
    for _ in range(200):
        for j in range(2):
            others = x - loadings @ field + loadings[:, j] * field[j]
            field[j] = (loadings[:, j] / noise) @ others / precision[j]
    spread = 1 / precision
    square = (x - loadings @ field) ** 2 + loadings**2 @ spread
    expected = -0.5 * np.sum(np.log(2 * np.pi * noise) + square / noise)
    expected -= 0.5 * np.sum(np.log(2 * np.pi) + field**2 + spread)
    free_energy = expected + 0.5 * np.sum(np.log(2 * np.pi * np.e * spread))
    assert np.all(spread < variance) and free_energy < log_marginal
    agree(
        "O9",
        mean=mean,
        variance=variance,
        log_likelihood=log_marginal,
        mean_field_mean=field,
        mean_field_variance=spread,
        free_energy=free_energy,
    )


def sigmoid_fit(u, x):
    """Weight, offset and scale of the best sigmoid without an inner bias, and its residuals."""

    def outer(weight):
        p = expit(weight * u)
        return p, *regression(x, p)

    def gradient(weight):
        p, (_, scale), residuals = outer(weight)
        return residuals @ (scale * p * (1 - p) * u)

    grid = np.linspace(0.1, 5, 50)
    start = grid[np.argmin([np.sum(outer(weight)[2] ** 2) for weight in grid])]
    weight = optimize.brentq(gradient, start - 0.1, start + 0.1, xtol=1e-14)
    _, (offset, scale), residuals = outer(weight)
    return weight, offset, scale, residuals


def test_o10_a_sigmoid_fits_better_than_a_line_and_better_still_if_centred():
    u, x = inputs("O10").values()
    weight, offset, scale, left = sigmoid_fit(u, x)
    weight_centred, _, _, left_centred = sigmoid_fit(centred(u), x)
    with_bias = lambda p: regression(x, expit(p[0] * u + p[1]))[1]
    tolerances = dict.fromkeys(("xtol", "ftol", "gtol"), 1e-14)
    biased = with_bias(optimize.least_squares(with_bias, [weight, 0.0], **tolerances).x)
    line = regression(x, u)[1]
    squares = [np.sum(r**2) for r in (line, left, left_centred, biased)]
    assert squares == sorted(squares, reverse=True)
    agree(
        "O10",
        weight=weight,
        offset=offset,
        scale=scale,
        sse=squares[1],
        log_likelihood=log_likelihood(left),
        bic=log_likelihood(left) - 2 * np.log(len(x)),
        sse_linear=squares[0],
        weight_centred=weight_centred,
        sse_centred=squares[2],
        log_likelihood_centred=log_likelihood(left_centred),
        sse_with_bias=squares[3],
    )


def test_every_expected_number_is_compared(monkeypatch):
    compared = {}
    record = lambda oracle, **found: compared.update({oracle: set(found)})
    monkeypatch.setitem(globals(), "agree", record)
    for name, test in list(globals().items()):
        if re.match(r"test_o\d+_", name):
            test()
    assert compared == {name: set(oracle["expected"]) for name, oracle in ORACLES.items()}
    assert set(compared) == {f"O{i}" for i in range(1, 11)}


def test_every_oracle_is_described():
    page = (TESTS / "oracles.md").read_text(encoding="utf-8")
    headings = [f"{name}: {oracle['title']}" for name, oracle in ORACLES.items()]
    assert re.findall(r"^## (O\d+: .*)$", page, flags=re.M) == headings


def test_the_rust_tests_named_in_the_description_exist():
    page = (TESTS / "oracles.md").read_text(encoding="utf-8")
    named = re.findall(r"^- `(\S+\.rs)`: `(\w+)`$", page, flags=re.M)
    assert len(named) == page.count("\n- ") >= len(ORACLES)
    for path, test in named:
        source = (common.ROOT / "crates/idealparent" / path).read_text(encoding="utf-8")
        assert f"fn {test}()" in source, (path, test)
