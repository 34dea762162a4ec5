"""A path: what a rule said at row numbers that double, for those who want to see how it came to rest."""

from collections.abc import Iterator
from math import log2
from typing import Any

import numpy as np

from .errors import RuleError

# The first reading. Before it there is nothing to see.
FIRST = 16


class Path:
    """What a rule said after 16, 32, 64, ... rows, `each` readings a doubling: about log N of them, not N.

    Give one to `fold`, or ask a model to `keep_path`. Rows are counted as they come, refused ones too, so that any
    chunking of a stream gives the same path.

    >>> import tailproof
    >>> rule, path = tailproof.Extremes(), tailproof.Path(each=1)
    >>> state = tailproof.fold(rule, rule.init(1), [[[float(k)] for k in range(100)]], path)
    >>> [said.rows for said in path.readings]
    [16, 32, 64]
    """

    def __init__(self, each: int = 2) -> None:
        if not (isinstance(each, int) and 1 <= each <= 64):
            raise RuleError(f"each must be a whole number of readings from 1 to 64, not {each!r}")
        self.each = each
        self.readings: list[Any] = []
        self.seen = 0

    def cut(self, block: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """The block in pieces that end where a reading is due."""
        if np.ndim(block[0]) < 2:
            # One row alone is never cut.
            self.seen += 1
            yield block
            return
        rows, begin = len(block[0]), 0
        while begin < rows:
            end = min(rows, begin + self._due(self.seen) - self.seen)
            self.seen += end - begin
            yield tuple(part if part is None else part[begin:end] for part in block)
            begin = end

    def look(self, rule: Any, state: Any) -> None:
        """Read, if the rows so far are a number at which a reading is due."""
        if self._due(self.seen - 1) == self.seen:
            self.readings.append(rule.read(state).light())

    def _due(self, seen: int) -> int:
        """The next row number beyond `seen` after which something is read."""
        k = 0 if seen < FIRST else max(0, int(self.each * log2(seen / FIRST)) - 1)
        while self._mark(k) <= seen:
            k += 1
        return self._mark(k)

    def _mark(self, k: int) -> int:
        mark: float = FIRST * 2.0 ** (k / self.each)
        return round(mark)
