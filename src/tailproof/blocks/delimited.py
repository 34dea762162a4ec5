"""Delimited text (CSV, TSV): a fast path through Arrow, and a careful one for pieces that hold bad values.

Arrow spends about 15 microseconds and 10 kB a column on each piece, whatever its rows: beyond some ten thousand
columns Parquet or Arrow files are the better choice.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tailproof.blocks.block import Batch, Mark, Problem, Raw, decoded
from tailproof.blocks.columns import Field, field_of
from tailproof.blocks.damage import one_line
from tailproof.blocks.files import has_tabs
from tailproof.blocks.stream import Stream
from tailproof.blocks.text import Piece, Pieces, is_blank, last_line_end
from tailproof.blocks.words import judge, numbers_in_words, trimmed
from tailproof.errors import DataError

DEFAULT_NA: tuple[str, ...] = (
    *("", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "none", "<NA>"),
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"),
)
SEPARATORS = ",\t;"
PART_BYTES = 2**20  # what one of Arrow's threads parses at a time
WIDEST_VALUE = 64


class Parsed(NamedTuple):
    """Arrow columns of the good rows, and the numbers (from 0) of the ragged rows among all rows."""

    columns: list[Any]
    ragged: list[tuple[int, int]]
    size: int


class Delimited:
    """One delimited text file with a header."""

    def __init__(self, stream: Stream, na: Sequence[str]) -> None:
        self.stream = stream
        self.file = stream.name
        self.na = sorted({"", *na})
        self.pieces = Pieces(stream, self._row_end)
        self.separator = SEPARATORS  # any of them, until the header is seen
        self.header = self._take_header()

    def _take_header(self) -> list[str]:
        piece = self.pieces.read()
        while piece is not None and is_blank(piece.data):
            piece = self.pieces.read()
        if piece is None:
            return []
        first = len(piece.data) - len(piece.data.lstrip(b"\r\n"))
        end = _first_row_end(piece.data, first)
        text = _decoded(piece.data[first:end])
        self.separator = _separator(text, self.file)
        self.pieces.give_back(Piece(piece.data[end:], piece.start + end, piece.last))
        header = [name.strip() for name in next(csv.reader([text], delimiter=self.separator), [])]
        _refuse_numbers(header, self.file)
        return header

    def vacant(self) -> str:
        if not self.header:
            return "is empty"
        piece = self.pieces.read()
        if piece is None:
            return "has a header but no rows"
        self.pieces.give_back(piece)
        return "has a header but no rows" if is_blank(piece.data) else ""

    def fields(self, infer: bool) -> list[Field]:
        piece = self.pieces.read() if infer else None
        if piece is None:
            return [Field(name, "number", "") for name in self.header]
        self.pieces.give_back(piece)
        parsed = self._read_apart(piece, {}, list(range(len(self.header))))
        return [self._field(name, column) for name, column in zip(self.header, parsed.columns, strict=True)]

    def _field(self, name: str, column: Any) -> Field:
        found = field_of(name, column.type)
        return judge(name, column, self.na) if found.why in ("text", "binary") else found

    def batches(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Batch]:
        return decoded(self.raws(places, kinds, mark, most), mark.get("skip", 0))

    def raws(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Raw]:
        if mark:
            self.pieces.move(mark["byte"])
        while (piece := self.pieces.read()) is not None:
            yield piece.raw(partial(self._batch, piece, places, kinds), self.consumed())

    def _batch(self, piece: Piece, places: list[int], kinds: list[str], threads: bool) -> Batch:
        self._refuse_open_quote(piece)
        columns, problems, count = self._fast(piece.data, places, kinds, threads) or self._careful(piece, places, kinds)
        return Batch(columns, count, problems, piece.before, piece.after, "skip")

    def _refuse_open_quote(self, piece: Piece) -> None:
        """Arrow would take all that follows such a quote, to the end of the file, as one value."""
        if not piece.last or b'"' not in piece.data:
            return
        borders = self._quote_borders(piece.data)
        if len(borders) % 2:
            at = piece.start + int(borders[-1])
            raise DataError(f"{self.file}: the quote at byte {at} is never closed; close it or take it out")

    def _fast(self, data: bytes, places: list[int], kinds: list[str], threads: bool) -> "_Columns | None":
        """The piece where every value is what its column promises; None where one is not."""
        import pyarrow as pa

        types = {"number": pa.float64(), "boolean": pa.bool_(), "text": pa.binary()}
        wanted = {str(place): types[kind] for place, kind in zip(places, kinds, strict=True)}
        try:
            parsed = self._parse(data, wanted, places, threads)
        except pa.ArrowInvalid:
            return None
        columns = [
            trimmed(column, self.na) if kind == "text" else column
            for column, kind in zip(parsed.columns, kinds, strict=True)
        ]
        return self._completed(parsed, columns, [])

    def _careful(self, piece: Piece, places: list[int], kinds: list[str]) -> "_Columns":
        """The piece value by value: what is no number becomes NaN and a problem."""
        import pyarrow as pa

        parsed = self._read_apart(piece, {str(place): pa.binary() for place in places}, places)
        columns, problems = [], []
        for column, place, kind in zip(parsed.columns, places, kinds, strict=True):
            words = trimmed(column, self.na)
            values, bad = (words, []) if kind == "text" else numbers_in_words(words, kind)
            columns.append(values)
            problems += [Problem(index, self.header[place], reason) for index, reason in bad]
        return self._completed(parsed, columns, problems)

    def _read_apart(self, piece: Piece, types: dict[str, Any], places: list[int]) -> Parsed:
        """The piece by one thread, in one part; if this fails, its quotes do not match."""
        import pyarrow as pa

        try:
            return self._parse(piece.data, types, places, threads=False)
        except pa.ArrowInvalid as error:
            where = f"{self.file}: the rows from byte {piece.start} on cannot be told apart"
            raise DataError(f"{where} ({one_line(error)}); look for a quote that is never closed") from None

    def _completed(self, parsed: Parsed, columns: list[Any], problems: list[Problem]) -> "_Columns":
        """Ragged rows take their place among the good ones, as rows of missing values."""
        if not parsed.ragged:
            return columns, sorted(problems), parsed.size
        import pyarrow as pa

        kept = np.delete(np.arange(parsed.size), [row for row, _ in parsed.ragged])
        order = np.full(parsed.size, -1)
        order[kept] = np.arange(len(kept))
        take = pa.array(order, mask=order < 0)
        moved = [problem._replace(index=int(kept[problem.index])) for problem in problems]
        moved += [Problem(row, "", self._ragged(fields)) for row, fields in parsed.ragged]
        return [column.take(take) for column in columns], sorted(moved), parsed.size

    def _ragged(self, fields: int) -> str:
        return f"has {fields} field{'s' * (fields != 1)}, the header has {len(self.header)}"

    def _parse(self, data: bytes, types: dict[str, Any], places: list[int], threads: bool) -> Parsed:
        table, bad = self._arrow(data, types, places, threads)
        if bad and threads:  # only a single thread knows the numbers of the rows
            table, bad = self._arrow(data, types, places, False)
        ragged = [(row.number - 1, row.actual_columns) for row in bad]
        return Parsed([_joined(column) for column in table.columns], ragged, table.num_rows + len(ragged))

    def _arrow(self, data: bytes, types: dict[str, Any], places: list[int], threads: bool) -> Any:
        import pyarrow as pa
        import pyarrow.csv as arrow_csv

        bad: list[Any] = []
        part = max(PART_BYTES, WIDEST_VALUE * len(self.header)) if threads else len(data) + 1
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(len(self.header))],
                use_threads=threads,
                block_size=part,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=self.separator,
                newlines_in_values=b'"' in data,
                invalid_row_handler=lambda row: bad.append(row) or "skip",  # type: ignore[func-returns-value]
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types,
                include_columns=[str(place) for place in places],
                null_values=self.na,
                strings_can_be_null=True,
            ),
        )
        return table, bad

    def _row_end(self, data: bytes) -> int:
        """After the last line end that stands in no quotes."""
        end = last_line_end(data, len(data))
        if b'"' not in data:
            return end
        borders = self._quote_borders(data)
        while end and (before := int(np.searchsorted(borders, end))) % 2:
            end = last_line_end(data, int(borders[before - 1]))
        return end

    def _quote_borders(self, data: bytes) -> npt.NDArray[np.int64]:
        """Where quotes open and close in turn; a quote within an unquoted field does neither."""
        bytes_ = np.frombuffer(data, np.uint8)
        places = np.flatnonzero(bytes_ == ord('"'))
        before = bytes_[places[0::2] - 1]  # every other quote opens a value, or doubles the one before it
        well_formed = np.isin(before, list(f'\r\n"{self.separator}'.encode()))
        if well_formed[int(places[0] == 0) :].all():
            return places
        return np.array(self._borders_one_by_one(data), np.int64)

    def _borders_one_by_one(self, data: bytes) -> list[int]:
        """The same where quotes stand within unquoted fields too; slow where there are many."""
        border = re.escape(self.separator.encode())
        pattern = rb'"(?:(?<=[\r\n' + border + rb']")|(?<=\A"))(?:[^"]++|"")*+(?:"|\Z)'
        spans = [found.span() for found in re.finditer(pattern, data)]
        borders = [place for first, last in spans for place in (first, last - 1)]
        is_open = bool(spans) and spans[-1][1] == len(data) and data.count(b'"', spans[-1][0]) % 2 == 1
        return borders[:-1] if is_open else borders

    def consumed(self) -> int:
        return self.stream.raw.count

    def close(self) -> None:
        self.stream.close()


_Columns = tuple[list[Any], list[Problem], int]


def _joined(column: Any) -> Any:
    """A column as one array; a chunked one of one chunk is not copied."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _first_row_end(data: bytes, first: int) -> int:
    """After the first line end from `first` on that stands in no quotes."""
    for found in re.finditer(rb"\r\n|\n|\r", data[first:]):
        if data.count(b'"', first, first + found.start()) % 2 == 0:
            return first + found.end()
    return len(data)


def _decoded(header: bytes) -> str:
    return header.decode("utf-8", errors="replace").rstrip("\r\n")


def _separator(header: str, file: str) -> str:
    """What stands between the fields: commas, unless the ending or the header says otherwise."""
    if has_tabs(file):
        return "\t"
    return next((separator for separator in SEPARATORS if separator in header), ",")


def _refuse_numbers(header: list[str], file: str) -> None:
    """A file without a header would lose its first row; 0, 1, 2 are names that pandas gives."""
    counted = [str(place) for place in range(len(header))]
    if header and header != counted and all(_is_number(name) for name in header):
        raise DataError(f"{file} has no header: its first line is numbers; put a line of column names there")


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
