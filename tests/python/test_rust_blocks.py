"""Rust code in the documentation is part of a program that is compiled and run."""

import re

import pytest

from common import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def without_spaces(text):
    return re.sub(r"\s+", "", text)


PROGRAMS = [without_spaces(path.read_text()) for path in sorted((ROOT / "examples").glob("*.rs"))]
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"^```rust\n(.*?)^```", page.read_text(), re.M | re.S))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_rust_block_is_part_of_an_example(block):
    # Imports and statements that follow each other on the page may be apart in the program.
    parts = [without_spaces(part) for part in re.split(r"\n\n(?=\S)", block)]
    assert any(all(part in program for part in parts) for program in PROGRAMS)
