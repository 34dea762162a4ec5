"""Tables that are written a part at a time, as Parquet, CSV or JSON lines."""

import contextlib
import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import DataError
from .exits import UsageError

STDOUT = "-"
ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
# Parts are gathered into groups of so many rows, as Parquet wants them.
GROUP = 2**16

Write = Callable[[Any], None]


def format_of(path: str) -> str:
    """What a path says by its ending; stdout gets CSV."""
    if path == STDOUT:
        return "csv"
    found = ENDINGS.get(os.path.splitext(path)[1].lower())
    if found is None:
        raise UsageError(f"{path}: its ending says no format that can be written; name a .parquet, .csv or .jsonl file")
    return found


@contextlib.contextmanager
def writing(path: str, schema: Any) -> Iterator[Write]:
    """Hands out a function that takes Arrow tables of that schema. The file is there once all of it is written."""
    with _opened(path) as file, FORMATS[format_of(path)](file, schema) as write:
        yield write


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """The file to write to: a draft beside it that is renamed in the end, unless it is a device or a pipe."""
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    place = Path(os.path.realpath(path))
    is_file = place.is_file() or not place.exists()
    draft = place.with_name(f".{place.name}.{os.getpid()}.part") if is_file else place
    try:
        with _told(path), open(draft, "wb") as file:
            yield file
            file.flush()
            if is_file:
                os.fsync(file.fileno())
        if is_file:
            with _told(path):
                os.replace(draft, place)
    finally:
        if is_file:
            with contextlib.suppress(OSError):
                draft.unlink()


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror or error}; make room or choose another place"
        ) from error


@contextlib.contextmanager
def _parquet(file: BinaryIO, schema: Any) -> Iterator[Write]:
    import pyarrow as pa
    from pyarrow import parquet

    held: list[Any] = []

    def settle() -> None:
        writer.write_table(pa.concat_tables(held).combine_chunks())
        held.clear()

    def write(table: Any) -> None:
        held.append(table)
        if sum(part.num_rows for part in held) >= GROUP:
            settle()

    with parquet.ParquetWriter(file, schema) as writer:
        yield write
        if held:
            settle()


@contextlib.contextmanager
def _csv(file: BinaryIO, schema: Any) -> Iterator[Write]:
    from pyarrow import csv as arrow_csv

    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(schema.names)
    file.write(head.getvalue().encode())
    options = arrow_csv.WriteOptions(include_header=False, quoting_style="needed")

    def write(table: Any) -> None:
        import pyarrow as pa

        lines = pa.BufferOutputStream()
        arrow_csv.write_csv(table, lines, options)
        file.write(lines.getvalue())
        file.flush()  # whoever reads a pipe need not wait

    yield write


@contextlib.contextmanager
def _jsonl(file: BinaryIO, schema: Any) -> Iterator[Write]:
    encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode

    def write(table: Any) -> None:
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        file.write("".join(f"{encode(dict(zip(schema.names, row, strict=True)))}\n" for row in rows).encode())

    yield write


FORMATS: dict[str, Callable[[BinaryIO, Any], contextlib.AbstractContextManager[Write]]] = {
    "parquet": _parquet,
    "csv": _csv,
    "jsonl": _jsonl,
}
