"""Docstrings of the package: their examples pass, and everything public has one."""

import doctest
import importlib
import pkgutil

import pytest

import idealparent

MODULES = ["idealparent", *(f"idealparent.{m.name}" for m in pkgutil.iter_modules(idealparent.__path__))]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore::idealparent.Note")
def test_examples_in_docstrings_pass(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_everything_public_has_a_docstring():
    for name in idealparent.__all__:
        thing = getattr(idealparent, name)
        assert name == "__version__" or (thing.__doc__ and thing.__doc__.strip()), name
    for cls in (idealparent.Network, idealparent.Bootstrap, idealparent.IdealParent):
        for name, member in vars(cls).items():
            if not name.startswith("_") and callable(member):
                assert member.__doc__, f"{cls.__name__}.{name}"
