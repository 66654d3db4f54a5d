"""Conversion of tables from and to other libraries."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ._declared import KINDS
from ._declared import ReadOptions as TableOptions
from ._errors import flag, names_of, path_of, shown, text_of
from ._native import Table
from ._notes import some_of, tell

__all__ = ["Columns", "Data", "Given", "TableOptions", "given", "to_frame"]

Columns = Mapping[str, npt.NDArray[np.float64]]

Data = Any
"""A numpy array, pandas or polars DataFrame, Arrow table, mapping of columns, or file name."""


@dataclass(frozen=True)
class Given:
    """A table, and the conversion of results back to the type of the user's data."""

    table: Table
    back: Callable[[Table], Any]
    """Converts a table to the type of the user's data."""
    columns: list[str]
    """Names of all columns, including dropped ones."""


def given(data: Data, *, needed: Sequence[str] | None = None, **options: Unpack[TableOptions]) -> Given:
    """Converts the user's data to a table and selects the requested part of it.

    If `needed` is given, columns of text that it does not list are left out, with a note.
    """
    names = options.pop("names", None)
    flags, texts, lists = _checked(options)
    transpose = flags.get("transpose", False)
    needed = None if transpose else needed
    if isinstance(data, (str, os.PathLike)):
        if names is not None:
            raise ValueError("names can only be given for arrays: other tables have their own")
        words = [*texts.items(), *((name, "yes" if value else "no") for name, value in flags.items())]
        table, notes = Table.read(path_of(data, "data"), words, list(lists.items()), needed)
        tell(notes)
        return Given(table, to_frame, table.names)
    only_files = [name for name in (*flags, *texts, *lists) if name not in _IN_MEMORY]
    if only_files:
        raise ValueError(f"{' and '.join(only_files)} can only be given for files")
    drop, keep, rows = lists.get("drop", []), lists.get("variables"), lists.get("instances")
    found = _convert(data, names, drop, needed)
    table = found.table
    if transpose:
        table = table.transpose()
        # Names that are not columns of the original are variables, which were its rows.
        table = _without(table, [name for name in drop if name not in found.columns])
    else:
        _check_names("drop", drop, found.columns)
    if drop and not table.names:
        raise ValueError("drop: no column is left")
    if rows is not None:
        table = _rows(table, rows, "data.iloc[...]" if hasattr(data, "iloc") else "data[...]")
    if keep is not None:
        _check_names("variables", keep, table.names)
        table = table.select(keep)
    return found if table is found.table else Given(table, to_frame, found.columns)


_IN_MEMORY = ("transpose", "variables", "instances", "drop")
"""Options that also apply to tables in memory. The others are about files."""


def _checked(options: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, str], dict[str, list[str]]]:
    """Checks the options for reading a table: flags, texts and lists of names."""
    flags: dict[str, bool] = {}
    texts: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    for name, value in options.items():
        kind = KINDS[name]
        if kind == "names" or (kind == "name_file" and value is not None):
            lists[name] = names_of(value, name)
            if kind == "name_file" and not lists[name]:
                raise ValueError(f"{name}: no names are listed")
        elif kind == "flag" or (kind == "yes_no" and value is not None):
            flags[name] = flag(value, name)
        elif value is not None:
            texts[name] = text_of(value, name)
    return flags, texts, lists


def _rows(table: Table, wanted: Sequence[str], selection: str) -> Table:
    own = table.row_names
    if own is None:
        raise ValueError(f"instances: the data have no row names (select the rows yourself: {selection})")
    missing = [name for name in wanted if name not in set(own)]
    if missing:
        raise ValueError(f"instances: the data have no row '{missing[0]}'")
    kept = [i for i, name in enumerate(own) if name in set(wanted)]
    columns = [np.ascontiguousarray(column[kept]) for column in table.columns()]
    return Table(table.names, columns, [own[i] for i in kept])


def _convert(data: Data, names: Iterable[str] | None, drop: list[str], needed: Sequence[str] | None) -> Given:
    if isinstance(data, Table):
        return Given(data.select([name for name in data.names if name not in drop]), to_frame, data.names)
    module = type(data).__module__.split(".")[0]
    if names is not None and not _is_array(data):
        raise ValueError("names can only be given for arrays: other tables have their own")
    if module == "pandas" and hasattr(data, "columns"):
        return _from_pandas(data, drop, needed)
    if module == "pandas":
        what = f"a table has two dimensions, instances and variables, but a {type(data).__name__} has one"
        raise ValueError(f"{what} (pass pandas.DataFrame(data))")
    if hasattr(data, "__arrow_c_stream__"):
        return _from_arrow(data, drop, needed)
    if hasattr(data, "collect") and module == "polars":
        raise ValueError("a lazy frame has no values yet: pass frame.collect()")
    if isinstance(data, Mapping):
        return _from_mapping(data, drop, needed)
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        raise ValueError("sparse matrices are not supported: pass data.toarray() if zeros are values")
    _check_array(data)
    return _from_array(data, names, drop, needed)


