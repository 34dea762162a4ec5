"""A text column as indicator columns: one for each of its levels but the most frequent, and one for all others."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tailproof.blocks.block import Rows
from tailproof.blocks.rows import numbers, plain
from tailproof.categories import LONGEST, MOST_LEVELS, OTHER, indicator_names
from tailproof.errors import DataError


class Indicators(NamedTuple):
    """The columns that stand for one column of text. The most frequent level has none: it is the baseline."""

    column: str
    levels: Sequence[str]

    @property
    def names(self) -> list[str]:
        return indicator_names(self.column, self.levels)

    def fill(self, words: Any, rows: Rows) -> None:
        """Set these columns of the rows: 1 where the row holds the level, NaN where it holds nothing."""
        import pyarrow as pa
        import pyarrow.compute as compute

        words = as_text(words)
        found = compute.index_in(words, value_set=pa.array(self.levels, pa.string()))
        places = numbers(found.fill_null(len(self.levels))) - 1
        rows[...] = 0.0
        held = np.flatnonzero(places >= 0)
        rows[held, places[held]] = 1.0
        if words.null_count:
            rows[np.asarray(words.is_null())] = np.nan


def as_text(column: Any) -> Any:
    """An Arrow array as text; numbers and truths are spelled out."""
    import pyarrow as pa

    column = plain(column)
    return column if pa.types.is_string(column.type) else column.cast(pa.string())


def spelled(words: Any) -> list[str]:
    """An array of text as words; bytes that are no text are shown as such."""
    import pyarrow as pa

    return [word.decode("utf-8", errors="replace") for word in words.cast(pa.binary()).to_pylist()]


def most_frequent(name: str, parts: list[Any], file: str) -> list[str]:
    """The levels in the first rows of a column, the most frequent first, else as they appear."""
    import pyarrow as pa

    words = pa.chunked_array([as_text(part) for part in parts], pa.string())
    found = words.drop_null().value_counts()
    levels, counts = spelled(found.field("values")), found.field("counts").to_pylist()
    ranked = sorted(zip(levels, counts, strict=True), key=lambda pair: -pair[1])
    # A level that is spelled like the column for all others is one of the others.
    kept = [level for level, _ in ranked if level != OTHER]
    _refuse_unfit(name, kept, file)
    return kept


def _refuse_unfit(name: str, levels: list[str], file: str) -> None:
    remedy = "leave it out with --features"
    if not levels:
        raise DataError(f"{file}: column {name!r} holds nothing in its first rows; {remedy}")
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"{file}: column {name!r} holds {len(levels):,} different texts in its first rows, more than the "
            f"{MOST_LEVELS} that can be turned into columns; {remedy}, or group its values into fewer first"
        )
    if any(len(level) > LONGEST for level in levels):
        raise DataError(f"{file}: column {name!r} holds texts of more than {LONGEST:,} characters; {remedy}")
