"""Functions shared by the parts of bench/missing.py: tables, missing values, running the command.

Needs numpy.
"""
import csv
import functools
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

import generate
import report

HERE = pathlib.Path(__file__).resolve().parent


Report = functools.partial(report.Report, "missing")


# The peak memory that Linux reports for a process is at least the memory of its parent when it was
# started, and this process may hold more than the command. So a small parent process starts the
# command, and writes the time and memory to a pipe.
STARTER = """
import os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(process.pid, 0)
os.write(int(sys.argv[1]), f"{time.perf_counter() - began} {usage.ru_maxrss / 1024}".encode())
os._exit(1 if status else 0)
"""


def output_of(*command):
    """Standard output of a command that must succeed, with its wall time and its peak memory.

    The memory is never below the 10 MiB of the parent.
    """
    command = list(map(str, command))
    reading, writing = os.pipe()
    starter = [sys.executable, "-I", "-S", "-c", STARTER, str(writing)]
    result = subprocess.run([*starter, *command], stdout=subprocess.PIPE, encoding="utf-8", pass_fds=[writing])
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        seen = pipe.read().split()
    if result.returncode:
        sys.exit(f"failed: {' '.join(command)}")
    wall, mib = map(float, seen)
    return result.stdout, wall, mib


def json_of(*command):
    return json.loads(output_of(*command, "--json")[0])


def learn(binary, table, network, *options):
    """The output of `learn --json`, with wall time and peak memory."""
    text, wall, mib = output_of(binary, "learn", table, "-o", network, "--json", "--quiet", *options)
    return json.loads(text) | {"wall": wall, "mib": mib}


def generated(folder, kind, n, m, seed, share=0.0):
    """The folder with the output of `generate.py kind n m seed`, generated once.

    Entries that are missing at a small share are also missing at a larger one.
    """
    out = folder / f"{kind}_{n}_{m}_{seed}_{share}"
    if not out.exists():
        words = [kind, n, m, seed, out, "--missing", share]
        subprocess.run([sys.executable, HERE / "generate.py", *map(str, words)], check=True)
    return out


def read_table(path):
    """Names of the columns, and the values."""
    with open(path, encoding="utf-8") as lines:
        names, *rows = csv.reader(lines, delimiter="\t")
    return names, np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])


def with_holes(path, share, seed, out):
    """Writes a copy of a table with entries removed at random."""
    names, values = read_table(path)
    hole = np.random.default_rng(seed).random(values.shape) < share
    generate.table(out, np.where(hole, np.nan, values), names)
    return out
