#!/usr/bin/env python3
"""Generates more synthetic data with a known structure for the benchmarks.

    generate_more.py dense N DEGREE M SEED OUT [--weights LO HI] [--graph random|scale-free]
        linear, average degree DEGREE (about N DEGREE / 2 edges), noise sd 1; scale-free:
        preferential attachment, with the edges directed by a random order
    generate_more.py smooth N M SEED OUT [--function gp|sin|mlp]
        additive random functions (mlp: joint), noise sd .6, average degree 2
    generate_more.py noisy N M SEED OUT [--noise laplace|t3|outliers|cells|lognormal|hetero]
        linear, average degree 2; outliers, cells: 2 % of the rows or cells times ten; lognormal:
        exp of all values
    generate_more.py mixed N M SEED OUT
        linear, with the factors batch (4 levels, shifts +-.25, +-.75) and treatment (3: 0, +-.5)
    generate_more.py targeted N M SEED OUT [--share .5] [--function linear|sigmoid|mlp]
        targeted variables are set to N(2,1), each in a tenth of the rows, or in
        .8 M / (number of targets) if that is less
    generate_more.py knockouts N SEED OUT
        linear; one row per variable, in which that variable is set to -3 deviations
    generate_more.py series N T LAGS SEED OUT
        stable vector autoregression, feedback allowed; truth.tsv has a column lag

The columns of dense, smooth and noisy (before outliers and exp) are standardised. Writes train.tsv
(with a column `target` if there are interventions, `batch` and `treatment` in mixed), test.tsv
(1000 rows, where it makes sense) and truth.tsv (from, to; factors by name). Needs only numpy.
"""
import argparse
import os
import numpy as np


def sparse_dag(n, degree, rng):
    """Adjacency i -> j with about n * degree / 2 edges, and a topological order."""
    order = rng.permutation(n)
    a = np.zeros((n, n), bool)
    a[np.ix_(order, order)] = np.triu(rng.random((n, n)) < min(1, degree / (n - 1)), 1)
    return a, order


def scale_free_dag(n, degree, rng):
    """As sparse_dag. Each new node is linked to DEGREE / 2 earlier nodes, which are drawn in
    proportion to one plus their number of links.
    """
    links, each = np.zeros((n, n), bool), max(1, round(degree / 2))
    for new in range(1, n):
        chance = 1.0 + links[:new].sum(1)
        chosen = rng.choice(new, min(each, new), replace=False, p=chance / chance.sum())
        links[new, chosen] = links[chosen, new] = True
    order = rng.permutation(n)
    a = np.zeros((n, n), bool)
    a[np.ix_(order, order)] = np.triu(links[np.ix_(order, order)], 1)
    return a, order


def signed(rng, low, high, shape):
    return rng.choice([-1.0, 1.0], shape) * rng.uniform(low, high, shape)


def mechanism(kind, z, rng):
    """A fixed random function of standardised parents (m x k): returns a function of any rows."""
    k = z.shape[1]
    if kind == "linear":
        w = signed(rng, 0.5, 1.5, k)
        return lambda x: x @ w
    if kind == "sigmoid":
        w, s = signed(rng, 1, 3, k), signed(rng, 2, 4, 1)[0]
        return lambda x: s * (1 / (1 + np.exp(-x @ w)) - 0.5)
    if kind == "mlp":
        w, b, v = 1.5 * rng.normal(size=(k, 20)), rng.normal(size=20), rng.normal(size=20)
        f = lambda x: np.tanh(x @ w + b) @ v
        sd = f(z).std() or 1.0
        return lambda x: f(x) / sd * np.sqrt(k)
    parts = []
    for q in range(k):
        if kind == "sin":
            s, rate, phase = signed(rng, 1.4, 1.4, 1)[0], rng.uniform(1, 2.5), rng.uniform(0, 2 * np.pi)
            parts.append(lambda u, s=s, rate=rate, phase=phase: s * np.sin(rate * u + phase))
        else:
            w, b, v = rng.normal(size=100), rng.uniform(0, 2 * np.pi, 100), rng.normal(size=100)
            f = lambda u, w=w, b=b, v=v: np.cos(np.outer(u, w) + b) @ v
            sd = f(z[:, q]).std() or 1.0
            parts.append(lambda u, f=f, sd=sd: f(u) / sd)
    return lambda x: sum(p(x[:, q]) for q, p in enumerate(parts))


