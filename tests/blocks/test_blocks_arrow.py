"""Arrow IPC files and streams."""

import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from reading import read_all, resumes

nan = np.nan
TABLE = pa.table({"s": ["x"] * 20, "a": np.arange(20.0), "b": pa.array([None, *range(19)])})


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def packed(make, table=TABLE, **options) -> bytes:
    sink = io.BytesIO()
    with make(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=6)
    return sink.getvalue()


def write(name: str, data: bytes) -> str:
    Path(name).write_bytes(data)
    return name


@pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_resuming(make, compression):
    name = write("a.arrow", packed(make, compression=compression))
    found = resumes([name, write("b.feather", packed(make))], columns=["b", "a"], batch_rows=4)
    assert len(found.rows) == 40
    np.testing.assert_array_equal(found.rows[:20, 1], np.arange(20))
    np.testing.assert_array_equal(found.rows[20:, 0], [nan, *range(19)])


def test_packed_streams_and_pipes():
    stream = packed(pa.ipc.new_stream)
    zst = pa.compress(stream, codec="zstd", asbytes=True)
    found = resumes([write("a.arrows.gz", gzip.compress(stream)), write("b.arrow.zst", zst)], batch_rows=5)
    assert found.rows.shape == (40, 2)
    resumes(["-"], format="arrow", stdin=io.BytesIO(stream), batch_rows=5)


def test_types():
    table = pa.table({"d": pa.array([1.5, None, 1.5]).dictionary_encode(), "n": pa.nulls(3), "t": [True] * 3})
    found = read_all([write("a.arrow", packed(pa.ipc.new_stream, table))])
    np.testing.assert_array_equal(found.rows, [[1.5, nan, 1], [nan, nan, 1], [1.5, nan, 1]])
    empty = TABLE.slice(0, 0)
    assert read_all([write("a.arrow", packed(pa.ipc.new_file, empty))]).rows.shape == (0, 2)


def test_damage(refused):
    for make in (pa.ipc.new_file, pa.ipc.new_stream):
        whole = packed(make)
        for kept in (len(whole) // 2, 12):
            assert "damaged or cut short" in refused([write("a.arrow", whole[:kept])])
    assert "is empty" in refused([write("a.arrow", b"")])
    assert "is not Arrow data" in refused([write("a.arrow", b"a,b\n1,2\n")])
    assert "Feather of version 1" in refused([write("a.feather", b"FEA1....")])
    file = io.BytesIO(packed(pa.ipc.new_file))
    assert "pipe an Arrow stream" in refused(["-"], format="arrow", stdin=file)
    assert "'s' holds text" in refused([write("a.arrow", packed(pa.ipc.new_file))], columns=["s"])
