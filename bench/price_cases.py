"""The data of bench/price.py, and how a network is learned from them. Needs numpy."""
import json
import subprocess
import sys
from dataclasses import dataclass

import dense_cases
import peers_cases
import peers_measures as measures
from dense_cases import STRONG, Row
from dense_scores import skeleton_f1
from peers_programs import HERE

MEDIUM = dense_cases.MEDIUM
REFERENCE_SIZES = (100, 500, 2000, 5000)


@dataclass(frozen=True)
class Sparse:
    """Data of `generate.py linear N M SEED`."""

    n: int
    m: int
    name: str
    quick: bool = False

    def make(self, seed, folder, data):
        run_generate("linear", self.n, self.m, seed, folder)


@dataclass(frozen=True)
class Dense:
    """A row of bench/dense.py, or one like it."""

    row: Row

    @property
    def name(self):
        return self.row.name

    @property
    def quick(self):
        return self.row.quick

    def make(self, seed, folder, data):
        dense_cases.make(self.row, seed, folder, data)


def random_graphs():
    for degree in (2, 4, 8, 16):
        for m in (1000, 300):
            for name, weights in (("medium", MEDIUM), ("strong", STRONG)):
                yield Row(f"50-{degree}-{name}-{m}", "", 50, m, degree, weights, quick=degree < 8)


def density_cases(data):
    """The cases of the part `density`. Reference networks whose file is missing are left out."""
    rows = list(random_graphs())
    rows += [row for row in dense_cases.ROWS if row.name == "30-8-strong" or row.graph == "scale-free"]
    references = [
        Row(f"{name}-{m}", "", n, m, graph="reference", quick=m == 500)
        for name, n in peers_cases.REFERENCES.items()
        for m in REFERENCE_SIZES
    ]
    for row in references:
        if dense_cases.missing(row, data):
            print(f"{row.name}: no data", file=sys.stderr)
        else:
            rows.append(row)
    sparse = [Sparse(100, 500, "linear-100-500"), Sparse(44, 173, "linear-44-173", quick=True)]
    return sparse + [Dense(row) for row in rows]


def run_generate(*words):
    """Runs generate.py with these arguments."""
    words = [sys.executable, HERE / "generate.py", *words]
    subprocess.run(list(map(str, words)), check=True)


def true_edges(folder):
    """The number of edges in truth.tsv."""
    return len((folder / "truth.tsv").read_text(encoding="utf-8").splitlines()) - 1


@dataclass(frozen=True)
class Learned:
    """A learned network."""

    score: float
    gamma: float | None
    edges: list
    seconds: float

    def f1(self, folder):
        """F1 of the skeleton, compared with truth.tsv in the folder of the data."""
        names = measures.read_table(folder / "train.tsv")[0]
        return skeleton_f1(self.edges, measures.read_edges(folder / "truth.tsv", names))


def command_json(*words):
    """What the command prints with --json. It must succeed."""
    words = [*map(str, words), "--json", "--quiet"]
    result = subprocess.run(words, stdout=subprocess.PIPE, encoding="utf-8")
    if result.returncode:
        sys.exit(f"failed: {' '.join(words)}")
    return json.loads(result.stdout)


def learn(a, folder, options=""):
    """Learns from train.tsv in the folder. `options` is one string, as on a command line."""
    out = folder / "network.json"
    printed = command_json(a.binary, "learn", folder / "train.tsv", "-o", out, "--threads", a.threads, *options.split())
    names = measures.read_table(folder / "train.tsv")[0]
    gamma = json.loads(out.read_text(encoding="utf-8"))["score"].get("gamma")
    return Learned(printed["score"], gamma, measures.network_edges(out, names), printed["seconds"])


def fitted_truth(a, folder, options):
    """The score of the true structure, with its parameters fitted."""
    words = [a.binary, "fit", folder / "truth.tsv", folder / "train.tsv", "--threads", a.threads, *options.split()]
    return command_json(*words)["score"]
