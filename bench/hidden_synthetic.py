"""The parts of bench/hidden.py with a known true structure."""
import json

import numpy as np

from hidden_tools import Report, agreement, factor_analysis, generated, held_out, profile_correlation
from missing_tools import learn, output_of

HIDDEN = ",".join(f"H{i + 1}" for i in range(7))
COLUMNS = ["M", "seed", "hidden", "profiles", "precision", "recall", "F1", "held out", "Golden", "FactorAnalysis", "none hidden", "seconds"]


def golden(a, data, network):
    output_of(a.binary, "fit", data / "truth.tsv", data / "train.tsv", "--hidden", HIDDEN, "-o", network, "--quiet")
    return held_out(a, network, data / "test.tsv")


def one(a, folder, m, seed, *options):
    """A row of the table of two-layer networks."""
    data = generated(folder, "twolayer", 7, 141, m, seed)
    network, profiles = folder / "net.json", folder / "profiles.tsv"
    for path in (network, profiles):
        path.unlink(missing_ok=True)
    r = learn(a.binary, data / "train.tsv", network, "--two-layer", "--hidden", "auto", "--profiles", profiles, *options)
    found = agreement(a, network, data / "truth.tsv")
    correlation = 0.0
    if r["hidden"]:
        correlation = profile_correlation(found, profiles, data / "hidden.tsv")
        found = found["directed"]
    else:
        found = {"precision": 1.0, "recall": 0.0, "f1": 0.0}
    mine = held_out(a, network, data / "test.tsv")
    best = golden(a, data, network)
    factors = factor_analysis(data / "train.tsv", data / "test.tsv")
    # With this penalty no edge is added.
    learn(a.binary, data / "train.tsv", network, "--gamma", 1000)
    without = held_out(a, network, data / "test.tsv")
    return [r["hidden"], correlation, found["precision"], found["recall"], found["f1"], mine, best, factors, without, r["seconds"]]


def twolayer_row(report, m, seed, values):
    hidden, correlation, precision, recall, f1, mine, best, factors, without, seconds = values
    report.row(
        m, seed, f"{hidden:g}", f"{correlation:.3f}", f"{precision:.3f}", f"{recall:.3f}", f"{f1:.3f}", f"{mine:.2f}",
        f"{best:.2f}", "" if factors is None else f"{factors:.2f}", f"{without:.2f}", f"{seconds:.2f}",
    )  # fmt: skip


def twolayer(a, folder, report, m, *options):
    rows = []
    for seed in (0,) if a.quick else range(10):
        rows.append(one(a, folder, m, seed, *options))
        twolayer_row(report, m, seed, rows[-1])
    columns = list(zip(*rows))
    means = [None if None in values else float(np.mean(values)) for values in columns]
    twolayer_row(report, m, "mean", means)


def part_twolayer(a, folder):
    report = Report(a.output, "twolayer", COLUMNS)
    for m in (17, 50) if a.quick else (17, 50, 200, 1000):
        twolayer(a, folder, report, m)
    report.close()


def part_small(a, folder):
    report = Report(a.output, "small", COLUMNS)
    twolayer(a, folder, report, 17, "--gamma", 0.5)
    report.close()


def part_confounded(a, folder):
    columns = ["seed", "--hidden", "hidden", "their edges: precision", "recall", "observed edges", "of", "SHD over observed", "score", "held out", "seconds"]
    report = Report(a.output, "confounded", columns)
    network = folder / "net.json"
    for seed in (1,) if a.quick else range(1, 11):
        data = generated(folder, "confounded", 100, 500, seed)
        edges = [line.split("\t")[:2] for line in (data / "truth.tsv").read_text().splitlines()[1:]]
        causes = [edge for edge in edges if edge[0].startswith("H")]
        observed = folder / "observed.tsv"
        observed.write_text("from\tto\n" + "".join("\t".join(edge) + "\n" for edge in edges if edge not in causes))
        for asked in ("0", "auto"):
            r = learn(a.binary, data / "train.tsv", network, "--hidden", asked)
            found = agreement(a, network, data / "truth.tsv" if r["hidden"] else observed)
            part = found.get("observed", found["skeleton"])
            count = r["edges"]
            right = learned = 0
            if r["hidden"]:
                right, learned = hidden_edges(a, network, found, causes)
                count -= learned
            report.row(
                seed, asked, r["hidden"], f"{right / learned:.2f}" if learned else "", f"{right / len(causes):.2f}", count,
                len(edges) - len(causes), part["shd"], f"{r['score']:.1f}", f"{held_out(a, network, data / 'test.tsv'):.3f}",
                f"{r['seconds']:.2f}",
            )  # fmt: skip
    report.close()


def hidden_edges(a, network, found, causes):
    """The numbers of correct and of all learned edges from hidden variables."""
    parents = {family["variable"]: family["parents"] for family in json.loads(network.read_text())["families"]}
    edges = [(p, child) for child, of in parents.items() for p in of if p.startswith("H")]
    same = {match["learned"]: match["reference"] for match in found["hidden"]["matches"]}
    right = sum([same.get(p), child] in causes for p, child in edges)
    return right, len(edges)


def part_none(a, folder):
    report = Report(a.output, "none", ["seed", "hidden", "tried", "seconds"])
    network = folder / "net.json"
    for seed in (1,) if a.quick else range(1, 21):
        data = generated(folder, "linear", 100, 500, seed)
        r = learn(a.binary, data / "train.tsv", network, "--hidden", "auto")
        report.row(seed, r["hidden"], r["hidden_tried"], f"{r['seconds']:.2f}")
    report.close()
