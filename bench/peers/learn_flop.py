"""FLOP with BIC (lambda 1; its authors recommend 2, twice the penalty):
TRAIN OUT RESTARTS [ORDER [LAMBDA]].

FLOP's result depends on the order of the columns. ORDER is given (the default), reversed, or a
number, which is the seed of a random permutation. FLOP takes no seed, so two runs can differ.
It minimises -2 log-likelihood + lambda log(M) per edge. Scaling the columns makes no difference.
"""
import numpy as np
import flopsearch

import runner


def column_order(n, order):
    if order in ("given", "reversed"):
        return np.arange(n)[:: 1 if order == "given" else -1]
    return np.random.default_rng(int(order)).permutation(n)


def learn(names, values, options):
    restarts, order, penalty = [*options, *("0", "given", "1")[len(options) :]]
    order = column_order(len(names), order)
    table = np.ascontiguousarray(values[:, order])

    def edges(graph):
        """From i to j: 1 in row i and column j, or 2 there and in row j and column i if undirected."""
        return [(names[order[i]], names[order[j]]) for i, j in zip(*np.nonzero(graph))]

    return lambda: flopsearch.flop(table, float(penalty), restarts=int(restarts)), edges


runner.main("flopsearch", learn)
