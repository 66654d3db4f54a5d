#!/usr/bin/env python3
"""Generates synthetic data with a known structure for the benchmarks.

    generate.py linear N M SEED OUT_DIR
        sparse DAG, average in-degree 2, weights +-U(.5,1.5), noise sd U(.5,1)
    generate.py sigmoid N M SEED OUT_DIR
        th1 = +-U(2,4), a = +-U(1,3), noise sd U(.3,.6), roots N(0,1)
    generate.py twolayer H N M SEED OUT_DIR
        hidden N(0,1) roots, a quarter of the children with two parents, loadings +-U(.7,1.3), noise
        1
    generate.py confounded N M SEED OUT_DIR
        linear, plus three hidden N(0,1) causes of 5-8 children each, loadings +-U(.8,1.5)
Options: --standardise (each column to unit variance), --missing FRACTION (training table only),
--degree D (linear and sigmoid: average in-degree D / 2 instead of 2).

Writes train.tsv, test.tsv (1,000 rows; linear 2,000) and truth.tsv (from, to, weight; hidden
variables are H1, H2, …), and with hidden variables also hidden.tsv (their values in the training
rows). Needs only numpy.
"""
import argparse
import os
import numpy as np


def random_dag(n, rng, indegree=2.0):
    """Adjacency A[i, j] = 1 for i -> j, and a topological order."""
    order = rng.permutation(n)
    p = min(1.0, 2.0 * indegree / (n - 1))
    upper = np.triu(rng.random((n, n)) < p, 1)
    adjacency = np.zeros((n, n), dtype=np.int8)
    adjacency[np.ix_(order, order)] = upper
    return adjacency, order


def linear(n, m, seed, degree=4.0):
    rng = np.random.default_rng(seed)
    a, order = random_dag(n, rng, degree / 2)
    w = a * rng.uniform(0.5, 1.5, (n, n)) * rng.choice([-1.0, 1.0], (n, n))
    sd = rng.uniform(0.5, 1.0, n)
    x = rng.normal(size=(m + 2000, n)) * sd
    for v in order:
        parents = np.flatnonzero(a[:, v])
        if len(parents):
            x[:, v] += x[:, parents] @ w[parents, v]
    return x[:m], x[m:], w, None


def sigmoid(n, m, seed, degree=4.0):
    rng = np.random.default_rng(seed)
    a, order = random_dag(n, rng, degree / 2)
    w = a * rng.uniform(1.0, 3.0, (n, n)) * rng.choice([-1.0, 1.0], (n, n))
    scale = rng.uniform(2.0, 4.0, n) * rng.choice([-1.0, 1.0], n)
    sd = rng.uniform(0.3, 0.6, n)
    x = np.zeros((m + 1000, n))
    for v in order:
        parents = np.flatnonzero(a[:, v])
        noise = rng.normal(size=m + 1000)
        if len(parents):
            eta = x[:, parents] @ w[parents, v]
            x[:, v] = scale[v] * (1 / (1 + np.exp(-eta)) - 0.5) + sd[v] * noise
        else:
            x[:, v] = noise
    return x[:m], x[m:], w, None


def twolayer(h, n, m, seed):
    rng = np.random.default_rng(seed)
    load = np.zeros((n, h))
    for i in range(n):
        for j in rng.choice(h, 2 if rng.random() < 0.25 else 1, replace=False):
            load[i, j] = rng.choice([-1, 1]) * rng.uniform(0.7, 1.3)
    z = rng.normal(size=(m + 1000, h))
    x = z @ load.T + rng.normal(0, 1, (m + 1000, n))
    return x[:m], x[m:], np.zeros((n, n)), (load, z[:m])


def confounded(n, m, seed):
    rng = np.random.default_rng(seed)
    a, order = random_dag(n, rng)
    w = a * rng.uniform(0.5, 1.5, (n, n)) * rng.choice([-1.0, 1.0], (n, n))
    load = np.zeros((n, 3))
    for j in range(3):
        for i in rng.choice(n, rng.integers(5, 9), replace=False):
            load[i, j] = rng.choice([-1, 1]) * rng.uniform(0.8, 1.5)
    z = rng.normal(size=(m + 1000, 3))
    x = rng.normal(size=(m + 1000, n)) * rng.uniform(0.5, 1.0, n) + z @ load.T
    for v in order:
        parents = np.flatnonzero(a[:, v])
        if len(parents):
            x[:, v] += x[:, parents] @ w[parents, v]
    return x[:m], x[m:], w, (load, z[:m])


def table(path, x, names):
    with open(path, "w") as f:
        f.write("\t".join(names) + "\n")
        for row in x:
            f.write("\t".join("" if np.isnan(v) else repr(float(v)) for v in row) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("kind", choices=["linear", "sigmoid", "twolayer", "confounded"])
    p.add_argument("numbers", nargs="+", type=int, help="N M SEED, or H N M SEED")
    p.add_argument("out")
    p.add_argument("--standardise", action="store_true")
    p.add_argument("--missing", type=float, default=0.0)
    p.add_argument("--degree", type=float)
    a = p.parse_args()
    if a.degree and a.kind not in ("linear", "sigmoid"):
        p.error("--degree is for linear and sigmoid only")
    train, test, w, latent = globals()[a.kind](*a.numbers, *([a.degree] if a.degree else []))
    if a.standardise:
        sd = train.std(0)
        train, test = train / sd, test / sd
    if a.missing:
        hole = np.random.default_rng(100 + a.numbers[-1]).random(train.shape) < a.missing
        train = np.where(hole, np.nan, train)
    names = [f"X{i}" for i in range(train.shape[1])]
    os.makedirs(a.out, exist_ok=True)
    table(os.path.join(a.out, "train.tsv"), train, names)
    table(os.path.join(a.out, "test.tsv"), test, names)
    with open(os.path.join(a.out, "truth.tsv"), "w") as f:
        f.write("from\tto\tweight\n")
        for i, j in zip(*np.nonzero(w)):
            f.write(f"{names[i]}\t{names[j]}\t{float(w[i, j])!r}\n")
        if latent:
            for i, j in zip(*np.nonzero(latent[0])):
                f.write(f"H{j + 1}\t{names[i]}\t{float(latent[0][i, j])!r}\n")
    if latent:
        table(os.path.join(a.out, "hidden.tsv"), latent[1], [f"H{j + 1}" for j in range(latent[1].shape[1])])


if __name__ == "__main__":
    main()
