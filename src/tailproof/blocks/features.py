"""The features and the targets of a batch's rows, as aligned arrays of float64."""

from collections.abc import Mapping, Sequence

from tailproof.blocks.block import Batch, Problem, Rows
from tailproof.blocks.indicators import Indicators
from tailproof.blocks.labels import Labels
from tailproof.blocks.rows import Shelf, numbers
from tailproof.state import aligned


class Features:
    """Makes rows of features in one buffer: rows are valid until the next are made."""

    def __init__(self, most: int, columns: Sequence[str], levels: Mapping[str, Sequence[str]]) -> None:
        self.groups: list[tuple[int, slice, Indicators]] = []  # the place in the batch, and those in the row
        self.into: list[int] = []
        width = 0
        for place, column in enumerate(columns):
            size = 1
            if column in levels:
                group = Indicators(column, levels[column])
                size = len(group.names)
                self.groups.append((place, slice(width, width + size), group))
            else:
                self.into.append(width)
            width += size
        self.shelf = Shelf(most, [place for place, column in enumerate(columns) if column not in levels])
        self.buffer = aligned((most, width)) if self.groups else None

    def rows(self, batch: Batch, first: int, count: int) -> Rows:
        """The batch's features from row `first` on; what is missing becomes NaN."""
        if self.buffer is None:
            return self.shelf.rows(batch, first, count)
        rows = self.buffer[:count]
        if self.into:
            rows[:, self.into] = self.shelf.rows(batch, first, count)
        for place, columns, group in self.groups:
            group.fill(batch.columns[place].slice(first, count), rows[:, columns])
        return rows


class Targets:
    """Makes targets of a batch's last column, in one buffer: numbers as they are, or the numbers of labels."""

    def __init__(self, most: int, labels: Labels | None) -> None:
        self.buffer = aligned(most)
        self.labels = labels

    def values(self, batch: Batch, first: int, count: int) -> tuple[Rows, list[Problem]]:
        """The targets from row `first` on, and a problem for each that cannot be one."""
        values: Rows = self.buffer[:count]
        problems: list[Problem] = []
        column = batch.columns[-1].slice(first, count)
        if self.labels is None:
            values[:] = numbers(column)
        else:
            values[:], problems = self.labels.codes(column)
        return values, problems
