"""Arrow IPC: files with a directory, and streams (packed or from a pipe as well)."""

import os
from collections.abc import Iterator
from typing import Any

from tailproof.blocks.block import Batch, Mark, Raw
from tailproof.blocks.columns import Field, field_of
from tailproof.blocks.damage import damaged
from tailproof.blocks.stream import Stream
from tailproof.errors import DataError

FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"
OLD_FEATHER = b"FEA1"


class Arrow:
    """Record batch by record batch; only the used columns are unpacked."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.file = stream.name
        self.has_directory = stream.codec is None and stream.raw.head.startswith(FILE_MAGIC)
        self.done = 0.0
        _refuse_foreign(stream)
        self.opened = self._open_directory(None) if self.has_directory else self._open_stream()
        self.schema = self.opened.schema

    def _open_directory(self, places: list[int] | None) -> Any:
        import pyarrow as pa

        if not self.stream.seekable:
            raise DataError(f"{self.file}: an Arrow file cannot be read from a pipe; pipe an Arrow stream instead")
        with damaged(self.file):
            return pa.ipc.open_file(pa.OSFile(self.file), options=pa.ipc.IpcReadOptions(included_fields=places))

    def _open_stream(self) -> Any:
        import pyarrow as pa

        with damaged(self.file):
            return pa.ipc.open_stream(pa.PythonFile(self.stream, "r"))

    def vacant(self) -> str:
        return ""

    def fields(self, infer: bool) -> list[Field]:
        return [field_of(field.name, field.type) for field in self.schema]

    def batches(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Batch]:
        start, offset = mark.get("batch", 0), mark.get("offset", 0)
        for number, columns in self._columns(start, places):
            first = offset if number == start else 0
            count = max(0, len(columns[0]) - first)
            before, after = {"batch": number, "offset": first}, {"batch": number + 1, "offset": 0}
            yield Batch([column.slice(first) for column in columns], count, [], before, after, "offset")

    def raws(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Raw]:
        """Batch by batch; Arrow's own are not packed as a rule, and are unpacked here where they are."""
        for batch in self.batches(places, kinds, mark, most):

            def decode(threads: bool, batch: Batch = batch) -> Iterator[Batch]:
                yield batch

            size = sum(column.nbytes for column in batch.columns)
            yield Raw(size, decode, batch.after, self.consumed())

    def _columns(self, start: int, places: list[int]) -> Iterator[tuple[int, list[Any]]]:
        with damaged(self.file):
            if self.has_directory:
                yield from self._columns_by_directory(start, places)
                return
            for number, batch in enumerate(self.opened):
                if number >= start:
                    yield number, [batch.column(place) for place in places]

    def _columns_by_directory(self, start: int, places: list[int]) -> Iterator[tuple[int, list[Any]]]:
        kept = sorted(places)
        rank = {place: number for number, place in enumerate(kept)}
        opened = self._open_directory(kept)
        for number in range(start, opened.num_record_batches):
            batch = opened.get_batch(number)
            self.done = (number + 1) / opened.num_record_batches
            yield number, [batch.column(rank[place]) for place in places]

    def consumed(self) -> int:
        return int(self.done * os.path.getsize(self.file)) if self.has_directory else self.stream.raw.count

    def close(self) -> None:
        self.stream.close()


def _refuse_foreign(stream: Stream) -> None:
    """What does not begin as Arrow data begins; what is packed is looked at when it is unpacked."""
    head = stream.raw.head
    if not head:
        raise DataError(f"{stream.name} is empty; it holds no Arrow data: copy or write it again")
    if head.startswith(OLD_FEATHER):
        raise DataError(f"{stream.name} is Feather of version 1; write it again as version 2")
    if stream.codec is None and not head.startswith((FILE_MAGIC, STREAM_MAGIC)):
        raise DataError(f"{stream.name} is not Arrow data; give it the ending of what it is, or name its format")
