"""From the paths a user names to the files that are read, and their formats."""

import difflib
import glob
import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from tailproof.errors import DataError

STDIN = "-"
FORMATS = ("parquet", "csv", "jsonl", "arrow")
ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".arrows": "arrow",
}
PACKED = (".gz", ".zst", ".zstd")


class Input(NamedTuple):
    """One file as the user named it; a pipe has no size."""

    name: str
    format: str
    size: int | None


def find_inputs(paths: Sequence[str], format: str | None) -> list[Input]:
    """Every file the paths stand for, in order."""
    if format is not None and format not in FORMATS:
        raise DataError(f"{format!r} is no format; the formats are {', '.join(FORMATS)}")
    names = [name for path in paths for name in _expanded(os.fspath(path))]
    if not names:
        raise DataError("no file was named; name files, patterns such as 'logs/*.parquet', or '-' for stdin")
    if names.count(STDIN) > 1:
        raise DataError("'-' (stdin) is named twice; it can be read only once")
    sizes = [size_of(name) for name in names]
    return [Input(name, _format_of(name, size, format), size) for name, size in zip(names, sizes, strict=True)]


def _expanded(path: str) -> list[str]:
    if path == STDIN or os.path.exists(path):
        return [path]
    if not glob.has_magic(path):
        raise DataError(f"{path}: there is no such file{_near_name(path)}")
    found = sorted(name for name in glob.glob(path, recursive=True) if not os.path.isdir(name))
    if not found:
        raise DataError(f"no file matches {path!r}; check the folder and the pattern")
    return found


def _near_name(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        there = os.listdir(folder or ".")
    except OSError:
        return f"; the folder {folder!r} cannot be read: check its name"
    near = difflib.get_close_matches(name, there, 1, 0.6)
    return f"; did you mean {os.path.join(folder, near[0])!r}?" if near else "; check its name and folder"


def size_of(name: str) -> int | None:
    """Bytes on disk, None for stdin and pipes."""
    if name == STDIN:
        return None
    try:
        found = os.stat(name)
        if stat.S_ISDIR(found.st_mode):
            raise DataError(f"{name} is a folder; name its files, such as '{os.path.join(name, '*.parquet')}'")
        if not os.access(name, os.R_OK):
            raise DataError(f"{name} may not be read by you; change its permissions")
    except OSError as error:
        raise DataError(f"{name} cannot be opened: {error.strerror}") from None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _format_of(name: str, size: int | None, format: str | None) -> str:
    found = format or _format_by_ending(name)
    if found is None:
        known = ", ".join(FORMATS)
        what = "the format of stdin is not known" if name == STDIN else f"{name}: its ending says no format"
        raise DataError(f"{what}; say which it is: {known}")
    if found == "parquet" and size is None:
        raise DataError("Parquet cannot be read from a pipe, as its directory is at its end; save it to a file first")
    return found


def _format_by_ending(name: str) -> str | None:
    base = name.lower()
    stem, ending = os.path.splitext(base)
    if ending not in PACKED:
        return ENDINGS.get(ending)
    inner = ENDINGS.get(os.path.splitext(stem)[1])
    if inner == "parquet":
        raise DataError(f"{name}: Parquet within {ending} cannot be read; unpack it first")
    return inner


def has_tabs(name: str) -> bool:
    """Whether the ending says that tabs stand between the fields."""
    base = name.lower()
    stem, ending = os.path.splitext(base)
    return (os.path.splitext(stem)[1] if ending in PACKED else ending) == ".tsv"
