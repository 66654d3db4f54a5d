"""Optional packages that some methods need."""

from importlib import import_module
from typing import Any


def extra(name: str) -> Any:
    """Imports an optional package; the error says how to install it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"this needs {name}: pip install {name}", name=name) from None