def draw(a, order, m, rng, kind="linear", noise="gauss", sd=1.0, set_to=None):
    """Rows of a structural model; set_to: dict column -> values with NaN where not set."""
    n = len(a)
    x = np.zeros((m, n))
    for v in order:
        parents = np.flatnonzero(a[:, v])
        e = {
            "gauss": lambda: rng.normal(size=m),
            "laplace": lambda: rng.laplace(size=m) / np.sqrt(2),
            "t3": lambda: rng.standard_t(3, size=m) / np.sqrt(3),
        }.get(noise, lambda: rng.normal(size=m))() * sd
        if len(parents):
            scale = x[:, parents].std(0)
            z = (x[:, parents] - x[:, parents].mean(0)) / np.where(scale > 0, scale, 1)
            if noise == "hetero":
                e = e * np.exp(0.6 * rng.choice([-1, 1]) * z[:, 0])
            x[:, v] = mechanism(kind, z, rng)(z) + e
        else:
            x[:, v] = e
        x[:, v] = (x[:, v] - x[:, v].mean()) / x[:, v].std()
        if set_to is not None and v in set_to:
            x[:, v] = np.where(np.isnan(set_to[v]), x[:, v], set_to[v])
    return x


def dense(n, degree, m, seed, low, high, graph="random"):
    rng = np.random.default_rng(seed)
    a, order = {"random": sparse_dag, "scale-free": scale_free_dag}[graph](n, degree, rng)
    w = a * signed(rng, low, high, (n, n))
    x = np.zeros((m + 1000, n))
    for v in order:
        x[:, v] = x @ w[:, v] + rng.normal(size=m + 1000)
    x = (x - x[:m].mean(0)) / x[:m].std(0)
    return x[:m], x[m:], a


def smooth(n, m, seed, kind):
    rng = np.random.default_rng(seed)
    a, order = sparse_dag(n, 2, rng)
    x = draw(a, order, m + 1000, rng, kind, sd=0.6)
    return x[:m], x[m:], a


def noisy(n, m, seed, noise):
    rng = np.random.default_rng(seed)
    a, order = sparse_dag(n, 2, rng)
    x = draw(a, order, m + 1000, rng, "linear", noise)
    if noise == "outliers":
        hit = rng.random(m) < 0.02
        x[:m][hit] *= 10
    if noise == "cells":
        hit = rng.random((m, n)) < 0.02
        x[:m][hit] *= 10
    if noise == "lognormal":
        x = np.exp(x)
    return x[:m], x[m:], a


