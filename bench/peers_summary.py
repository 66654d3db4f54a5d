"""The Markdown tables of bench/peers.py: means over the seeds of each case."""
import math

# Heading, column, decimals.
COLUMNS = [
    ("wall", "wall", 2),
    ("learning", "seconds", 3),
    ("CPU", "cpu", 2),
    ("MiB", "mib", 0),
    ("edges", "edges", 0),
    ("BIC − truth's", "bic_gain", 1),
    ("SHD", "cpdag_shd", 1),
    ("skeleton F1", "skeleton_f1", 3),
    ("arrow F1", "directed_f1", 3),
    ("held out", "held_out", 4),
]


def mean(rows, column, decimals):
    if column == "bic_gain":
        values = [float(row["bic"]) - float(row["truth_bic"]) for row in rows if row["bic"]]
    else:
        values = [float(row[column]) for row in rows if row[column]]
    return f"{math.fsum(values) / len(values):.{decimals}f}" if values else ""


def blocks(rows):
    """The rows of each (case, N, M, scaling), in their original order."""
    found = {}
    for row in rows:
        if row["n"]:
            found.setdefault((row["case"], row["n"], row["m"], row["scaling"]), []).append(row)
    return found


def remark(rows, good):
    """How many seeds were averaged, and the status of the others."""
    others = [row["status"] for row in rows if row["status"] != "ok"]
    words = [] if len(good) == len(rows) else [f"{len(good)} of {len(rows)} seeds"] if good else []
    return "; ".join(words + sorted(set(others), key=others.index))


def summary(rows):
    """All blocks as one text, followed by what is missing."""
    lines = []
    for (case, n, m, scaling), block in blocks(rows).items():
        sortability = mean(block, "var_sortability", 2)
        seeds = len({row["seed"] for row in block})
        lines += [f"\n### {case}, N = {n}, M = {m}, {scaling}\n", f"{seeds} seed{'s'[: seeds > 1]}, var-sortability {sortability}\n"]
        lines += [f"| program | {' | '.join(heading for heading, *_ in COLUMNS)} | status |", f"|---|{'---:|' * len(COLUMNS)}---|"]
        for program in dict.fromkeys(row["program"] for row in block):
            mine = [row for row in block if row["program"] == program]
            good = [row for row in mine if row["status"].startswith("ok")]
            cells = [mean(good, column, decimals) for _, column, decimals in COLUMNS]
            lines.append(f"| {program} | {' | '.join(cells)} | {remark(mine, good)} |")
    absent = [f"- {row['program'] or row['case']}: {row['status']}" for row in rows if not row["n"]]
    return "\n".join(lines + ([""] + absent if absent else [])) + "\n"
