"""Cuts files into parts by what is in them, never by who will read them: so that any number of readers agree."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tailproof.blocks.block import Raw

# Rows are gathered until they are so many bytes: text as it stands, all else as it will be. Each part is held in memory
# by whoever reads it; much smaller ones would cost in merging, and few large ones cannot be shared out evenly.
PART_BYTES = 15 * 2**20


class Part(NamedTuple):
    """Rows that follow one another, not decoded yet, each with the number of its file."""

    raws: list[tuple[int, Raw]]

    @property
    def read(self) -> tuple[int, int]:
        """The file that the part ends in, and the bytes of it up to there."""
        index, raw = self.raws[-1]
        return index, raw.read


def cut(raws: Iterable[tuple[int, Raw]]) -> Iterator[Part]:
    """The parts in order. Where one begins nothing is known of those before it, so that a run can go on from there."""
    gathered: list[tuple[int, Raw]] = []
    size = 0
    for index, raw in raws:
        gathered.append((index, raw))
        size += raw.size
        if size >= PART_BYTES:
            yield Part(gathered)
            gathered, size = [], 0
    if gathered:
        yield Part(gathered)
