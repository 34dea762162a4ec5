"""The bytes of a file or of stdin, unpacked, in order."""

import os
import sys
from typing import Any, BinaryIO

from tailproof.blocks.damage import damaged
from tailproof.blocks.files import STDIN
from tailproof.errors import DataError

HEAD = 16
CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
FOREIGN = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"\x04\x22\x4d\x18": "lz4"}


class Counted:
    """Reads what stands on disk and counts it; the first bytes are looked at before they are read."""

    closed = False  # Arrow asks this of whatever it reads from

    def __init__(self, source: Any) -> None:
        self.source = source
        self.count = 0
        self.head = b""
        while len(self.head) < HEAD and (more := source.read(HEAD - len(self.head))):
            self.head += more
        self.ahead = self.head

    def read(self, size: int) -> bytes:
        data: bytes = self.ahead[:size] or self.source.read(size) or b""
        self.ahead = self.ahead[len(data) :] if self.ahead else b""
        self.count += len(data)
        return data

    def move(self, byte: int) -> None:
        self.source.seek(byte)
        self.ahead, self.count = b"", byte

    def close(self) -> None:
        self.source.close()


class Stream:
    """Unpacked bytes in order; `read` gives fewer than asked for only at the end."""

    closed = False

    def __init__(self, name: str, stdin: BinaryIO | None) -> None:
        self.name = name
        source = _standard_input(stdin) if name == STDIN else _opened(name)
        self.raw = Counted(source)
        self.codec = _codec(self.raw.head, name)
        self.unpacked: Any = self.raw if self.codec is None else _unpacking(self.raw, self.codec)

    @property
    def seekable(self) -> bool:
        return self.codec is None and self.name != STDIN and self.raw.source.seekable()

    def read(self, size: int) -> bytes:
        parts: list[bytes] = []
        with damaged(self.name):
            while size > 0 and (part := self.unpacked.read(size)):
                parts.append(part)
                size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def seek(self, byte: int) -> None:
        self.raw.move(byte)

    def close(self) -> None:
        if self.name != STDIN:
            self.raw.close()


def _opened(name: str) -> Any:
    try:
        return open(name, "rb", buffering=0)
    except OSError as error:
        raise DataError(f"{name} cannot be opened: {error.strerror}") from None


def _standard_input(stdin: BinaryIO | None) -> Any:
    """The process's own stdin is read without its buffer, whose lock a thread may hold at the end."""
    if stdin is not None and stdin is not sys.stdin.buffer:
        return stdin
    return os.fdopen(sys.stdin.fileno(), "rb", buffering=0, closefd=False)


def _codec(head: bytes, name: str) -> str | None:
    for magic, codec in FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{name} is packed as {codec}; unpack it, or pack it as gzip or zstd")
    return next((codec for magic, codec in CODECS.items() if head.startswith(magic)), None)


def _unpacking(raw: Counted, codec: str) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(raw, "r"), codec)
