#!/usr/bin/env python3
"""Hidden variables: found where there are some, and only there.

    bench/hidden.py [PART ...] [--binary PATH] [--data FOLDER] [--quick] [-o docs/benchmarks]

Parts (all unless some are named):
    twolayer    `generate.py twolayer 7 141 M SEED`: how many are found, their children and profiles, the likelihood of other
                instances beside that of the true structure with fitted parameters (Golden), of scikit-learn's FactorAnalysis
                with the number of factors that is best there (where the python that runs this has it), and of no hidden variable
    small       the same of 17 instances with --gamma 0.5
    confounded  `generate.py confounded 100 500 SEED`: three hidden causes among variables with edges between them,
                with and without --hidden auto
    none        `generate.py linear 100 500 SEED`: nothing is hidden, and nothing is to be found
    topology    Figure 4: a two-layer network of seven regulators over cell-cycle genes, fitted to 17 arrays; data drawn from it,
                learned with a new hidden variable as a parent of all (greedy) and of a cluster (ideal); linear and sigmoid
    cellcycle   those 17 arrays themselves, one left out at a time
    large       clusters of 6152 yeast genes: how long one takes

Runs the command, prints a Markdown table per part, and writes hidden_PART.tsv into the folder given with -o. FOLDER holds
yeast_cell_cycle_topology and gasch2000_yeast_stress (default: $IDEALPARENT_DATA). Log-likelihoods are per instance, of all
variables together; `seconds` is what the command reports for learning. Needs numpy.
"""
import argparse
import os
import pathlib
import sys
import tempfile

from hidden_paper import part_cellcycle, part_large, part_topology
from hidden_synthetic import part_confounded, part_none, part_small, part_twolayer
from missing_tools import HERE

PARTS = {
    "twolayer": part_twolayer,
    "small": part_small,
    "confounded": part_confounded,
    "none": part_none,
    "topology": part_topology,
    "cellcycle": part_cellcycle,
    "large": part_large,
}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    p.add_argument("--binary", type=pathlib.Path, default=HERE.parent / "target/release/idealparent")
    p.add_argument("--data", type=pathlib.Path, default=os.environ.get("IDEALPARENT_DATA", HERE.parent / "../shared/data"))
    p.add_argument("--quick", action="store_true", help="one seed, few instances")
    p.add_argument("-o", "--output", type=pathlib.Path)
    a = p.parse_args()
    unknown = [part for part in a.parts if part not in PARTS]
    if unknown:
        p.error(f"no part is called {unknown[0]} (there are: {', '.join(PARTS)})")
    if not a.binary.exists():
        sys.exit(f"{a.binary} is not there (cargo build --release)")
    with tempfile.TemporaryDirectory() as folder:
        for part in a.parts or PARTS:
            PARTS[part](a, pathlib.Path(folder))


if __name__ == "__main__":
    main()
