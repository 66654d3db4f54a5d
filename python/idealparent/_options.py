"""Options: the words of the command line as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

import numpy as np

from . import _native
from ._data import TableOptions
from ._errors import whole


class Options(TableOptions, total=False):
    """What decides the learned network; what is not given is as with the command."""

    cpd: str | Iterable[str]
    """linear, sigmoid or product; several: the best for each family."""
    bias: bool
    """A free bias inside the sigmoid."""
    baseline: bool
    """A free offset of the product."""
    exp2: bool
    """Use 2^x of every value."""
    method: str
    """ideal, or greedy."""
    candidates: int | str
    """How many candidates per family are scored: a number, "all" or "auto"."""
    measure: str
    """tangent, c2 or c1."""
    score: str
    """ebic, bic, aic or bge."""
    gamma: float
    """EBIC's price of an edge."""
    penalty: float
    """Multiplies the price of a parameter."""
    alpha_w: float
    """BGe's degrees of freedom."""
    search: str
    """auto, hill, tabu, anneal or order."""
    tabu_length: int
    """For how many steps a changed edge is left alone."""
    restarts: int
    """How often to search again from the best network, perturbed."""
    perturb: int
    """Random moves that perturb it."""
    moves: str | Iterable[str]
    """add, delete, reverse, replace."""
    max_parents: int
    """Most parents a variable may have."""
    start: Any
    """A structure to begin from."""
    require: Any
    """Edges that must be there; * matches all."""
    forbid: Any
    """Edges that must not be there."""
    tiers: Any
    """Lists of names; edges go to the same or a later tier."""
    hidden: int | str
    """Hidden variables to look for: at most so many, or "auto"."""
    two_layer: bool
    """Hidden variables are roots, and all others leaves."""
    min_children: int
    """Fewest children of a hidden variable."""
    posterior: str
    """exact or mean-field."""
    standardize: bool
    """Scale to unit variance while learning."""
    seed: int
    """Seed of everything random."""


class FitOptions(TableOptions, total=False):
    """What decides the parameters of a given structure."""

    cpd: str | Iterable[str]
    bias: bool
    baseline: bool
    exp2: bool
    score: str
    gamma: float
    penalty: float
    alpha_w: float
    posterior: str
    standardize: bool
    seed: int


class ScoreOptions(TableOptions, total=False):
    """What decides the score of a table."""

    score: str
    gamma: float
    penalty: float
    alpha_w: float


TABLE_WORDS = tuple(TableOptions.__annotations__)
LISTS = ("start", "require", "forbid", "tiers")


class Asked(TypedDict):
    """Options as the native part takes them."""

    words: list[tuple[str, str]]
    require: list[tuple[str, str]]
    forbid: list[tuple[str, str]]
    tiers: list[list[str]]
    start: list[tuple[str, str]]
    files: list[tuple[str, str]]
    seed: int


def parted(options: Mapping[str, Any], kind: type = Options) -> tuple[TableOptions, dict[str, Any]]:
    """Options of the table, and the others; one that there is not is a mistake of the caller."""
    words = tuple(kind.__annotations__)
    for name in options:
        if name not in words:
            raise TypeError(f"there is no option {name!r}{_hint(name, words)}")
    table: Any = {name: value for name, value in options.items() if name in TABLE_WORDS}
    return table, {name: value for name, value in options.items() if name not in TABLE_WORDS}


def asked(options: Mapping[str, Any]) -> Asked:
    """Reads what was asked for."""
    said = {name: value for name, value in options.items() if value is not None}
    seed = whole(said.pop("seed", 0), "seed", 0, 2**64 - 1)
    lists = {name: said.pop(name, None) for name in LISTS}
    files = [
        (name, os.fsdecode(lists[name]))
        for name in ("require", "forbid", "tiers")
        if isinstance(lists[name], (str, os.PathLike)) and not os.fsdecode(lists[name]).endswith(".json")
    ]
    for name, _ in files:
        lists[name] = None
    start = lists["start"]
    if getattr(start, "hidden", None):
        raise ValueError(f"start: '{start.hidden[0]}' is hidden, and a search begins from observed variables alone")
    return Asked(
        words=[(name, word(name, value)) for name, value in said.items()],
        require=edges(lists["require"], "require"),
        forbid=edges(lists["forbid"], "forbid"),
        tiers=_tiers(lists["tiers"]),
        start=edges(start, "start"),
        files=files,
        seed=seed,
    )


def _hint(name: str, words: tuple[str, ...]) -> str:
    import difflib

    near = difflib.get_close_matches(name, words, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def word(name: str, value: object) -> str:
    """A value as the command line has it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        if name not in ("cpd", "moves") or isinstance(value, (bytes, bytearray, Mapping)):
            raise TypeError(f"{name}: {value!r} is not one value")
        return ",".join(str(part) for part in value)
    if hasattr(value, "__index__"):
        return str(int(value))
    if hasattr(value, "__float__"):
        return repr(float(value))
    return str(value)


def edges(given: Any, what: str) -> list[tuple[str, str]]:
    """Edges from a list of pairs, a network, a networkx graph, a frame with columns from and to, or a file."""
    if given is None:
        return []
    if isinstance(given, (str, os.PathLike)):
        return _native.read_edges(os.fspath(given))
    found = getattr(given, "edges", None)
    if found is not None and not isinstance(given, Mapping):
        given = found() if callable(found) else found
    elif hasattr(given, "columns") and {"from", "to"} <= set(given.columns):
        given = zip(given["from"], given["to"], strict=True)
    if not isinstance(given, Iterable):
        raise TypeError(f"{what}: {given!r} is not a list of edges")
    pairs = []
    for edge in given:
        if isinstance(edge, (str, bytes)) or not hasattr(edge, "__len__") or len(edge) != 2:
            raise ValueError(f"{what}: {edge!r} is not a pair of names")
        parent, child = edge
        pairs.append((str(parent), str(child)))
    return pairs


def _tiers(given: Any) -> list[list[str]]:
    if given is None:
        return []
    if not isinstance(given, Iterable) or isinstance(given, (str, os.PathLike)):
        raise TypeError(f"tiers: {given!r} is not a list of lists of names")
    tiers = []
    for tier in given:
        if isinstance(tier, str) or not isinstance(tier, Iterable):
            raise ValueError(f"tiers: {tier!r} is not a list of names")
        tiers.append([str(name) for name in tier])
    return tiers
