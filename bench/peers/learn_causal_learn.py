"""causal-learn's GES and BOSS with BIC, and PC with Fisher's z at 0.01: TRAIN OUT ges|boss|pc.

BIC is lambda 0.5: half the log of the number of instances per parameter. The default of BOSS is
four times that.
"""
import random

import runner

SCORE = "local_score_BIC_from_cov"


def ges(names, values):
    from causallearn.search.ScoreBased.GES import ges as search

    return lambda: search(values, SCORE, node_names=names, lambda_value=0.5)["G"]


def boss(names, values):
    from causallearn.search.PermutationBased.BOSS import boss as search

    random.seed(1)
    return lambda: search(values, SCORE, parameters={"lambda_value": 0.5}, verbose=False, node_names=names)


def pc(names, values):
    from causallearn.search.ConstraintBased.PC import pc as search

    return lambda: search(values, alpha=0.01, indep_test="fisherz", show_progress=False, node_names=names).G


def edges(graph):
    """The edges of a graph.

    graph[i, j] is the mark at i's end: i -> j is -1 there and 1 at j's end. Edges with two heads
    count as undirected.
    """
    names, marks = graph.get_node_names(), graph.graph
    for i in range(len(names)):
        for j in range(len(names)):
            if (marks[i, j] == -1 and marks[j, i] == 1) or marks[i, j] == marks[j, i] != 0:
                yield names[i], names[j]


def learn(names, values, options):
    return {"ges": ges, "boss": boss, "pc": pc}[options[0]](names, values), edges


runner.main("causal-learn", learn)
