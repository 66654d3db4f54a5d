#!/usr/bin/env python3
"""Measures what the ideal parent method saves, and loses, with families that are not linear.

    bench/nonlinear.py [PART ...] [--binary PATH] [--yeast FOLDER] [-o docs/benchmarks]

Parts (default: the first five):
    cv             sigmoids on two sets of yeast genes, 5 folds: every method compared with greedy
                   search
    moves          `generate.py sigmoid 44 1000 1`: whether K = 1 takes greedy's moves, and the
                   number of fits
    fit            time of one fit: `cargo bench --bench fit -p idealparent`
    recovery       `generate.py sigmoid 44 500 SEED`: edges found with sigmoid, linear and both CPDs
    yeast          755 yeast genes without missing values
    large          all 6152 yeast genes, with missing entries filled with the gene's mean (a minute
                   or more)
    profile        profile of `yeast` with Linux's perf. The functions are found by name in a
                   command that was built with RUSTFLAGS="-C symbol-mangling-version=v0"
    profile_large  profile of `large`

Runs the command, prints a Markdown table for each part, and writes nonlinear_PART.tsv into the
folder given with -o. FOLDER contains gasch2000_complete.tsv.gz and the gene lists (default:
$IDEALPARENT_DATA/gasch2000_yeast_stress). Times are from a single run: compare only those of the
same table. Needs numpy.
"""
import argparse
import csv
import functools
import gzip
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import report
from speed import yeast as filled_yeast

HERE = pathlib.Path(__file__).resolve().parent
SETS = {"AA": "aa_rebuild_nomiss.txt", "Met": "met_rebuild_nomiss.txt"}
METHODS = ["greedy", "ideal:k=1", "ideal:k=2", "ideal:k=auto", "ideal:k=2:measure=c2", "ideal:k=5:measure=c2"]
# Kinds of work in a profile. The innermost function that matches a pattern decides to which kind a
# sample belongs.
WORK = [
    ("fits", r"FamilyModel>::fit|fit_link|marquardt|LinkProblem|FamilyModel>::cpd"),
    ("ranking: matrix products, estimates from them", r"gemm|scan_candidates|scan::tiles|SingleParent"),
    ("ranking: profiles, slopes, choosing the top K", r"FamilyModel>::openings|FamilyModel>::ideal_profiles|FamilySelector|LinkModel>::|scan::Scan|ideal::top"),
    ("search: moves, legality, cache of families", r"Neighbourhood|FamilyScorer|hill_climb|graph::|search::"),
    ("threads that wait for each other", r"wait_until|find_work|sched_yield|::sleep::|futex"),
]


Report = functools.partial(report.Report, "nonlinear")


def output_of(*command):
    """Standard output of a command that must succeed."""
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, encoding="utf-8")
    if result.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return result.stdout


def learn(binary, table, out, *options, search="hill"):
    """The output of `learn --json`, with wall time and peak memory."""
    command = [binary, "learn", table, "-o", out / "net.json", "--json", "--quiet", "--search", search, *options]
    began = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return json.loads(text) | {"wall": time.perf_counter() - began, "mib": usage.ru_maxrss / 1024}


def generated(folder, m, seed):
    """The folder with the output of `generate.py sigmoid 44 m seed`, generated once."""
    out = folder / f"sigmoid_44_{m}_{seed}"
    if not out.exists():
        subprocess.run([sys.executable, HERE / "generate.py", "sigmoid", "44", str(m), str(seed), out], check=True)
    return out


