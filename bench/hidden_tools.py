"""What the parts of bench/hidden.py share. Needs numpy."""
import functools
import subprocess
import sys

import numpy as np

import report
from missing_tools import HERE, json_of, read_table

Report = functools.partial(report.Report, "hidden")


def generated(folder, kind, *numbers):
    """The folder of `generate.py kind numbers`."""
    out = folder / "_".join(map(str, (kind, *numbers)))
    if not out.exists():
        words = [sys.executable, HERE / "generate.py", kind, *numbers, out]
        subprocess.run(list(map(str, words)), check=True)
    return out


def held_out(a, network, table):
    """Log-likelihood per instance: where there is only a bound and an estimate, the estimate."""
    # A single row may lack its first value: that makes no row name of it.
    found = json_of(a.binary, "score", network, table, "--quiet", "--row-names", "no")
    total = found["estimate"] if "estimate" in found else found["log_likelihood"]
    return total / found["instances"]


def agreement(a, network, truth):
    """What `compare` says."""
    return json_of(a.binary, "compare", network, truth)


def profile_correlation(found, profiles, true_profiles):
    """Mean size of the correlations of learned profiles with those they belong to."""
    names, values = read_table(profiles)
    true_names, true_values = read_table(true_profiles)
    sizes = []
    for match in found["hidden"]["matches"]:
        x = values[:, names.index(match["learned"])]
        y = true_values[:, true_names.index(match["reference"])]
        sizes.append(abs(np.corrcoef(x, y)[0, 1]))
    return float(np.mean(sizes)) if sizes else 0.0


def factor_analysis(train, test):
    """Best held-out log-likelihood per instance of scikit-learn's FactorAnalysis over numbers of factors; None without it."""
    try:
        from sklearn.decomposition import FactorAnalysis
    except ImportError:
        return None
    _, x = read_table(train)
    _, y = read_table(test)
    most = min(12, x.shape[0] - 1)
    return max(FactorAnalysis(k, max_iter=2000).fit(x).score(y) for k in range(1, most + 1))