def _check_array(data: Data) -> None:
    """Raises TypeError unless numpy can read the data as an array."""
    is_list = isinstance(data, Sequence) and not isinstance(data, (bytes, bytearray))
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
        raise TypeError("data: a list of dicts is not a table (pass pandas.DataFrame(data))")
    if not is_list and not hasattr(data, "__array__") and not hasattr(data, "__array_interface__"):
        accepted = "pass a DataFrame, an array, a dict of columns or a file name"
        raise TypeError(f"data: {shown(data)} is not a table ({accepted})")


def _is_array(data: Data) -> bool:
    return isinstance(data, (np.ndarray, list, tuple)) or not (
        hasattr(data, "columns") or hasattr(data, "__arrow_c_stream__") or isinstance(data, Mapping)
    )


def _without(table: Table, drop: list[str]) -> Table:
    if not drop:
        return table
    _check_names("drop", drop, table.names)
    return table.select([name for name in table.names if name not in drop])


def _check_names(what: str, listed: list[str], names: list[str]) -> None:
    """Raises an error if the data lack a name that the option `what` lists."""
    for name in listed:
        if name not in names:
            raise ValueError(f"{what}: the data have no column '{name}'")


_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def _text_remedy(name: str, value: str | bytes) -> str:
    try:
        float(value)
    except ValueError:
        return f"(leave it out with drop=[{name!r}])"
    return f"(leave it out with drop=[{name!r}] or convert it with pandas.to_numeric)"


def _column(name: str, values: Any) -> npt.NDArray[np.float64]:
    """Converts a column to doubles, with NaN for missing values. Other types are an error."""
    remedy = f"(leave it out with drop=[{name!r}])"
    if np.ma.isMaskedArray(values) and values.dtype.kind in "fiub":
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"column '{name}' is not a list of numbers") from None
    if array.ndim != 1:
        raise ValueError(f"column '{name}' is not a list of numbers")
    if array.dtype.kind in "fiub":
        return np.require(array, dtype=np.float64, requirements=["C", "A"])
    if array.dtype.kind in "mM":
        raise ValueError(f"column '{name}' holds dates or times, not numbers {remedy}")
    if array.dtype.kind == "c":
        raise ValueError(f"column '{name}' holds complex numbers {remedy}")
    out = np.empty(array.shape, dtype=np.float64)
    for i, value in enumerate(array.tolist() if array.dtype.kind != "O" else array):
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            out[i] = np.nan
        elif isinstance(value, (str, bytes)):
            raise ValueError(f"column '{name}' holds text, not numbers {_text_remedy(name, value)}")
        elif isinstance(value, (complex, np.complexfloating)):
            raise ValueError(f"column '{name}' holds complex numbers {remedy}")
        else:
            try:
                out[i] = float(value)
            except OverflowError:
                raise ValueError(f"column '{name}', row {i + 1}: the number is too large") from None
            except (TypeError, ValueError):
                kind = f"values of type {type(value).__name__}"
                if isinstance(value, _DATES) or type(value).__name__ == "Period":
                    kind = "dates or times"
                raise ValueError(f"column '{name}' holds {kind}, not numbers {remedy}") from None
    return out


def _column_if_needed(name: str, values: Any, needed: Sequence[str] | None) -> npt.NDArray[np.float64] | None:
    """As `_column`; `None` if the column does not hold numbers and is not needed."""
    try:
        return _column(name, values)
    except ValueError:
        if needed is None or name in needed:
            raise
        return None


def _note_ignored(columns: Sequence[str]) -> None:
    if columns:
        what = "a text column that is not in the network is ignored"
        if len(columns) > 1:
            what = "text columns that are not in the network are ignored"
        more = f" and {len(columns) - 3} more" if len(columns) > 3 else ""
        tell([f"{what}: {', '.join(repr(name) for name in columns[:3])}{more}"])


