"""Hands out the rows of files as blocks, from the beginning or from a saved position."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tailproof.blocks.ahead import Ahead
from tailproof.blocks.block import Batch, Block, Mark, Problem, Raw, Reader, Refusal
from tailproof.blocks.choice import Wish, sound
from tailproof.blocks.columns import locate
from tailproof.blocks.delimited import DEFAULT_NA
from tailproof.blocks.features import Features, Targets
from tailproof.blocks.files import Input, find_inputs
from tailproof.blocks.labels import Labels
from tailproof.blocks.opening import Opened, Options, at_beginning, at_position, open_reader
from tailproof.blocks.parts import Part, cut
from tailproof.blocks.position import header_of
from tailproof.blocks.rows import rows_per_block
from tailproof.categories import Label, feature_names
from tailproof.errors import DataError

WHEN_EMPTY_IS_FINE = ("csv", "jsonl")
TARGETS = ("number", "label", "group")


class _Part(NamedTuple):
    """Some of a batch's rows as they were decoded; whoever takes them turns them into rows."""

    batch: Batch
    first: int
    size: int
    file: str
    first_row: int
    position: dict[str, Any]
    read: int  # bytes that were read when it was made


def open_source(
    paths: Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    position: dict[str, Any] | None = None,
    na: Sequence[str] = DEFAULT_NA,
    batch_rows: int | None = None,
    stdin: BinaryIO | None = None,
    target: str | None = None,
    target_kind: str = "number",
    labels: Sequence[Label] | None = None,
    one_hot: bool = False,
    features: Sequence[str] | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
) -> "Source":
    """Finds the files, decides on the columns, and stands ready at the beginning or at `position`.

    `features` are columns too, or with `levels` the features of a model, indicator columns by their own names.
    """
    if isinstance(paths, str):
        paths = [paths]
    if batch_rows is not None and batch_rows < 1:
        raise DataError(f"a block of {batch_rows} rows cannot be made; ask for at least 1")
    if target_kind not in TARGETS:
        raise DataError(f"a target cannot be a {target_kind!r}; it is one of {', '.join(TARGETS)}")
    inputs, options = find_inputs(paths, format), Options(tuple(na), stdin)
    asked = columns if features is None else features
    labelled, grouped = target_kind != "number", target_kind == "group"
    wish = sound(Wish(asked, target, labelled, labels, one_hot, levels, grouped))
    opened = at_beginning(inputs, wish, options) if position is None else at_position(inputs, wish, position)
    return Source(inputs, opened, wish, options, batch_rows)


