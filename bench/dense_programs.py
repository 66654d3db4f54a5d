"""The programs of bench/dense.py: how each is run on a case, and the results that are kept of FLOP.

A run is a dictionary with the name of the `program` and either its times and the `edges` that it
found or a `status` that says why there are none. Needs numpy.
"""
import hashlib
import json
import subprocess
import time
from dataclasses import dataclass

import numpy as np

import dense_sort
import generate
import peers_measures as measures
from dense_cases import file_hash
from dense_scores import centred
from peers import reason, run_limited
from peers_programs import HERE, python_of

# As in bench/peers/learn_flop.py. FLOP's result depends on the order of the columns.
ORDERS = ("given", "reversed", "1", "2")
# Further runs of idealparent on small problems.
SMALL = [(f"idealparent-{search}", f"--search {search} --score bic") for search in ("exact", "order")]


@dataclass(frozen=True)
class Limits:
    """How long a run may take, and how many threads idealparent uses. FLOP uses one."""

    seconds: float
    threads: int


def run_idealparent(binary, name, options, folder, limits):
    """Learns with idealparent. `options` is one string, as on a command line."""
    out = folder / "network.json"
    out.unlink(missing_ok=True)
    words = [binary, "learn", folder / "train.tsv", "-o", out, "--json", "--quiet", "--threads", limits.threads, *options.split()]
    run = {"program": name, "options": options}
    result = run_limited(words, folder, limits.seconds)
    if failed(run, result):
        return run
    names = measures.read_table(folder / "train.tsv")[0]
    run |= times(result)
    return run | {"edges": measures.network_edges(out, names), "consistent": True}


def run_sorted(kind, scorer):
    """Learns with the baseline that sorts the variables."""
    began, used = time.perf_counter(), time.process_time()
    edges = dense_sort.sort_and_regress(scorer, dense_sort.ORDERS[kind](scorer.table))
    took = {"seconds": round(time.perf_counter() - began, 5), "cpu": round(time.process_time() - used, 5)}
    return {"program": f"sort by {kind}", **took, "edges": edges, "consistent": True}


def times(result):
    """The seconds of the learning call, as the program says, and the CPU seconds of the process."""
    return {"seconds": round(json.loads(result["stdout"])["seconds"], 5), "cpu": round(result["cpu"], 3)}


def failed(run, result):
    """Whether there is no result; adds the reason to the run."""
    if result["limit"]:
        run["status"] = "time limit"
    elif result["code"]:
        run["status"] = f"failed: {reason(result)}"
    return "status" in run


class Flop:
    """FLOP with BIC in an environment of bench/peers.py.

    With `cache`, a folder, its results are kept and used again for the same table, restarts, order
    and version. Such results are marked, because their times were measured in another run.
    """

    def __init__(self, environments, limits, cache=None):
        self.python, self.limits, self.cache = python_of(environments / "flop"), limits, cache
        self.version = None
        if self.python.exists():
            code = "import importlib.metadata as m; print(m.version('flopsearch'))"
            self.version = subprocess.run([self.python, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout.strip()

    def check_penalty(self, folder):
        """Makes sure that an edge costs log(M)/2: of two columns whose edge gains 2 % less there is
        none, of two whose edge gains 2 % more there is one.
        """
        rng = np.random.default_rng(1)
        one, other = np.linalg.qr(centred(rng.normal(size=(500, 2))))[0].T
        for gain, edges in ((0.98, 0), (1.02, 2)):
            r = np.sqrt(-np.expm1(-gain * np.log(500) / 500))
            generate.table(folder / "train.tsv", np.column_stack([one, r * one + np.sqrt(1 - r * r) * other]), ["A", "B"])
            words = [self.python, HERE / "peers/learn_flop.py", folder / "train.tsv", folder / "flop.tsv", 1]
            subprocess.run(list(map(str, words)), check=True, capture_output=True)
            if len(measures.read_edges(folder / "flop.tsv", ["A", "B"])) != edges:
                raise SystemExit(f"flopsearch {self.version} does not maximise BIC with lambda 1")

    def kept(self, train, *options):
        """The file for the result of a run."""
        key = f"{file_hash(train)} {' '.join(map(str, options))} {self.version}"
        return self.cache / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"

    def run(self, folder, restarts, order, penalty=1.0):
        """Learns with FLOP, with the columns in this order, and with this multiple of BIC's
        penalty.
        """
        run = {"program": f"flop-{restarts}", "order": order}
        path = self.cache and self.kept(folder / "train.tsv", restarts, order, *([penalty] if penalty != 1 else []))
        if path and path.exists():
            return run | json.loads(path.read_text(encoding="utf-8")) | {"cached": True}
        out = folder / "flop.tsv"
        out.unlink(missing_ok=True)
        words = [self.python, HERE / "peers/learn_flop.py", folder / "train.tsv", out, restarts, order, penalty]
        result = run_limited(words, folder, self.limits.seconds)
        if failed(run, result):
            return run
        names = measures.read_table(folder / "train.tsv")[0]
        edges, consistent = measures.to_dag(len(names), measures.read_edges(out, names))
        found = times(result) | {"edges": edges, "consistent": consistent}
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(found), encoding="utf-8")
        return run | found