def _from_pandas(frame: Any, drop: list[str], needed: Sequence[str] | None) -> Given:
    names = [str(name) for name in frame.columns]
    kept, columns, ignored = [], [], []
    for i in [i for i, name in enumerate(names) if name not in drop]:
        series = frame.iloc[:, i]
        if series.dtype.kind in "fiub" and hasattr(series, "to_numpy"):
            values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            values = series.to_numpy(dtype=object)
        column = _column_if_needed(names[i], values, needed)
        if column is None:
            ignored.append(names[i])
        else:
            kept.append(i)
            columns.append(column)
    _note_ignored(ignored)
    index = frame.index
    is_named = index.nlevels == 1 and index.dtype.kind not in "iufb"
    rows = [str(label) for label in index] if is_named else None
    labels = frame.columns[kept]

    def back(table: Table) -> Any:
        import pandas as pd

        same = table.names == [names[i] for i in kept]
        made = pd.DataFrame(dict(zip(table.names, table.columns(), strict=True)))
        if same:
            made.columns = labels
        if table.shape[0] == len(index):
            made.index = index
        return made

    return Given(Table([names[i] for i in kept], columns, rows), back, names)


def _from_arrow(data: Any, drop: list[str], needed: Sequence[str] | None) -> Given:
    module = type(data).__module__.split(".")[0]
    names: list[str] | None = None
    if module == "polars" and hasattr(data, "schema"):
        data, names = _castable(data, drop), list(data.columns)
    try:
        table, own, ignored = Table.from_arrow(data, drop, needed)
    except Exception as error:
        if "as a Schema" in str(error):
            raise ValueError("expected a table with named columns, but the data are one column") from None
        raise
    _note_ignored(ignored)

    def back(table: Table) -> Any:
        columns = dict(zip(table.names, table.columns(), strict=True))
        if module == "polars":
            import polars as pl

            return pl.DataFrame(columns)
        if module == "pyarrow":
            import pyarrow as pa

            return pa.table(columns)
        return to_frame(table)

    return Given(table, back, names or own)


def _castable(frame: Any, drop: list[str]) -> Any:
    """Converts columns of types that Arrow import does not support (Null, Int128) to Float64."""
    import polars as pl

    frame = frame.drop([name for name in frame.columns if name in drop])
    odd = [name for name, kind in frame.schema.items() if kind == pl.Null or kind == pl.Int128]
    return frame.with_columns(pl.col(odd).cast(pl.Float64)) if odd else frame


def _from_mapping(data: Mapping[Any, Any], drop: list[str], needed: Sequence[str] | None) -> Given:
    names = [str(name) for name in data]
    pairs = [pair for pair in zip(names, data.values(), strict=True) if pair[0] not in drop]
    columns = [(name, _column_if_needed(name, values, needed)) for name, values in pairs]
    _note_ignored([name for name, column in columns if column is None])
    kept = [(name, column) for name, column in columns if column is not None]
    return Given(Table([name for name, _ in kept], [column for _, column in kept]), _to_mapping, names)


def _to_mapping(table: Table) -> dict[str, npt.NDArray[np.float64]]:
    return dict(zip(table.names, table.columns(), strict=True))


def _from_array(data: Any, names: Iterable[str] | None, drop: list[str], needed: Sequence[str] | None) -> Given:
    try:
        array = data if isinstance(data, np.ndarray) else np.asarray(data)
    except ValueError:
        raise ValueError("the rows of the table differ in length") from None
    if array.dtype.names is not None:
        return _from_mapping({name: array[name] for name in array.dtype.names}, drop, needed)
    if array.size == 0:
        raise ValueError("the table is empty")
    if array.ndim != 2:
        raise ValueError(f"a table has two dimensions, instances and variables, but the array has {array.ndim}")
    own = [f"X{i + 1}" for i in range(array.shape[1])] if names is None else names_of(names, "names")
    if names is None and needed and not set(own) & set(needed):
        raise ValueError(f"the columns of an array have no names: pass names=[...] (the network has {some_of(needed, 3)})")
    if len(own) != array.shape[1]:
        raise ValueError(f"{len(own)} names for {array.shape[1]} columns")
    if np.ma.isMaskedArray(array) and array.dtype.kind in "fiub":
        array = np.ma.filled(array.astype(np.float64), np.nan)
    if array.dtype.kind not in "fiub":
        columns = [_column(name, array[:, i]) for i, name in enumerate(own)]
        array = np.column_stack(columns) if columns else np.empty(array.shape)
    if array.dtype != np.float64:
        array = array.astype(np.float64, order="F")
    array = np.require(array, requirements="A")
    table = Table.from_matrix(own, array)
    if drop:
        table = table.select([name for name in own if name not in drop])
    return Given(table, _to_array, own)


def _to_array(table: Table) -> npt.NDArray[np.float64]:
    return np.column_stack(table.columns()) if table.names else np.empty(table.shape)


def to_frame(table: Table) -> Any:
    """A pandas DataFrame if pandas is installed, otherwise a dict of arrays."""
    columns = _to_mapping(table)
    try:
        import pandas as pd
    except ImportError:
        return columns
    return pd.DataFrame(columns, index=table.row_names)
