"""JSON lines."""

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from reading import read_all, resumes

from tailproof.blocks import open_source, text

nan = np.nan


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, data: str | bytes) -> str:
    Path(name).write_bytes(data.encode() if isinstance(data, str) else data)
    return name


def same(found, expected):
    np.testing.assert_array_equal(np.array(found, float), np.array(expected, float))


def test_types():
    data = (
        '{"a": 1, "b": true, "s": "x", "o": {"k": 1}, "l": [1], "n": null, "t": "2026-01-01"}\n'
        '{"n": 1e308, "b": false, "a": 9007199254740993}\r\n'
        '{"a": 5e-324, "late": 2}'
    )
    with open_source([write("a.jsonl", data)]) as source:
        skipped = dict(source.skipped)
    assert set(skipped) == {"s", "o", "l", "t"}
    found = read_all(["a.jsonl"], columns=["a", "b", "n", "late"])
    same(found.rows, [[1, 1, nan, nan], [2.0**53, 0, 1e308, nan], [5e-324, nan, nan, 2]])


def test_bad_lines_and_values_are_problems():
    data = (
        '{"a": 1}\n\n  \n{"a": "oops"}\n[1]\n{"a": 2\n{"a": "NaN"}\n{"a": NaN}\n{"a": 1e999}\n'
        '{"a": true}\n{"a": 1, "a": 3}\n{"a": [4]}\n'
    )
    found = resumes([write("a.ndjson", data)], batch_rows=2)
    same(found.rows[:, 0], [1, nan, nan, nan, nan, nan, np.inf, 1, 3, nan])
    assert [(row, column) for _, row, column, _ in found.problems] == [(2, "a"), (3, ""), (4, ""), (10, "a")]
    assert "'oops' is not a number" in found.problems[0][3]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("piece", [40, 200, 10_000])
def test_resuming(monkeypatch, piece, packed):
    monkeypatch.setattr(text, "PIECE_BYTES", piece)
    lines = [f'{{"a": {i}, "s": "\\u00e9", "b": {i / 8}}}' for i in range(40)]
    lines[17] = '{"a": "x", "b": 1}'
    lines[30] = ""
    data = "\n".join(lines).encode()
    first = write("a.json", gzip.compress(data) if packed else b"\xef\xbb\xbf" + data)
    second = write("b.jsonl", '{"b": 1, "a": 2}\n{"b": 3, "a": 4}\n')
    found = resumes([first, write("c.jsonl", ""), second], batch_rows=3)
    assert found.names == ["a", "b"]
    assert [problem[:3] for problem in found.problems] == [("a.json", 18, "a")]
    same(found.rows[-2:], [[2, 1], [4, 3]])


def test_a_pipe(monkeypatch):
    monkeypatch.setattr(text, "PIECE_BYTES", 64)
    data = b"".join(b'{"a": %d}\n' % i for i in range(40))
    resumes(["-"], format="jsonl", stdin=io.BytesIO(data), batch_rows=5)


def test_refusals(refused):
    assert refused([write("a.jsonl", "")]) == "a.jsonl is empty"
    assert "one object a line instead of one list" in refused([write("a.json", '[{"a": 1},\n {"a": 2}]\n')])
    assert "is not JSON" in refused([write("a.json", '{\n "a": 1\n}\n')])
    assert "no column of numbers" in refused([write("a.jsonl", '{"a": "x"}\n')])
    assert "did you mean 'abc'" in refused([write("a.jsonl", '{"abc": 1}\n')], columns=["abd"])
    assert "b.jsonl has no column 'abc'" in refused(["a.jsonl", write("b.jsonl", '{"x": 1}\n')])
    assert "'s' holds text" in refused([write("a.jsonl", '{"s": "x", "a": 1}\n')], columns=["s"])
