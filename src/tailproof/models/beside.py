"""What stands beside the rows, one value a row: targets and weights, as arrays, or as columns of the same frame."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..blocks.columns import refuse_missing
from ..blocks.frames import Held, Stream
from ..blocks.indicators import as_text
from ..blocks.rows import numbers, plain
from ..errors import DataError
from .columns import said_of

# What a role may hold: its values, for so many rows, of which the first has this number.
Check = Callable[[str, Any, int, int], Any]


class Beside(NamedTuple):
    """By role: whole arrays, and the names of columns that a stream brings with its rows."""

    roles: list[str]
    arrays: dict[str, Any]
    columns: dict[str, str]
    check: Check

    def of(self, batch: Any, begin: int) -> dict[str, Any]:
        """What stands beside the rows of a batch that begins at this row."""
        size = batch.num_rows
        cut = {role: None if all_ is None else all_[begin : begin + size] for role, all_ in self.arrays.items()}
        there = {
            role: self.check(role, values_of(batch.column(name)), size, begin) for role, name in self.columns.items()
        }
        return {role: there.get(role, cut.get(role)) for role in self.roles}


def beside(frame: Held | Stream, given: Mapping[str, Any], check: Check) -> tuple[Beside, list[str]]:
    """What was given as arrays or as names, and the frame's other columns. `check` says what a role may hold."""
    named = {role: name for role, name in given.items() if isinstance(name, str)}
    refuse_missing([name for name in named.values() if name not in frame.names], frame.names, "X")
    rest = [name for name in frame.names if name not in named.values()]
    if not rest:
        raise DataError(f"X has no columns besides {', '.join(map(repr, named.values()))}; it needs features, too")
    if isinstance(frame, Held):
        found = {role: values_of(frame.column(name)) for role, name in named.items()}
        size = frame.size or 0
        whole = {role: check(role, found.get(role, values), size, 0) for role, values in given.items()}
        return Beside(list(given), whole, {}, check), rest
    for role, values in given.items():
        if values is not None and role not in named:
            raise DataError(
                f"the rows of a stream come with all that belongs to them: name the column that is {role} among those "
                f'of the stream, as in fit(stream, {role}="name")'
            )
    return Beside(list(given), {role: None for role in given if role not in named}, named, check), rest


def refuse_names(given: Mapping[str, Any]) -> None:
    """Columns have names in frames only."""
    for role, name in given.items():
        if isinstance(name, str):
            raise DataError(
                f"{role}={name!r} names a column, but X has no names; give a frame, or the values themselves"
            )


def values_of(column: Any) -> Any:
    """An Arrow array as NumPy holds such values, with NaN among numbers and None among others for what is missing."""
    import pyarrow as pa

    words = said_of(column.type)
    if words in ("text", "categories"):
        return np.array(as_text(column).to_pylist(), dtype=object)
    column = plain(column)
    if pa.types.is_boolean(column.type):
        return np.array(column.to_pylist(), dtype=object if column.null_count else np.bool_)
    return np.array(column.to_pylist(), dtype=object) if words else np.array(numbers(column))
