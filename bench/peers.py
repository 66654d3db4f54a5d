#!/usr/bin/env python3
"""Compares idealparent with other programs that learn Gaussian networks: time, memory, score, and
how much of the true structure they find.

    bench/peers.py [--cases linear,sigmoid,reference] [--peers A,B] [--quick] [--limit SECONDS]
                   [--environments DIR] [--install] [--fresh] [--binary PATH]
                   [-o docs/benchmarks/peers.tsv]
    bench/peers.py --summary [-o docs/benchmarks/peers.tsv]

Every program reads the same file and runs in a separate process and environment (DIR/PEER, default
target/peers), with its default number of threads. --install creates missing environments with pip,
from wheels only; R's bnlearn must already be installed. Columns of the output:

    wall, cpu, mib   of the whole process: starting the interpreter, imports, reading, learning,
                     writing. CPU seconds and peak memory include the child processes that it waited
                     for. Each environment is used once before it is measured
    seconds          the learning call alone, as measured by the program's runner (bench/peers/) or
                     by idealparent
    status           ok; ok: no consistent extension (see below); time limit; failed: REASON;
                     skipped: what happened to the same program at seed 1, in which case seeds 2 and
                     3 are not tried; missing: WHAT
    bic, truth_bic   of the learned and of the true structure: log-likelihood of the linear network
                     fitted to the training table by maximum likelihood, minus log(M)/2 for every
                     intercept, weight and variance, in nats; larger is better
    cpdag_shd, skeleton_*, directed_*
                     as computed by `idealparent compare` against the true structure. directed_*
                     depends on which DAG of its equivalence class a program, or the extension
                     below, happens to return
    held_out         log-likelihood of the test table per instance and variable, with the same fit.
                     For networks that idealparent learned with sigmoids, that of these networks
    var_sortability  share of the true network's directed paths along which the variance grows
                     (Reisach, Seng and Muandet 2021). If it is much more than a half, the scale of
                     the raw data reveals the directions

Programs that return an equivalence class get a DAG of it (Dor and Tarsi 1992). If a graph has no
such DAG, its edges are oriented by index without cycles, and the status says so. BIC has the same
penalty everywhere: Tetrad penalty discount 1, XGES alpha 1, causal-learn lambda 0.5, FLOP lambda 1.

Linear and sigmoid data come from bench/generate.py. `reference` samples from ecoli70 and
magic-niab, which are in $IDEALPARENT_DATA/bnlearn_gaussian_networks (default ../shared/data). The
output is rewritten after every run. Runs that are in it are not repeated, except with --fresh, with
other options, or with a longer limit than the one they exceeded. Needs numpy and Linux.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import numpy as np

import peers_cases
import peers_measures as measures
import peers_programs
from peers_cases import KINDS
from peers_programs import HERE
from peers_results import COLUMNS, Results
from peers_summary import summary



def run_limited(command, folder, limit):
    """Runs a command under a time limit (bench/peers/measure.py).

    Returns its time and memory, with its standard output and standard error.
    """
    paths = [folder / name for name in ("report.json", "stdout", "stderr")]
    report, out, err = paths
    report.unlink(missing_ok=True)
    words = [sys.executable, "-IS", HERE / "peers/measure.py", report, limit, out, err, *command]
    process = subprocess.Popen(list(map(str, words)), cwd=folder)
    try:
        process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    result = json.loads(report.read_text(encoding="utf-8"))
    return result | {"stdout": out.read_text(errors="replace"), "stderr": err.read_text(errors="replace")}


def reason(result):
    """Why a run failed: a short message, with directories removed from paths."""
    if result["code"] < 0:
        return f"signal {-result['code']}"
    lines = [line.strip() for line in re.split(r"[\r\n]", result["stderr"]) if line.strip()]
    text = re.sub(r"(/[^\s/]+)+/", "", lines[-1]) if lines else f"exit {result['code']}"
    return re.sub(r"\s+", " ", text)[:80]


def command_json(binary, *words):
    result = subprocess.run([binary, *words, "--json"], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if result.returncode:
        raise ValueError(result.stderr.strip())
    return json.loads(result.stdout)


class Bench:
    """Runs programs on one case after another."""

    def __init__(self, binary, environments, limit):
        self.binary, self.environments, self.limit = binary, environments, limit
        self.warm = set()

    def load(self, folder):
        """Reads the tables and the true structure of a case."""
        self.names, self.train = measures.read_table(folder / "train.tsv")
        self.test = measures.read_table(folder / "test.tsv")[1]
        truth = measures.read_edges(folder / "truth.tsv", self.names)
        self.sortability = measures.var_sortability(truth, self.train)
        self.truth_bic = measures.bic(measures.log_likelihoods(truth, self.train, self.test)[0], truth, self.train)

    def warm_up(self, program, folder):
        """Runs a program once on a small table, so that its files are cached when measured."""
        if program.family in self.warm:
            return
        self.warm.add(program.family)
        values = np.random.default_rng(1).normal(size=(50, 3))
        table = "\n".join("\t".join(map(str, row)) for row in [["A", "B", "C"], *values.tolist()])
        (folder / "small.tsv").write_text(table + "\n", encoding="utf-8")
        run_limited(program.command(self.binary, self.environments, folder / "small.tsv", folder / "small.out"), folder, self.limit)

    def measure(self, program, folder):
        """Runs a program; returns the columns of the output."""
        self.warm_up(program, folder)
        out = folder / "found"
        out.unlink(missing_ok=True)
        command = program.command(self.binary, self.environments, folder / "train.tsv", out)
        result = run_limited(command, folder, self.limit)
        row = {"limit": f"{self.limit:g}", "wall": f"{result['wall']:.3f}", "cpu": f"{result['cpu']:.3f}", "mib": f"{result['mib']:.1f}"}
        if result["limit"]:
            return row | {"status": "time limit"}
        if result["code"]:
            return row | {"status": f"failed: {reason(result)}"}
        try:
            said = json.loads(result["stdout"])
            row |= {"seconds": f"{said['seconds']:.4f}", "version": said.get("version", "")}
            return row | self.judge(program, folder, out)
        except (ValueError, KeyError, OSError) as error:
            return row | {"status": f"failed: {reason({'code': 1, 'stderr': str(error) or type(error).__name__})}"}

    def found_edges(self, program, out):
        """The learned edges as a DAG, and whether the DAG is consistent with the result."""
        if program.family != "idealparent":
            return measures.to_dag(len(self.names), measures.read_edges(out, self.names))
        return measures.network_edges(out, self.names), True

    def judge(self, program, folder, out):
        """The columns that describe the learned structure."""
        edges, consistent = self.found_edges(program, out)
        measures.write_edges(folder / "learned.tsv", edges, self.names)
        same = command_json(self.binary, "compare", folder / "learned.tsv", folder / "truth.tsv")
        with np.errstate(divide="ignore", invalid="ignore"):
            train, test = measures.log_likelihoods(edges, self.train, self.test)
        if not np.isfinite(train):
            raise ValueError("a family has no residual variance")
        if "--cpd" in program.options:
            test = command_json(self.binary, "score", out, folder / "test.tsv")["log_likelihood"]
        return {
            "status": "ok" if consistent else "ok: no consistent extension",
            "edges": len(edges),
            "bic": f"{measures.bic(train, edges, self.train):.3f}",
            "truth_bic": f"{self.truth_bic:.3f}",
            "cpdag_shd": same["cpdag"]["shd"],
            "skeleton_precision": f"{same['skeleton']['precision']:.4f}",
            "skeleton_recall": f"{same['skeleton']['recall']:.4f}",
            "skeleton_f1": f"{same['skeleton']['f1']:.4f}",
            "directed_f1": f"{same['directed']['f1']:.4f}",
            "held_out": f"{test / self.test.size:.5f}",
        }


def run_case(bench, case, programs, results, data):
    """Runs the programs on a case."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        peers_cases.make(case, folder, data)
        bench.load(folder)
        for program in programs:
            row = dict(zip(COLUMNS, case.key())) | {"program": program.name, "options": program.options}
            skip = results.why_skip(case, program)
            row |= {"status": skip} if skip else bench.measure(program, folder)
            results.add(row | {"var_sortability": f"{bench.sortability:.4f}"})
            print(f"{' '.join(case.key())} {program.name}: {row['status']} {row.get('wall', '')}", file=sys.stderr, flush=True)


