"""Comparing methods on the same folds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Unpack

from . import _native
from ._data import Data, given
from ._executor import opened, spread
from ._options import Asked, Options, asked
from ._watch import bar, quiet


@dataclass(frozen=True)
class CrossValidation:
    """One result per method and fold: method, fold, train, test, edges, moves, evaluations, seconds."""

    results: list[dict[str, Any]]

    def to_pandas(self) -> Any:
        """A row per method and fold."""
        import pandas as pd

        return pd.DataFrame(self.results)

    def summary(self) -> dict[str, dict[str, float]]:
        """Averages over the folds, by method."""
        means: dict[str, dict[str, float]] = {}
        for method in dict.fromkeys(result["method"] for result in self.results):
            own = [result for result in self.results if result["method"] == method]
            keys = [key for key in own[0] if key not in ("method", "fold")]
            means[method] = {key: sum(result[key] for result in own) / len(own) for key in keys}
        return means


def cross_validate(
    data: Data,
    methods: str | Iterable[str] = ("greedy", "ideal"),
    folds: int = 5,
    *,
    executor: Executor | None = None,
    names: Iterable[str] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    callback: Callable[[dict[str, Any]], object] | None = None,
    **options: Unpack[Options],
) -> CrossValidation:
    """Learns with every method on every fold: the columns of the paper's Table 1.

    Methods are written as for the command: "greedy", "ideal:k=2:measure=c2". They are spread over an executor, if one is given. `callback` is called with
    every result as it comes.

    >>> import idealparent as ip
    >>> found = ip.cross_validate(ip.example("sachs"), ["greedy", "ideal:k=2"], folds=3)
    >>> sorted(found.summary())
    ['greedy', 'ideal:k=2']
    """
    source = given(data, names=names)
    words = asked(options)
    text = methods if isinstance(methods, str) else " ".join(methods)
    labels = _native.methods(text, words)
    jobs = [(fold, label) for fold in range(folds) for label in labels]
    shown = bar(progress, total=len(jobs), desc="cross-validation", unit=" runs")
    found: dict[tuple[int, str], dict[str, Any]] = {}
    todo: Iterator[tuple[tuple[int, str], str]]
    try:
        if executor is None:
            todo = ((job, _task(source.table, job, words, folds, threads)) for job in jobs)
        else:
            todo = spread(executor, _task, source.table, jobs, words, folds, threads or 1)
        for job, result in todo:
            found[job] = json.loads(result)
            if shown is not None:
                shown.update()
            if callback is not None:
                callback(found[job])
    finally:
        if shown is not None:
            shown.close()
    return CrossValidation([found[job] for job in jobs])


def _task(table: Any, job: tuple[int, str], words: Asked, folds: int, threads: int | None) -> str:
    number, method = job
    result = _native.fold(opened(table), words, method, folds, number, quiet(threads))
    assert result is not None, "nobody stops it"
    return result
