"""Exceptions, and checks of arguments."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import Any

import numpy as np


class FileError(OSError, ValueError):
    """A file could not be read or written."""


class FileNotFound(FileNotFoundError, ValueError):
    """A file does not exist."""


class FileForbidden(PermissionError, ValueError):
    """The permission to read or write a file is missing."""


def of_file(code: int | None) -> type[OSError]:
    """The exception class for an error code of the operating system."""
    return {errno.ENOENT: FileNotFound, errno.EACCES: FileForbidden, errno.EPERM: FileForbidden}.get(code or 0, FileError)


def shown(value: object) -> str:
    """A value for a message: on one line, and shortened if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def flag(value: Any, what: str) -> bool:
    """Checks a truth value. Strings are rejected, because "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what}: {shown(value)} is neither True nor False")
    return bool(value)


def text_of(value: Any, what: str) -> str:
    """Checks a string; the error names the argument `what`."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: {shown(value)} is not text")
    return value


def one_name(value: Any, what: str) -> str:
    """Checks the name of one variable, which may be a number in a frame."""
    if value is None or (isinstance(value, Iterable) and not isinstance(value, str)):
        raise TypeError(f"{what}: expected one name, not {shown(value)}")
    return str(value)


def whole(value: Any, what: str, least: int, most: int = 2**63 - 1) -> int:
    """Checks a whole number within bounds; the error names the argument `what`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = value.__index__()
    except (AttributeError, TypeError):
        raise ValueError(f"{what}: {value!r} is not a whole number") from None
    if not least <= number <= most:
        bounds = f"at least {least}" if number < least else f"at most {most}"
        raise ValueError(f"{what} must be {bounds}, not {value!r}")
    return int(number)


def seconds(value: Any, what: str) -> float:
    """Checks a number of seconds; the error names the argument `what`."""
    return _number(value, what, 1e9, "a number of seconds from 0 to 1e9")


def share(value: Any, what: str) -> float:
    """Checks a number from 0 to 1; the error names the argument `what`."""
    return _number(value, what, 1.0, "a number from 0 to 1")


def _number(value: Any, what: str, most: float, needed: str) -> float:
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0.0 <= number <= most:
        raise ValueError(f"{what}: {shown(value)} is not {needed}")
    return number


def path_of(value: Any, what: str) -> str:
    """Checks a file name. Numbers are rejected, because `open` would use them as descriptors."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what}: {shown(value)} is not the name of a file")
    name = os.fsdecode(value)
    if not name:
        raise ValueError(f"{what}: the file name is empty")
    return name


def names_of(names: Any, what: str) -> list[str]:
    """Checks a list of names; the error names the argument `what`."""
    if isinstance(names, (str, bytes)):
        raise ValueError(f"{what}: expected a list of names, not one string")
    try:
        return [str(name) for name in names]
    except TypeError:
        raise TypeError(f"{what}: {shown(names)} is not a list of names") from None
