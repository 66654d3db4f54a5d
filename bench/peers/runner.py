"""Shared by the runners: reads the table, times the learning call, and writes the edges.

A runner is called as `learn_X.py TRAIN OUT [options]`, with the interpreter of the peer's
environment. It writes the table OUT with the columns from and to. An undirected edge is listed in
both directions. It prints one JSON object on standard output: the `seconds` of the learning call
alone, and the peer's `version`. Output of the peer is redirected to standard error.
"""
import csv
import importlib.metadata
import json
import os
import sys
import time

import numpy as np


def read_table(path):
    """Names and values of a TSV table of numbers."""
    with open(path, encoding="utf-8") as file:
        names = next(csv.reader(file, delimiter="\t"))
        return names, np.loadtxt(file, delimiter="\t", ndmin=2)


def main(package, learn, version=None):
    """Calls `learn(names, values, options)`, which returns two functions: one that learns, and one
    that lists the learned edges.
    """
    train, out, *options = sys.argv[1:]
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    names, values = read_table(train)
    search, edges = learn(names, values, options)
    began = time.perf_counter()
    found = search()
    seconds = time.perf_counter() - began
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([("from", "to"), *edges(found)])
    json.dump({"seconds": seconds, "version": version or importlib.metadata.version(package)}, answer)
    answer.close()
