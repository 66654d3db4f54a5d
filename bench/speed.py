#!/usr/bin/env python3
"""Measures how long idealparent takes to learn linear networks, and how the time grows with the
number of variables.

    bench/speed.py [--binary PATH] [--yeast FOLDER] [--repeats R] [--quick]
                   [-o docs/benchmarks/linear.tsv]

Generates data (bench/generate.py), runs the command, and prints a Markdown table. `seconds` is the
time that the command reports for learning, `wall` the time of the whole process with reading and
writing, `MiB` its peak memory. All are of the fastest of R runs, because other processes can only
make a run slower. The yeast table is the stress expression data of Gasch et al. (2000), 6152 genes
x 173 arrays, with missing entries filled with the gene's mean. FOLDER contains
gasch2000_complete.tsv.gz (default: $IDEALPARENT_DATA/gasch2000_yeast_stress). Needs numpy.
"""
import argparse
import csv
import gzip
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SPEED = [(100, 500), (500, 1000), (1000, 1000)]
GROWTH = [250, 500, 1000, 2000, 4000]


def synthetic(folder, n, m):
    """The training table of `generate.py linear n m 1`, generated once."""
    out = folder / f"linear_{n}_{m}"
    if not out.exists():
        subprocess.run([sys.executable, HERE / "generate.py", "linear", str(n), str(m), "1", out], check=True)
    return out / "train.tsv"


def yeast(folder, source):
    """The yeast table with genes as columns and missing entries filled with the gene's mean."""
    path = folder / "yeast.tsv"
    with gzip.open(source / "gasch2000_complete.tsv.gz", "rt") as f:
        rows = list(csv.reader(f, delimiter="\t"))[1:]
    names = [row[0] for row in rows]
    x = np.array([[float(c) if c else np.nan for c in row[1:]] for row in rows])
    x = np.where(np.isnan(x), np.nanmean(x, 1, keepdims=True), x)
    with open(path, "w") as f:
        f.write("\t".join(names) + "\n")
        for row in x.T:
            f.write("\t".join(repr(float(v)) for v in row) + "\n")
    return path


def run(binary, table, options, repeats):
    """The output of the fastest of several runs, with wall time and peak memory."""
    best = None
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as out:
            command = [binary, "learn", table, "-o", f"{out}/net.json", "--json", "--quiet", "--search", "hill", *options]
            began = time.perf_counter()
            process = subprocess.Popen(command, stdout=subprocess.PIPE)
            text = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
            if status:
                sys.exit(f"failed: {' '.join(map(str, command))}")
            result = json.loads(text) | {"wall": wall, "mib": usage.ru_maxrss / 1024}
        if best is None or result["seconds"] < best["seconds"]:
            best = result
    return best


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--binary", default=HERE.parent / "target/release/idealparent")
    p.add_argument("--yeast", type=pathlib.Path)
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--quick", action="store_true", help="small cases only")
    p.add_argument("-o", "--output", type=pathlib.Path, help="write the rows as TSV")
    a = p.parse_args()
    data = pathlib.Path(os.environ.get("IDEALPARENT_DATA", HERE.parent / "../shared/data"))
    source = a.yeast or data / "gasch2000_yeast_stress"
    rows = []
    print(f"machine: {platform.machine()}, {os.cpu_count()} cores\n")
    print("| case | score | method | seconds | wall | MiB | edges | moves |")
    print("|---|---|---|---|---|---|---|---|")

    def report(case, score, method, options, table):
        r = run(a.binary, table, ["--score", score, *options], a.repeats)
        rows.append([case, score, method, r["seconds"], r["wall"], r["mib"], r["edges"], r["moves"]])
        print(f"| {case} | {score} | {method} | {r['seconds']:.4f} | {r['wall']:.3f} | {r['mib']:.0f} | {r['edges']} | {r['moves']} |", flush=True)
        return r["seconds"]

    methods = [("ideal, tangent, K=2", []), ("greedy", ["--method", "greedy"])]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for n, m in SPEED[: 1 if a.quick else None]:
            for method, options in methods:
                report(f"N={n} M={m}", "bic", method, options, synthetic(folder, n, m))
        if not a.quick:
            if (source / "gasch2000_complete.tsv.gz").exists():
                table = yeast(folder, source)
                for method, options in methods:
                    report("yeast N=6152 M=173", "ebic", method, options, table)
            else:
                print(f"yeast: missing ({source})", file=sys.stderr)
        print("\n| N (M=500) | seconds | seconds / N^2 (us) |\n|---|---|---|")
        for n in GROWTH[: 2 if a.quick else None]:
            r = run(a.binary, synthetic(folder, n, 500), ["--score", "ebic"], a.repeats)
            rows.append([f"growth N={n} M=500", "ebic", "ideal, tangent, K=2", r["seconds"], r["wall"], r["mib"], r["edges"], r["moves"]])
            print(f"| {n} | {r['seconds']:.3f} | {1e6 * r['seconds'] / n**2:.3f} |", flush=True)
    if a.output:
        a.output.parent.mkdir(parents=True, exist_ok=True)
        with open(a.output, "w") as f:
            f.write("case\tscore\tmethod\tseconds\twall\tmib\tedges\tmoves\n")
            for row in rows:
                f.write("\t".join("" if v is None else str(v) for v in row) + "\n")


if __name__ == "__main__":
    main()
