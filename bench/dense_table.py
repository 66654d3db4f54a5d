"""The output of bench/dense.py, and its tables in Markdown."""
import json
import math
import os

import dense_cases

BEGIN, END = "<!-- dense: begin -->", "<!-- dense: end -->"
# Two results are the same score if they differ by less, in nats.
SAME = 1e-6
RUN = "program order status seconds cpu cached edges bic skeleton_f1 same_class".split()


class Output:
    """The measured cases, in a JSON file. The runs of a case are lists there, to keep it small."""

    def __init__(self, path):
        self.path, self.machine, self.cases = path, None, {}
        if path.exists():
            read = json.loads(path.read_text(encoding="utf-8"))
            self.machine = read["machine"]
            for case in read["cases"]:
                runs = [dict(zip(read["columns"], run, strict=True)) for run in case["runs"]]
                runs = [{column: value for column, value in run.items() if value is not None} for run in runs]
                self.cases[case["row"], case["seed"]] = case | {"runs": runs, "key": read["keys"][case["key"]]}

    def has(self, row, seed, key):
        return (row, seed) in self.cases and self.cases[row, seed]["key"] == key

    def case(self, row, seed):
        return self.cases[row, seed]

    def add(self, case):
        """Adds a case, and replaces the file by a new one."""
        self.cases[case["row"], case["seed"]] = case
        place = {row.name: i for i, row in enumerate(dense_cases.ROWS)}
        cases = sorted(self.cases.values(), key=lambda case: (place.get(case["row"], len(place)), case["seed"]))
        keys = []
        for case in cases:
            if case["key"] not in keys:
                keys.append(case["key"])
        packed = [case | {"key": keys.index(case["key"]), "runs": [[run.get(c) for c in RUN] for run in case["runs"]]} for case in cases]
        head = json.dumps({"machine": self.machine, "columns": RUN, "keys": keys})
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in packed)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        unfinished.write_text(f'{head[:-1]}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")
        os.replace(unfinished, self.path)


def good(run):
    return run["status"].startswith("ok")


def best_of_orders(runs):
    """The run with the largest BIC, with the time of all runs together; None if one failed."""
    if not runs or not all(map(good, runs)):
        return None
    best = max(runs, key=lambda run: run["bic"])
    times = {time: math.fsum(run[time] for run in runs) for time in ("seconds", "cpu")}
    return best | times | {"cached": any(run.get("cached") for run in runs)}


def lines_of(case):
    """The lines of the table that a case contributes to, with its runs: the runs of one line are
    averaged. Runs with several column orders make two lines.
    """
    found = {}
    for run in case["runs"]:
        found.setdefault(run["program"], []).append(run)
        if "order" in run:
            found.setdefault(f"{run['program']} best of orders", []).append(run)
    for name, runs in found.items():
        if name.endswith(" best of orders"):
            best = best_of_orders(runs)
            found[name] = [best] if best else [{"status": "failed with an order"}]
    return found


def names_of(cases):
    return list(dict.fromkeys(name for case in cases for name in lines_of(case)))


def line(case):
    """A case on one line, for the progress."""
    words = []
    for name, runs in lines_of(case).items():
        values = [run["bic"] - case["truth_bic"] for run in runs if good(run)]
        seconds = math.fsum(run["seconds"] for run in runs if good(run))
        words.append(f"{name} {mean(values, 1, True)} ({seconds:.2f} s)" if values else f"{name}: {runs[0]['status']}")
    return ", ".join(words)


def mean(values, decimals, signed=False):
    if not values:
        return ""
    # Adding 0 turns -0 into 0.
    return f"{round(math.fsum(values) / len(values), decimals) + 0.0:{'+' if signed else ''}.{decimals}f}"


class Line:
    """The results of one line: for every seed, the mean over its runs."""

    def __init__(self, cases, name):
        runs = [(case, lines_of(case).get(name, [])) for case in cases]
        pairs = [(case, [run for run in mine if good(run)]) for case, mine in runs]
        self.pairs = [(case, mine) for case, mine in pairs if mine]
        self.count = len(cases)
        self.others = list(dict.fromkeys(run["status"] for _, mine in runs for run in mine if run["status"] != "ok"))

    def average(self, value):
        return [math.fsum(value(case, run) for run in runs) / len(runs) for case, runs in self.pairs]

    def gain(self):
        return mean(self.average(lambda case, run: run["bic"] - case["truth_bic"]), 1, True)

    def time(self, column, decimals):
        """Mean seconds, marked if they are of an earlier run."""
        cached = any(run.get("cached") for _, runs in self.pairs for run in runs)
        return mean(self.average(lambda _, run: run[column]), decimals) + "*" * cached

    def optimal(self):
        """Share of the problems solved, mean and largest distance from the optimum."""
        gaps = self.average(lambda case, run: case["optimum"] - run["bic"])
        share = mean(self.average(lambda case, run: 100 * (case["optimum"] - run["bic"] <= SAME)), 1)
        return [share, mean(gaps, 3), f"{max(gaps):.2f}" if gaps else ""]

    def incomplete(self):
        """How many seeds the line averages, if not all."""
        return [] if len(self.pairs) == self.count else [f"{len(self.pairs)} of {self.count}"]

    def remark(self):
        return "; ".join(self.incomplete() + self.others)

    def short(self):
        """The line in one cell. Means over some of the seeds only are marked."""
        if not self.pairs:
            return self.remark()
        return f"{self.gain()} ({', '.join([self.time('seconds', 2) + ' s', *self.incomplete()])})"

    def cells(self, exact):
        f1, same = self.average(lambda _, run: run["skeleton_f1"]), self.average(lambda _, run: 100 * run["same_class"])
        row = [self.gain(), mean(f1, 3), mean(same, 0), self.time("seconds", 3), self.time("cpu", 2)]
        return row + (self.optimal() if exact else []) + [self.remark()]


def compared(cases, one, other):
    """On how many seeds the BIC of a line is no lower than that of another, of those where the other
    has a result; and the smallest and largest difference.
    """
    pairs = [(lines_of(case).get(one, []), lines_of(case).get(other, [])) for case in cases]
    pairs = [(a[:1], b[0]["bic"]) for a, b in pairs if b and good(b[0])]
    gaps = [run["bic"] - bic for a, bic in pairs for run in a if good(run)]
    if not gaps:
        return ""
    wins = sum(gap >= -SAME for gap in gaps)
    return f"≥ 0 on {wins} of {len(pairs)} ({mean([min(gaps)], 1, True)} to {mean([max(gaps)], 1, True)})"


def markdown(headings, rows):
    lines = [f"| {' | '.join(headings)} |", f"|---|{'---:|' * (len(headings) - 1)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def overview(rows):
    """One line per setting: BIC minus the truth's, and seconds; and on how many seeds the first
    program is at least as good as the best of FLOP's orders.
    """
    ours = rows[0][1][0]["runs"][0]["program"]
    every = names_of([case for _, cases in rows for case in cases])
    every = [name for name in every if name not in ("sort by variance", "idealparent-exact", "idealparent-order")]
    best = [name for name in every if name.endswith("best of orders")]
    headings = ["setting", *every, *(f"{ours} − {name}" for name in best)]
    body = []
    for row, cases in rows:
        body.append([row.title, *(Line(cases, name).short() for name in every), *(compared(cases, ours, name) for name in best)])
    return markdown(headings, body)


def table(row, cases):
    """The table of a setting."""
    headings = ["program", "BIC − truth's", "skeleton F1", "same class %", "seconds", "CPU"]
    headings += ["optimal %", "mean gap", "worst gap"] * row.exact + ["status"]
    edges = mean([case["truth_edges"] for case in cases], 0)
    unit = ("problem" if row.exact else "seed") + "s"[: len(cases) > 1]
    body = [[name, *Line(cases, name).cells(row.exact)] for name in names_of(cases)]
    return f"### {row.title}\n\n{len(cases)} {unit}, {edges} true edges on average\n\n{markdown(headings, body)}"


def summary(output):
    """All tables as one text."""
    rows = [(row, [case for (name, _), case in output.cases.items() if name == row.name]) for row in dense_cases.ROWS]
    rows = [(row, sorted(cases, key=lambda case: case["seed"])) for row, cases in rows if cases]
    if not rows:
        return "No results."
    cases = list(output.cases.values())

    def all_of(values):
        return ", ".join(sorted({value for value in values if value})) or "none"

    note = f"Machine: {output.machine}; commit {all_of(case['commit'] for case in cases)}"
    note += f" (SHA-256 of the command: {all_of(case['key']['binary'] for case in cases)})"
    note += f"; flopsearch {all_of(case['key']['flop'] for case in cases)}."
    loads = [case["load"] for case in cases if "load" in case]
    if loads:
        note += f" Load average at the start of a case: {min(loads)} to {max(loads)}."
    if any(run.get("cached") for case in cases for run in case["runs"]):
        note += " Times with * are of an earlier run on the same data."
    return "\n\n".join([note, overview(rows), *(table(*row) for row in rows)])


def write_between(path, text):
    """Replaces what is between the markers of a file."""
    content = path.read_text(encoding="utf-8")
    before, begin, rest = content.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no lines {BEGIN} and {END}")
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
