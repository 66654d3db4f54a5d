"""Distributes tasks over any executor of `concurrent.futures`.

The data are sent only once per worker if the executor supports it.
"""

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
"""Cache of the tables that this process has unpacked most recently, by key."""

_MOST_SEEN = 4

Opened = tuple[Table, float | None, Callable[[], bool] | None]
"""A table, the remaining seconds, and a function that says whether to stop early."""


def checked(executor: Any) -> None:
    """Raises TypeError unless `executor` is None or an Executor."""
    if executor is None or isinstance(executor, Executor):
        return
    hint = " (pass its get_executor())" if hasattr(executor, "get_executor") else ""
    raise TypeError(f"executor: {type(executor).__name__} is not a concurrent.futures.Executor{hint}")


@dataclass(frozen=True)
class Local:
    """A table for threads of this process."""

    table: Table
    until: float | None
    """Deadline, by this machine's clock."""
    over: threading.Event
    """Set when the results are no longer needed."""


@dataclass(frozen=True)
class Parcel:
    """A table for other processes: its bytes, or the name of a file that contains them."""

    key: str
    content: bytes | str
    until: float | None = None
    """Deadline, by this machine's clock."""

    def open(self) -> Table:
        """The table, unpacked only once per process while it is in the cache."""
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
    """Wraps a table for tasks in this process."""
    until = None if time_limit is None else time.time() + time_limit
    return Local(table, until, threading.Event())


@contextmanager
def posted(executor: Executor, table: Table, time_limit: float | None) -> Iterator[Any]:
    """The object to pass to the tasks of this executor instead of the table."""
    key = uuid.uuid4().hex
    here = local(table, time_limit)
    if isinstance(executor, ThreadPoolExecutor):
        try:
            yield here
        finally:
            here.over.set()
        return
    if isinstance(executor, ProcessPoolExecutor):
        # The workers are on this machine, and each reads the file once.
        folder = tempfile.mkdtemp(prefix="idealparent-")
        try:
            path = os.path.join(folder, "table")
            with open(path, "wb") as file:
                file.write(table.to_bytes())
            yield Parcel(key, path, here.until)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    # No deadline, because the clocks of other machines may differ.
    parcel = Parcel(key, table.to_bytes())
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "scatter"):
        try:
            # Dask: every worker gets a copy now; later workers get it from these.
            shared = client.scatter(parcel, broadcast=True, hash=False)
        except TimeoutError:
            # No workers have started yet.
            shared = parcel
        yield shared
        return
    yield parcel


@contextmanager
def opened(table: Local | Parcel) -> Iterator[Opened]:
    """For use in a task: the table, the remaining seconds and the stop function."""
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
    """Calls `task(table, item, *arguments)` for every item and yields results as they complete.

    Ends when the time limit is reached. Tasks that have not started by then, or when the caller
    stops iterating, are cancelled.
    """
    with posted(executor, table, time_limit) as parcel:
        futures: dict[Future[Any], Item] = {}
        # `as_completed` would briefly hold the locks of all futures. Ctrl-C at that moment leaves
        # them locked, and then no worker ever ends.
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
                    # The time limit is reached.
                    return
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()
