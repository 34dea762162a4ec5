"""JSON lines: one object a line; a fast path through Arrow, and a careful one line by line."""

import json
import math
from collections.abc import Iterator, Sequence
from functools import partial
from string import whitespace
from typing import Any, NamedTuple

from tailproof.blocks.block import Batch, Mark, Problem, Raw, decoded
from tailproof.blocks.columns import Field, field_of
from tailproof.blocks.stream import Stream
from tailproof.blocks.text import Piece, Pieces, is_blank, last_line_end
from tailproof.blocks.words import MOSTLY, trimmed
from tailproof.errors import DataError

PART_BYTES = 2**20
SHOWN = 40
SPOKEN: dict[type, str] = {str: "text", dict: "an object", list: "a list"}


class Line(NamedTuple):
    """A line's object, or why it is none."""

    values: dict[str, Any]
    reason: str


class JsonLines:
    """One file of JSON objects, one a line; a key that a line lacks is a missing value."""

    def __init__(self, stream: Stream, na: Sequence[str]) -> None:
        self.stream = stream
        self.file = stream.name
        self.na = sorted({"", *na})
        self.pieces = Pieces(stream, lambda data: last_line_end(data, len(data)))
        self.names: list[str] = []

    def vacant(self) -> str:
        piece = self._first()
        return "" if piece is not None else "is empty"

    def _first(self) -> Piece | None:
        """The first piece that is not blank; it stays in front."""
        piece = self.pieces.read()
        while piece is not None and is_blank(piece.data):
            piece = self.pieces.read()
        if piece is not None:
            self.pieces.give_back(piece)
        return piece

    def fields(self, infer: bool) -> list[Field]:
        """The keys of the first rows; what they hold is asked only with `infer`."""
        piece = self._first()
        found = [] if piece is None else self._fields(piece.data)
        self.names = [field.name for field in found]
        return found if infer else [Field(name, "number", "") for name in self.names]

    def _fields(self, data: bytes) -> list[Field]:
        table = _line_by_line(data, None)
        found = [] if table is None else [field_of(field.name, field.type) for field in table.schema]
        if table is None or any(field.why == "text" for field in found):
            return self._judged([_line(line) for line in _lines(data)])  # 'NaN' is text to Arrow, but missing
        return found

    def _judged(self, lines: list[Line]) -> list[Field]:
        if not any(line.values for line in lines):
            raise DataError(
                f"{self.file} is not JSON lines: {lines[0].reason or 'no line holds a key'}{_remedy(lines)}"
            )
        values: dict[str, list[Any]] = {}
        for line in lines:
            for name, value in line.values.items():
                values.setdefault(name, []).append(value)
        return [self._judge(name, there) for name, there in values.items()]

    def _judge(self, name: str, values: list[Any]) -> Field:
        there = [value for value in values if not self._is_missing(value)]
        truths = sum(isinstance(value, bool) for value in there)
        numeric = sum(isinstance(value, int | float) for value in there)
        if there and truths == len(there):
            return Field(name, "boolean", "")
        if numeric >= MOSTLY * len(there):
            return Field(name, "number", "" if numeric == len(there) else "other values in part")
        why = next(SPOKEN[type(value)] for value in there if type(value) in SPOKEN)
        if numeric:
            return Field(name, "partly", f"mostly {why}")
        return Field(name, "text" if why == "text" else "", why)

    def batches(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Batch]:
        return decoded(self.raws(places, kinds, mark, most), mark.get("skip", 0))

    def raws(self, places: list[int], kinds: list[str], mark: Mark, most: int) -> Iterator[Raw]:
        names = [self.names[place] for place in places]
        if mark:
            self.pieces.move(mark["byte"])
        while (piece := self.pieces.read()) is not None:
            yield piece.raw(partial(self._batch, piece, names, kinds), self.consumed())

    def _batch(self, piece: Piece, names: list[str], kinds: list[str], threads: bool) -> Batch:
        columns = self._fast(piece.data, names, kinds, threads)
        problems: list[Problem] = []
        if columns is None:
            columns, problems = self._careful(piece.data, names, kinds)
        return Batch(columns, len(columns[0]), problems, piece.before, piece.after, "skip")

    def _fast(self, data: bytes, names: list[str], kinds: list[str], threads: bool) -> list[Any] | None:
        """The piece where every line is an object of the promised types; None where one is not."""
        import pyarrow as pa

        types = {"number": pa.float64(), "boolean": pa.bool_(), "text": pa.string()}
        schema = pa.schema([(name, types[kind]) for name, kind in zip(names, kinds, strict=True)])
        table = _line_by_line(data, schema, threads)
        if table is None:
            return None
        columns = [table.column(name).combine_chunks() for name in names]
        return [
            trimmed(column, self.na) if kind == "text" else column for column, kind in zip(columns, kinds, strict=True)
        ]

    def _careful(self, data: bytes, names: list[str], kinds: list[str]) -> tuple[list[Any], list[Problem]]:
        """The piece line by line: what is not as its column promises becomes missing and a problem."""
        import pyarrow as pa

        columns: list[list[Any]] = [[] for _ in names]
        reads = [self._text if kind == "text" else self._number for kind in kinds]
        types = [pa.string() if kind == "text" else pa.float64() for kind in kinds]
        problems = []
        for row, text in enumerate(_lines(data)):
            line = _line(text)
            if line.reason:
                problems.append(Problem(row, "", line.reason))
            for name, column, read in zip(names, columns, reads, strict=True):
                value, reason = read(line.values.get(name))
                column.append(value)
                if reason:
                    problems.append(Problem(row, name, reason))
        return [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)], problems

    def _number(self, value: Any) -> tuple[float | None, str]:
        if self._is_missing(value):
            return None, ""
        if not isinstance(value, int | float):
            return None, f"{_shown(value)} is not a number"
        try:
            return float(value), ""
        except OverflowError:
            return math.copysign(math.inf, value), ""

    def _text(self, value: Any) -> tuple[str | None, str]:
        """A text as it stands; numbers and truths as JSON spells them."""
        if isinstance(value, dict | list):
            return None, f"{_shown(value)} is not a text"
        word = value.strip(whitespace) if isinstance(value, str) else json.dumps(value)
        if value is None or word in self.na:
            return None, ""
        return word.encode("utf-8", errors="replace").decode(), ""  # JSON can spell half a character

    def _is_missing(self, value: Any) -> bool:
        return value is None or (isinstance(value, str) and value.strip() in self.na)

    def consumed(self) -> int:
        return self.stream.raw.count

    def close(self) -> None:
        self.stream.close()


