"""Where rows stand: a rule knows them by their numbers among the rows used, people by file and row."""

from collections.abc import Collection

import numpy as np

from .blocks import Block

Place = tuple[str, int]


class Places:
    """File and row of those rows that a rule may name, found while their block is at hand; no others are kept."""

    def __init__(self) -> None:
        self.known: dict[int, Place] = {}

    def learn(self, block: Block, before: int, noted: Collection[int]) -> None:
        """A block was taken in after `before` rows used; the rule may now name the rows `noted`."""
        kept = {row: place for row, place in self.known.items() if row in set(noted)}
        fresh = [row for row in noted if row > before]
        used = np.flatnonzero(~block.unfit) if fresh else np.empty(0, np.int64)
        self.known = kept | {row: (block.file, block.first_row + int(used[row - before - 1])) for row in fresh}
