"""Eight numbers at a time: what a processor keeps in one register, as plain arrays.

A row is walked along in steps of one or a few registers; `like` is a tuple of as many zeros as there are registers.
`load` and `store` mind the row's end: beyond it there is zero, and nothing is written. `load_whole` and `store_whole`
are for rows of our own, whose length is a multiple of LANES. Where there are several registers all but the last must
lie within the row.

This is what these words mean; `registers.py` says how a processor does it. Sums of lanes are added in an order that
depends on nothing but the number of registers.
"""

from typing import Any

import numpy as np

LANES = 8
# As many registers as are worth holding at once.
ONE, TWO, FOUR = (0.0,), (0.0, 0.0), (0.0, 0.0, 0.0, 0.0)


def padded(columns: int) -> int:
    """The length of a row of our own that has room for so many numbers."""
    return -(-columns // LANES) * LANES


def registers(columns: int) -> Any:
    """As many zeros as there are registers in so many numbers; ONE where they are too many to be held."""
    count = padded(columns) // LANES
    return (0.0,) * count if count <= len(FOUR) else ONE


def load(rows: Any, i: int, j: int, like: Any) -> Any:
    """The numbers of row i from column j on. A vector is a row by itself."""
    row = rows if rows.ndim == 1 else rows[i]
    found = np.zeros(LANES * len(like))
    part = row[j : j + len(found)]
    found[: len(part)] = part
    return found


def store(rows: Any, i: int, j: int, like: Any, lanes: Any) -> None:
    row = rows if rows.ndim == 1 else rows[i]
    part = row[j : j + LANES * len(like)]
    part[:] = lanes[: len(part)]


def load_whole(rows: Any, i: int, j: int, like: Any) -> Any:
    return rows[i, j : j + LANES * len(like)].copy()


def store_whole(rows: Any, i: int, j: int, like: Any, lanes: Any) -> None:
    rows[i, j : j + LANES * len(like)] = lanes


def fetch(rows: Any, i: int, j: int, like: Any, distance: int) -> None:
    """Have what lies so many numbers further on brought near, since it will be asked for soon."""


def all_equal(value: float, like: Any) -> Any:
    return np.full(LANES * len(like), value)


def larger(a: Any, b: Any) -> Any:
    """Of each pair; b where a is no number."""
    return np.where(a > b, a, b)


def smaller(a: Any, b: Any) -> Any:
    return np.where(a < b, a, b)


def fused(sum: Any, a: Any, b: Any) -> Any:
    """sum + a b, rounded once where the processor can; b may be one number for all."""
    return sum + a * b


def dot(a: Any, b: Any) -> Any:
    """The sum of all products."""
    return (a * b).sum()


def folded(lanes: Any) -> Any:
    """Several registers added up into one."""
    return lanes.reshape(-1, LANES).sum(axis=0)


def total(lanes: Any) -> Any:
    return lanes.sum()
