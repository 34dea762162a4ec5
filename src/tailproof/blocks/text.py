"""Cuts a stream of bytes into pieces that end where a row ends."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tailproof.blocks.block import Batch, Mark, Raw
from tailproof.blocks.stream import Stream
from tailproof.errors import DataError

PIECE_BYTES = 8 * 2**20
LONGEST_ROW = 256 * 2**20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Piece(NamedTuple):
    """Whole rows, where they start in the unpacked stream, and whether nothing follows them."""

    data: bytes
    start: int
    last: bool

    @property
    def end(self) -> int:
        return self.start + len(self.data)

    @property
    def before(self) -> Mark:
        return {"byte": self.start, "skip": 0}

    @property
    def after(self) -> Mark:
        return {"byte": self.end, "skip": 0}

    def raw(self, parse: Callable[[bool], Batch], read: int) -> Raw:
        """The piece as something that is still to be parsed."""

        def decode(threads: bool) -> Iterator[Batch]:
            yield parse(threads)

        return Raw(len(self.data), decode, self.after, read)


class Pieces:
    """The stream's pieces in order. `row_end` says where the last whole row of bytes ends (0: nowhere)."""

    def __init__(self, stream: Stream, row_end: Callable[[bytes], int]) -> None:
        self.stream = stream
        self.row_end = row_end
        self.rest = b""
        self.start = 0
        self._drop_byte_order_mark()

    def _drop_byte_order_mark(self) -> None:
        head = self.stream.read(len(BYTE_ORDER_MARK))
        if head.startswith(WIDE_MARKS):
            raise DataError(f"{self.stream.name} is UTF-16 text; save it as UTF-8 first")
        self.rest, self.start = (b"", len(head)) if head == BYTE_ORDER_MARK else (head, 0)

    def read(self) -> Piece | None:
        """The next piece; None at the end."""
        data = self.rest
        end, more = (self.row_end(data) if len(data) >= PIECE_BYTES else 0), b"more"
        while not end:
            more = self.stream.read(PIECE_BYTES - len(data) if len(data) < PIECE_BYTES else len(data))
            data = data + more if data else more
            end = self.row_end(data) if more else len(data)
            if not end and not more:
                return None
            if not end and len(data) > LONGEST_ROW:
                raise DataError(self._too_long())
        piece = Piece(data[:end], self.start, not more)
        self.rest, self.start = data[end:], piece.end
        return piece

    def _too_long(self) -> str:
        return (
            f"{self.stream.name}: the row at byte {self.start} has no end within {LONGEST_ROW >> 20} MB;"
            " look for a quote that is never closed, or line ends that are missing"
        )

    def give_back(self, piece: Piece) -> None:
        """Puts a piece (or its last part) in front again."""
        self.rest, self.start = piece.data + self.rest, piece.start

    def move(self, byte: int) -> None:
        """Goes on at a byte that an earlier piece ended with."""
        if self.stream.seekable:
            self.stream.seek(max(0, byte - 1))
            self.rest, self.start = self.stream.read(min(1, byte)), max(0, byte - 1)
        while self.start + len(self.rest) < byte:
            self.start += len(self.rest)
            self.rest = self.stream.read(PIECE_BYTES)
            if not self.rest:
                raise DataError(f"{self.stream.name} is shorter than it was; start again without the checkpoint")
        self._check_row_end(byte)
        self.rest, self.start = self.rest[byte - self.start :], byte

    def _check_row_end(self, byte: int) -> None:
        """A last row without a line end may have grown since: then its first half was already used."""
        before = self.rest[: byte - self.start][-1:]
        if byte <= len(BYTE_ORDER_MARK) or before in (b"", b"\r", b"\n"):
            return
        if len(self.rest) == byte - self.start:
            self.rest += self.stream.read(1)
        if self.rest[byte - self.start :][:1] not in (b"", b"\r", b"\n"):
            raise DataError(f"{self.stream.name}: its last row has changed; start again without the checkpoint")


def is_blank(data: bytes) -> bool:
    return not data or data.isspace()


def last_line_end(data: bytes, limit: int) -> int:
    """After the last newline before `limit`; where there is none, after the last carriage return."""
    end = data.rfind(b"\n", 0, limit) + 1
    return end or data.rfind(b"\r", 0, min(limit, len(data) - 1)) + 1
