#!/usr/bin/env python3
"""Measures learning and imputation with missing values.

    bench/missing.py [PART ...] [--binary PATH] [--data FOLDER] [--quick] [--choose]
                     [-o docs/benchmarks]

Parts (default: all):
    imputation  root mean squared error over a tenth of the entries, removed at random, of samples
                of ecoli70 and of 44 yeast genes. Every column is divided by its standard deviation
                over the complete data. Compares column means, scikit-learn's imputers (if
                installed), one network, and networks learned from resampled rows. All methods but
                the networks get columns standardised by their observed entries
    recovery    `generate.py linear 44 173 SEED` with 0, 5 and 20 % of the training entries removed
    sigmoid     `generate.py sigmoid 44 500 SEED` with 0 and 5 % of the training entries removed,
                and 5 % of the test entries
    yeast       349 yeast genes x 173 arrays as measured, and the transposed table: learned as a
                whole, and 5 folds. The folds of the first table use --max-parents 5; without it
                families grow until they fit everything, and a fold takes minutes
    memory      2000 variables x 500 instances with 3 % removed

Runs the command, prints a Markdown table for each part, and writes missing_PART.tsv into the folder
given with -o. With --choose, `imputation` instead compares options for learning the networks, on
other entries than those reported; the reported options were chosen in this way. FOLDER contains
gasch2000_yeast_stress and bnlearn_gaussian_networks (default: $IDEALPARENT_DATA). Log-likelihoods
are per instance and variable. `seconds` is the time that the command reports for learning, `wall`
the time of the whole process. Times are from a single run. Needs numpy.
"""
import argparse
import os
import pathlib
import sys
import tempfile

from missing_imputation import part_imputation
from missing_tools import HERE, Report, generated, json_of, learn, with_holes

METHODS = ["greedy", "ideal:k=2", "ideal:k=2:measure=c2"]
# More variables than instances.
MORE_VARIABLES = {"349 genes x 173 arrays"}


def percent(share):
    return f"{100 * share:g} %"


def held_out(a, network, table, key="log_likelihood"):
    """Log-likelihood per instance and variable of a table with 44 variables."""
    found = json_of(a.binary, "score", network, table, "--quiet")
    return found[key] / (found["instances"] * 44)


def part_recovery(a, folder):
    columns = ["seed", "removed", "seconds", "wall", "edges", "skeleton F1", "directed F1", "held out", "to complete"]
    report = Report(a.output, "recovery", columns)
    network = folder / "net.json"
    shares = (0.0, 0.05, 0.2)
    seeds = (1,) if a.quick else (1, 2, 3)
    all_found = {share: [] for share in shares}
    for seed in seeds:
        for share in shares:
            data = generated(folder, "linear", 44, 173, seed, share)
            r = learn(a.binary, data / "train.tsv", network)
            found = json_of(a.binary, "compare", network, data / "truth.tsv")
            test = held_out(a, network, data / "test.tsv")
            complete = test if share == 0 else complete
            mine = [r["seconds"], r["wall"], r["edges"], found["skeleton"]["f1"], found["directed"]["f1"], test, test - complete]
            all_found[share].append(mine)
            recovery_row(report, seed, share, mine)
    for share in shares:
        recovery_row(report, "mean", share, [sum(values) / len(seeds) for values in zip(*all_found[share])])
    report.close()


def recovery_row(report, seed, share, values):
    seconds, wall, edges, skeleton, directed, test, difference = values
    report.row(
        seed, percent(share), f"{seconds:.3f}", f"{wall:.3f}", f"{edges:.3g}", f"{skeleton:.3f}", f"{directed:.3f}",
        f"{test:.4f}", f"{difference:+.4f}" if share else "",
    )  # fmt: skip


def part_sigmoid(a, folder):
    columns = ["seed", "removed", "seconds", "edges", "skeleton F1", "directed F1", "held out", "to complete"]
    columns += ["bound, 5 % of the test removed", "estimate, likewise"]
    report = Report(a.output, "sigmoid", columns)
    network = folder / "net.json"
    for seed in (1,) if a.quick else (1, 2, 3):
        for share in (0.0, 0.05):
            data = generated(folder, "sigmoid", 44, 500, seed, share)
            r = learn(a.binary, data / "train.tsv", network, "--cpd", "sigmoid")
            found = json_of(a.binary, "compare", network, data / "truth.tsv")
            test = held_out(a, network, data / "test.tsv")
            complete = test if share == 0 else complete
            holes = with_holes(data / "test.tsv", 0.05, 200 + seed, folder / "holes.tsv")
            # Log-likelihoods of the remaining entries are divided by the number of all entries, so
            # they can only be compared between rows.
            bound, estimate = (held_out(a, network, holes, key) for key in ("bound", "estimate"))
            report.row(
                seed, percent(share), f"{r['seconds']:.2f}", r["edges"], f"{found['skeleton']['f1']:.3f}", f"{found['directed']['f1']:.3f}",
                f"{test:.4f}", f"{test - complete:+.4f}" if share else "", f"{bound:.4f}", f"{estimate:.4f}",
            )  # fmt: skip
    report.close()


