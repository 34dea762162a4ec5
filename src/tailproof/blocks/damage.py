"""What a format's own errors become: one line for people."""

from collections.abc import Iterator
from contextlib import contextmanager

from tailproof.errors import DataError


@contextmanager
def damaged(file: str) -> Iterator[None]:
    """Arrow's errors while reading mean that the bytes are not what the format promises."""
    import pyarrow as pa

    try:
        yield
    except (DataError, MemoryError):
        raise
    except (pa.ArrowException, OSError, EOFError) as error:
        raise DataError(f"{file} is damaged or cut short: {one_line(error)}; copy it again") from None


def one_line(error: BaseException, most: int = 160) -> str:
    words = " ".join(str(error).split()).rstrip(".")
    return words if len(words) <= most else words[:most] + "..."
