"""Frames in memory, and streams of record batches: columns by name, rows in Arrow batches of bounded size."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tailproof.blocks.columns import refuse_repeats
from tailproof.blocks.rows import rows_per_block
from tailproof.errors import DataError

# What is looked at first, as it is most often handed over, and needs no other library to be known.
ARRAYS = (np.ndarray, list, tuple, str, int, float, type(None))

# What NumPy holds as numbers.
PLAIN = "biuf"
# A batch holds so many values, 16 MB where they must be copied: with more columns each would be of a few rows, and much
# would be done once a column and batch.
BATCH = 1 << 21
# Before this version a plan that fails ends like one that is done.
POLARS = (1, 37)
UNKNOWN = "values of several kinds, or of one that Arrow does not know"


def rows_per_batch(columns: int) -> int:
    return max(rows_per_block(columns), BATCH // columns)


class Held:
    """A frame that is in memory. Only the columns that are asked for are turned into Arrow's, some rows at a time."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.names: list[str] = list(frame.columns)
        self.size: int | None = len(frame)
        self._most = rows_per_batch(len(self.names))
        self._columns: dict[str, Any] = {}

    def types(self, names: Sequence[str]) -> list[Any]:
        """What columns hold, as Arrow types; a text where they hold nothing that Arrow knows."""
        first = slice(0, self._most)
        return [UNKNOWN if (made := self._arrow(name, first)) is None else made.type for name in names]

    def column(self, name: str) -> Any:
        """One column, whole, as an Arrow array."""
        return self._made(name, slice(0, self.size))

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Record batches of these columns; most often each is a view."""
        import pyarrow as pa

        for begin in range(0, self.size or 0, self._most):
            rows = slice(begin, begin + self._most)
            made = pa.Table.from_arrays([self._made(name, rows) for name in names], list(names))
            yield from made.to_batches(max_chunksize=self._most)

    def _made(self, name: str, rows: slice) -> Any:
        found = self._arrow(name, rows)
        if found is None:
            raise DataError(
                f"{name!r}: {UNKNOWN}, not numbers; leave such columns out, or give them one kind of number"
            )
        return found

    def _column(self, name: str) -> Any:
        """A column as NumPy's numbers where it is that, else as the frame has it."""
        if name not in self._columns:
            column = self.frame.get_column(name)
            dtype = getattr(column.to_native(), "dtype", None)
            plain = isinstance(dtype, np.dtype) and dtype.kind in PLAIN and dtype.isnative and dtype.itemsize <= 8
            self._columns[name] = column.to_numpy() if plain else column
        return self._columns[name]

    def _arrow(self, name: str, rows: slice) -> Any:
        """Some rows of a column as an Arrow array; None where Arrow does not know what they are."""
        import pyarrow as pa

        column = self._column(name)
        if isinstance(column, np.ndarray):
            # As it stands: Arrow would look for NaN in it first, which takes longer than all else.
            return pa.array(column[rows], from_pandas=False)
        some = column[rows]
        try:
            made = some.to_arrow()
        except (pa.ArrowException, TypeError):
            return _dense(some.to_native())
        return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _dense(column: Any) -> Any:
    """What Arrow does not know as numbers of NumPy's, such as the sparse columns of pandas; None if it is none."""
    import pyarrow as pa

    try:
        values = np.asarray(column)
    except Exception:  # each library has its own
        return None
    return pa.array(values.astype(np.float64)) if values.dtype.kind in PLAIN else None


