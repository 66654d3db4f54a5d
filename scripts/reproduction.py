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

<!-- not run: takes an hour, and data that do not come with the program -->
```sh
idealparent reproduce all --data DATA -o out/
```

`DATA` is a folder with the published measurements (`gasch2000_yeast_stress`, `yeast_cell_cycle_topology`). Each experiment (`fig1`, `fig2`, `table1`, `fig3`, `fig4`, `cellcycle`) can
be run alone, `--quick` runs a small part of it, and what is in `out/` is not run again: a run that was stopped goes on. Beside these pages `out/` holds a table with every single run.

This is a whole run: version {commit}, {machine}, {time}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--time", required=True)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    figures = DOCS / "figures/reproduction"
    figures.mkdir(parents=True, exist_ok=True)
    text = OPENING.format(commit=options.commit, machine=options.machine, time=options.time)
    for name in PAGES:
        page = (options.folder / f"{name}.md").read_text()
        # One level down: the file has one title.
        page = re.sub(r"^(#+) ", r"#\1 ", page, flags=re.MULTILINE)
        text += "\n" + page.replace(f"({name}.svg)", f"(figures/reproduction/{name}.svg)")
        (figures / f"{name}.svg").write_bytes((options.folder / f"{name}.svg").read_bytes())
    (DOCS / "reproduction.md").write_text(text)


if __name__ == "__main__":
    main()
