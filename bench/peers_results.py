"""The table that bench/peers.py writes, and which runs need not be repeated."""
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
        """Writes all rows to a new file, which then replaces the old one."""
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
        """Whether the output has a row for this run that repeating it would not change."""
        row = self.rows.get((*case.key(), program.name))
        if row is None or row["options"] != program.options:
            return False
        if row["status"] == "time limit":
            return float(row["limit"]) >= limit
        return row["status"].startswith(("ok", "failed"))

    def why_skip(self, case, program):
        """The status of a run that is skipped because it failed at seed 1; None if it is not
        skipped.
        """
        first = self.rows.get((*case.key()[:3], "1", case.scaling, program.name))
        if case.seed == 1 or first is None or not first["status"].startswith(("time limit", "failed")):
            return None
        return f"skipped: {first['status'].split(':')[0]} at seed 1"