def _arrow(data: bytes, schema: Any, threads: bool) -> Any:
    import pyarrow as pa
    import pyarrow.json as arrow_json

    part = PART_BYTES if len(data) > PART_BYTES and _longest_is_short(data) else len(data) + 1
    return arrow_json.read_json(
        pa.BufferReader(data),
        read_options=arrow_json.ReadOptions(use_threads=threads, block_size=part),
        parse_options=arrow_json.ParseOptions(
            explicit_schema=schema, unexpected_field_behavior="infer" if schema is None else "ignore"
        ),
    )


def _line_by_line(data: bytes, schema: Any, threads: bool = True) -> Any:
    """Arrow's table, or None where it has none or where rows and lines differ (Arrow minds no line ends)."""
    import pyarrow as pa

    try:
        table = _arrow(data, schema, threads)
    except pa.ArrowInvalid:
        return None
    return table if table.num_rows == data.count(b"\n") + (not data.endswith(b"\n")) else None


def _longest_is_short(data: bytes) -> bool:
    """Whether the first line is short against the parts that Arrow's threads parse."""
    return 0 <= data.find(b"\n") < PART_BYTES // 16


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines() if line.strip()]


def _line(text: bytes) -> Line:
    try:
        found = json.loads(text)
    except ValueError:
        return Line({}, f"{_shown(text.decode('utf-8', errors='replace'))} is not JSON")
    return Line(found, "") if isinstance(found, dict) else Line({}, f"{_shown(found)} is not a JSON object")


def _shown(value: Any) -> str:
    word = repr(value)
    return word if len(word) <= SHOWN else word[:SHOWN] + "..."


def _remedy(lines: list[Line]) -> str:
    if lines[0].reason.startswith(("'[", "[")):
        return "; write one object a line instead of one list"
    return "; write one object a line"
