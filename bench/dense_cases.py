"""The data of bench/dense.py: the rows of its table, and the files of a case. Needs numpy."""
import hashlib
import pathlib
import subprocess
import sys
from dataclasses import dataclass

import peers_cases
from peers_programs import HERE

STRONG, MILD, MEDIUM = (0.5, 2.0), (0.2, 0.7), (0.2, 0.8)
# Settings of the small problems. The seed of a problem determines its combination of them. The
# lengths of the lists have no common factor, so 30 successive seeds cover all combinations.
SMALL_INSTANCES, SMALL_DEGREES, SMALL_WEIGHTS = (60, 125, 250, 500, 1000), (4, 6, 8), (STRONG, MILD)


@dataclass(frozen=True)
class Row:
    """One setting. Its cases differ by their seed alone."""

    name: str
    title: str
    n: int
    m: int
    degree: int = 0
    weights: tuple = STRONG
    graph: str = "random"
    penalty: float = 1.0
    quick: bool = False

    @property
    def reference(self):
        return self.graph == "reference"

    @property
    def exact(self):
        """Whether the best network is found by exact search."""
        return self.graph == "small"

    def seeds(self, count, small):
        return range(1, (small if self.exact else count) + 1)


def references():
    return [
        Row(f"{name}-{m}", f"{name}, M = {m}", n, m, graph="reference", quick=m == 500)
        for name, n in peers_cases.REFERENCES.items()
        for m in (100, 500, 5000)
    ]


ROWS = [
    Row("50-16-strong", "50 variables, degree 16, weights .5–2, M = 1000", 50, 1000, 16),
    Row("50-16-mild", "50 variables, degree 16, weights .2–.7, M = 1000", 50, 1000, 16, MILD),
    Row("30-8-strong", "30 variables, degree 8, weights .5–2, M = 300", 30, 300, 8, quick=True),
    Row("50-8-medium", "50 variables, degree 8, weights .2–.8, M = 1000", 50, 1000, 8, MEDIUM, quick=True),
    Row("50-8-strong", "50 variables, degree 8, weights .5–2, M = 1000", 50, 1000, 8),
    Row("50-8-double", "50 variables, degree 8, weights .5–2, M = 1000, twice the penalty", 50, 1000, 8, penalty=2.0),
    Row("50-4-strong", "50 variables, degree 4, weights .5–2, M = 1000", 50, 1000, 4, quick=True),
    Row("50-2-strong", "50 variables, degree 2, weights .5–2, M = 1000", 50, 1000, 2, quick=True),
    Row("50-4-scale-free", "50 variables, scale-free, degree 4, weights .5–2, M = 1000", 50, 1000, 4, graph="scale-free", quick=True),
    Row("50-8-scale-free", "50 variables, scale-free, degree 8, weights .5–2, M = 1000", 50, 1000, 8, graph="scale-free"),
    *references(),
    Row("12-exact", "12 variables, M = 60–1000", 12, 0, graph="small", quick=True),
]


def settings(row, seed):
    """Degree, instances and weights of a case."""
    if not row.exact:
        return row.degree, row.m, row.weights
    i = seed - 1
    return SMALL_DEGREES[i % 3], SMALL_INSTANCES[i % 5], SMALL_WEIGHTS[i % 2]


def missing(row, data):
    """Whether the network that the row samples from is missing."""
    return row.reference and not peers_cases.reference_file(row_case(row, 1), data).exists()


def row_case(row, seed):
    return peers_cases.Case("reference", row.name.rsplit("-", 1)[0], row.n, row.m, seed, "standardised")


def make(row, seed, folder, data):
    """Writes train.tsv and truth.tsv of a case into a folder, if they are not there."""
    folder = pathlib.Path(folder)
    if (folder / "truth.tsv").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    if row.reference:
        peers_cases.make(row_case(row, seed), folder, data)
        return
    degree, m, weights = settings(row, seed)
    words = ["dense", row.n, degree, m, seed, folder, "--weights", *weights]
    if row.graph == "scale-free":
        words += ["--graph", "scale-free"]
    subprocess.run([sys.executable, HERE / "generate_more.py", *map(str, words)], check=True)


def file_hash(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]
