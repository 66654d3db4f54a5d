"""Fixtures: tables that several tests learn from."""

import gzip
import shutil

import numpy as np
import pytest

import common

# Names of generated tables, with the arguments of the generator.
GENERATED = {"linear20": (20, 100, 1), "linear44": (44, 173, 2), "linear100": (100, 500, 3)}
YEAST = {"aa": "aa_rebuild_nomiss.txt", "met": "met_rebuild_nomiss.txt"}
# Real tables, with the size, centre and scale of a generated table that replaces each if the shared
# data are missing. The numbers of the tests that use them must agree on any data.
STAND_INS = {
    "aa": (44, 173, 0, 0.5),
    "met": (89, 173, 0, 0.5),
    "marks": (5, 88, 45, 15),
    "gaussian_test": (7, 1000, 3, 4),
}


class Tables:
    """Complete tables as TSV files. Each is made when it is first used."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        path = self.folder / f"{name}.tsv"
        if not path.exists():
            self.make(name, path)
        return path

    def values(self, name):
        return common.read_table(self.path(name))

    def make(self, name, path):
        if name in STAND_INS and not common.has_data():
            variables, instances, centre, scale = STAND_INS[name]
            values = common.generator().linear(variables, instances, 1)[0]
            values = centre + scale * values / values.std(axis=0)
            common.write_table(path, [f"X{i}" for i in range(variables)], values)
        elif name in GENERATED:
            generate = common.generator()
            values = generate.linear(*GENERATED[name])[0]
            generate.table(path, values, [f"X{i}" for i in range(values.shape[1])])
        elif name in YEAST:
            self.make_yeast(name, path)
        elif name == "marks":
            shutil.copyfile(common.data_file("bnlearn_small", "marks.tsv"), path)
        elif name == "gaussian_test":
            packed = common.data_file("bnlearn_small", "gaussian_test.tsv.gz")
            path.write_bytes(gzip.decompress(packed.read_bytes()))
        else:
            common.idealparent("examples", name, "-o", path)

    def make_yeast(self, name, path):
        """The genes without missing values, transposed so that each gene is a column."""
        table, genes = yeast(name)
        wanted = genes.read_text(encoding="utf-8").split()
        rows = {}
        with gzip.open(table, "rt", encoding="utf-8") as lines:
            for line in lines:
                gene, *cells = line.rstrip("\n").split("\t")
                rows[gene] = cells
        values = np.array([rows[gene] for gene in wanted], float).T
        common.write_table(path, wanted, values)


def yeast(name):
    """The file of all genes, and the list of the genes in a set."""
    folder = "gasch2000_yeast_stress"
    return (
        common.data_file(folder, "gasch2000_complete.tsv.gz"),
        common.data_file(folder, YEAST[name]),
    )


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    return Tables(tmp_path_factory.mktemp("tables"))


def pytest_terminal_summary(terminalreporter):
    """Prints the counts that ./test adds up."""
    stats = terminalreporter.stats

    def count(*kinds):
        return sum(len(stats.get(kind, [])) for kind in kinds)

    passed, failed, skipped = count("passed"), count("failed", "error"), count("skipped")
    terminalreporter.write_line(f"pytest: {passed} passed, {failed} failed, {skipped} skipped")


@pytest.fixture(scope="session")
def chain():
    """Names and values of a network A -> B -> C with a separate variable D."""
    rng = np.random.default_rng(7)
    a = rng.normal(size=200)
    b = 0.8 * a + 0.5 * rng.normal(size=200)
    c = -0.7 * b + 0.5 * rng.normal(size=200)
    return ["A", "B", "C", "D"], np.column_stack([a, b, c, rng.normal(size=200)])


@pytest.fixture(scope="session")
def holes(chain):
    names, values = chain
    values = values.copy()
    values[np.random.default_rng(2).random(values.shape) < 0.1] = np.nan
    return names, values
