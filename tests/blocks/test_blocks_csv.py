"""Delimited text."""

import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_all, resumes

from tailproof.blocks import text

nan = np.nan


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, data: str | bytes) -> str:
    data = data.encode() if isinstance(data, str) else data
    if name.endswith(".gz"):
        data = gzip.compress(data)
    if name.endswith((".zst", ".zstd")):
        data = pa.compress(data, codec="zstd", asbytes=True)
    Path(name).write_bytes(data)
    return name


def rows_of(data: str | bytes, **options) -> list[list[float]]:
    return read_all([write("a.csv", data)], **options).rows.tolist()


def same(found, expected):
    np.testing.assert_array_equal(np.array(found, float), np.array(expected, float))


@pytest.mark.parametrize(
    "data",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "\ufeffa,b\n1,2\n3,4\n",
        "\n\na,b\n\n1,2\n\n\n3,4\n\n",
        ' a , b\n"1",2\n3 , 4\n',
        '"a","b"\n"1","2"\n+3,4e0\n',
        "a\tb\n1\t2\n3\t4\n",
        "a;b\n1;2\n3;4\n",
    ],
)
def test_spellings_of_the_same_rows(data):
    same(rows_of(data), [[1, 2], [3, 4]])


def test_extreme_numbers_keep_their_bits():
    data = "a\n1e308\n5e-324\n-0.0\n9007199254740993\n18446744073709551617\n1e400\n-inf\n0.1\n"
    found = read_all([write("a.csv", data)]).rows[:, 0]
    expected = np.array([1e308, 5e-324, -0.0, 2.0**53, 2.0**64, np.inf, -np.inf, 0.1])
    assert found.tobytes() == expected.tobytes()


def test_missing_values_and_truths():
    data = "a,b,c\n1,true,\nNA,False,\n,TRUE,\nnull,,\n"
    found = read_all([write("a.csv", data)])
    assert found.names == ["a", "b", "c"]
    same(found.rows, [[1, 1, nan], [nan, 0, nan], [nan, 1, nan], [nan, nan, nan]])
    assert not found.problems
    same(rows_of("a\n1\n-999\n\n", na=["-999"]), [[1], [nan]])


def test_columns_that_are_no_numbers_are_skipped_or_refused(refused):
    data = "a,when,city,id,\n1,2026-01-01,Rome,A1,0\n2,2026-01-02,Oslo,7,1\n3,2026-01-03,Bonn,C3,2\n"
    name = write("a.csv", data)
    from tailproof.blocks import open_source

    with open_source([name]) as source:
        assert source.names == ["a"]
        assert source.skipped == [
            ("when", "date32[day]"),
            ("city", "text"),
            ("id", "mostly text"),
            ("", "no name"),
        ]
    same(rows_of(data, columns=["id", "a"]), [[nan, 1], [7, 2], [nan, 3]])
    assert "'city' holds text" in refused([name], columns=["city"])
    assert "'when' holds date32" in refused([name], columns=["when"])
    assert "no column of numbers" in refused([write("b.csv", "x,y\nu,v\n")])


def test_wrong_value_in_a_late_row_becomes_a_problem(monkeypatch):
    monkeypatch.setattr(text, "PIECE_BYTES", 64)
    lines = [f"{i},{i / 4}" for i in range(100)]
    lines[70] = "70,oops"
    lines[71] = " 71 ,+17.75"
    lines[72] = "72, NA "
    found = read_all([write("a.csv", "a,b\n" + "\n".join(lines))])
    expected = np.column_stack([np.arange(100), np.arange(100) / 4])
    expected[[70, 72], 1] = nan
    same(found.rows, expected)
    assert found.problems == [("a.csv", 71, "b", "'oops' is not a number")]


def test_truth_is_no_number_and_a_number_is_a_truth(monkeypatch):
    monkeypatch.setattr(text, "PIECE_BYTES", 16)
    found = read_all([write("a.csv", "a,b\n" + "1,true\n" * 9 + "true,0.5\n")])
    same(found.rows, [[1, 1]] * 9 + [[nan, 0.5]])
    assert found.problems == [("a.csv", 10, "a", "'true' is not a number")]


def test_ragged_rows_keep_their_numbers():
    data = 'a,b,s\n1,2,"x\ny"\n\n3\n4,5,\nu,6,\n7,8,9,10\n11,12,\n'
    found = resumes([write("a.csv", data)], columns=["b", "a"], batch_rows=1)
    same(found.rows, [[2, 1], [nan, nan], [5, 4], [6, nan], [nan, nan], [12, 11]])
    assert found.problems == [
        ("a.csv", 2, "", "has 1 field, the header has 3"),
        ("a.csv", 4, "a", "'u' is not a number"),
        ("a.csv", 5, "", "has 4 fields, the header has 3"),
    ]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 11, 16, 40, 1000])
def test_quotes_with_line_ends_cut_at_every_border(monkeypatch, piece):
    monkeypatch.setattr(text, "PIECE_BYTES", piece)
    data = 's,a\n"x\n1,2\n""\n",1\n5" pipe,2\n"",3\n"a,\n""b""",4\n\n"\n\n\n",5\n"q",6'
    found = resumes([write("a.csv", data)], columns=["a"], batch_rows=1)
    same(found.rows[:, 0], [1, 2, 3, 4, 5, 6])
    assert not found.problems


plain = st.sampled_from(["", "x", '5" pipe', 'a"b"c', 'x""', 'x"'])
quoted = st.sampled_from(["", "x", "a,b", 'say "hi"', "two\nlines", "\r\n", '"', "1,2\n3"])
cells = plain | quoted.map(lambda word: '"' + word.replace('"', '""') + '"')


