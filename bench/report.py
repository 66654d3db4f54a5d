"""Output of the benchmarks: tables in Markdown and TSV."""


class Report:
    """A Markdown table on standard output, and the same rows in GROUP_PART.tsv in a folder."""

    def __init__(self, group, folder, part, columns):
        self.path = folder and folder / f"{group}_{part}.tsv"
        self.rows = [columns]
        print(f"\n{part}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)

    def row(self, *cells):
        cells = [str(cell) for cell in cells]
        print(f"| {' | '.join(cells)} |", flush=True)
        self.rows.append(cells)

    def close(self):
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text("".join("\t".join(row) + "\n" for row in self.rows), encoding="utf-8")
