"""What a source hands out, and what a format hands to the source."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tailproof.blocks.columns import Field

Rows = npt.NDArray[np.float64]
Mark = dict[str, int]


class Problem(NamedTuple):
    """A row that could not be read as it stands: its place in the block, the column ('' for all) and why."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which a row has no use for
    column: str
    reason: str


class Refusal(NamedTuple):
    """A row that no rule can take, for people: where it stands and why."""

    file: str
    row: int
    column: str
    reason: str

    def __str__(self) -> str:
        where = f"column {self.column!r}: " if self.column else ""
        return f"{self.file}: row {self.row:,}: {where}{self.reason}"


class Block(NamedTuple):
    """Rows in order, as aligned arrays that are valid only until the next block is asked for."""

    rows: Rows
    file: str
    first_row: int
    problems: list[Problem]
    position: dict[str, Any]
    targets: Rows | None = None

    @property
    def taken(self) -> tuple[Rows, ...]:
        """What a rule takes in."""
        return (self.rows,) if self.targets is None else (self.rows, self.targets)

    @property
    def unfit(self) -> npt.NDArray[np.bool_]:
        """Which rows no rule can take: something in them is missing, infinite, or not what it should be."""
        unfit: npt.NDArray[np.bool_] = np.any(~np.isfinite(self.rows), axis=1)
        if self.targets is not None:
            np.logical_or(unfit, ~np.isfinite(self.targets), out=unfit)
        return unfit


class Batch(NamedTuple):
    """Rows as a format gives them: one Arrow array a used column, and the marks around them."""

    columns: list[Any]
    size: int
    problems: list[Problem]
    before: Mark
    after: Mark
    counter: str

    def mark(self, done: int) -> Mark:
        """The place after `done` of this batch's rows."""
        if done == self.size:
            return self.after
        return {**self.before, self.counter: self.before[self.counter] + done}

    def without(self, done: int) -> "Batch":
        """The batch without its first rows, which were delivered before."""
        if not done:
            return self
        columns = [column.slice(done) for column in self.columns]
        problems = [item._replace(index=item.index - done) for item in self.problems if item.index >= done]
        left, before = self.size - done, self.mark(done)
        return self._replace(columns=columns, size=left, problems=problems, before=before)


class Raw(NamedTuple):
    """Some of a file's rows before they are decoded, which any thread may do, several at a time."""

    size: int  # bytes, of text as they stand and else as they will be
    decode: Callable[[bool], Iterator[Batch]]  # whether Arrow may take threads of its own for it
    after: Mark
    read: int  # bytes of the file on disk up to here


def decoded(raws: Iterable[Raw], skip: int) -> Iterator[Batch]:
    """The batches without their first rows, which were delivered before."""
    for raw in raws:
        for batch in raw.decode(True):
            done = min(skip, batch.size)
            skip -= done
            yield batch.without(done)


class Reader(Protocol):
    """One file of one format."""

    def vacant(self) -> str:
        """Why nothing can be known about the columns ('is empty'); '' where they are known."""

    def fields(self, infer: bool) -> list[Field]:
        """Every column of the file; with `infer`, what text holds is judged by the first rows."""

    def batches(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Batch]:
        """The columns at `places`, from `mark` on ({} is the beginning), about `most` rows a batch."""

    def raws(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Raw]:
        """The same before it is decoded; `mark` must be one that stands after such a part."""

    def consumed(self) -> int:
        """Bytes of the file on disk that were read so far."""

    def close(self) -> None: ...