def run_all(a, results):
    """Does all runs that are not in the output, and records what is missing."""
    programs = peers_programs.selected(a.peers)
    families = dict.fromkeys(program.family for program in programs)
    if a.install:
        peers_programs.install(families, a.environments)
    absent = {family: peers_programs.lacking(family, a.binary, a.environments) for family in families}
    for family, why in absent.items():
        note_missing(results, program=family, why=why)
    bench = Bench(a.binary, a.environments, a.limit)
    for case in peers_cases.cases(a.cases, a.quick):
        why = "no data" if peers_cases.missing(case, a.data) else None
        if case.kind == "reference":
            note_missing(results, case=case.name, why=why)
        mine = [p for p in programs if case.kind in p.kinds and not absent[p.family] and not why]
        mine = [p for p in mine if a.fresh or not results.done(case, p, a.limit)]
        if mine:
            run_case(bench, case, mine, results, a.data)


def note_missing(results, why, case="", program=""):
    """Adds a row for a case or program that is missing, or removes the row if it is not."""
    row = {"case": case, "program": program, "status": f"missing: {why}"}
    if why:
        results.add(row)
        print(f"{case or program}: {row['status']}", file=sys.stderr)
    else:
        results.remove((case, "", "", "", "", program))


def arguments():
    root = HERE.parent
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cases", type=lambda text: text.split(","), default=KINDS)
    p.add_argument("--peers", type=lambda text: text.split(","), help="families or programs to compare with idealparent (default: all)")
    p.add_argument("--quick", action="store_true", help="only one small case, with a limit of 60 s")
    p.add_argument("--limit", type=float, help="time limit of one run in seconds (default: 300)")
    p.add_argument("--environments", type=pathlib.Path, default=root / "target/peers")
    p.add_argument("--install", action="store_true", help="create missing environments")
    p.add_argument("--fresh", action="store_true", help="repeat runs that are in the output")
    p.add_argument("--summary", action="store_true", help="run nothing, only print the tables of the output")
    p.add_argument("--binary", type=pathlib.Path, default=os.environ.get("IDEALPARENT_BIN") or root / "target/release/idealparent")
    p.add_argument("-o", "--output", type=pathlib.Path, default=root / "docs/benchmarks/peers.tsv")
    a = p.parse_args()
    for kind in a.cases:
        if kind not in KINDS:
            p.error(f"no such cases: {kind} (choose from {', '.join(KINDS)})")
    a.limit = a.limit or (60 if a.quick else 300)
    # Runs have another working directory, so paths must be absolute. They must not be resolved,
    # because the Python of an environment is a link.
    a.binary, a.environments, a.output = (pathlib.Path(os.path.abspath(path)) for path in (a.binary, a.environments, a.output))
    a.data = pathlib.Path(os.environ.get("IDEALPARENT_DATA") or root / "../shared/data")
    return a


def main():
    a = arguments()
    results = Results(a.output)
    if not a.summary:
        run_all(a, results)
        print(f"machine: {platform.machine()}, {os.cpu_count()} cores")
    print(summary(results.rows.values()))


if __name__ == "__main__":
    main()
