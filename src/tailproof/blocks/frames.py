"""Frames in memory, and streams of record batches: columns by name, rows in Arrow batches of bounded size."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from tailproof.blocks.columns import refuse_repeats
from tailproof.blocks.rows import rows_per_block
from tailproof.errors import DataError

# What is looked at first, as it is most often handed over, and needs no other library to be known.
ARRAYS = (np.ndarray, list, tuple, str, int, float, type(None))


class Held:
    """A frame that is in memory. Only the columns that are asked for are turned into Arrow's."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.names: list[str] = list(frame.columns)
        self.size: int | None = len(frame)
        self._most = rows_per_block(len(self.names))

    def types(self, names: Sequence[str]) -> list[Any]:
        """What columns hold, as Arrow types; a text where they hold nothing that Arrow knows."""
        return [self._type(name) for name in names]

    def _type(self, name: str) -> Any:
        import pyarrow as pa

        try:
            return self.frame.select(name)[: self._most].to_arrow().column(name).type
        except (pa.ArrowException, TypeError):
            return "values of several kinds"

    def column(self, name: str) -> Any:
        """One column, whole, as an Arrow array."""
        import pyarrow as pa

        try:
            return self.frame.select(name).to_arrow().column(name).combine_chunks()
        except (pa.ArrowException, TypeError) as error:
            raise _several_kinds(name) from error

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Record batches of these columns; most often each is a view."""
        import pyarrow as pa

        ready = {name: values for name in names if (values := self._in_numpy(name)) is not None}
        others = [name for name in names if name not in ready]
        for begin in range(0, self.size or 0, self._most):
            piece = slice(begin, begin + self._most)
            made = {name: pa.array(values[piece], from_pandas=False) for name, values in ready.items()}
            table = self._table(others, piece) if others else made
            columns = [made[name] if name in made else table[name] for name in names]
            yield from pa.Table.from_arrays(columns, list(names)).to_batches()

    def _in_numpy(self, name: str) -> Any:
        """A column whose numbers NumPy holds, as it stands: Arrow would look for NaN in it first, which takes longer
        than all else. None for any other."""
        dtype = getattr(self.frame.get_column(name).to_native(), "dtype", None)
        if not (isinstance(dtype, np.dtype) and dtype.kind in "biuf"):
            return None
        return self.frame.get_column(name).to_numpy()

    def _table(self, names: list[str], piece: slice) -> Any:
        import pyarrow as pa

        some = self.frame.select(names)[piece]
        try:
            return some.to_arrow()
        except (pa.ArrowException, TypeError) as error:
            bad = [name for name in names if isinstance(Held(some)._type(name), str)]
            raise _several_kinds(*bad or names) from error


class Stream:
    """Record batches that come one after another, once. `size` is not known."""

    def __init__(self, schema: Any, batches: Iterator[Any]) -> None:
        self.schema = schema
        self.names: list[str] = list(schema.names)
        self.size: int | None = None
        self._batches = batches
        self._most = rows_per_block(len(self.names))

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
            raise DataError(f"the stream broke off after {rows:,} rows: {str(error).split('. Detail:')[0]}") from error


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
    except nw.exceptions.DuplicateError:
        _refuse_repeated(list(X.columns))
        return None
    if isinstance(found, nw.DataFrame):
        named = bool(found.columns) and all(isinstance(name, str) for name in found.columns)
        return Held(found) if named else None
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

    if not hasattr(X, "collect_batches"):
        raise DataError("this polars cannot hand out a lazy frame in batches: use polars 1.34 or later, or collect it")
    schema = polars.DataFrame(schema=X.collect_schema()).to_arrow().schema
    most = rows_per_block(len(schema.names))
    frames = X.collect_batches(chunk_size=most, maintain_order=True, lazy=True, engine="streaming")
    return _stream(schema, chain.from_iterable(frame.to_arrow().to_batches() for frame in frames))


def _duckdb_reader(X: Any) -> Any:
    most = rows_per_block(len(X.columns))
    name = "to_arrow_reader" if hasattr(X, "to_arrow_reader") else "fetch_record_batch"
    return getattr(X, name)(most)


def _several_kinds(*names: str) -> DataError:
    listed = ", ".join(map(repr, names))
    return DataError(f"{listed}: values of several kinds, not numbers; leave such columns out, or give them one kind")
