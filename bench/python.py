#!/usr/bin/env python3
"""Measures the overhead of learning from Python, compared with the command.

    bench/python.py [--binary PATH] [--runs 15] [-o docs/benchmarks]

Learns from 500 variables and 1000 instances (`generate.py linear 500 1000 1`) alternately with the
command and with `ip.learn` on a numpy array. *learning* is the reported time of learning, *wall*
the time of the whole call. The command's wall time, which includes starting, reading and writing,
is given for comparison. Prints medians, and the overhead of the call over the command's learning
time. Needs numpy and the installed package.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import idealparent as ip

HERE = pathlib.Path(__file__).resolve().parent


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--binary", type=pathlib.Path, default=HERE.parent / "target/release/idealparent")
    p.add_argument("--runs", type=int, default=15)
    p.add_argument("-o", "--output", type=pathlib.Path)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([sys.executable, HERE / "generate.py", "linear", "500", "1000", "1", folder], check=True, stdout=subprocess.DEVNULL)
        with open(folder / "train.tsv", encoding="utf-8") as lines:
            names = lines.readline().rstrip("\n").split("\t")
        values = np.asfortranarray(np.loadtxt(folder / "train.tsv", delimiter="\t", skiprows=1))
        rows = {"command": [], "ip.learn": []}
        for _ in range(a.runs):
            began = time.perf_counter()
            words = [a.binary, "learn", folder / "train.tsv", "-o", folder / "net.json", "--json", "--quiet"]
            said = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
            rows["command"].append((said["seconds"], time.perf_counter() - began))
            began = time.perf_counter()
            net = ip.learn(values, names=names, progress=False)
            rows["ip.learn"].append((net.info["seconds"], time.perf_counter() - began))
        assert net.to_json() == (folder / "net.json").read_text(), "both must give the same network"
    table = [["", "learning", "wall", "wall over the command's learning"]]
    own = statistics.median(seconds for seconds, _ in rows["command"])
    for name, runs in rows.items():
        learning, wall = (statistics.median(column) for column in zip(*runs))
        table.append([name, f"{learning:.4f}", f"{wall:.4f}", f"{100 * (wall / own - 1):+.1f} %"])
    inside = statistics.median(wall / learning - 1 for learning, wall in rows["ip.learn"])
    for i, row in enumerate(table):
        print("| " + " | ".join(row) + " |")
        if i == 0:
            print("|" + "---|" * len(row))
    print(f"\noverhead of a call over its own learning time: {100 * inside:+.2f} %")
    if a.output:
        (a.output / "python.tsv").write_text("".join("\t".join(row) + "\n" for row in table), encoding="utf-8")


if __name__ == "__main__":
    main()
