"""pgmpy's hill climbing with the Gaussian BIC: TRAIN OUT.

pgmpy puts names into formulas, where few are legal, so the variables are numbered.
"""
import pandas
from pgmpy.causal_discovery import HillClimbSearch

import runner


def learn(names, values, _options):
    original = {f"V{i}": name for i, name in enumerate(names)}
    table = pandas.DataFrame(values, columns=list(original))
    search = HillClimbSearch(scoring_method="bic-g", return_type="dag", show_progress=False)
    return lambda: search.fit(table).causal_graph_, lambda found: [(original[a], original[b]) for a, b in found.edges()]


runner.main("pgmpy", learn)
