"""Tasks over any executor of `concurrent.futures`, the data sent once per worker where the engine allows."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from ._native import Table

Item = TypeVar("Item")

_seen: dict[str, Table] = {}
"""Tables that this process has unpacked, by their keys: the last few."""

_MOST_SEEN = 4

Opened = tuple[Table, float | None, Callable[[], bool] | None]
"""A table, the seconds left for work on it, and who says whether to stop before."""


def checked(executor: Any) -> None:
    """Refuses what is no executor."""
    if executor is None or isinstance(executor, Executor):
        return
    hint = " (give its get_executor())" if hasattr(executor, "get_executor") else ""
    raise TypeError(f"executor: {type(executor).__name__} is no concurrent.futures.Executor{hint}")


@dataclass(frozen=True)
class Local:
    """A table for threads of this process, and how they learn that nobody waits for them any more."""

    table: Table
    until: float | None
    over: threading.Event


@dataclass(frozen=True)
class Parcel:
    """A table on its way to workers: its bytes, or the name of a file with them."""

    key: str
    content: bytes | str
    until: float | None = None
    """When to be done, by this machine's clock."""

    def open(self) -> Table:
        """The table; unpacked once per process."""
        table = _seen.get(self.key)
        if table is None:
            if isinstance(self.content, str):
                with open(self.content, "rb") as file:
                    table = Table.from_bytes(file.read())
            else:
                table = Table.from_bytes(self.content)
            while len(_seen) >= _MOST_SEEN:
                _seen.pop(next(iter(_seen)))
            _seen[self.key] = table
        return table


def local(table: Table, time_limit: float | None) -> Local:
    """A table for work in this process."""
    until = None if time_limit is None else time.time() + time_limit
    return Local(table, until, threading.Event())


@contextmanager
def posted(executor: Executor, table: Table, time_limit: float | None) -> Iterator[Any]:
    """What to give to tasks of this executor in the place of the table."""
    key = uuid.uuid4().hex
    here = local(table, time_limit)
    if isinstance(executor, ThreadPoolExecutor):
        try:
            yield here
        finally:
            here.over.set()
        return
    if isinstance(executor, ProcessPoolExecutor):
        # Its workers are on this machine: they read a file once each.
        folder = tempfile.mkdtemp(prefix="idealparent-")
        try:
            path = os.path.join(folder, "table")
            with open(path, "wb") as file:
                file.write(table.to_bytes())
            yield Parcel(key, path, here.until)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    # Other machines' clocks need not agree with this one's: nothing is said of the time.
    parcel = Parcel(key, table.to_bytes())
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "scatter"):
        try:
            # Dask: every worker gets its copy now, and passes it on to those that come later.
            shared = client.scatter(parcel, broadcast=True, hash=False)
        except TimeoutError:
            # There are no workers yet.
            shared = parcel
        yield shared
        return
    yield parcel


@contextmanager
def opened(table: Local | Parcel) -> Iterator[Opened]:
    """In a task: the table itself, and how long there is."""
    left = None if table.until is None else max(table.until - time.time(), 0.0)
    if isinstance(table, Local):
        yield table.table, left, table.over.is_set
    else:
        yield table.open(), left, None


def spread(
    executor: Executor,
    task: Callable[..., Any],
    table: Table,
    items: Sequence[Item],
    time_limit: float | None,
    *arguments: Any,
) -> Iterator[tuple[Item, Any]]:
    """Calls `task(table, item, *arguments)` for every item, and gives results as they come, until the time is over. What is not begun when it is left early
    is called off."""
    with posted(executor, table, time_limit) as parcel:
        futures: dict[Future[Any], Item] = {}
        # Not `as_completed`: it holds the locks of all futures for a moment, and a Ctrl-C then leaves them held, so that
        # no worker ever ends.
        done: SimpleQueue[Future[Any]] = SimpleQueue()
        end = None if time_limit is None else time.monotonic() + time_limit
        try:
            for item in items:
                future = executor.submit(task, parcel, item, *arguments)
                futures[future] = item
                future.add_done_callback(done.put)
            for _ in items:
                left = None if end is None else max(end - time.monotonic(), 0.0)
                try:
                    future = done.get(timeout=left)
                except Empty:
                    # The time is over.
                    return
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()
