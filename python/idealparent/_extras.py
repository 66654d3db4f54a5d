"""Packages that some methods return things of, and that need not be there."""

from importlib import import_module
from typing import Any


def extra(name: str) -> Any:
    """The package, or an error that says how to have it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"this needs {name}: pip install {name}", name=name) from None
