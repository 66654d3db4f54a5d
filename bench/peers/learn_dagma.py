"""DAGMA for linear models with least squares and its defaults (L1 penalty 0.03, threshold 0.3):
TRAIN OUT.

If a cycle remains above the threshold, the smallest weights are removed until there is none, which
is the usual remedy.
"""
import numpy as np
from dagma.linear import DagmaLinear

import runner


def acyclic(adjacency):
    """Whether removing nodes without parents repeatedly removes all nodes."""
    left = np.ones(len(adjacency), bool)
    while left.any():
        roots = left & ~adjacency[left].any(0)
        if not roots.any():
            return False
        left &= ~roots
    return True


def learn(names, values, _options):
    def edges(weights):
        for weight in np.sort(np.abs(weights[weights != 0])):
            if acyclic(weights != 0):
                break
            weights[np.abs(weights) <= weight] = 0
        return [(names[i], names[j]) for i, j in zip(*np.nonzero(weights))]

    return lambda: DagmaLinear(loss_type="l2").fit(values), edges


runner.main("dagma", learn)
