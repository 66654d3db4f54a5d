"""Notes to the user, issued as warnings."""

import warnings
from collections.abc import Iterable, Sequence


class Note(UserWarning):
    """A note to the user, for example about a constant column or a time limit that was reached."""


def tell(lines: Iterable[str]) -> None:
    """Issues each line as a warning that points at the user's call."""
    level = 2
    frame = __import__("sys")._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("idealparent."):
        frame, level = frame.f_back, level + 1
    for line in lines:
        warnings.warn(line, Note, stacklevel=level)


def some_of(names: Sequence[str], shown: int = 5) -> str:
    """The first few names of a list, and the number of further ones."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")
