"""The table that bench/peers.py writes, and what it need not run again."""
import csv
import os

import peers_cases
import peers_programs

COLUMNS = (
    "case n m seed scaling program options version limit wall cpu mib seconds status edges bic truth_bic cpdag_shd skeleton_precision "
    "skeleton_recall skeleton_f1 directed_f1 held_out var_sortability"
).split()


class Results:
    """The rows of the output, by case and program."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if path.exists():
            with open(path, encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file, delimiter="\t"):
                    self.rows[self.key(row)] = row

    @staticmethod
    def key(row):
        return tuple(row[column] for column in COLUMNS[:6])

    def add(self, row):
        row = {column: str(row.get(column, "")) for column in COLUMNS}
        self.rows[self.key(row)] = row
        self.save()

    def remove(self, key):
        if self.rows.pop(key, None):
            self.save()

    def save(self):
        """All rows, in a new file that takes the place of the old one at once."""
        order = {key: i for i, key in enumerate(case.key() for case in peers_cases.cases(peers_cases.KINDS, False))}
        place = {program.name: i for i, program in enumerate(peers_programs.PROGRAMS)}
        rows = sorted(self.rows.values(), key=lambda row: (order.get(self.key(row)[:5], len(order)), place.get(row["program"], len(place))))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with open(unfinished, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        os.replace(unfinished, self.path)

    def done(self, case, program, limit):
        """Whether there is a row of this run that another would not change."""
        row = self.rows.get((*case.key(), program.name))
        if row is None or row["options"] != program.options:
            return False
        if row["status"] == "time limit":
            return float(row["limit"]) >= limit
        return row["status"].startswith(("ok", "failed"))

    def why_skip(self, case, program):
        """What happened with seed 1, where the other seeds need not be tried."""
        first = self.rows.get((*case.key()[:3], "1", case.scaling, program.name))
        if case.seed == 1 or first is None or not first["status"].startswith(("time limit", "failed")):
            return None
        return f"skipped: {first['status'].split(':')[0]} at seed 1"