def part_yeast(a, folder):
    source = a.data / "gasch2000_yeast_stress"
    table, genes = source / "gasch2000_complete.tsv.gz", source / "aa_rebuild.txt"
    shapes = {"349 genes x 173 arrays": ["--transpose", "--variables", genes], "173 arrays x 349 genes": ["--instances", genes]}
    report = Report(a.output, "yeast", "case search seconds wall MiB edges moves score".split())
    for case, options in shapes.items():
        for search in ("hill",) if a.quick else ("hill", "auto"):
            r = learn(a.binary, table, folder / "net.json", *options, "--score", "bic", "--search", search)
            report.row(
                case, search, f"{r['seconds']:.2f}", f"{r['wall']:.2f}", f"{r['mib']:.0f}", r["edges"], r["moves"], f"{r['score']:.1f}"
            )
    report.close()
    if a.quick:
        return
    columns = ["case", "method", "train", "to greedy", "test", "to greedy", "edges", "%", "moves", "%", "evaluations", "%", "seconds", "faster"]
    report = Report(a.output, "yeast_cv", columns)
    for case, options in shapes.items():
        options = [*options, "--methods", " ".join(METHODS), "--score", "bic", "--search", "hill", "--folds", 5]
        if case in MORE_VARIABLES:
            # With more variables than instances, BIC lets families grow until they fit everything.
            options += ["--max-parents", 5]
        folds = json_of(a.binary, "cv", table, *options, "--quiet")
        means = {}
        for method in METHODS:
            mine = [fold for fold in folds if fold["method"] == method]
            means[method] = {key: sum(fold[key] for fold in mine) / len(mine) for key in mine[0] if key not in ("method", "fold")}
            cv_row(report, case, method, means[method], None if method == METHODS[0] else means[METHODS[0]])
    report.close()


def cv_row(report, case, method, mine, greedy):
    cells = []
    for key in ("train", "test"):
        cells += [f"{mine[key]:.4f}", f"{mine[key] - greedy[key]:+.4f}" if greedy else ""]
    for key in ("edges", "moves", "evaluations"):
        cells += [f"{mine[key]:.0f}", f"{100 * mine[key] / greedy[key]:.1f}" if greedy else ""]
    cells += [f"{mine['seconds']:.2f}", f"{greedy['seconds'] / mine['seconds']:.1f}x" if greedy else ""]
    report.row(case, method, *cells)


def part_memory(a, folder):
    columns = ["case", "seconds", "wall", "MiB", "edges", "moves"]
    report = Report(a.output, "memory", columns)
    for n, m in [(349, 173), (2000, 500)][: 1 if a.quick else None]:
        data = generated(folder, "linear", n, m, 1, 0.03)
        r = learn(a.binary, data / "train.tsv", folder / "net.json")
        report.row(
            f"linear N={n} M={m}, 3 % removed", f"{r['seconds']:.2f}", f"{r['wall']:.2f}", f"{r['mib']:.0f}", r["edges"], r["moves"]
        )
    report.close()


PARTS = {name[5:]: part for name, part in globals().items() if name.startswith("part_")}
NEEDS = {"imputation": ["gasch2000_yeast_stress", "bnlearn_gaussian_networks"], "yeast": ["gasch2000_yeast_stress"]}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS])
    p.add_argument("--binary", type=pathlib.Path, default=HERE.parent / "target/release/idealparent")
    p.add_argument("--data", type=pathlib.Path)
    p.add_argument("--quick", action="store_true", help="only one seed and small cases")
    p.add_argument("--choose", action="store_true", help="compare options for learning the networks of the imputation")
    p.add_argument("-o", "--output", type=pathlib.Path, help="folder for the rows as TSV")
    a = p.parse_args()
    a.data = a.data or pathlib.Path(os.environ.get("IDEALPARENT_DATA", HERE.parent / "../shared/data"))
    for name in a.parts or PARTS:
        gone = [folder for folder in NEEDS.get(name, []) if not (a.data / folder).exists()]
        if gone:
            print(f"{name}: the data are missing ({', '.join(gone)} in {a.data})", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](a, pathlib.Path(folder))


if __name__ == "__main__":
    main()
