"""Atomic writing of files, and checks of output files."""

from __future__ import annotations

import gzip
import os
import stat
import uuid
from collections.abc import Iterable

from ._errors import FileError, of_file, path_of


def write(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file atomically: on failure an existing file is unchanged. Compresses for .gz."""
    name = path_of(path, "file")
    content = text.encode("utf-8")
    if name.endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    target = os.path.realpath(name)
    try:
        there = os.stat(target)
    except OSError:
        there = None
    try:
        if there is not None and not stat.S_ISREG(there.st_mode):
            # A pipe or a device is written to directly, not replaced by a file.
            with open(target, "wb") as file:
                file.write(content)
            return
        _replace(target, content, None if there is None else there.st_mode & 0o7777)
    except OSError as error:
        # The error names the user's file, not the temporary one.
        problem = str(error.strerror)
        if isinstance(error, FileNotFoundError):
            problem = f"there is no folder {os.path.dirname(name)!r}"
        raise of_file(error.errno)(f"{name}: {problem}") from None


def _replace(target: str, content: bytes, mode: int | None) -> None:
    temporary = os.path.join(os.path.dirname(target), f".idealparent-{uuid.uuid4().hex[:12]}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def check_places(inputs: Iterable[object], outputs: Iterable[tuple[str, object]]) -> None:
    """Checks output files before a run.

    Raises an error if a file cannot be written, is also an input, or is written twice.
    """
    read = {os.path.realpath(os.fsdecode(given)) for given in inputs if isinstance(given, (str, os.PathLike))}
    written: dict[str, str] = {}
    for what, output in outputs:
        if output is None:
            continue
        name = path_of(output, what)
        target = os.path.realpath(name)
        if os.path.isdir(target):
            raise FileError(f"{what}: {name} is a folder")
        if not os.path.isdir(os.path.dirname(target)):
            raise FileError(f"{what}: there is no folder for {name}")
        # A pipe or a device can be used several times.
        is_file = os.path.isfile(target)
        if target in read and is_file:
            raise ValueError(f"{what}: {name} is read by the same call and would be overwritten")
        if target in written and (is_file or not os.path.exists(target)):
            raise ValueError(f"{what}: {name} is also written by {written[target]}= (choose another name)")
        written[target] = what
