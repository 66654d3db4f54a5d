"""PyBNesian's greedy hill climbing over Gaussian networks with BIC: TRAIN OUT."""
import pandas
import pybnesian

import runner


def learn(names, values, _options):
    table = pandas.DataFrame(values, columns=names)

    def search():
        start = pybnesian.GaussianNetwork(names)
        return pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), pybnesian.BIC(table), start)

    return search, lambda found: found.arcs()


runner.main("pybnesian", learn)
