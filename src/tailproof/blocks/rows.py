"""Arrow columns become aligned rows of float64."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tailproof import compiled
from tailproof.blocks.block import Batch, Rows
from tailproof.blocks.columns import value_type
from tailproof.state import aligned
from tailproof.turning import spanning

BLOCK_NUMBERS = 2**18  # 2 MB: what the decoder wrote is still in cache when it is turned into rows
# Arrow's types whose values lie in memory just as NumPy's do.
PLAIN = {"double": np.float64, "float": np.float32} | {
    f"{sign}int{bits}": np.dtype(f"{sign}int{bits}").type for sign in ("", "u") for bits in (8, 16, 32, 64)
}
FEWEST_ROWS, MOST_ROWS = 4, 2**16


def rows_per_block(columns: int) -> int:
    return max(FEWEST_ROWS, min(MOST_ROWS, BLOCK_NUMBERS // max(1, columns)))


class Shelf:
    """Makes rows of a batch's columns of numbers in one buffer: rows are valid until the next are made."""

    def __init__(self, most: int, places: list[int]) -> None:
        self.places = places
        self.buffer = aligned((most, len(places)))
        self.batch: Batch | None = None
        self.values: list[Rows] = []
        self.span: tuple[Rows, npt.NDArray[np.int64]] | None = None

    def rows(self, batch: Batch, first: int, count: int) -> Rows:
        """The batch's values from row `first` on; what is missing becomes NaN."""
        if batch is not self.batch:
            self.batch, self.span = batch, None
            self.values = [np.ascontiguousarray(numbers(batch.columns[j]), np.float64) for j in self.places]
        rows = self.buffer[:count]
        if not compiled.awake():
            for place, values in enumerate(self.values):
                rows[:, place] = values[first : first + count]
            return rows
        if self.span is None:
            self.span = spanning(self.values)
        compiled.kernel("turn")(*self.span, first, rows)
        return rows


def numbers(column: Any) -> npt.NDArray[Any]:
    """An Arrow array as NumPy numbers, without a copy where it holds plain numbers and nothing is missing."""
    import pyarrow as pa

    if column.null_count == len(column):
        return np.full(len(column), np.nan)
    dtype = PLAIN.get(str(column.type))
    if dtype is not None and column.null_count == 0:
        # As `to_numpy` does, but that imports pandas wherever there is one, which takes a fifth of a second.
        return np.frombuffer(column.buffers()[1], dtype)[column.offset : column.offset + len(column)]
    column = plain(column)
    if pa.types.is_decimal(column.type):  # by way of text, as Arrow's own cast misses the nearest number at times
        column = column.cast(pa.string()).cast(pa.float64())
    if column.null_count and not pa.types.is_floating(column.type):
        column = column.cast(pa.float64(), safe=False)
    values: npt.NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values


def plain(column: Any) -> Any:
    """The values behind a dictionary, a run-length or an extension type."""
    import pyarrow as pa

    while column.type != value_type(column.type):
        if isinstance(column, pa.ExtensionArray):
            column = column.storage
        elif pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        else:
            import pyarrow.compute as compute

            column = compute.run_end_decode(column)
    return column
