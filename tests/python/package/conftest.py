"""Tables that several tests learn from."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

idealparent = pytest.importorskip("idealparent", reason="the package is not installed")


@pytest.fixture(scope="session")
def chain():
    """A -> B -> C, and D apart: names and values."""
    rng = np.random.default_rng(7)
    a = rng.normal(size=200)
    b = 0.8 * a + 0.5 * rng.normal(size=200)
    c = -0.7 * b + 0.5 * rng.normal(size=200)
    return ["A", "B", "C", "D"], np.column_stack([a, b, c, rng.normal(size=200)])


@pytest.fixture(scope="session")
def holes(chain):
    names, values = chain
    values = values.copy()
    values[np.random.default_rng(2).random(values.shape) < 0.1] = np.nan
    return names, values
