"""How sure edges are."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Unpack

from . import _native
from ._data import Data, given
from ._errors import whole
from ._executor import checked, opened, spread
from ._extras import extra
from ._network import Network
from ._notes import tell
from ._options import Asked, FitOptions, Options, asked, parted
from ._watch import Behaviour, bar, behaviour, says_stop

_MOST = 1_000_000


@dataclass(frozen=True)
class Bootstrap:
    """Networks learned from instances drawn anew, and what they have in common."""

    names: list[str]
    """The variables."""
    replicates: list[str]
    """The networks' edges, as JSON, in the order of their numbers."""
    _table: _native.Table = field(repr=False, compare=False)
    _asked: Asked = field(repr=False, compare=False)

    @cached_property
    def edges(self) -> list[tuple[str, str, float, float]]:
        """From, to, strength (the share of networks that join the two) and direction (the share of those that do it this way), the strongest first."""
        found = _native.edge_strengths(self.replicates, len(self.names))
        return [(self.names[a], self.names[b], strength, direction) for a, b, strength, direction in found]

    @cached_property
    def threshold(self) -> float:
        """The strength above which an edge is taken to be there, found from the strengths (Scutari and Nagarajan 2013)."""
        return _native.average(self._table, self._asked, self.replicates, None)[0]

    def averaged_edges(self, threshold: float | None = None) -> list[tuple[str, str]]:
        """Edges stronger than a threshold, without a cycle."""
        if threshold is not None and not 0.0 <= threshold <= 1.0:
            raise ValueError("threshold must be between 0 and 1")
        _, pairs = _native.average(self._table, self._asked, self.replicates, threshold)
        return [(self.names[a], self.names[b]) for a, b in pairs]

    def average(self, threshold: float | None = None) -> Network:
        """The averaged network, with parameters from all of the data."""
        words = [pair for pair in self._asked["words"] if pair[0] in _FIT_WORDS]
        fit_asked: Asked = {**self._asked, "words": words, "require": [], "forbid": [], "tiers": [], "start": [], "files": []}
        native, figures, notes, _, _ = _native.fit(self.averaged_edges(threshold), self._table, fit_asked, [], behaviour())
        tell(notes)
        return Network(native, json.loads(figures))

    def to_pandas(self) -> Any:
        """The edges as a pandas frame."""
        pd = extra("pandas")

        return pd.DataFrame(self.edges, columns=["from", "to", "strength", "direction"])

    def __len__(self) -> int:
        return len(self.replicates)


_FIT_WORDS = tuple(FitOptions.__annotations__)


def bootstrap(
    data: Data,
    n: int = 200,
    *,
    executor: Executor | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    callback: Callable[[int], object] | None = None,
    **options: Unpack[Options],
) -> Bootstrap:
    """Learns `n` networks, each from as many instances as there are, drawn with replacement.

    They are spread over an executor, if one is given: a ProcessPoolExecutor, Dask's `client.get_executor()`, MPI's; without one, over this process's own
    threads. The result does not depend on that, nor on the number or order of workers. `callback` is told how many are done, and ends the run where it
    returns True; so does `time_limit`, in seconds. Other options are those of `learn`.

    >>> import idealparent as ip
    >>> sure = ip.bootstrap(ip.example("sachs"), 20)
    >>> sure.edges[0][2]
    1.0
    >>> len(sure.average().edges) > 5
    True
    """
    n = whole(n, "n", 1, _MOST)
    table, others = parted(options)
    words = asked(others)
    checked(executor)
    alone = behaviour(threads, time_limit)
    source = given(data, **table)
    tell(_native.bootstrap_notes(source.table, words))
    shown = bar(progress, total=n, desc="bootstrap", unit=" networks")

    def told(done: int) -> bool:
        if shown is not None:
            shown.update(done - shown.n)
        return callback is not None and says_stop(callback(done))

    try:
        if executor is None:
            tells = callback is not None or shown is not None
            tell_of = (lambda text: told(int(text))) if tells else None
            watched = behaviour(threads, time_limit, tell=tell_of, waits=callback is not None)
            found, failed = _native.bootstrap(source.table, words, n, watched)
        else:
            found, failed = _spread(executor, source.table, words, n, alone, told)
    finally:
        if shown is not None:
            shown.close()
    if failed:
        tell([f"{failed} networks could not be learned from what was drawn for them"])
    if len(found) + failed < n:
        tell([f"stopped after {len(found)} of {n} networks"])
        if not found:
            raise ValueError("no network was finished in time")
    return Bootstrap(source.table.names, found, source.table, words)


def _task(table: Any, number: int, words: Asked, threads: int) -> str | ValueError | None:
    try:
        with opened(table) as (own, left, stop):
            return _native.replicate(own, words, number, behaviour(threads, left, stop=stop))
    except ValueError as error:
        # An instance that alone makes a variable vary need not be drawn.
        return error


def _spread(
    executor: Executor,
    table: _native.Table,
    words: Asked,
    n: int,
    behave: Behaviour,
    told: Callable[[int], bool],
) -> tuple[list[str], int]:
    found: dict[int, str] = {}
    failures: dict[int, ValueError] = {}
    for number, replicate in spread(executor, _task, table, range(n), behave["time_limit"], words, behave["threads"] or 1):
        if isinstance(replicate, ValueError):
            failures[number] = replicate
        elif replicate is not None:
            found[number] = replicate
        if told(len(found)):
            break
    if failures and not found:
        raise failures[min(failures)]
    return [found[number] for number in sorted(found)], len(failures)
