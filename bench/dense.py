#!/usr/bin/env python3
"""Compares the search of idealparent with FLOP on networks that are hard to search: dense ones,
scale-free ones, two reference networks, and small ones whose best network is known.

    bench/dense.py [--rows A,B] [--seeds N] [--small N] [--quick] [--ours "NAME: OPTIONS" ...]
                   [--restarts 20,100] [--threads T] [--limit SECONDS] [--binary PATH]
                   [--environments DIR] [--install] [--cache DIR] [--keep DIR] [--fresh]
                   [-o docs/benchmarks/dense.json] [--write docs/benchmarks.md]
    bench/dense.py --summary [-o docs/benchmarks/dense.json] [--write docs/benchmarks.md]

Every program reads the same file and maximises the same score, BIC: log-likelihood minus log(M)/2
for every intercept, weight and variance. FLOP minimises -2 log-likelihood + lambda log(M) per edge,
so its lambda is 1 here, which is checked on two columns before the first run. The programs run one
after another, FLOP and idealparent with one thread (--threads). The BIC of every result is computed
here, from the data (bench/dense_scores.py), and compared with that of the network that the data
come from. In one row all programs have twice the penalty, which is FLOP's lambda 2. FLOP returns an
equivalence class, of which one DAG is judged; all have the same BIC.

FLOP's result depends on the order of the columns, and on random numbers without a seed. It runs
with four orders: as given, reversed, and two random permutations. `flop-R best of orders` is the
best of the four by BIC, and takes as long as all four together; `flop-R` is the mean over them.

`sort by r2` and `sort by variance` sort the variables and regress each on those before it
(bench/dense_sort.py). They show how much the marginal variances alone reveal. The columns are
standardised, so `sort by variance` can only guess.

`seconds` is the learning call alone, as in bench/peers.py, and `CPU` the CPU seconds of the whole
process, with starting and reading, which depend less on what else the machine does.

In the row of small problems the largest possible BIC is found in Python, by dynamic programming. A
program finds the optimum if its BIC is within 1e-6 nats. `idealparent-exact` is idealparent with
--search exact, which must find it always, and `idealparent-order` with --search order, which does
not choose the exact search for small problems, as the default does.

The output is JSON, and rewritten after every case. A case that is in it for the same command, FLOP
and options is not repeated, except with --fresh. With --cache, results of FLOP are kept in a folder
and used again; their times are marked, because they are not of the same run. --write puts the
tables between the lines `<!-- dense: begin -->` and `<!-- dense: end -->` of a file. Needs numpy and
Linux.
"""
import argparse
import contextlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

# Numpy's threads would run beside those of the programs that are measured.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import dense_cases
import dense_table
import peers_measures as measures
import peers_programs
from dense_programs import ORDERS, SMALL, Flop, Limits, run_idealparent, run_sorted
from dense_scores import Scorer, optimum, same_class, skeleton_f1
from dense_sort import ORDERS as SORTS
from peers_programs import HERE

OURS = ["idealparent: --score bic"]


class Case:
    """The table and the true structure of a case, with which results are judged."""

    def __init__(self, folder, penalty):
        self.names, self.table = measures.read_table(folder / "train.tsv")
        self.truth = measures.read_edges(folder / "truth.tsv", self.names)
        self.scorer = Scorer(self.table, penalty)
        self.truth_bic = self.scorer.bic(self.truth)

    def judge(self, run):
        """The run with its measures instead of its edges."""
        edges = run.pop("edges", None)
        if edges is None:
            return run
        edges = [tuple(edge) for edge in edges]
        status = "ok" if run.pop("consistent") else "ok: no consistent extension"
        return run | {
            "status": status,
            "edges": len(edges),
            "bic": round(self.scorer.bic(edges), 8),
            "skeleton_f1": round(skeleton_f1(edges, self.truth), 5),
            "same_class": same_class(len(self.names), edges, self.truth),
        }


class Bench:
    """Runs the programs on one case after another."""

    def __init__(self, a):
        self.a, self.limits = a, Limits(a.limit, a.threads)
        self.flop = Flop(a.environments, self.limits, a.cache)
        self.commit = commit()
        self.ours = [tuple(part.strip() for part in text.split(":", 1)) for text in a.ours]

    def key(self):
        """What must be the same for a case not to be repeated."""
        a = self.a
        binary = dense_cases.file_hash(a.binary) if a.binary.exists() else None
        return {"binary": binary, "ours": a.ours, "flop": self.flop.version, "restarts": a.restarts, "threads": a.threads}

    def measure(self, row, seed, folder):
        """All results on a case."""
        case = Case(folder, row.penalty)
        found = {"row": row.name, "seed": seed, "commit": self.commit, "load": round(os.getloadavg()[0], 1)}
        found |= {"truth_bic": round(case.truth_bic, 8), "truth_edges": len(case.truth)}
        penalty = "" if row.penalty == 1 else f" --penalty {row.penalty:g}"
        runs = [case.judge(run_idealparent(self.a.binary, name, words + penalty, folder, self.limits)) for name, words in self.ours]
        if row.exact:
            found["optimum"] = optimum(case.table)[0]
            more = [run_idealparent(self.a.binary, name, words, folder, self.limits) for name, words in SMALL]
            runs += [case.judge(run) for run in more]
        if self.flop.version:
            pairs = [(restarts, order) for restarts in self.a.restarts for order in ORDERS]
            runs += [case.judge(self.flop.run(folder, *pair, row.penalty)) for pair in pairs]
        runs += [case.judge(run_sorted(kind, case.scorer)) for kind in SORTS]
        return found | {"runs": runs}


