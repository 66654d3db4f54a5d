"""DAGMA for linear models, least squares, its own defaults (L1 penalty 0.03, threshold 0.3): TRAIN OUT.

Where a cycle is left above the threshold, its weights go from the smallest upwards until there is none: the usual remedy.
"""
import numpy as np
from dagma.linear import DagmaLinear

import runner


def acyclic(adjacency):
    """Whether repeated removal of nodes without parents leaves nothing."""
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
