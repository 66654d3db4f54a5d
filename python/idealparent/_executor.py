"""Tasks over any executor of `concurrent.futures`, the data sent once per worker where the engine allows."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, TypeVar

from ._native import Table

Item = TypeVar("Item")

_seen: dict[str, Table] = {}
"""Tables that this process has unpacked, by their keys: the last few."""

_MOST_SEEN = 4


class Parcel:
    """A table on its way to workers: its bytes, or the name of a file with them."""

    def __init__(self, key: str, content: bytes | str) -> None:
        self.key = key
        self.content = content

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


@contextmanager
def posted(executor: Executor, table: Table) -> Iterator[Any]:
    """What to give to tasks of this executor in the place of the table."""
    key = uuid.uuid4().hex
    if isinstance(executor, ThreadPoolExecutor):
        yield table
        return
    if isinstance(executor, ProcessPoolExecutor):
        # Its workers are on this machine: they read a file once each.
        folder = tempfile.mkdtemp(prefix="idealparent-")
        try:
            path = os.path.join(folder, "table")
            with open(path, "wb") as file:
                file.write(table.to_bytes())
            yield Parcel(key, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    parcel = Parcel(key, table.to_bytes())
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "scatter"):
        # Dask: every worker gets its copy now, and passes it on to those that come later.
        yield client.scatter(parcel, broadcast=True, hash=False)
        return
    yield parcel


def opened(table: Table | Parcel) -> Table:
    """In a task: the table itself."""
    return table.open() if isinstance(table, Parcel) else table


def spread(
    executor: Executor,
    task: Callable[..., Any],
    table: Table,
    items: Sequence[Item],
    *arguments: Any,
) -> Iterator[tuple[Item, Any]]:
    """Calls `task(table, item, *arguments)` for every item, and gives results as they come. What is not begun when it is left early is called off."""
    with posted(executor, table) as parcel:
        futures: dict[Future[Any], Item] = {
            executor.submit(task, parcel, item, *arguments): item for item in items
        }
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()
