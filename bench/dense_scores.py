"""Judges structures for bench/dense.py: their BIC, computed from the data, and what they share with
the true structure. Finds the best network of few variables. Needs numpy.

A structure is a list of pairs (parent, child) of column numbers.
"""
import itertools
import math

import numpy as np

from peers_measures import parents_of


def centred(table):
    """Columns of mean 0. The second pass removes the rounding of the first."""
    table = table - table.mean(0)
    return table - table.mean(0)


def residual(columns, target):
    """The residual of the target after a regression on the columns.

    Strong networks leave a share of 1e-12 of a variance. The second projection removes the part of
    the columns that rounding leaves behind in the first.
    """
    if columns.shape[1] == 0:
        return target
    scale = np.linalg.norm(columns, axis=0)
    basis = np.linalg.qr(columns / np.where(scale > 0, scale, 1))[0]
    for _ in range(2):
        target = target - basis @ (basis.T @ target)
    return target


def log_likelihood(sse, instances):
    """Log-likelihood of a family with this sum of squared residuals, at its best variance."""
    return -0.5 * instances * (np.log(2 * np.pi * sse / instances) + 1)


class Scorer:
    """BIC of structures on one table: log-likelihood minus log(M)/2 for every intercept, weight and
    variance; larger is better. `penalty` multiplies log(M)/2.
    """

    def __init__(self, table, penalty=1.0):
        self.table, self.families = centred(table), {}
        self.instances, self.n = table.shape
        self.price = 0.5 * penalty * math.log(self.instances)

    def family(self, child, parents):
        """The child's share of the BIC."""
        key = child, tuple(sorted(parents))
        if key not in self.families:
            rest = residual(self.table[:, list(key[1])], self.table[:, child])
            price = self.price * (2 + len(key[1]))
            self.families[key] = float(log_likelihood(rest @ rest, self.instances)) - price
        return self.families[key]

    def bic(self, edges):
        return math.fsum(self.family(child, parents) for child, parents in enumerate(parents_of(self.n, edges)))


def skeleton(edges):
    return {frozenset(edge) for edge in edges}


def v_structures(n, edges):
    """Triples a -> b <- c, where a and c are not adjacent."""
    adjacent = skeleton(edges)
    pairs = ((b, pair) for b, parents in enumerate(parents_of(n, edges)) for pair in itertools.combinations(sorted(parents), 2))
    return {(b, pair) for b, pair in pairs if frozenset(pair) not in adjacent}


def same_class(n, one, other):
    """Whether two DAGs are Markov equivalent (Verma and Pearl 1990)."""
    return skeleton(one) == skeleton(other) and v_structures(n, one) == v_structures(n, other)


def skeleton_f1(found, truth):
    found, truth = skeleton(found), skeleton(truth)
    total = len(found) + len(truth)
    return 2 * len(found & truth) / total if total else 1.0


def family_scores(table):
    """A matrix: the child's share of the BIC, for every child and set of parents (as bits of the
    column's number). -inf where the child is its own parent.
    """
    instances, n = table.shape
    # A regression on columns of R leaves the same sum of squares, with n rows instead of M.
    r = np.linalg.qr(centred(table), mode="r")
    scores = np.full((n, 1 << n), -np.inf)
    for child in range(n):
        others = [i for i in range(n) if i != child]
        for size in range(n):
            sets = np.array(list(itertools.combinations(others, size)), int).reshape(math.comb(n - 1, size), size)
            rest = np.repeat(r[None, :, child], len(sets), 0)
            if size:
                basis = np.linalg.qr(r[:, sets].transpose(1, 0, 2))[0]
                for _ in range(2):
                    rest = rest - (basis @ (basis.transpose(0, 2, 1) @ rest[:, :, None]))[:, :, 0]
            sse = (rest**2).sum(1)
            scores[child, (1 << sets).sum(1)] = log_likelihood(sse, instances) - 0.5 * math.log(instances) * (2 + size)
    return scores


def optimum(table):
    """The largest BIC of all DAGs, and the edges of one that has it. For about 12 variables.

    best[child, S] is the child's best score with parents from S, and total[S] that of the best DAG
    over S: the maximum over its last variable (Silander and Myllymäki 2006).
    """
    n = table.shape[1]
    best = family_scores(table)
    choice = np.tile(np.arange(1 << n), (n, 1))
    sets = np.arange(1 << n)
    for bit in range(n):
        with_bit = sets[sets >> bit & 1 == 1]
        without = with_bit ^ (1 << bit)
        better = best[:, without] >= best[:, with_bit]
        best[:, with_bit] = np.where(better, best[:, without], best[:, with_bit])
        choice[:, with_bit] = np.where(better, choice[:, without], choice[:, with_bit])
    total, last = np.zeros(1 << n), np.zeros(1 << n, int)
    for members in range(1, 1 << n):
        inside = np.flatnonzero(members >> np.arange(n) & 1)
        rest = members ^ (1 << inside)
        scores = total[rest] + best[inside, rest]
        top = int(np.argmax(scores))
        total[members], last[members] = scores[top], inside[top]
    edges, members = [], (1 << n) - 1
    while members:
        child = int(last[members])
        members ^= 1 << child
        edges += [(parent, child) for parent in range(n) if choice[child, members] >> parent & 1]
    return float(total[-1]), sorted(edges)
