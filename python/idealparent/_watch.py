"""Settings of a run: threads, time limit, progress, callbacks, traces and checkpoints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypedDict

import numpy as np

from ._errors import flag, path_of, seconds, shown, whole
from ._files import write

Callback = Callable[[dict[str, Any]], object]


class Behaviour(TypedDict):
    """Settings of a run in the form that the native module expects."""

    threads: int | None
    time_limit: float | None
    """Seconds."""
    tell: Callable[[str], bool] | None
    """Called with every event; returns whether to stop."""
    waits: bool
    """Whether the run waits for the result of `tell`."""
    stop: Callable[[], bool] | None
    """Called at intervals; returns whether to stop."""
    keep: Callable[[str], None] | None
    """Called with the text of every checkpoint."""
    keep_every: float
    """Seconds between two checkpoints."""


def behaviour(
    threads: int | None = None,
    time_limit: float | None = None,
    *,
    tell: Callable[[str], bool] | None = None,
    waits: bool = False,
    stop: Callable[[], bool] | None = None,
    keep: Callable[[str], None] | None = None,
    keep_every: float = 10.0,
) -> Behaviour:
    """Checks the settings of a run. By default nothing observes the run."""
    return Behaviour(
        threads=None if threads is None else whole(threads, "threads", 1),
        time_limit=None if time_limit is None else seconds(time_limit, "time_limit"),
        tell=tell,
        waits=waits,
        stop=stop,
        keep=keep,
        keep_every=seconds(keep_every, "checkpoint_every"),
    )


def check_callback(callback: object) -> None:
    """Raises TypeError unless `callback` is None or can be called."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback: {shown(callback)} is not a function")


def says_stop(answer: object) -> bool:
    """Whether a callback returned True. Other truthy values are ignored as probably accidental."""
    return isinstance(answer, (bool, np.bool_)) and bool(answer)


def wants_bar(progress: bool | None) -> bool:
    """Whether to show a progress bar. Default: only in a notebook or a terminal."""
    if progress is not None:
        return flag(progress, "progress")
    return "ipykernel" in sys.modules or sys.stderr.isatty()


def bar(progress: bool | None, **words: Any) -> Any:
    """A tqdm progress bar, or None if none is wanted or tqdm is not installed."""
    if not wants_bar(progress):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise ImportError("progress bars need tqdm (pip install tqdm)") from None
        return None
    return tqdm(leave=False, **words)


@contextmanager
def watching(
    *,
    threads: int | None,
    time_limit: float | None,
    callback: Callback | None,
    progress: bool | None,
    trace: str | os.PathLike[str] | None,
    checkpoint: str | os.PathLike[str] | None,
    checkpoint_every: float,
) -> Iterator[Behaviour]:
    """The settings of one search. The trace is written if the search ends without an exception."""
    check_callback(callback)
    lines: list[str] = []
    progress_bar = bar(progress, desc="idealparent", unit=" moves")

    def tell(text: str) -> bool:
        if trace is not None:
            lines.append(text)
        event = json.loads(text)
        if progress_bar is not None and "step" in event:
            progress_bar.set_postfix(score=f"{event['score']:.2f}", refresh=False)
            progress_bar.update()
        return callback is not None and says_stop(callback(event))

    def keep(text: str) -> None:
        assert checkpoint is not None
        write(checkpoint, text)

    is_observed = callback is not None or trace is not None or progress_bar is not None
    try:
        yield behaviour(
            threads,
            time_limit,
            tell=tell if is_observed else None,
            waits=callback is not None,
            keep=keep if checkpoint is not None else None,
            keep_every=checkpoint_every,
        )
        if trace is not None:
            write(trace, "".join(line + "\n" for line in lines))
    finally:
        if progress_bar is not None:
            progress_bar.close()


def resumed(checkpoint: str | os.PathLike[str] | None, resume: bool) -> tuple[str, str] | None:
    """The name and text of the checkpoint to resume from, or None if the run starts afresh:
    `resume` is false, or the file is missing or empty.

    Raises ValueError if the file exists but is not a checkpoint, because it would be overwritten.
    """
    resume = flag(resume, "resume")
    if checkpoint is None:
        if resume:
            raise ValueError("resume needs checkpoint")
        return None
    name = path_of(checkpoint, "checkpoint")
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        text = "?"
    if text and not text.startswith('{"format":"idealparent-checkpoint"'):
        raise ValueError(f"checkpoint: {name} exists and is not a checkpoint; it would be overwritten")
    return (name, text) if resume and text else None
