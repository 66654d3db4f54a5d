"""Functions shared by the parts of bench/hidden.py. Needs numpy."""
import functools
import subprocess
import sys

import numpy as np

import report
from missing_tools import HERE, json_of, read_table

Report = functools.partial(report.Report, "hidden")


def generated(folder, kind, *numbers):
    """The folder with the output of `generate.py kind numbers`, generated once."""
    out = folder / "_".join(map(str, (kind, *numbers)))
    if not out.exists():
        words = [sys.executable, HERE / "generate.py", kind, *numbers, out]
        subprocess.run(list(map(str, words)), check=True)
    return out


def held_out(a, network, table):
    """Log-likelihood per instance. If it cannot be computed exactly, its estimate."""
    # If the first value of a single row is missing, it must not be read as a row name.
    found = json_of(a.binary, "score", network, table, "--quiet", "--row-names", "no")
    total = found["estimate"] if "estimate" in found else found["log_likelihood"]
    return total / found["instances"]


def agreement(a, network, truth):
    """The output of `compare`."""
    return json_of(a.binary, "compare", network, truth)


def profile_correlation(found, profiles, true_profiles):
    """Mean absolute correlation of learned profiles with the true profiles they match."""
    names, values = read_table(profiles)
    true_names, true_values = read_table(true_profiles)
    sizes = []
    for match in found["hidden"]["matches"]:
        x = values[:, names.index(match["learned"])]
        y = true_values[:, true_names.index(match["reference"])]
        sizes.append(abs(np.corrcoef(x, y)[0, 1]))
    return float(np.mean(sizes)) if sizes else 0.0


def factor_analysis(train, test):
    """Best held-out log-likelihood per instance of scikit-learn's FactorAnalysis over all numbers
    of factors. None without scikit-learn.
    """
    try:
        from sklearn.decomposition import FactorAnalysis
    except ImportError:
        return None
    _, x = read_table(train)
    _, y = read_table(test)
    most = min(12, x.shape[0] - 1)
    return max(FactorAnalysis(k, max_iter=2000).fit(x).score(y) for k in range(1, most + 1))
