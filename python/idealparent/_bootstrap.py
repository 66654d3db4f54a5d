"""Bootstrap confidence of edges."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Unpack

from . import _native
from ._data import Data, given
from ._errors import share, whole
from ._executor import checked, opened, spread
from ._extras import extra
from ._network import Network
from ._notes import tell
from ._options import Asked, FitOptions, Options, asked, check, parted
from ._watch import Behaviour, bar, behaviour, check_callback, says_stop


@dataclass(frozen=True)
class Bootstrap:
    """Networks learned from bootstrap samples of a table, and the confidence of their edges."""

    names: list[str]
    """Names of the variables."""
    replicates: list[str]
    """The edges of every network as JSON, in the order of the networks' numbers."""
    _table: _native.Table = field(repr=False, compare=False)
    _asked: Asked = field(repr=False, compare=False)

    @cached_property
    def edges(self) -> list[tuple[str, str, float, float]]:
        """All edges as (from, to, strength, direction), the strongest first.

        `strength` is the share of networks that join the two variables, `direction` the share of
        those in which the edge points this way.
        """
        found = _native.edge_strengths(self.replicates, len(self.names))
        return [(self.names[a], self.names[b], strength, direction) for a, b, strength, direction in found]

    @cached_property
    def threshold(self) -> float:
        """The strength above which an edge is significant, estimated from all strengths.

        The method is that of Scutari and Nagarajan (2013).
        """
        return _native.average(self._table, self._asked, self.replicates, None)[0]

    def averaged_edges(self, threshold: float | None = None) -> list[tuple[str, str]]:
        """The edges stronger than a threshold (default: `self.threshold`), without cycles."""
        threshold = None if threshold is None else share(threshold, "threshold")
        _, pairs = _native.average(self._table, self._asked, self.replicates, threshold)
        return [(self.names[a], self.names[b]) for a, b in pairs]

    def average(self, threshold: float | None = None) -> Network:
        """The network of the averaged edges, with parameters fitted to all data."""
        # The seed of the samples is recorded with the network.
        kept = (*FitOptions.__annotations__, "seed")
        words = [pair for pair in self._asked["words"] if pair[0] in kept]
        fit_asked = Asked(words=words, lists=[])
        native, figures, notes, _, _ = _native.fit(self.averaged_edges(threshold), self._table, fit_asked, [], behaviour())
        tell(notes)
        return Network(native, json.loads(figures))

    def to_pandas(self) -> Any:
        """The edges as a pandas DataFrame."""
        pd = extra("pandas")

        return pd.DataFrame(self.edges, columns=["from", "to", "strength", "direction"])

    def __len__(self) -> int:
        return len(self.replicates)


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
    """Learns `n` networks from bootstrap samples: instances drawn with replacement.

    The work is distributed over `executor`, if given: a ProcessPoolExecutor, Dask's
    `client.get_executor()` or one of MPI. Otherwise it runs in threads of this process. The result
    does not depend on the executor, nor on the number and order of its workers.

    `callback` is called with the number of finished networks and stops the run if it returns True.
    `time_limit`, in seconds, also stops the run. Other options are those of `learn`.

    >>> import idealparent as ip
    >>> sure = ip.bootstrap(ip.example("sachs"), 20)
    >>> sure.edges[0][2]
    1.0
    >>> len(sure.average().edges) > 5
    True
    """
    n = whole(n, "n", 1, _native.MAX_REPLICATES)
    table, others = parted(options, also=bootstrap.__kwdefaults__)
    words = asked(others)
    check(words)
    checked(executor)
    check_callback(callback)
    settings = behaviour(threads, time_limit)
    source = given(data, **table)
    tell(_native.bootstrap_notes(source.table, words))
    gamma = _native.gamma_of(source.table, words, None, settings)
    if gamma is not None:
        words["words"].append(("gamma", f"auto:{gamma!r}"))
    progress_bar = bar(progress, total=n, desc="bootstrap", unit=" networks")

    def on_progress(done: int) -> bool:
        if progress_bar is not None:
            progress_bar.update(done - progress_bar.n)
        return callback is not None and says_stop(callback(done))

    try:
        if executor is None:
            is_observed = callback is not None or progress_bar is not None
            observer = (lambda text: on_progress(int(text))) if is_observed else None
            watched = behaviour(threads, time_limit, tell=observer, waits=callback is not None)
            found, failed = _native.bootstrap(source.table, words, n, watched)
        else:
            found, failed = _spread(executor, source.table, words, n, settings, on_progress)
    finally:
        if progress_bar is not None:
            progress_bar.close()
    if failed:
        tell([f"bootstrap samples from which no network could be learned: {failed}"])
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
        # Expected: a sample can lack the only instance in which a variable differs.
        return error


def _spread(
    executor: Executor,
    table: _native.Table,
    words: Asked,
    n: int,
    behave: Behaviour,
    on_progress: Callable[[int], bool],
) -> tuple[list[str], int]:
    found: dict[int, str] = {}
    failures: dict[int, ValueError] = {}
    for number, replicate in spread(executor, _task, table, range(n), behave["time_limit"], words, behave["threads"] or 1):
        if isinstance(replicate, ValueError):
            failures[number] = replicate
        elif replicate is not None:
            found[number] = replicate
        if on_progress(len(found)):
            break
    if failures and not found:
        raise failures[min(failures)]
    return [found[number] for number in sorted(found)], len(failures)
