"""Things a user should be told in passing."""

import warnings
from collections.abc import Iterable


class Note(UserWarning):
    """What the command prints as a note: a constant column, identical columns, a time limit that was reached."""


def tell(lines: Iterable[str]) -> None:
    """Warns of each line, at the user's own call."""
    level = 2
    frame = __import__("sys")._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("idealparent."):
        frame, level = frame.f_back, level + 1
    for line in lines:
        warnings.warn(line, Note, stacklevel=level)
