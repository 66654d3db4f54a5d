"""The part `imputation` of bench/missing.py: errors of imputed values. Needs numpy."""
import csv
import gzip
import json
import time
import warnings

import numpy as np

import generate
from missing_tools import Report, learn, output_of, read_table
from peers_cases import REFERENCE_FOLDER, sample

SHARE = 0.1
SEEDS = (1, 2, 3, 4, 5)
# Seeds for choosing options (--choose). The reported seeds remove other entries.
CHOOSING_SEEDS = (11, 12, 13)
ONE = ("idealparent, one network", 1, None, "")
# Name, number of networks, rows, and options of learning. Each network is learned from other rows,
# so that errors average out.
REPORTED = [
    ONE,
    ("idealparent, 50 bootstrap networks", 50, "bootstrap", ""),
    ("idealparent, 50 bootstrap networks, --gamma 0.5", 50, "bootstrap", "--gamma 0.5"),
    ("idealparent, 50 half-sample networks, --score bic", 50, "half", "--score bic"),
    ("idealparent, 50 half-sample networks, --score bic --search hill", 50, "half", "--score bic --search hill"),
]
CHOICES = [
    (f"{rows}, {options or 'defaults'}", 50, rows, options)
    for rows in ("bootstrap", "half")
    for options in (
        "", "--gamma 0.5", "--gamma 0.25", "--score bic", "--score bic --penalty 0.7 --search hill", "--score aic --search hill",
        "--search hill", "--gamma 0.5 --search hill", "--score bic --search hill", "--score bic --search hill --max-parents 4",
    )
]  # fmt: skip


def ecoli70(data, seed):
    """A new sample of 200 instances for every seed."""
    path = data / REFERENCE_FOLDER / "ecoli70.json"
    return sample(json.loads(path.read_text(encoding="utf-8")), 200, np.random.default_rng(seed))


def yeast(data, seed):
    """The amino acid genes without missing values; the same for every seed."""
    source = data / "gasch2000_yeast_stress"
    wanted = set((source / "aa_rebuild_nomiss.txt").read_text(encoding="utf-8").split())
    with gzip.open(source / "gasch2000_complete.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in csv.reader(lines, delimiter="\t") if row[0] in wanted]
    return [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=float).T


CASES = {"ecoli70 46 x 200": ecoli70, "yeast AA 44 x 173": yeast}


def column_mean(table):
    return np.where(np.isnan(table), np.nanmean(table, 0), table)


def peers():
    """Name and function of each available method to fill in a table."""
    ways = [("column mean", column_mean)]
    try:
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer, KNNImputer
    except ImportError:
        print("scikit-learn: missing", flush=True)
        return ways
    for k in (3, 5, 10):
        ways.append((f"KNNImputer, k={k}" + (" (default)" if k == 5 else ""), KNNImputer(n_neighbors=k).fit_transform))
    ways.append(("IterativeImputer (defaults)", IterativeImputer(random_state=0).fit_transform))
    return ways


def standardised(fill):
    """Standardises columns before `fill`, which may use distances that depend on their units."""

    def filled(table):
        mean, deviation = np.nanmean(table, 0), np.nanstd(table, 0)
        return fill((table - mean) / deviation) * deviation + mean

    return filled


def networks(binary, folder, count, rows, options):
    """A function that fills in a table by averaging over networks learned from resampled rows."""

    def filled(table):
        names = [f"X{i}" for i in range(table.shape[1])]
        rng = np.random.default_rng(0)
        instances = len(table)
        learned = []
        generate.table(folder / "holes.tsv", table, names)
        for i in range(count):
            if rows == "bootstrap":
                drawn = rng.integers(0, instances, instances)
            elif rows == "half":
                drawn = rng.permutation(instances)[: instances // 2]
            else:
                drawn = np.arange(instances)
            generate.table(folder / "rows.tsv", table[drawn], names)
            learned.append(folder / f"net{i}.json")
            learn(binary, folder / "rows.tsv", learned[-1], *options.split())
        output_of(binary, "impute", *learned, folder / "holes.tsv", "-o", folder / "filled.tsv", "--quiet")
        return read_table(folder / "filled.tsv")[1]

    return filled


def part_imputation(a, folder):
    seeds = SEEDS[:1] if a.quick else CHOOSING_SEEDS if a.choose else SEEDS
    wanted = REPORTED[:1] if a.quick else CHOICES if a.choose else REPORTED
    ways = [] if a.choose else [(name, standardised(fill)) for name, fill in peers()]
    ways += [(name, networks(a.binary, folder, *how)) for name, *how in wanted]
    if a.quick:
        ways.append(("idealparent, 5 bootstrap networks", networks(a.binary, folder, 5, "bootstrap", "")))
    part = "imputation_choice" if a.choose else "imputation"
    report = Report(a.output, part, ["data", "method", "error", "least", "most", "seconds"])
    for case, values_of in CASES.items():
        for name, fill in ways:
            errors, seconds = [], []
            for seed in seeds:
                _, values = values_of(a.data, seed)
                hole = np.random.default_rng(1000 + seed).random(values.shape) < SHARE
                began = time.perf_counter()
                with warnings.catch_warnings():
                    # IterativeImputer does not converge in its default ten rounds, and warns.
                    warnings.simplefilter("ignore")
                    found = fill(np.where(hole, np.nan, values))
                seconds.append(time.perf_counter() - began)
                errors.append(np.sqrt(np.mean((((found - values) / values.std(0))[hole]) ** 2)))
            mean = sum(errors) / len(errors)
            report.row(case, name, f"{mean:.4f}", f"{min(errors):.4f}", f"{max(errors):.4f}", f"{sum(seconds) / len(seconds):.2f}")
    report.close()
