#!/usr/bin/env python3
"""Compares the price that EBIC puts on an edge with `--gamma auto` with fixed values of gamma, and
checks that the search finds what these scores ask for.

    bench/price.py [PART ...] [--quick] [--seeds S] [--draws D] [--small P] [--cases PATTERN]
                   [--threads T] [--binary PATH] [-o docs/benchmarks]

Parts (default: all):
    noise    independent columns: edges learned, which are all false
    density  F1 of the skeleton with `--gamma auto` and with gamma 0, .25, .5 and 1, on sparse and
             dense random graphs, scale-free graphs and two reference networks
    mixed    linear data: F1 and score of `--cpd linear` and of `--cpd linear,sigmoid`
    sigmoid  dense networks of sigmoids: score of the learned network, compared with that of the
             true structure with fitted parameters
    small    12 variables, BIC: how often the search over orders finds the best network

Every table is printed in Markdown, and written as price_PART.tsv into the folder given with -o. The
data come from bench/generate.py, bench/generate_more.py and, for the reference networks, from
$IDEALPARENT_DATA/bnlearn_gaussian_networks (default: ../shared/data).

Scores can be compared at one gamma only, so the parts `mixed` and `sigmoid` compare scores with
--gamma 1. Differences are given with the standard error of their mean over the seeds. `best fixed`
is the gamma with the largest mean F1 over the seeds of a case; it is not known to a user.

--cases selects cases of `density` (and settings of `noise`, as N-M) by name; * matches everything.
Progress, with one line for each seed, goes to standard error. Needs numpy.
"""
import argparse
import fnmatch
import functools
import os
import pathlib
import sys
import tempfile

# Numpy's threads would run beside those of the command.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np

import dense_cases
import generate
import report
from dense_table import SAME
from price_cases import HERE, STRONG, Dense, Row, density_cases, fitted_truth, learn, run_generate, true_edges

Report = functools.partial(report.Report, "price")
NOISE = [(n, m) for n in (60, 200, 500) for m in (6, 8, 12, 20, 30, 100)]
FIXED = (0, 0.25, 0.5, 1)


def mean(values):
    return float(np.mean(values))


def difference(values, decimals):
    """The mean of differences, with its standard error."""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.{decimals}f}" if len(values) > 1 else ""
    return f"{mean(values):+.{decimals}f}{error}"


def progress(*words):
    print(*words, file=sys.stderr, flush=True)


def selected(a, name):
    return fnmatch.fnmatch(name, a.cases)


def part_noise(a, folder):
    report = Report(a.output, "noise", ["N", "M", "draws", "edges with auto", "most", "edges with gamma 1", "at most 1 with auto"])
    for n, m in NOISE:
        if a.quick and n > 60 or not selected(a, f"{n}-{m}"):
            continue
        counts = {"auto": [], "1": []}
        for draw in range(a.draws):
            values = np.random.default_rng([n, m, draw]).normal(size=(m, n))
            generate.table(folder / "train.tsv", values, [f"X{i}" for i in range(n)])
            for gamma, edges in counts.items():
                edges.append(len(learn(a, folder, f"--gamma {gamma}").edges))
        auto = counts["auto"]
        report.row(n, m, a.draws, f"{mean(auto):.2f}", max(auto), f"{mean(counts['1']):.1f}", "yes" if mean(auto) <= 1 else "NO")
    report.close()


def part_density(a, folder):
    columns = ["case", "seeds", "true edges", "edges with auto", "gamma of auto", "F1 with auto"]
    columns += [*(f"F1 with {gamma}" for gamma in FIXED), "best fixed", "auto − best fixed", "auto − gamma 1"]
    report = Report(a.output, "density", columns)
    for case in density_cases(a.data):
        if a.quick and not case.quick or not selected(a, case.name):
            continue
        found = [density_of_seed(a, case, seed, folder / f"{case.name}-{seed}") for seed in range(1, a.seeds + 1)]
        auto = np.array([one["auto"].f1(one["folder"]) for one in found])
        fixed = {gamma: np.array([one[gamma].f1(one["folder"]) for one in found]) for gamma in FIXED}
        best = max(FIXED, key=lambda gamma: fixed[gamma].mean())
        report.row(
            case.name, a.seeds, f"{mean([one['truth'] for one in found]):.1f}",
            f"{mean([len(one['auto'].edges) for one in found]):.1f}",
            f"{mean([one['auto'].gamma for one in found]):.2f}",
            *(f"{values.mean():.3f}" for values in (auto, *fixed.values())),
            best, difference(auto - fixed[best], 3), difference(auto - fixed[1], 3),
        )  # fmt: skip
    report.close()


def density_of_seed(a, case, seed, folder):
    """The networks learned with each gamma."""
    case.make(seed, folder, a.data)
    truth = true_edges(folder)
    found = {gamma: learn(a, folder, f"--gamma {gamma}") for gamma in ("auto", *FIXED)}
    words = [f"{gamma}: {one.f1(folder):.3f} ({len(one.edges)} edges)" for gamma, one in found.items()]
    progress(f"{case.name} {seed}: {truth} true edges, gamma of auto {found['auto'].gamma:.3f};", *words)
    return found | {"truth": truth, "folder": folder}


