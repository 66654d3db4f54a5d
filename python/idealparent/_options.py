"""Options: those of the command line as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

import numpy as np

from . import _native
from ._data import TableOptions
from ._declared import ALIASES, KINDS, ComparisonOptions, FitOptions, Options, ScoreOptions
from ._errors import FileNotFound, shown, whole


__all__ = ["Asked", "ComparisonOptions", "FitOptions", "LISTS", "Options", "ScoreOptions", "asked", "check", "edges", "parted", "word"]

TABLE_WORDS = tuple(TableOptions.__annotations__)
LISTS = tuple(name for name, kind in KINDS.items() if kind in ("edges", "tiers", "structure"))
"""Options whose values are lists, networks or files."""


class Asked(TypedDict):
    """Options in the form that the native module expects."""

    words: list[tuple[str, str]]
    """Names and values, as on the command line."""
    lists: list[tuple[str, list[list[str]]]]
    """Names and values of options that are lists: of pairs of names, or of tiers."""


def parted(
    options: Mapping[str, Any], kind: type = Options, *, also: Iterable[str] | None = None, makes_network: bool = False
) -> tuple[TableOptions, dict[str, Any]]:
    """Splits options into those of the table and all others. An unknown option is a TypeError.

    `also` names the function's other arguments, which the error can suggest. `makes_network` says
    whether the function returns a network, which can be saved.
    """
    words = tuple(kind.__annotations__)
    for alias, name in ALIASES.items():
        if alias in options and name in words:
            if name in options:
                raise TypeError(f"{alias!r} and {name!r} are the same option")
            options = {name if own == alias else own: value for own, value in options.items()}
    for name in options:
        if name not in words:
            hint = _hint(name, (*words, *(also or ())))
            if makes_network and name == "output":
                hint = " (save the result with net.save(path))"
            raise TypeError(f"there is no option {name!r}{hint}")
    table: Any = {name: value for name, value in options.items() if name in TABLE_WORDS}
    return table, {name: value for name, value in options.items() if name not in TABLE_WORDS}


def asked(options: Mapping[str, Any]) -> Asked:
    """Converts options to the form that the native module expects."""
    found = Asked(words=[], lists=[])
    for name, value in options.items():
        kind = KINDS[name]
        if value is None:
            continue
        if name == "seed":
            found["words"].append((name, str(whole(value, name, 0, 2**64 - 1))))
        elif name not in LISTS:
            found["words"].append((name, word(name, value)))
        elif _is_list_file(value, kind):
            # The native module reads it, so that errors contain file and line.
            _check_list_file(name, os.fsdecode(value))
            found["words"].append((name, os.fsdecode(value)))
        elif kind == "tiers":
            found["lists"].append((name, _tiers(value, name)))
        else:
            if kind == "structure" and getattr(value, "hidden", None):
                raise ValueError(f"{name}: '{value.hidden[0]}' is hidden; a search starts from observed variables")
            found["lists"].append((name, [list(edge) for edge in edges(value, name)]))
    return found


def check(found: Asked) -> None:
    """Raises an error if options contradict each other, before any table is read."""
    # Lists in files are left out: a pipe can be read only once.
    words = [pair for pair in found["words"] if pair[0] not in LISTS]
    _native.check_options(Asked(words=words, lists=[]))


def _is_list_file(value: object, kind: str) -> bool:
    """Whether a value is the name of a file that the command would read for an option of this kind."""
    if not isinstance(value, (str, os.PathLike)):
        return False
    return kind == "structure" or not os.fsdecode(value).endswith(".json")


def _hint(name: str, words: tuple[str, ...]) -> str:
    import difflib

    near = difflib.get_close_matches(name, words, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _check_list_file(what: str, path: str) -> None:
    """Raises an error if a string is empty, or looks like edges or names instead of a file."""
    if not path:
        raise ValueError(f"{what}: the file name is empty")
    if os.path.exists(path) or os.path.splitext(path)[1] or os.path.dirname(path):
        return
    ends = [end.strip() for end in path.split("->")]
    form = f"edges are a list: [{tuple(ends) if len(ends) == 2 else ('A', 'B')!r}]"
    if KINDS.get(what) == "tiers":
        form = "tiers are a list of lists: [['A', 'B'], ['C']]"
    raise FileNotFound(f"{what}: there is no file {path!r} ({form})")


def word(name: str, value: object) -> str:
    """Formats a value as on the command line."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)):
        if KINDS[name] in ("number", "number_or", "whole", "whole_or"):
            raise TypeError(f"{name}: {bool(value)} is not a number")
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        if KINDS[name] != "words" or isinstance(value, (bytes, bytearray, Mapping)):
            raise TypeError(f"{name}: {shown(value)} is not a single value")
        return ",".join(str(part) for part in value)
    if hasattr(value, "__index__"):
        return str(int(value))
    if hasattr(value, "__float__"):
        return repr(float(value))
    return str(value)


def edges(given: Any, what: str) -> list[tuple[str, str]]:
    """Converts edges: pairs, a network or graph, a frame with columns from and to, or a file."""
    if given is None:
        return []
    if isinstance(given, (str, os.PathLike)):
        _check_list_file(what, os.fsdecode(given))
        return _native.read_edges(os.fspath(given))
    found = getattr(given, "edges", None)
    if found is not None and not isinstance(given, Mapping):
        given = found() if callable(found) else found
    elif hasattr(given, "columns"):
        if not {"from", "to"} <= set(getattr(given, "column_names", given.columns)):
            raise ValueError(f"{what}: the frame needs the columns from and to")
        given = zip(given["from"], given["to"], strict=True)
    if not isinstance(given, Iterable) or isinstance(given, (Mapping, bytes)):
        raise TypeError(f"{what}: {shown(given)} is not a list of edges")
    pairs = []
    for edge in given:
        if isinstance(edge, (str, bytes)) or not hasattr(edge, "__len__") or len(edge) != 2:
            raise ValueError(f"{what}: {edge!r} is not a pair of names")
        parent, child = edge
        pairs.append((str(parent), str(child)))
    return pairs


def _tiers(given: Any, what: str) -> list[list[str]]:
    if not isinstance(given, Iterable) or isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{what}: {given!r} is not a list of lists of names")
    tiers = []
    for tier in given:
        if isinstance(tier, str) or not isinstance(tier, Iterable):
            raise ValueError(f"{what}: {tier!r} is not a list of names")
        tiers.append([str(name) for name in tier])
    return tiers
