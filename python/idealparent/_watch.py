"""How a run behaves: threads, time limit, progress, callbacks, traces and checkpoints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypedDict

import numpy as np

from ._errors import path_of, seconds, whole
from ._files import write

Callback = Callable[[dict[str, Any]], object]


class Behaviour(TypedDict):
    """As the native part takes it."""

    threads: int | None
    time_limit: float | None
    tell: Callable[[str], bool] | None
    waits: bool
    stop: Callable[[], bool] | None
    keep: Callable[[str], None] | None
    keep_every: float


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
    """How a run behaves; unless something is said, nobody watches."""
    return Behaviour(
        threads=None if threads is None else whole(threads, "threads", 1),
        time_limit=None if time_limit is None else seconds(time_limit, "time_limit"),
        tell=tell,
        waits=waits,
        stop=stop,
        keep=keep,
        keep_every=seconds(keep_every, "checkpoint_every"),
    )


def says_stop(answer: object) -> bool:
    """Whether a callback's answer is True; anything else that is true may well be an accident."""
    return isinstance(answer, (bool, np.bool_)) and bool(answer)


def wants_bar(progress: bool | None) -> bool:
    """Whether to draw a bar: if asked to; else in a notebook or on a terminal."""
    if progress is not None:
        return progress
    return "ipykernel" in sys.modules or sys.stderr.isatty()


def bar(progress: bool | None, **words: Any) -> Any:
    """A bar of tqdm's, where there is one and it is wanted."""
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
    """The behaviour of one search; the trace is written when it ends well."""
    lines: list[str] = []
    shown = bar(progress, desc="idealparent", unit=" moves")

    def tell(text: str) -> bool:
        if trace is not None:
            lines.append(text)
        event = json.loads(text)
        if shown is not None and "step" in event:
            shown.set_postfix(score=f"{event['score']:.2f}", refresh=False)
            shown.update()
        return callback is not None and says_stop(callback(event))

    def keep(text: str) -> None:
        assert checkpoint is not None
        write(checkpoint, text)

    told = callback is not None or trace is not None or shown is not None
    try:
        yield behaviour(
            threads,
            time_limit,
            tell=tell if told else None,
            waits=callback is not None,
            keep=keep if checkpoint is not None else None,
            keep_every=checkpoint_every,
        )
        if trace is not None:
            write(trace, "".join(line + "\n" for line in lines))
    finally:
        if shown is not None:
            shown.close()


def resumed(checkpoint: str | os.PathLike[str] | None, resume: bool) -> tuple[str, str] | None:
    """The file and the text of the checkpoint to go on from; none where there is no such file yet. What is there must be a checkpoint: anything else would be lost."""
    if checkpoint is None:
        if resume:
            raise ValueError("resume goes with checkpoint")
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
        raise ValueError(f"checkpoint {name}: this is no checkpoint, and would be lost")
    return (name, text) if resume and text else None