def part_mixed(a, folder):
    columns = ["degree", "seeds", "F1 linear", "F1 mixed", "mixed − linear", "score mixed − linear, gamma 1", "seconds linear", "seconds mixed"]
    report = Report(a.output, "mixed", columns)
    for degree in (2, 4, 6):
        if a.quick and degree > 2:
            continue
        f1, scores, seconds = [], [], []
        for seed in range(1, a.seeds + 1):
            place = folder / f"{degree}-{seed}"
            Dense(Row("", "", 50, 1000, degree, STRONG)).make(seed, place, a.data)
            auto, one = ([learn(a, place, f"--cpd {cpd} --gamma {gamma}") for cpd in ("linear", "linear,sigmoid")] for gamma in ("auto", 1))
            f1.append([run.f1(place) for run in auto])
            scores.append(one[1].score - one[0].score)
            seconds.append([run.seconds for run in auto])
            progress(f"mixed {degree} {seed}: F1 {f1[-1]}, gamma {[run.gamma for run in auto]}, score {scores[-1]:+.2f}, seconds {seconds[-1]}")
        f1, seconds = np.array(f1), np.array(seconds).mean(0)
        gap = difference(f1[:, 1] - f1[:, 0], 3)
        report.row(degree, a.seeds, *(f"{x:.3f}" for x in f1.mean(0)), gap, difference(scores, 2), *(f"{x:.2f}" for x in seconds))
    report.close()


def part_sigmoid(a, folder):
    columns = ["degree", "M", "seed", "true edges", "edges", "F1", "score − truth's, gamma 1", "seconds"]
    report = Report(a.output, "sigmoid", columns)
    for degree, instances in ((2, 500),) if a.quick else ((6, 1000),):
        for seed in range(1, a.seeds + 1):
            place = folder / f"{degree}-{seed}"
            run_generate("sigmoid", 40, instances, seed, place, "--degree", degree)
            options = "--cpd sigmoid --gamma 1"
            run, truth = learn(a, place, options), fitted_truth(a, place, options)
            report.row(degree, instances, seed, true_edges(place), len(run.edges), f"{run.f1(place):.3f}", f"{run.score - truth:+.2f}", f"{run.seconds:.2f}")
    report.close()


def part_small(a, folder):
    row = next(row for row in dense_cases.ROWS if row.exact)
    searches = {"order": "--search order", "order, effort 4": "--search order --effort 4"}
    found = {name: [] for name in searches}
    for seed in range(1, a.small + 1):
        place = folder / str(seed)
        dense_cases.make(row, seed, place, a.data)
        optimum = learn(a, place, "--score bic --search exact").score
        for name, options in searches.items():
            run = learn(a, place, f"--score bic {options}")
            found[name].append((optimum - run.score, run.seconds))
            if optimum - run.score > SAME:
                progress(f"small {seed}: {name} misses the optimum by {optimum - run.score:.3f}")
    report = Report(a.output, "small", ["search", "problems", "optimal %", "mean gap", "worst gap", "seconds"])
    for name, values in found.items():
        gaps, seconds = np.array(values).T
        report.row(name, a.small, f"{100 * mean(gaps <= SAME):.1f}", f"{abs(mean(gaps)):.4f}", f"{max(gaps):.2f}", f"{mean(seconds):.4f}")
    report.close()


PARTS = {"noise": part_noise, "density": part_density, "mixed": part_mixed, "sigmoid": part_sigmoid, "small": part_small}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS])
    p.add_argument("--quick", action="store_true", help="the faster cases, with 2 seeds, 3 draws and 10 small problems")
    p.add_argument("--seeds", type=int, help="seeds of each case (default: 5)")
    p.add_argument("--draws", type=int, help="draws of noise (default: 20)")
    p.add_argument("--small", type=int, help="small problems (default: 200)")
    p.add_argument("--cases", default="*", metavar="PATTERN", help="only these cases")
    p.add_argument("--threads", type=int, default=1, help="threads of the command (default: 1)")
    p.add_argument("--binary", type=pathlib.Path, default=os.environ.get("IDEALPARENT_BIN") or HERE.parent / "target/release/idealparent")
    p.add_argument("-o", "--output", type=pathlib.Path, help="folder for the rows as TSV")
    a = p.parse_args()
    a.seeds, a.draws, a.small = a.seeds or (2 if a.quick else 5), a.draws or (3 if a.quick else 20), a.small or (10 if a.quick else 200)
    a.data = pathlib.Path(os.environ.get("IDEALPARENT_DATA") or HERE.parent / "../shared/data")
    for name in a.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](a, pathlib.Path(folder))


if __name__ == "__main__":
    main()