class Source:
    """Rows of one or several files, once, in order."""

    def __init__(
        self, inputs: list[Input], opened: Opened, wish: Wish, options: Options, batch_rows: int | None
    ) -> None:
        choice = opened.choice
        self.levels = opened.levels
        self.names = feature_names(choice.features, self.levels)
        self.origins = [name for name in choice.features for _ in feature_names([name], self.levels)]
        self.target = choice.target
        self.skipped = choice.skipped
        self.files = [found.name for found in inputs]
        sizes = [found.size for found in inputs]
        self.total_bytes = None if None in sizes else sum(size or 0 for size in sizes)
        self._inputs, self._choice, self._options = inputs, choice, options
        self._most = batch_rows or rows_per_block(len(self.names))
        self._place, self._reader, self._begun = opened.place, opened.reader, opened.begun
        self._labels = Labels(choice.target or "", choice.kinds[-1], opened.labels) if choice.labelled else None
        self._header = header_of(inputs, choice, wish, self.levels)
        self._read = self._bytes_before(opened.place.file)
        self._ahead: Ahead[_Part] | None = None
        self._closed = False

    @property
    def labels(self) -> list[Label] | None:
        """The labels so far, in the order of their codes; None where the target is a number."""
        return None if self._labels is None else self._labels.known

    @property
    def classes(self) -> int:
        """How many labels there are room for, from the first row to the last; 0 where the target is a number."""
        return 0 if self._labels is None else self._labels.classes

    def blocks(self) -> Iterator[Block]:
        """The blocks, decoded in a second thread. A source is read once."""
        if self._closed or self._ahead is not None:
            raise RuntimeError("a source is read once; open it again")
        self._ahead = Ahead(self._make())
        features = Features(self._most, self._choice.features, self.levels)
        targets = None if self.target is None else Targets(self._most, self._labels)
        try:
            for part in self._ahead:
                self._read = part.read
                yield self._block(part, features, targets)
        finally:
            self.close()
        self._read = self.total_bytes or 0

    def parts(self) -> Iterator[Part]:
        """The rows in parts, to be decoded by several threads. A source is read once, as blocks or in parts."""
        if self._begun is not None:  # a look at the first rows has moved the reader: what it saw must be seen again
            self._begun = None
            self._leave()
        for part in cut(self._raws()):
            index, read = part.read
            self._read = self._bytes_before(index) + read
            yield part

    def part_blocks(self, part: Part) -> Iterator[tuple[int, Block]]:
        """A part's blocks, each with the number of its file. Rows are numbered from the part's first in each file."""
        features = Features(self._most, self._choice.features, self.levels)
        targets = None if self.target is None else Targets(self._most, self._labels)
        row = dict.fromkeys((index for index, _ in part.raws), 0)
        for index, raw in part.raws:
            for batch in raw.decode(False):
                for first in range(0, batch.size, self._most):
                    size = min(self._most, batch.size - first)
                    some = _Part(batch, first, size, self.files[index], row[index] + 1, {}, 0)
                    row[index] += size
                    yield index, self._block(some, features, targets)

    def position_after(self, part: Part, row: int) -> dict[str, Any]:
        """Where reading goes on after a part that ends after this row of its last file."""
        index, raw = part.raws[-1]
        labels = {} if self._labels is None else {"labels": self._labels.known}
        return {**self._position(index, row, raw.after), **labels}

    def refusals(self, block: Block) -> Iterator[Refusal]:
        """The rows of a block that no rule can take. They cost a second look, clean blocks do not."""
        for index in np.flatnonzero(block.unfit).tolist():
            _, column, reason = self.problem(block, index)
            yield Refusal(block.file, block.first_row + index, column, reason)

    def problem(self, block: Block, index: int) -> Problem:
        """Why a row is unfit: what was found when it was read, or the first of its columns that keeps it out."""
        place = bisect_left(block.problems, index, key=lambda problem: problem.index)
        if place < len(block.problems) and block.problems[place].index == index:
            return block.problems[place]
        target = () if block.targets is None else (block.targets[index],)
        row = np.array([*block.rows[index], *target])
        bad = int(np.flatnonzero(~np.isfinite(row))[0])
        column = [*self.origins, self.target or ""][bad]
        return Problem(index, column, "missing" if np.isnan(row[bad]) else "infinite")

    def share(self) -> float | None:
        """How much of the input was read, from 0 to 1; None for a pipe."""
        if self.total_bytes is None:
            return None
        return min(1.0, self._read / self.total_bytes) if self.total_bytes else 1.0

    def close(self) -> None:
        """Stops reading; may be called again."""
        if self._closed:
            return
        self._closed = True
        stopped = self._ahead is None or self._ahead.close()
        if stopped and self._reader is not None:
            self._reader.close()

    def __enter__(self) -> "Source":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _bytes_before(self, index: int) -> int:
        return sum(found.size or 0 for found in self._inputs[:index])

    def _make(self) -> Iterator[_Part]:
        for index in range(self._place.file, len(self._inputs)):
            yield from self._file(index, self._reader_of(index))
            self._leave()

    def _raws(self) -> Iterator[tuple[int, Raw]]:
        for index in range(self._place.file, len(self._inputs)):
            reader = self._reader_of(index)
            mark = self._mark_in(index)
            if mark or not self._is_finely_empty(index, reader):
                places = self._places_in(index, reader)
                for raw in reader.raws(places, self._choice.kinds, mark, self._most):
                    yield index, raw
            self._leave()

    def _reader_of(self, index: int) -> Reader:
        """The file's reader: the one that was opened to find the columns, or a new one."""
        if self._reader is None:
            self._reader = open_reader(self._inputs[index], self._options)
        return self._reader

    def _leave(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _file(self, index: int, reader: Reader) -> Iterator[_Part]:
        found, row = self._inputs[index], self._place.row if index == self._place.file else 0
        before = self._bytes_before(index)
        for batch in self._batches(index, reader):
            for first in range(0, batch.size, self._most):
                count = min(self._most, batch.size - first)
                position = self._position(index, row + count, batch.mark(first + count))
                read = before + reader.consumed()
                yield _Part(batch, first, count, found.name, row + 1, position, read)
                row += count

    def _batches(self, index: int, reader: Reader) -> Iterator[Batch]:
        """The file's batches, or the rest of them where reading began before."""
        if self._begun is not None:
            begun, self._begun = self._begun, None
            return begun
        mark = self._mark_in(index)
        if not mark and self._is_finely_empty(index, reader):
            return iter(())
        return reader.batches(self._places_in(index, reader), self._choice.kinds, mark, self._most)

    def _mark_in(self, index: int) -> Mark:
        return self._place.mark if index == self._place.file else {}

    def _is_finely_empty(self, index: int, reader: Reader) -> bool:
        return bool(reader.vacant()) and self._inputs[index].format in WHEN_EMPTY_IS_FINE

    def _places_in(self, index: int, reader: Reader) -> list[int]:
        return locate(reader.fields(False), self._choice.names, self._choice.kinds, self.files[index])

    def _position(self, index: int, row: int, mark: Mark) -> dict[str, Any]:
        found = self._inputs[index]
        return {**self._header, "file": found.name, "index": index, "size": found.size, "row": row, **mark}

    def _block(self, part: _Part, features: Features, targets: Targets | None) -> Block:
        """The part as rows. Labels are numbered here, in order: a position knows those before it and no more."""
        span = part.batch, part.first, part.size
        rows, problems, position = features.rows(*span), _problems(*span), part.position
        if targets is None:
            return Block(rows, part.file, part.first_row, problems, position)
        values, more = targets.values(*span)
        if self._labels is not None:
            problems = [self._labels.about(problem) for problem in problems]
            position = {**position, "labels": self._labels.known}
        return Block(rows, part.file, part.first_row, sorted(problems + more), position, values)


def _problems(batch: Batch, first: int, count: int) -> list[Problem]:
    """The problems of some of a batch's rows, numbered within these."""
    inside = (item for item in batch.problems if first <= item.index < first + count)
    return [item._replace(index=item.index - first) for item in inside]
