"""The parts of bench/hidden.py that repeat the paper's experiments."""
import csv
import time

import numpy as np

from hidden_tools import Report, held_out
from missing_tools import json_of, learn, output_of

METHODS = {
    "greedy": ["--method", "greedy"],
    "ideal K=2": ["--method", "ideal", "-k", "2"],
    "ideal K=5": ["--method", "ideal", "-k", "5"],
}


def topology(a, folder, cpd):
    """The rebuilt network of regulators and genes, fitted to the 17 arrays."""
    source = a.data / "yeast_cell_cycle_topology"
    with open(source / "topology_rebuild_edges.tsv", encoding="utf-8") as lines:
        edges = list(csv.reader(lines, delimiter="\t"))[1:]
    with open(source / "cdc28_expression.tsv", encoding="utf-8") as lines:
        genes = list(csv.reader(lines, delimiter="\t"))[1:]
    # One gene has no observed values.
    vary = {row[0] for row in genes if len(set(row[1:]) - {""}) > 1}
    edges = [edge for edge in edges if edge[1] in vary]
    path = folder / "edges.tsv"
    path.write_text("from\tto\n" + "".join("\t".join(edge) + "\n" for edge in edges))
    regulators = sorted({edge[0] for edge in edges})
    network = folder / f"topology_{cpd}.json"
    output_of(
        a.binary, "fit", path, source / "cdc28_expression.tsv", "--transpose", "--hidden", ",".join(regulators), "--cpd", cpd,
        "-o", network, "--quiet",
    )  # fmt: skip
    return network, path, regulators


def part_topology(a, folder):
    columns = ["cpd", "M", "method", "hidden", "edges", "train", "test", "moves", "evaluations", "seconds"]
    report = Report(a.output, "topology", columns)
    for cpd in ("linear", "sigmoid"):
        network, edges, regulators = topology(a, folder, cpd)
        test = folder / "test.tsv"
        output_of(a.binary, "sample", network, "-n", "500", "--seed", "1000", "-o", test)
        sizes = (17, 50) if a.quick else (17, 25, 50, 100, 200, 500)
        for m in sizes:
            train, found = folder / "train.tsv", folder / "found.json"
            output_of(a.binary, "sample", network, "-n", m, "--seed", m, "-o", train)
            for method, options in METHODS.items():
                options = [*options, "--cpd", cpd, "--two-layer", "--hidden", "auto"]
                r = learn(a.binary, train, found, *options)
                report.row(
                    cpd, m, method, r["hidden"], r["edges"], f"{held_out(a, found, train):.2f}", f"{held_out(a, found, test):.2f}",
                    r["moves"], r["evaluations"], f"{r['seconds']:.2f}",
                )  # fmt: skip
            options = ["--hidden", ",".join(regulators), "--cpd", cpd, "-o", found, "--quiet"]
            r = json_of(a.binary, "fit", edges, train, *options)
            report.row(
                cpd, m, "Golden", r["hidden"], r["edges"], f"{held_out(a, found, train):.2f}", f"{held_out(a, found, test):.2f}",
                "", "", f"{r['seconds']:.2f}",
            )  # fmt: skip
    report.close()


def part_cellcycle(a, folder):
    columns = ["most hidden parents", "method", "train", "test", "to greedy", "hidden", "edges", "seconds"]
    report = Report(a.output, "cellcycle", columns)
    source = a.data / "yeast_cell_cycle_topology" / "cdc28_expression.tsv"
    with open(source, encoding="utf-8") as lines:
        names, *rows = list(csv.reader(lines, delimiter="\t"))
    arrays = list(zip(*(row[1:] for row in rows)))
    header = "\t".join(row[0] for row in rows) + "\n"
    line = lambda array: "\t".join(array) + "\n"
    for most in (2,) if a.quick else (2, 5):
        results = {}
        for method, options in METHODS.items():
            seen = []
            for left in range(3 if a.quick else len(arrays)):
                train, test, found = folder / "train.tsv", folder / "test.tsv", folder / "found.json"
                train.write_text(header + "".join(line(array) for i, array in enumerate(arrays) if i != left))
                test.write_text(header + line(arrays[left]))
                words = [*options, "--two-layer", "--hidden", "auto", "--max-parents", most, "--gamma", 0.5, "--row-names", "no"]
                r = learn(a.binary, train, found, *words)
                seen.append([held_out(a, found, train), held_out(a, found, test), r["hidden"], r["edges"], r["seconds"]])
            results[method] = np.mean(seen, axis=0)
            train, test, hidden, edges, seconds = results[method]
            difference = test - results["greedy"][1]
            report.row(
                most, method, f"{train:.2f}", f"{test:.2f}", f"{difference:+.2f}", f"{hidden:.1f}", f"{edges:.0f}",
                f"{seconds:.2f}",
            )  # fmt: skip
    report.close()


def part_large(a, folder):
    """All yeast genes with missing entries filled with the gene's mean: two layers, with one hidden
    variable besides the parent of all genes.
    """
    import gzip

    report = Report(a.output, "large", ["genes", "arrays", "hidden", "children", "seconds", "wall", "MiB"])
    genes = []
    with gzip.open(a.data / "gasch2000_yeast_stress" / "gasch2000_complete.tsv.gz", "rt", encoding="utf-8") as lines:
        for row in list(csv.reader(lines, delimiter="\t"))[1:]:
            values = np.array([float(cell) if cell else np.nan for cell in row[1:]])
            if np.isfinite(values).sum() > 1:
                genes.append((row[0], np.where(np.isnan(values), np.nanmean(values), values)))
    genes = genes[:500] if a.quick else genes
    table, found = folder / "genes.tsv", folder / "found.json"
    with open(table, "w", encoding="utf-8") as out:
        out.write("\t".join(name for name, _ in genes) + "\n")
        for array in zip(*(values for _, values in genes)):
            out.write("\t".join(map(repr, map(float, array))) + "\n")
    began = time.perf_counter()
    r = learn(a.binary, table, found, "--two-layer", "--hidden", "2")
    wall = time.perf_counter() - began
    report.row(len(genes), len(genes[0][1]), r["hidden"], r["edges"], f"{r['seconds']:.1f}", f"{wall:.1f}", f"{r['mib']:.0f}")
    report.close()
