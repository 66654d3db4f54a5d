"""The baseline of bench/dense.py: sorts the variables, then regresses each on those before it
(Reisach, Seng and Muandet 2021; by R2: Reisach, Tami, Seiler, Chambaz and Weichwald 2023). Needs
numpy.

Their regression is a lasso tuned by BIC. Here parents are added and removed one by one, by BIC, so
that the score is the one that the other programs maximise.
"""
import numpy as np

from dense_scores import centred, residual


def by_variance(table):
    """The columns in order of increasing variance. With standardised data they differ by rounding
    errors only, so ties within 1e-9 keep the order of the columns.
    """
    variance = table.var(0)
    return np.argsort(np.round(np.log(variance), 9), kind="stable")


def by_r2(table):
    """The order of the growing share of variance that all other variables explain."""
    table = centred(table)
    unexplained = [
        np.sum(residual(np.delete(table, i, 1), table[:, i]) ** 2) / np.sum(table[:, i] ** 2) for i in range(table.shape[1])
    ]
    return np.argsort(-np.log(unexplained), kind="stable")


def best_addition(r, instances, child, parents, candidates):
    """The candidate that raises the log-likelihood most, and by how much."""
    columns = r[:, parents]
    rest = residual(columns, r[:, child])
    best, gain = None, 0.0
    for candidate in candidates:
        direction = residual(columns, r[:, candidate])
        cosine = (rest @ direction) ** 2 / ((rest @ rest) * (direction @ direction))
        raised = -0.5 * instances * np.log1p(-min(cosine, 1 - 1e-15))
        if raised > gain:
            best, gain = candidate, raised
    return best, gain


def stepwise(r, scorer, child, before):
    """Parents among `before`: additions while BIC grows, then removals while BIC grows."""
    parents = []
    while len(parents) < min(len(before), scorer.instances - 3):
        best, gain = best_addition(r, scorer.instances, child, parents, [v for v in before if v not in parents])
        if best is None or gain <= scorer.price:
            break
        parents.append(best)
    while parents:
        now = scorer.family(child, parents)
        left = [[v for v in parents if v != gone] for gone in parents]
        scores = [scorer.family(child, rest) for rest in left]
        top = int(np.argmax(scores))
        if scores[top] <= now:
            break
        parents = left[top]
    return parents


def sort_and_regress(scorer, order):
    """The edges of a structure in which parents come before their children in `order`."""
    # A regression on columns of R leaves residuals of the same length, with n rows instead of M.
    r = np.linalg.qr(scorer.table, mode="r")
    order = [int(v) for v in order]
    edges = [(parent, child) for i, child in enumerate(order) for parent in stepwise(r, scorer, child, order[:i])]
    return sorted(edges)


ORDERS = {"r2": by_r2, "variance": by_variance}
