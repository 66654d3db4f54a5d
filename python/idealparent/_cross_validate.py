"""Cross-validation of several methods on the same folds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Unpack

from . import _native
from ._data import Data, given
from ._errors import names_of, whole
from ._executor import checked, local, opened, spread
from ._extras import extra
from ._notes import tell
from ._options import Asked, ComparisonOptions, asked, parted
from ._watch import bar, behaviour, check_callback, says_stop


@dataclass(frozen=True)
class CrossValidation:
    """Results of a cross-validation.

    There is one result per method and fold, with the keys method, fold, train, test, edges, moves,
    evaluations and seconds.
    """

    results: list[dict[str, Any]]

    def to_pandas(self) -> Any:
        """The results as a pandas DataFrame, one row per method and fold."""
        pd = extra("pandas")

        return pd.DataFrame(self.results)

    def summary(self) -> dict[str, dict[str, float]]:
        """The mean of every result over the folds, by method."""
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
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool | None = None,
    callback: Callable[[dict[str, Any]], object] | None = None,
    **options: Unpack[ComparisonOptions],
) -> CrossValidation:
    """Learns with every method on every fold, with the columns of the paper's Table 1.

    Methods are written as for the command: "greedy", "ideal:k=2:measure=c2". The work is
    distributed over `executor`, if given.

    `callback` is called with every result as soon as it is available, and stops the run if it
    returns True. `time_limit`, in seconds, also stops the run. Other options are those of `learn`.

    >>> import idealparent as ip
    >>> found = ip.cross_validate(ip.example("sachs"), ["greedy", "ideal:k=2"], folds=3)
    >>> sorted(found.summary())
    ['greedy', 'ideal:k=2']
    """
    table, others = parted(options, ComparisonOptions, also=["methods", *(cross_validate.__kwdefaults__ or ())])
    words = asked(others)
    checked(executor)
    check_callback(callback)
    folds = whole(folds, "folds", 2)
    settings = behaviour(threads, time_limit)
    if isinstance(methods, Mapping):
        # Its keys alone would be used, without their options.
        raise TypeError('methods: expected a list such as ["ideal:k=2"], not a dict')
    text = methods if isinstance(methods, str) else " ".join(names_of(methods, "methods"))
    labels = _native.methods(text, words)
    source = given(data, **table)
    gammas = {label: _native.gamma_of(source.table, words, label, settings) for label in labels}
    jobs = [(fold, label) for fold in range(folds) for label in labels]
    progress_bar = bar(progress, total=len(jobs), desc="cross-validation", unit=" runs")
    found: dict[tuple[int, str], dict[str, Any]] = {}
    todo: Iterator[tuple[tuple[int, str], str | None]]
    try:
        if executor is None:
            here = local(source.table, settings["time_limit"])
            todo = ((job, _task(here, job, words, gammas, folds, threads)) for job in jobs)
        else:
            todo = spread(executor, _task, source.table, jobs, settings["time_limit"], words, gammas, folds, threads or 1)
        for job, result in todo:
            if result is None:
                continue
            found[job] = json.loads(result)
            if progress_bar is not None:
                progress_bar.update()
            if callback is not None and says_stop(callback(found[job])):
                break
    finally:
        if progress_bar is not None:
            progress_bar.close()
    if len(found) < len(jobs):
        tell([f"stopped after {len(found)} of {len(jobs)} runs"])
    return CrossValidation([found[job] for job in jobs if job in found])


def _task(
    table: Any,
    job: tuple[int, str],
    words: Asked,
    gammas: dict[str, float | None],
    folds: int,
    threads: int | None,
) -> str | None:
    number, method = job
    with opened(table) as (own, left, stop):
        return _native.fold(own, words, method, (folds, number), gammas[method], behaviour(threads, left, stop=stop))
