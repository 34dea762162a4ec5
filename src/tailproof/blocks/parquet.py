"""Parquet: row group by row group, in batches, so that a huge row group does not fill the memory."""

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from tailproof.blocks.block import Batch, Mark, Raw
from tailproof.blocks.columns import Field, field_of
from tailproof.blocks.damage import damaged
from tailproof.errors import DataError

DECODED_NUMBERS = 2**20  # 8 MB a batch: Arrow is a quarter slower at 2 MB
READ_AHEAD = 2**16  # bytes a column is read at a time; without it a whole column chunk is held in memory
MAGIC = b"PAR1"


class Parquet:
    """One Parquet file."""

    def __init__(self, file: str) -> None:
        _refuse_other_formats(file)
        self.file = file
        self.size = os.path.getsize(file)
        with damaged(file):
            self.parquet = _opened(file)
            self.schema = self.parquet.schema_arrow
        self.rows_done = 0

    def vacant(self) -> str:
        return ""

    def fields(self, infer: bool) -> list[Field]:
        return [field_of(field.name, field.type) for field in self.schema]

    def batches(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Batch]:
        metadata = self.parquet.metadata
        start = mark.get("group", 0)
        self.rows_done = sum(metadata.row_group(group).num_rows for group in range(start))
        for group in range(start, metadata.num_row_groups):
            offset = mark.get("offset", 0) if group == start else 0
            yield from self._group(group, places, offset, most)

    def raws(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Raw]:
        metadata = self.parquet.metadata
        rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        for group in range(mark.get("group", 0), len(rows)):
            read = int(self.size * sum(rows[: group + 1]) / max(1, metadata.num_rows))
            decode = partial(self._alone, group, places, most)
            yield Raw(8 * len(places) * rows[group], decode, {"group": group + 1, "offset": 0}, read)

    def _alone(self, group: int, places: list[int], most: int, threads: bool) -> Iterator[Batch]:
        """A group through a handle of its own, as one cannot be shared by threads."""
        with damaged(self.file):
            opened = _opened(self.file, self.parquet.metadata)
        try:
            yield from self._group(group, places, 0, most, opened, threads)
        finally:
            opened.close()

    def _group(
        self, group: int, places: list[int], offset: int, most: int, opened: Any = None, threads: bool = True
    ) -> Iterator[Batch]:
        names = [self.schema.names[place] for place in places]
        seen = 0
        for batch in self._decoded(group, names, most, opened or self.parquet, threads):
            first = min(max(offset - seen, 0), batch.num_rows)
            seen += batch.num_rows
            self.rows_done += batch.num_rows
            if first < batch.num_rows:
                yield _in_order(batch.slice(first), names, group, seen)

    def _decoded(self, group: int, names: list[str], most: int, opened: Any, threads: bool) -> Iterator[Any]:
        rows = max(most, min(2**17, DECODED_NUMBERS // len(names)))
        with damaged(self.file):
            yield from opened.iter_batches(rows, row_groups=[group], columns=names, use_threads=threads)

    def consumed(self) -> int:
        total = self.parquet.metadata.num_rows
        return int(self.size * self.rows_done / total) if total else self.size

    def close(self) -> None:
        self.parquet.close()


def _opened(file: str, metadata: Any = None) -> Any:
    import pyarrow.parquet as parquet

    return parquet.ParquetFile(file, metadata=metadata, pre_buffer=False, buffer_size=READ_AHEAD)


def _in_order(batch: Any, names: list[str], group: int, seen: int) -> Batch:
    columns = [batch.column(batch.schema.get_field_index(name)) for name in names]
    before = {"group": group, "offset": seen - batch.num_rows}
    return Batch(columns, batch.num_rows, [], before, {"group": group, "offset": seen}, "offset")


def _refuse_other_formats(file: str) -> None:
    with open(file, "rb") as opened:
        head = opened.read(4)
    if not head:
        raise DataError(f"{file} is empty; it holds no Parquet data: copy or write it again")
    if head != MAGIC:
        raise DataError(f"{file} is not a Parquet file; give it the ending of what it is, or name its format")