def mixed(n, m, seed):
    rng = np.random.default_rng(seed)
    a, order = sparse_dag(n, 2, rng)
    levels = {"batch": ["b1", "b2", "b3", "b4"], "treatment": ["control", "dose", "double"]}
    factors = {f: rng.integers(len(l), size=m) for f, l in levels.items()}
    hits = {f: rng.choice(n, max(2, n // 4), replace=False) for f in levels}
    x = np.zeros((m, n))
    for v in order:
        parents = np.flatnonzero(a[:, v])
        x[:, v] = x[:, parents] @ signed(rng, 0.5, 1.5, len(parents)) + rng.normal(size=m)
        x[:, v] /= x[:, v].std()
        for f in levels:
            if v in hits[f]:
                x[:, v] += (rng.permutation(len(levels[f])) - (len(levels[f]) - 1) / 2)[factors[f]] * 0.5
    text = {f: [levels[f][i] for i in factors[f]] for f in levels}
    extra = [(f, v) for f in levels for v in hits[f]]
    return x, text, a, extra


def targeted(n, m, seed, share, kind):
    rng = np.random.default_rng(seed)
    a, order = sparse_dag(n, 3, rng)
    who = rng.choice(n, int(round(share * n)), replace=False)
    target = np.full(m, -1)
    rows = rng.permutation(m)
    each = max(1, int(0.1 * m)) if share * n * 0.1 <= 0.8 else max(1, int(0.8 * m / max(1, len(who))))
    if each * len(who) > m:
        raise SystemExit(f"{len(who)} targets need at least {each * len(who)} rows")
    for i, v in enumerate(who):
        target[rows[i * each : (i + 1) * each]] = v
    set_to = {v: np.where(target == v, 2 + rng.normal(size=m), np.nan) for v in who}
    x = draw(a, order, m, rng, kind, sd=0.6 if kind != "linear" else 1.0, set_to=set_to)
    return x, target, a


def knockouts(n, seed):
    rng = np.random.default_rng(seed)
    a, order = sparse_dag(n, 3, rng)
    w = a * signed(rng, 0.5, 1.5, (n, n))
    x = np.zeros((n, n))
    for v in order:
        x[:, v] = x @ w[:, v] + 0.3 * rng.normal(size=n)
        free = np.arange(n) != v
        x[v, v] = x[free, v].mean() - 3 * max(x[free, v].std(), 0.3)
    return x, np.arange(n), a


def series(n, t, lags, seed):
    rng = np.random.default_rng(seed)
    a = np.zeros((lags, n, n), bool)
    for lag in range(lags):
        a[lag] = rng.random((n, n)) < (1.5 / lags) / n
    a[0] |= (rng.random(n) < 0.5)[:, None] & np.eye(n, dtype=bool)
    w = a * signed(rng, 0.3, 0.6, a.shape)
    companion = np.zeros((n * lags, n * lags))
    companion[:n] = np.hstack([w[lag].T for lag in range(lags)])
    companion[n:, :-n] = np.eye(n * (lags - 1))
    radius = max(abs(np.linalg.eigvals(companion)))
    if radius > 0.95:
        for lag in range(lags):
            w[lag] *= (0.95 / radius) ** (lag + 1)
    x = rng.normal(size=(t + 200, n))
    for i in range(lags, t + 200):
        x[i] += sum(x[i - lag - 1] @ w[lag] for lag in range(lags))
    return x[200:], a


def table(path, x, names, text=()):
    with open(path, "w") as f:
        f.write("\t".join([*names, *(name for name, _ in text)]) + "\n")
        for i, row in enumerate(x):
            f.write("\t".join([*(repr(float(v)) for v in row), *(str(c[i]) for _, c in text)]) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("kind", choices=["dense", "smooth", "noisy", "mixed", "targeted", "knockouts", "series"])
    p.add_argument("numbers", nargs="+", type=int)
    p.add_argument("out")
    p.add_argument("--weights", nargs=2, type=float, default=(0.5, 2.0))
    p.add_argument("--graph", choices=["random", "scale-free"], default="random")
    p.add_argument("--function", default=None)
    p.add_argument("--noise", default="laplace")
    p.add_argument("--share", type=float, default=0.5)
    a = p.parse_args()
    test, text, extra = None, [], []
    if a.kind == "dense":
        train, test, truth = dense(*a.numbers, *a.weights, a.graph)
    elif a.kind == "smooth":
        train, test, truth = smooth(*a.numbers, a.function or "gp")
    elif a.kind == "noisy":
        train, test, truth = noisy(*a.numbers, a.noise)
    elif a.kind == "mixed":
        train, factors, truth, extra = mixed(*a.numbers)
        text = list(factors.items())
    elif a.kind == "targeted":
        train, target, truth = targeted(*a.numbers, a.share, a.function or "linear")
        text = [("target", ["" if t < 0 else f"X{t}" for t in target])]
    elif a.kind == "knockouts":
        train, target, truth = knockouts(*a.numbers)
        text = [("target", [f"X{t}" for t in target])]
    else:
        train, truth = series(*a.numbers)
    names = [f"X{i}" for i in range(train.shape[1])]
    os.makedirs(a.out, exist_ok=True)
    table(os.path.join(a.out, "train.tsv"), train, names, text)
    if test is not None:
        table(os.path.join(a.out, "test.tsv"), test, names)
    with open(os.path.join(a.out, "truth.tsv"), "w") as f:
        if truth.ndim == 3:
            f.write("from\tto\tlag\n")
            for lag, i, j in zip(*np.nonzero(truth)):
                f.write(f"{names[i]}\t{names[j]}\t{lag + 1}\n")
        else:
            f.write("from\tto\n")
            for i, j in zip(*np.nonzero(truth)):
                f.write(f"{names[i]}\t{names[j]}\n")
            for factor, j in extra:
                f.write(f"{factor}\t{names[j]}\n")


if __name__ == "__main__":
    main()
