"""Parquet."""

import datetime
import decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import read_all, resumes

from tailproof.blocks import open_source, parquet

nan = np.nan


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, columns: dict, **options) -> str:
    pq.write_table(pa.table(columns), name, **options)
    return name


def same(found, expected):
    np.testing.assert_array_equal(np.array(found, float), np.array(expected, float))


def test_types():
    integers = [
        pa.int8(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.uint8(),
        pa.uint16(),
        pa.uint32(),
        pa.uint64(),
    ]
    columns = {str(kind): pa.array([1, None, 3], kind) for kind in integers}
    columns |= {
        "half": pa.array(np.array([1, 2, 3], np.float16)),
        "single": pa.array([1, None, 3], pa.float32()),
        "decimal": pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("3.30")]),
        "truth": [True, None, False],
        "dictionary": pa.array([0.5, None, 0.5]).dictionary_encode(),
        "nothing": pa.nulls(3),
        "a.b": [1, 2, 3],
    }
    found = read_all([write("a.parquet", columns)])
    assert found.names == list(columns)
    for name, column in zip(found.names[:8], found.rows.T[:8], strict=True):
        assert name in columns
        same(column, [1, nan, 3])
    rest = [[1, 2, 3], [1, nan, 3], [1.1, nan, 3.3], [1, nan, 0], [0.5, nan, 0.5], [nan] * 3, [1, 2, 3]]
    same(found.rows.T[8:], rest)


def test_extremes_keep_their_bits():
    numbers = np.array([1e308, -1e308, 5e-324, -0.0, np.inf, -np.inf, 0.1])
    found = read_all([write("a.parquet", {"a": numbers, "b": numbers})]).rows
    assert found[:, 1].tobytes() == numbers.tobytes()
    integers = pa.array([2**53 + 1, 2**63 - 1, -(2**63), None])
    same(read_all([write("a.parquet", {"a": integers})]).rows[:, 0], [2.0**53, 2.0**63, -(2.0**63), nan])


def test_what_is_no_number(refused):
    now = datetime.datetime(2026, 11, 1)
    columns = {
        "x": [1.0],
        "text": ["a"],
        "label": pa.array(["a"]).dictionary_encode(),
        "when": [now],
        "day": [now.date()],
        "span": [datetime.timedelta(1)],
        "bytes": [b"x"],
        "list": [[1.0]],
        "struct": [{"x": 1.0}],
    }
    name = write("a.parquet", columns)
    with open_source([name]) as source:
        assert source.names == ["x"]
        assert dict(source.skipped)["when"] == "timestamp[us]"
        assert dict(source.skipped)["label"] == "text"
        assert [skipped for skipped, _ in source.skipped] == list(columns)[1:]
    for column in list(columns)[1:]:
        assert f"a.parquet: column {column!r} holds" in refused([name], columns=[column])
    assert "no column of numbers" in refused([write("b.parquet", {"s": ["x"]})])


@pytest.mark.parametrize("batch_rows", [1, 3, 7, 1000])
def test_resuming(monkeypatch, batch_rows):
    monkeypatch.setattr(parquet, "DECODED_NUMBERS", 10)
    table = {"a": np.arange(25.0), "s": ["x"] * 25, "b": pa.array([None, *range(24)])}
    first = write("a.parquet", table, row_group_size=10)
    second = write("b.pq", {"b": [7], "a": [8.5]})
    none = write("c.parquet", {"b": pa.array([], pa.int8()), "a": pa.array([], pa.float32())})
    found = resumes([first, none, second], columns=["b", "a"], batch_rows=batch_rows)
    assert len(found.rows) == 26
    same(found.rows[[0, 24, 25]], [[nan, 0], [23, 24], [7, 8.5]])


def test_duplicates(refused):
    table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "a", "b"])
    pq.write_table(table, "a.parquet")
    assert "'a' occurs more than once" in refused(["a.parquet"])
    assert "'a' occurs more than once" in refused(["a.parquet"], columns=["a"])
    same(read_all(["a.parquet"], columns=["b"]).rows, [[3]])


def test_damage(refused):
    whole = Path(write("a.parquet", {"a": np.random.default_rng(1).random(10_000)})).read_bytes()
    Path("a.parquet").write_bytes(whole[: len(whole) // 2])
    assert "a.parquet is damaged or cut short" in refused(["a.parquet"])
    middle = bytearray(whole)
    middle[4:2000] = b"\xff" * 1996
    Path("a.parquet").write_bytes(middle)
    assert "a.parquet is damaged or cut short" in refused(["a.parquet"])
    Path("a.parquet").write_bytes(b"")
    assert "is empty" in refused(["a.parquet"])
    Path("a.parquet").write_bytes(b"a,b\n1,2\n")
    assert "is not a Parquet file" in refused(["a.parquet"])


def test_many_columns():
    wide = {f"c{i}": [float(i), -float(i)] for i in range(3000)}
    found = read_all([write("a.parquet", wide)])
    same(found.rows[1], -np.arange(3000.0))


def test_a_file_written_again_is_refused_in_the_middle(refused):
    name = write("a.parquet", {"a": np.arange(9.0)})
    position = read_all([name], batch_rows=2).blocks[0].position
    write("a.parquet", {"a": np.arange(90.0)})
    sentence = refused([name], position=position)
    assert "a.parquet has changed" in sentence
    assert "start again" in sentence
