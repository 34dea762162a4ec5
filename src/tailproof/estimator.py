"""The contract: what every rule offers, and what it says."""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import compiled
from .errors import RuleError
from .path import Path
from .state import Layout, State, aligned
from .turning import spanning

Rows = NDArray[np.float64]
Said = TypeVar("Said", covariant=True)

# Rows of other layouts are copied into one aligned buffer of about this many bytes at a time.
BUFFER = 1 << 19
# Values of a piece that is copied or put in order while it is in near memory.
PIECE = 1 << 16
# What stands for the targets where there are none; rows are handed on in runs of at most as many.
NO_TARGETS = np.zeros(1 << 18)


class Rule(Protocol[Said]):
    """A rule is a piece with four verbs. A state is spent by `step` and `merge`: use what they return."""

    def init(self, columns: int) -> State: ...
    def layout(self, columns: int) -> Layout: ...
    def columns(self, state: State) -> int: ...
    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State: ...
    def merge(self, a: State, b: State) -> State: ...
    def read(self, state: State) -> Said: ...


def fold(rule: Rule[Any], state: State, blocks: Iterable[Any], path: Path | None = None) -> State:
    """Take blocks of rows one after the other: each is X, or a pair (X, y). A path keeps what is said on the way."""
    for block in blocks:
        whole = block if isinstance(block, tuple) else (block,)
        for part in [whole] if path is None else path.cut(whole):
            state = rule.step(state, *part)
            if path is not None:
                path.look(rule, state)
    return state


def as_rows(X: ArrayLike, columns: int) -> Rows:
    """X as a matrix of that many columns; numbers only."""
    try:
        rows = np.asarray(X)
        if rows.dtype.kind == "c":
            raise TypeError("complex numbers; take their real part or their modulus first")
        if rows.dtype.kind not in "fiub":
            rows = rows.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise RuleError(f"the rows hold something that is not a number: {error}") from error
    if rows.ndim == 1:
        rows = rows.reshape(1, -1)
    if rows.ndim != 2 or rows.shape[1] != columns:
        raise RuleError(f"the rows have shape {rows.shape}; this state has {columns} columns")
    return rows


def as_targets(y: ArrayLike | None, rows: int) -> NDArray[np.float64] | None:
    """One target a row, or None where none are given."""
    if y is None:
        return None
    targets = np.ascontiguousarray(y, np.float64).reshape(-1)
    if targets.shape[0] != rows:
        raise RuleError(f"there are {rows} rows but {targets.shape[0]} targets")
    return targets


def some(targets: NDArray[np.float64] | None, begin: int, count: int) -> NDArray[np.float64]:
    """The targets of some rows; zeros, always the same ones, where none are given."""
    return NO_TARGETS[:count] if targets is None else targets[begin : begin + count]


def runs(rows: NDArray[Any], single: bool = False) -> Iterable[tuple[int, Rows]]:
    """The rows as float64 in C order: as they are if they are so already, else turned or copied piece by piece. Who can
    read single precision as it is gets it as it is."""
    if ready(rows) or (single and ready(rows, np.float32)):
        for begin in range(0, rows.shape[0], len(NO_TARGETS)):
            yield begin, rows[begin : begin + len(NO_TARGETS)]
        return
    height = max(1, min(rows.shape[0], BUFFER // (8 * max(1, rows.shape[1]))))
    buffer = aligned((height, rows.shape[1]))
    fill = turning_from(rows) if in_columns(rows) and compiled.awake() else copying_from(rows)
    for begin in range(0, rows.shape[0], height):
        piece = buffer[: min(height, rows.shape[0] - begin)]
        fill(begin, piece)
        yield begin, piece


def spans(rows: int, columns: int) -> Iterator[slice]:
    """Cuts so many rows into pieces that are small enough to be copied; at least one piece."""
    height = max(1, PIECE // max(1, columns))
    for begin in range(0, max(rows, 1), height):
        yield slice(begin, min(begin + height, rows))


def pieces(rows: NDArray[Any], targets: NDArray[np.float64]) -> Iterator[tuple[Rows, NDArray[np.float64]]]:
    """Rows and their targets, small pieces at a time, for rules that hand them on to several others."""
    for begin, run in runs(rows):
        for some in spans(len(run), run.shape[1]):
            yield run[some], targets[begin : begin + len(run)][some]


def numbered(rows: Rows, numbers: NDArray[np.float64], count: int) -> NDArray[np.bool_]:
    """Which rows are finite, and have a number below the count. A sum that overflows only makes it look again."""
    good: NDArray[np.bool_] = (numbers >= 0.0) & (numbers < count) & (numbers == np.floor(numbers))
    with np.errstate(over="ignore", invalid="ignore"):
        clean = bool(np.isfinite(rows.sum()))
    return good if clean else good & np.isfinite(rows).all(axis=1)


def ready(rows: NDArray[Any], dtype: type[np.generic] = np.float64) -> bool:
    """Whether the loops can read the rows where they are. Cache lines need not match: copying costs more."""
    flags = rows.flags
    return bool(rows.dtype == dtype and flags.c_contiguous and flags.writeable and flags.aligned)


def in_columns(rows: NDArray[Any]) -> bool:
    """Whether each column is in one piece, as in most data frames."""
    return bool(rows.dtype == np.float64 and rows.flags.f_contiguous and rows.flags.aligned)


def turning_from(rows: NDArray[Any]) -> Callable[[int, Rows], None]:
    memory, _ = spanning([rows.reshape(-1, order="F")])
    offsets = np.arange(rows.shape[1]) * rows.shape[0]
    return lambda begin, piece: compiled.kernel("turn")(memory, offsets, begin, piece)


def copying_from(rows: NDArray[Any]) -> Callable[[int, Rows], None]:
    def fill(begin: int, piece: Rows) -> None:
        piece[...] = rows[begin : begin + len(piece)]

    return fill


FLOAT = np.dtype(np.float64)


def plain_rows(X: Any, columns: int) -> bool:
    """Whether X is rows, or one row, that the loops can read without another look."""
    return (
        type(X) is np.ndarray
        and X.dtype is FLOAT
        and X.flags.carray
        and 0 < X.ndim <= 2
        and X.shape[-1] == columns
        and X.size <= columns * len(NO_TARGETS)
    )


def same_rule(rule: Any, other: Any) -> None:
    """Refuse to mix what two different rules remember."""
    if rule != other:
        raise RuleError(f"these were made by different rules and cannot be merged: {rule!r} and {other!r}")


def same_columns(a: State, b: State) -> None:
    if not a.same_shape(b):
        raise RuleError("these states cannot be merged: they have different columns or come from different rules")


class Record:
    """An immutable record for people: attributes that can be read but not set."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an estimate cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("an estimate cannot be changed")

    def replace(self, **fields: Any) -> Self:
        """The same record with other values in some fields."""
        # What was worked out from the fields and kept must be worked out anew.
        kept = {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }
        return type(self)(**{**kept, **fields})

    def light(self) -> Self:
        """The same without what only names single rows, to be kept by the dozen."""
        return self


class Estimate(Record, ABC):
    """A record that can be said as plain values."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values; what is not a number is None."""

    def to_json(self) -> str:
        """The same as JSON, on one line."""
        return json.dumps(self.to_dict(), allow_nan=False)


def plain(value: Any) -> Any:
    """A value that JSON can hold: what is not finite is None."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(one) for one in value]
    if not isinstance(value, float):
        return value
    return float(value) if math.isfinite(value) else None