@settings(max_examples=60, deadline=None)
@given(st.lists(cells, min_size=1, max_size=12), st.integers(1, 60), st.sampled_from(["\n", "\r\n"]))
def test_any_text_cut_anywhere(words, piece, end):
    data = f"a,s,b{end}" + "".join(f"{row},{word},{row}{end}" for row, word in enumerate(words))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "PIECE_BYTES", piece)
        found = read_all(["-"], format="csv", stdin=io.BytesIO(data.encode()), columns=["b", "a"])
    same(found.rows, [[row, row] for row in range(len(words))])
    assert not found.problems


def test_a_row_longer_than_a_piece_works_up_to_a_bound(monkeypatch, refused):
    monkeypatch.setattr(text, "PIECE_BYTES", 100)
    width = 2000
    data = ",".join(f"c{i}" for i in range(width)) + "\n" + (",".join("1" * width) + "\n") * 3
    same(rows_of(data), np.ones((3, width)))
    monkeypatch.setattr(text, "LONGEST_ROW", 3000)
    assert "has no end" in refused([write("b.csv", "a,b\n1,2\n" + "3" * 9000 + ",4\n")])


def test_an_open_quote_is_refused(refused):
    assert "quote at byte 6 is never closed" in refused([write("a.csv", 'a,s\n1,"x\n2,y\n')])
    assert "quote at byte 11 is never closed" in refused([write("a.csv", 'a,s\n1,5" x\n"2,y\n')])
    assert "quote at byte 13 is never closed" in refused([write("a.csv", 'a,s\n1,5" x\n2,"')])


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
@pytest.mark.parametrize("piece", [50, 10_000])
def test_resuming(monkeypatch, ending, piece):
    monkeypatch.setattr(text, "PIECE_BYTES", piece)
    lines = [f"{i},{i * 0.1!r},w{i}" for i in range(30)]
    lines[11], lines[20], lines[25] = "11,bad,w", "20,1", ""
    first = write("a.csv" + ending, "\ufeffa,b,s\n" + "\n".join(lines))
    second = write("b.csv" + ending, "s,b,a\r\nx,1,2\r\nx,3,\r\ny,oops,7\r\n")
    empty = write("c.csv" + ending, "b,a\n")
    found = resumes([first, empty, second, first], batch_rows=4)
    assert len(found.rows) == 29 + 3 + 29
    assert [problem[:3] for problem in found.problems[:3]] == [
        ("a.csv" + ending, 12, "b"),
        ("a.csv" + ending, 21, ""),
        ("b.csv" + ending, 3, "b"),
    ]


def test_resuming_a_pipe(monkeypatch):
    monkeypatch.setattr(text, "PIECE_BYTES", 40)
    data = "a,b\n" + "".join(f"{i},{i}\n" for i in range(50))
    for packed in (data.encode(), gzip.compress(data.encode())):
        resumes(["-"], format="csv", stdin=io.BytesIO(packed), batch_rows=7)


def test_what_was_decided_first_holds_after_resuming(monkeypatch):
    """A column that is text at first stays unused, one that is empty at first stays a number."""
    monkeypatch.setattr(text, "PIECE_BYTES", 30)
    data = "t,e,a\n" + "x,,1\n" * 10 + "5,word,2\n" * 10
    found = resumes([write("a.csv", data)], batch_rows=3)
    assert found.names == ["e", "a"]
    assert len(found.problems) == 10


def test_a_file_that_grew_is_read_on(refused):
    name = write("a.csv", "a\n1\n2\n")
    position = read_all([name]).blocks[-1].position
    write("a.csv", "a\n1\n2\n3\n")
    same(read_all([name], position=position).rows, [[3]])
    write("a.csv", "a\n1\n2")
    half = read_all([name]).blocks[-1].position
    write("a.csv", "a\n1\n25\n")
    assert "last row has changed" in refused([name], position=half)
    write("a.csv", "a\n1\n2\n3\n")
    same(read_all([name], position=half).rows, [[3]])


def test_headers(refused):
    assert "has no header" in refused([write("a.csv", "1.5,2\n3,4\n")])
    same(rows_of("0,1\n3,4\n"), [[3, 4]])
    assert refused([write("a.csv", "a,b\n")]) == "a.csv has a header but no rows"
    assert refused([write("a.csv", "")]) == "a.csv is empty"
    assert "UTF-16" in refused([write("a.csv", "a,b\n1,2\n".encode("utf-16"))])
    assert "'a' occurs more than once" in refused([write("a.csv", "a,a,b\n1,2,3\n")])
    same(rows_of("a,a,b\n1,2,3\n", columns=["b"]), [[3]])
    assert "'a' occurs more than once" in refused(["a.csv"], columns=["a"])


def test_text_that_is_not_utf8_hurts_only_where_it_is_used():
    same(rows_of("s,a\né,1\nü,2\n".encode("latin-1")), [[1], [2]])
    found = read_all([write("a.csv", "a\n1\n2\né\n".encode("latin-1"))])
    same(found.rows, [[1], [2], [nan]])
    assert found.problems[0][1:3] == (3, "a")


def test_packed_and_cut_short(refused):
    lines = "a\n" + "".join(f"{i * 0.37}\n" for i in range(5000))
    for name in ("a.csv.gz", "a.csv.zst"):
        whole = Path(write(name, lines)).read_bytes()
        Path(name).write_bytes(whole[: len(whole) // 2])
        assert "damaged or cut short" in refused([name])
    two = gzip.compress(b"a\n1\n") + gzip.compress(b"2\n")
    same(rows_of(two), [[1], [2]])  # told by its first bytes, not by its ending
    assert "packed as zip" in refused([write("z.csv", b"PK\x03\x04...")])