def run_all(a, output):
    """Measures all cases that are not in the output."""
    if a.install:
        peers_programs.install(["flop"], a.environments)
    bench = Bench(a)
    if bench.flop.version:
        with tempfile.TemporaryDirectory() as folder:
            bench.flop.check_penalty(pathlib.Path(folder))
    else:
        print("no environment of FLOP (see --install)", file=sys.stderr)
    key = bench.key()
    for row in dense_cases.ROWS:
        if row.name not in a.rows:
            continue
        if dense_cases.missing(row, a.data):
            print(f"{row.name}: no data", file=sys.stderr)
            continue
        for seed in row.seeds(a.seeds, a.small):
            if a.fresh or not output.has(row.name, seed, key):
                with case_folder(a, row, seed) as folder:
                    dense_cases.make(row, seed, folder, a.data)
                    output.add(bench.measure(row, seed, folder) | {"key": key})
                print(f"{row.name} {seed}: {dense_table.line(output.case(row.name, seed))}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def case_folder(a, row, seed):
    """A folder for a case: a temporary one, or one that is kept."""
    if a.keep:
        yield a.keep / row.name / str(seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield pathlib.Path(folder)


def commit():
    """The commit of the working tree, or None outside a repository. Whether the command was built
    from it cannot be told, so the output also has the hash of the command.
    """
    result = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty", "--abbrev=7"], capture_output=True, encoding="utf-8")
    return result.stdout.strip() or None


def arguments():
    root = HERE.parent
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", type=lambda text: text.split(","), help="rows of the table (default: all)")
    p.add_argument("--seeds", type=int, help="cases per row (default: 10)")
    p.add_argument("--small", type=int, help="small problems (default: 200)")
    p.add_argument("--quick", action="store_true", help="the faster rows, with 2 seeds and 10 small problems")
    p.add_argument("--ours", action="append", metavar="NAME: OPTIONS", help=f"options of idealparent, several times (default: {OURS[0]!r})")
    p.add_argument("--restarts", type=lambda text: [int(word) for word in text.split(",")], default=[20, 100], help="of FLOP")
    p.add_argument("--threads", type=int, default=1, help="threads of idealparent (default: 1)")
    p.add_argument("--limit", type=float, default=600, help="time limit of one run in seconds (default: 600)")
    p.add_argument("--environments", type=pathlib.Path, default=root / "target/peers")
    p.add_argument("--install", action="store_true", help="create the environment of FLOP if it is missing")
    p.add_argument("--cache", type=pathlib.Path, help="folder for results of FLOP")
    p.add_argument("--keep", type=pathlib.Path, help="folder for the data (default: a temporary one)")
    p.add_argument("--fresh", action="store_true", help="repeat cases that are in the output")
    p.add_argument("--summary", action="store_true", help="run nothing, only print the table")
    p.add_argument("--write", type=pathlib.Path, help="file that gets the table")
    p.add_argument("--binary", type=pathlib.Path, default=os.environ.get("IDEALPARENT_BIN") or root / "target/release/idealparent")
    p.add_argument("-o", "--output", type=pathlib.Path, default=root / "docs/benchmarks/dense.json")
    a = p.parse_args()
    known = [row.name for row in dense_cases.ROWS]
    for name in a.rows or ():
        if name not in known:
            p.error(f"no such row: {name} (choose from {', '.join(known)})")
    a.rows = a.rows or [row.name for row in dense_cases.ROWS if row.quick or not a.quick]
    a.seeds, a.small, a.ours = a.seeds or (2 if a.quick else 10), a.small or (10 if a.quick else 200), a.ours or OURS
    # Runs have another working directory, so paths must be absolute. They must not be resolved,
    # because the Python of an environment is a link.
    for name in ("environments", "cache", "keep", "binary", "output"):
        if getattr(a, name):
            setattr(a, name, pathlib.Path(os.path.abspath(getattr(a, name))))
    a.data = pathlib.Path(os.environ.get("IDEALPARENT_DATA") or root / "../shared/data")
    return a


def main():
    a = arguments()
    output = dense_table.Output(a.output)
    if not a.summary:
        output.machine = f"{platform.machine()}, {os.cpu_count()} cores"
        run_all(a, output)
    text = dense_table.summary(output)
    print(text)
    if a.write:
        dense_table.write_between(a.write, text)


if __name__ == "__main__":
    main()