def part_cv(a, folder):
    columns = ["genes", "method", "train", "to greedy", "test", "to greedy", "evaluations", "fewer", "seconds", "faster"]
    report = Report(a.output, "cv", columns)
    for name, genes in SETS.items():
        options = ["--transpose", "--variables", a.yeast / genes, "--cpd", "sigmoid", "--score", "bic", "--search", "hill"]
        table = a.yeast / "gasch2000_complete.tsv.gz"
        text = output_of(a.binary, "cv", table, *options, "--methods", " ".join(METHODS), "--folds", 5, "--json", "--quiet")
        folds = json.loads(text)

        def mean(method, key):
            values = [fold[key] for fold in folds if fold["method"] == method]
            return sum(values) / len(values)

        for method in METHODS:
            mine = {key: mean(method, key) for key in ("train", "test", "evaluations", "seconds")}
            first = {key: mean("greedy", key) for key in mine}
            same = method == "greedy"
            report.row(
                name, method,
                f"{mine['train']:.4f}", "" if same else f"{mine['train'] - first['train']:+.4f}",
                f"{mine['test']:.4f}", "" if same else f"{mine['test'] - first['test']:+.4f}",
                f"{mine['evaluations']:.0f}", "" if same else f"{first['evaluations'] / mine['evaluations']:.1f}x",
                f"{mine['seconds']:.3f}", "" if same else f"{first['seconds'] / mine['seconds']:.1f}x",
            )  # fmt: skip
    report.close()


def part_moves(a, folder):
    report = Report(a.output, "moves", ["method", "moves", "greedy's moves", "edges", "score", "evaluations", "fewer", "seconds", "faster"])
    table = generated(folder, 1000, 1) / "train.tsv"
    first = None
    for method, options in [("greedy", ["--method", "greedy"]), ("ideal, K=1", ["-k", 1]), ("ideal, K=2", ["-k", 2]), ("ideal, K=auto", ["-k", "auto"])]:
        trace = folder / "trace.jsonl"
        r = learn(a.binary, table, folder, "--cpd", "sigmoid", "--score", "bic", "--trace", trace, *options)
        steps = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
        steps = [tuple(step.get(key) for key in ("move", "child", "parent", "replaced")) for step in steps]
        first = first or (steps, r)
        alike = next((i for i, pair in enumerate(zip(steps, first[0])) if pair[0] != pair[1]), min(len(steps), len(first[0])))
        same = "all" if steps == first[0] else f"the first {alike}"
        greedy = first[1]
        report.row(
            method, r["moves"], same, r["edges"], f"{r['score']:.2f}", r["evaluations"],
            f"{greedy['evaluations'] / r['evaluations']:.1f}x",
            f"{r['seconds']:.2f}", f"{greedy['seconds'] / r['seconds']:.1f}x",
        )  # fmt: skip
    report.close()


def part_fit(a, folder):
    report = Report(a.output, "fit", ["instances", "parents", "microseconds", "slowest of five runs"])
    found = {}
    for _ in range(5):
        manifest = ["--manifest-path", HERE.parent / "Cargo.toml"]
        text = output_of("cargo", "bench", "--quiet", *manifest, "--bench", "fit", "-p", "idealparent")
        for m, k, microseconds in re.findall(r"^(\d+)\t(\d+)\t([\d.]+)$", text, re.M):
            found.setdefault((m, k), []).append(float(microseconds))
    for (m, k), times in found.items():
        report.row(m, k, min(times), max(times))
    report.close()


def part_recovery(a, folder):
    columns = ["seed", "cpd", "search", "edges", "skeleton F1", "directed F1", "score", "the truth's score", "test", "seconds"]
    report = Report(a.output, "recovery", columns)
    for seed in (1, 2, 3):
        data = generated(folder, 500, seed)
        for cpd, search in itertools.product(("sigmoid", "linear", "linear,sigmoid"), ("hill", "order")):
            r = learn(a.binary, data / "train.tsv", folder, "--cpd", cpd, search=search)
            found = json.loads(output_of(a.binary, "compare", folder / "net.json", data / "truth.tsv", "--json"))
            held_out = json.loads(output_of(a.binary, "score", folder / "net.json", data / "test.tsv", "--json"))
            truth = json.loads(output_of(a.binary, "fit", data / "truth.tsv", data / "train.tsv", "--cpd", cpd, "-o", folder / "truth.json", "--json"))
            report.row(
                seed, cpd, search, r["edges"], f"{found['skeleton']['f1']:.3f}", f"{found['directed']['f1']:.3f}",
                f"{r['score']:.1f}", f"{truth['score']:.1f}", f"{held_out['log_likelihood'] / (1000 * 44):.3f}", f"{r['seconds']:.3f}",
            )  # fmt: skip
    report.close()


