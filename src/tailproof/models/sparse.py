"""SciPy's sparse matrices: their rows are made dense block by block, never all at once."""

from collections.abc import Iterator
from typing import Any

from scipy.sparse import issparse

from ..blocks.rows import rows_per_block
from ..errors import DataError

# A dense row of more columns is nearly all zeros, and takes longer than what it tells is worth.
MOST_COLUMNS = 100_000


def dense(rows: Any) -> Iterator[tuple[int, Any]]:
    """Rows in pieces, each with the number of its first row: an array is one piece as it is."""
    if not issparse(rows):
        yield 0, rows
        return
    height = rows_per_block(rows.shape[1])
    for begin in range(0, rows.shape[0], height):
        yield begin, rows[begin : begin + height].toarray()


def refuse_wide(X: Any) -> None:
    """More columns than are read row by row."""
    if issparse(X) and X.shape[1] > MOST_COLUMNS:
        raise DataError(
            f"X is sparse and has {X.shape[1]:,} columns; its rows are made dense in blocks, for up to "
            f"{MOST_COLUMNS:,}: hash them into fewer first, for example with scikit-learn's FeatureHasher"
        )
