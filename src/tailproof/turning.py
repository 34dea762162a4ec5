"""Columns become rows.

Files give columns, each in its own piece of memory; the loops want rows. Copied column by column, every value would
touch another cache line of the result; turned in small tiles of eight columns, both sides stay in cache.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

TILE = 64


def turn(memory: Any, offsets: Any, first: int, rows: Any) -> None:
    """Fill `rows` with the columns that start at these offsets of `memory`, from their row `first` on."""
    eights = rows.shape[1] // 8 * 8
    for begin in range(0, rows.shape[0], TILE):
        out = rows[begin : begin + TILE]
        for j in range(0, eights, 8):
            turn_eight(memory[first + begin :], offsets[j : j + 8], out[:, j : j + 8])
        for j in range(eights, rows.shape[1]):
            column = memory[offsets[j] + first + begin :]
            for i in range(out.shape[0]):
                out[i, j] = column[i]


def turn_eight(memory: Any, offsets: Any, out: Any) -> None:
    """Eight columns at once: what they write fills whole cache lines."""
    a, b, c, d = memory[offsets[0] :], memory[offsets[1] :], memory[offsets[2] :], memory[offsets[3] :]
    e, f, g, h = memory[offsets[4] :], memory[offsets[5] :], memory[offsets[6] :], memory[offsets[7] :]
    for i in range(out.shape[0]):
        row = out[i]
        row[0], row[1], row[2], row[3] = a[i], b[i], c[i], d[i]
        row[4], row[5], row[6], row[7] = e[i], f[i], g[i], h[i]


def spanning(arrays: list[NDArray[np.float64]]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """One array that reaches over all of several arrays of float64, wherever in memory they lie, and their offsets.

    Compiled code then needs to know one array and some offsets instead of a type for every number of columns. Only
    what belongs to the arrays may be touched; the spanning array keeps them alive.
    """
    starts = [array.__array_interface__["data"][0] for array in arrays]
    base = min(starts)
    length = (max(start + array.nbytes for start, array in zip(starts, arrays, strict=True)) - base) // 8
    return np.asarray(_Memory(base, length, arrays)), np.array([(start - base) // 8 for start in starts], np.int64)


class _Memory:
    """What NumPy needs to know to make an array of memory that is there already."""

    def __init__(self, base: int, length: int, owners: list[NDArray[np.float64]]) -> None:
        self.owners = owners
        self.__array_interface__ = {"data": (base, False), "shape": (length,), "typestr": "<f8", "version": 3}
