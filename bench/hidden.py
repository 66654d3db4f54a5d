#!/usr/bin/env python3
"""Measures whether hidden variables are found if, and only if, there are any.

    bench/hidden.py [PART ...] [--binary PATH] [--data FOLDER] [--quick] [-o docs/benchmarks]

Parts (default: all):
    twolayer    `generate.py twolayer 7 141 M SEED`: how many hidden variables are found, their
                children and profiles, and the likelihood of other instances. It is compared with
                that of the true structure with fitted parameters (Golden), of scikit-learn's
                FactorAnalysis (if installed) with the number of factors that is best on these
                instances, and of a network without hidden variables
    small       the same with 17 instances and --gamma 0.5
    confounded  `generate.py confounded 100 500 SEED`: three hidden causes of variables with edges
                between them, learned with and without --hidden auto
    none        `generate.py linear 100 500 SEED`: no hidden variables, so none should be found
    topology    Figure 4: a two-layer network of seven regulators of cell-cycle genes, fitted to 17
                arrays. Data drawn from it are learned with a new hidden variable as a parent of all
                genes (greedy) or of a cluster (ideal), with linear and sigmoid densities
    cellcycle   the 17 arrays themselves, with one left out at a time
    large       time to find a cluster among 6152 yeast genes

Runs the command, prints a Markdown table for each part, and writes hidden_PART.tsv into the folder
given with -o. FOLDER contains yeast_cell_cycle_topology and gasch2000_yeast_stress (default:
$IDEALPARENT_DATA). Log-likelihoods are per instance, summed over the variables. `seconds` is the
time that the command reports for learning. Needs numpy.
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
    p.add_argument("--quick", action="store_true", help="only one seed and few instances")
    p.add_argument("-o", "--output", type=pathlib.Path)
    a = p.parse_args()
    unknown = [part for part in a.parts if part not in PARTS]
    if unknown:
        p.error(f"no such part: {unknown[0]} (choose from {', '.join(PARTS)})")
    if not a.binary.exists():
        sys.exit(f"{a.binary} does not exist (run cargo build --release)")
    with tempfile.TemporaryDirectory() as folder:
        for part in a.parts or PARTS:
            PARTS[part](a, pathlib.Path(folder))


if __name__ == "__main__":
    main()