def complete_genes(a, folder):
    """Writes a list of the genes without missing values."""
    path = folder / "complete.txt"
    with gzip.open(a.yeast / "gasch2000_complete.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter="\t"))[1:]
    path.write_text("".join(f"{row[0]}\n" for row in rows if all(row[1:])), encoding="utf-8")
    return path


def report_learning(a, folder, part, case, table, *options):
    report = Report(a.output, part, "case seconds wall MiB edges moves evaluations".split())
    r = learn(a.binary, table, folder, "--cpd", "sigmoid", *options)
    report.row(
        case, f"{r['seconds']:.2f}", f"{r['wall']:.2f}", f"{r['mib']:.0f}", r["edges"], r["moves"], r["evaluations"]
    )
    report.close()


def part_yeast(a, folder):
    table, genes = a.yeast / "gasch2000_complete.tsv.gz", complete_genes(a, folder)
    count = len(genes.read_text(encoding="utf-8").split())
    report_learning(a, folder, "yeast", f"N={count} M=173", table, "--transpose", "--variables", genes)


def part_large(a, folder):
    report_learning(a, folder, "large", "N=6152 M=173", filled_yeast(folder, a.yeast))


def profile(a, folder, part, frequency, *data):
    report = Report(a.output, part, ["share of processor time", "work"])
    recorded = folder / "perf.data"
    learning = [a.binary, "learn", *data, "--quiet", "--search", "hill", "--cpd", "sigmoid", "-o", folder / "net.json"]
    perf = ["perf", "record", "--quiet", "-e", "cpu-clock", "-F", frequency, "--call-graph", "dwarf,16384", "-o", recorded]
    output_of(*perf, *learning)
    text = output_of("perf", "script", "-i", recorded, "--no-inline", "-F", "ip,sym")
    shares = dict.fromkeys([name for name, _ in WORK] + ["reading, writing, the rest"], 0)
    samples = [sample.splitlines() for sample in text.split("\n\n") if sample.strip()]
    for sample in samples:
        found = (name for frame in sample for name, pattern in WORK if re.search(pattern, frame))
        shares[next(found, "reading, writing, the rest")] += 1
    for work, count in shares.items():
        report.row(f"{100 * count / len(samples):.0f} %", work)
    report.close()


def part_profile(a, folder):
    table, genes = a.yeast / "gasch2000_complete.tsv.gz", complete_genes(a, folder)
    profile(a, folder, "profile", 299, table, "--transpose", "--variables", genes)


def part_profile_large(a, folder):
    profile(a, folder, "profile_large", 49, filled_yeast(folder, a.yeast))


PARTS = {name[5:]: part for name, part in globals().items() if name.startswith("part_")}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS])
    p.add_argument("--binary", type=pathlib.Path, default=HERE.parent / "target/release/idealparent")
    p.add_argument("--yeast", type=pathlib.Path)
    p.add_argument("-o", "--output", type=pathlib.Path, help="folder for the rows as TSV")
    a = p.parse_args()
    data = pathlib.Path(os.environ.get("IDEALPARENT_DATA", HERE.parent / "../shared/data"))
    a.yeast = a.yeast or data / "gasch2000_yeast_stress"
    for name in a.parts or list(PARTS)[:5]:
        if name not in ("moves", "fit", "recovery") and not (a.yeast / "gasch2000_complete.tsv.gz").exists():
            print(f"{name}: the data are missing ({a.yeast})", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](a, pathlib.Path(folder))


if __name__ == "__main__":
    main()
