#!/usr/bin/env python3
"""Writes docs/reproduction.md from a folder that `idealparent reproduce all` has filled.

    idealparent reproduce all --data DATA -o out/
    python scripts/reproduction.py out/ --machine "two cores of ..." --time "table1 8 min, ..." --commit COMMIT
"""

import argparse
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
PAGES = ["table1", "fig1", "fig2", "fig3", "fig4", "cellcycle"]

OPENING = """# The paper, reproduced

Every table and figure of Nachman, Elidan and Friedman, *"Ideal Parent" Structure Learning for Continuous Variable Networks* (UAI 2004), made by one command:

<!-- not run: takes more than an hour, and data that do not come with the program -->
```sh
idealparent reproduce all --data DATA -o out/
```

`DATA` is a folder with the published measurements (`gasch2000_yeast_stress`, `yeast_cell_cycle_topology`). Each experiment (`fig1`, `fig2`, `table1`, `fig3`, `fig4`, `cellcycle`) can
be run alone, `--quick` runs a small part of it, and what is in `out/` is not run again: a run that was stopped goes on. Beside these pages `out/` holds a table with every single run.

This is a whole run: version {commit}, {machine}, {time}.

## In short

How often the ideal parent search with the paper's measure C2 and BIC agrees with the paper's Table 1, of twenty pairs of row and K: in the sign and order of magnitude of what it loses
beside greedy search, within a factor of two in edges, moves and families scored, and in at least half the paper's speed-up with sigmoids. What the paper leaves open is read in three ways;
[Table 1](#table-1-yeast-expression-real-data) explains them, row by row.

{agreeing}

What ours adds:

- **The tangent measure.** Correlation with the true change of a move, and how often the best candidate of a family is among the two that are fitted
  ([Figure 1](#figure-1-measures-beside-the-true-change)): {measures}.
- **EBIC and the search over orders** (the defaults), on the ten rows of Table 1. {defaults}
- **Exact posteriors.** {exact}
- Each of the other figures ends with a table of what the paper says and what is found: [2](#figure-2-data-whose-network-is-known), [3](#figure-3-how-many-candidates-are-fitted),
  [4](#figure-4-hidden-variables-data-whose-network-is-known), [the cell cycle](#the-cell-cycle-hidden-regulators-17-samples).
"""


def line(page, start):
    """The one line that begins so."""
    (found,) = [line for line in page.splitlines() if line.startswith(start)]
    return found


def in_short(pages):
    """What the summary takes from the pages."""
    table1 = pages["table1"]
    agreeing = re.search(r"^\| agreeing .*?\n\n", table1, flags=re.MULTILINE | re.DOTALL).group().strip()
    measures = []
    for density in ["linear", "sigmoid"]:
        for measure in ["C2", "tangent"]:
            (row,) = re.findall(rf"^\| {density} \| \d+ \| {measure} \|(.*)$", pages["fig1"], flags=re.MULTILINE)
            correlation, _, two, _ = [cell.strip() for cell in row.strip(" |").split("|")]
            measures.append(f"{density} {measure} {float(correlation):.3f}, {two}")
    return {
        "agreeing": agreeing,
        "measures": "; ".join(measures),
        "defaults": line(table1, "Defaults beside greedy search"),
        "exact": line(table1, "Where values are missing, posteriors are exact"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--time", required=True)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    figures = DOCS / "figures/reproduction"
    figures.mkdir(parents=True, exist_ok=True)
    pages = {name: (options.folder / f"{name}.md").read_text() for name in PAGES}
    text = OPENING.format(commit=options.commit, machine=options.machine, time=options.time, **in_short(pages))
    for name, page in pages.items():
        # One level down: the file has one title.
        page = re.sub(r"^(#+) ", r"#\1 ", page, flags=re.MULTILINE)
        text += "\n" + page.replace(f"({name}.svg)", f"(figures/reproduction/{name}.svg)")
        (figures / f"{name}.svg").write_bytes((options.folder / f"{name}.svg").read_bytes())
    (DOCS / "reproduction.md").write_text(text)


if __name__ == "__main__":
    main()
