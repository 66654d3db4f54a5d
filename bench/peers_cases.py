"""The data for bench/peers.py. Needs numpy."""
import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

import generate
from peers_programs import HERE

KINDS = ("linear", "sigmoid", "reference")
SIZES = [(44, 173), (100, 500), (100, 5000), (500, 1000), (1000, 1000)]
SCALINGS = ("raw", "standardised")
REFERENCES = {"ecoli70": 46, "magic-niab": 44}
REFERENCE_FOLDER = "bnlearn_gaussian_networks"


@dataclass(frozen=True)
class Case:
    """A pair of tables, and the network they are drawn from. `kind` is a value of --cases."""

    kind: str
    name: str
    n: int
    m: int
    seed: int
    scaling: str

    def key(self):
        return tuple(map(str, (self.name, self.n, self.m, self.seed, self.scaling)))


def cases(kinds, quick):
    """All cases of these kinds. Seeds vary last, so that a program that fails at the first seed can
    be skipped for the others.
    """
    if quick:
        return [Case("linear", "linear", *SIZES[0], 1, "raw")]
    found = []
    if "linear" in kinds:
        found += [Case("linear", "linear", n, m, seed, s) for n, m in SIZES for s in SCALINGS for seed in (1, 2, 3)]
    if "sigmoid" in kinds:
        found += [Case("sigmoid", "sigmoid", 44, 500, seed, s) for s in SCALINGS for seed in (1, 2, 3)]
    if "reference" in kinds:
        found += [Case("reference", name, n, m, 1, s) for name, n in REFERENCES.items() for m in (100, 500, 5000) for s in SCALINGS]
    return found


def missing(case, data):
    """Whether the network that the case is drawn from is missing."""
    return case.kind == "reference" and not reference_file(case, data).exists()


def reference_file(case, data):
    return data / REFERENCE_FOLDER / f"{case.name}.json"


def make(case, folder, data):
    """Writes train.tsv, test.tsv and truth.tsv of a case into a folder."""
    if case.kind == "reference":
        make_reference(case, folder, json.loads(reference_file(case, data).read_text(encoding="utf-8")))
        return
    scaling = ["--standardise"] if case.scaling == "standardised" else []
    words = [case.kind, case.n, case.m, case.seed, folder, *scaling]
    subprocess.run([sys.executable, HERE / "generate.py", *map(str, words)], check=True)


def sample(network, instances, rng):
    """Samples from a linear Gaussian network, with variables in the order of its list of nodes."""
    nodes = {node["name"]: node for node in network["nodes"]}
    values = {}
    for name in network["topological_order"]:
        node = nodes[name]
        noise = rng.normal(size=instances) * np.sqrt(node["variance"])
        parents = zip(node["parents"], node["coefficients"], strict=True)
        values[name] = node["intercept"] + noise + sum(weight * values[parent] for parent, weight in parents)
    return list(nodes), np.column_stack([values[name] for name in nodes])


def make_reference(case, folder, network):
    """Writes the tables of a reference network: M training instances and 2,000 test instances."""
    names, values = sample(network, case.m + 2000, np.random.default_rng(case.seed))
    train, test = values[: case.m], values[case.m :]
    if case.scaling == "standardised":
        # As in generate.py: divided by the standard deviation of the training table.
        deviation = train.std(0)
        train, test = train / deviation, test / deviation
    generate.table(folder / "train.tsv", train, names)
    generate.table(folder / "test.tsv", test, names)
    with open(folder / "truth.tsv", "w", encoding="utf-8") as file:
        file.write("from\tto\tweight\n")
        for node in network["nodes"]:
            for parent, weight in zip(node["parents"], node["coefficients"], strict=True):
                file.write(f"{parent}\t{node['name']}\t{weight!r}\n")