class Stream:
    """Record batches that come one after another, once. `size` is not known."""

    def __init__(self, schema: Any, batches: Iterator[Any]) -> None:
        self.schema = schema
        self.names: list[str] = list(schema.names)
        self.size: int | None = None
        self._batches = batches
        self._most = rows_per_batch(len(self.names))

    def types(self, names: Sequence[str]) -> list[Any]:
        """What columns hold, as Arrow types."""
        return [self.schema.field(name).type for name in names]

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Record batches of these columns, the large ones cut."""
        import pyarrow as pa

        places = [self.names.index(name) for name in names]
        rows = 0
        try:
            for batch in self._batches:
                some = pa.RecordBatch.from_arrays([batch.column(place) for place in places], list(names))
                for begin in range(0, some.num_rows, self._most):
                    yield some.slice(begin, self._most)
                rows += some.num_rows
        except (pa.ArrowException, OSError) as error:
            said = str(error).split(". Detail:")[0].splitlines()[0]
            raise DataError(f"the stream broke off after {rows:,} rows: {said}") from error


def open_frame(X: Any) -> Held | Stream | None:
    """X as a frame or a stream; None where it is neither, or has no names."""
    if isinstance(X, ARRAYS):
        return None
    import narwhals as nw

    if nw.dependencies.is_polars_lazyframe(X):
        return _polars_stream(X)
    if nw.dependencies.is_duckdb_relation(X):
        return _arrow_stream(_duckdb_reader(X))
    try:
        found = nw.from_native(X, pass_through=True)
        names = list(found.columns) if isinstance(found, nw.DataFrame) else []
    except nw.exceptions.DuplicateError:
        _refuse_repeated(list(getattr(X, "column_names", None) or X.columns))
        return None
    if isinstance(found, nw.DataFrame):
        return Held(found) if names and all(isinstance(name, str) for name in names) else None
    if isinstance(found, nw.LazyFrame):
        return _lazy_stream(X)
    return _arrow_stream(X)


def _refuse_repeated(names: list[Any]) -> None:
    """A frame whose columns share names: without names if they are numbers, else of no use."""
    if all(isinstance(name, str) for name in names):
        refuse_repeats(names, "X")


def _arrow_stream(X: Any) -> Stream | None:
    """Whatever speaks Arrow's language of columns; None for a single column, and for what does not."""
    import pyarrow as pa

    if hasattr(X, "__arrow_c_stream__"):
        try:
            reader = pa.RecordBatchReader.from_stream(X)
        except pa.ArrowException:
            return None
        return _stream(reader.schema, reader)
    if hasattr(X, "__arrow_c_array__"):
        try:
            batch = pa.record_batch(X)
        except (pa.ArrowException, TypeError, ValueError):
            return None
        return _stream(batch.schema, iter([batch]))
    return None


def _stream(schema: Any, batches: Iterator[Any]) -> Stream | None:
    if not schema.names:
        return None
    refuse_repeats(schema.names, "X")
    return Stream(schema, batches)


def _lazy_stream(X: Any) -> Stream:
    """Plans of other libraries, where they hand out batches."""
    import pyarrow as pa

    hand_out: Callable[[], Any] | None = getattr(X, "to_pyarrow_batches", None)
    found = _arrow_stream(pa.RecordBatchReader.from_stream(hand_out()) if hand_out else X)
    if found is None:
        kind = f"{type(X).__module__.split('.')[0]}'s {type(X).__name__}"
        raise DataError(f"X is {kind}, a plan that hands out no batches; collect it first, or part by part")
    return found


def _polars_stream(X: Any) -> Stream | None:
    import polars

    if tuple(map(int, polars.__version__.split(".")[:2])) < POLARS:
        raise DataError(
            f"polars {polars.__version__} hides what goes wrong in a lazy frame that is read in batches: "
            f"use polars {POLARS[0]}.{POLARS[1]} or later, or collect it first"
        )
    schema = polars.DataFrame(schema=X.collect_schema()).to_arrow().schema
    return _stream(schema, _polars_batches(X, rows_per_block(len(schema.names))))


def _polars_batches(X: Any, most: int) -> Iterator[Any]:
    """What goes wrong in a plan shows when it is run, which must not be before the first batch is wanted: a run that
    nobody reads waits for ever."""
    import polars

    try:
        for frame in X.collect_batches(chunk_size=most, maintain_order=True, engine="streaming"):
            yield from frame.to_arrow().to_batches()
    except polars.exceptions.PolarsError as error:
        raise OSError(str(error)) from error


def _duckdb_reader(X: Any) -> Any:
    most = rows_per_block(len(X.columns))
    names = ("to_arrow_reader", "fetch_arrow_reader", "record_batch")  # from new versions to old ones
    return getattr(X, next(name for name in names if hasattr(X, name)))(most)
