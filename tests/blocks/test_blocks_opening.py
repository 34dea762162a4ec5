"""Finding files, choosing columns, going on from a position, stopping."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import read_all

from tailproof.blocks import open_source
from tailproof.blocks.ahead import Ahead
from tailproof.errors import DataError


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name: str, data: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(data)
    return name


def test_patterns_are_sorted_and_a_name_is_taken_as_it_is():
    for name in ("logs/b.csv", "logs/a.csv", "logs/deep/c.csv", "odd[1].csv"):
        write(name, f"x\n{ord(name[-5])}\n")
    with open_source(["logs/*.csv", "odd[1].csv"]) as source:
        assert source.files == ["logs/a.csv", "logs/b.csv", "odd[1].csv"]
        assert source.total_bytes == 5 + 5 + 5
    assert read_all(["logs/**/*.csv"]).rows.tolist() == [[97], [98], [99]]


def test_formats_may_differ_from_file_to_file():
    pq.write_table(pa.table({"y": [1], "x": [2]}), "a.parquet")
    names = ["a.parquet", write("b.csv", "x,z,y\n3,q,4\n"), write("c.jsonl", '{"y": 5, "x": 6}\n')]
    found = read_all(names)
    assert found.names == ["y", "x"]
    assert found.rows.tolist() == [[1, 2], [4, 3], [5, 6]]
    assert [block.file for block in found.blocks] == names


def test_tabs_by_ending():
    assert read_all([write("a.tsv", "x\ty,z\n1\t2\n")]).names == ["x", "y,z"]


def test_paths_that_cannot_be_opened(refused):
    write("requests.csv", "x\n1\n")
    assert "did you mean 'requests.csv'?" in refused(["request.csv"])
    assert "no file matches 'z*.csv'" in refused(["z*.csv"])
    assert "the folder 'no' cannot be read" in refused(["no/a.csv"])
    os.mkdir("folder")
    assert "folder/*.parquet" in refused(["folder"])
    assert "no file was named" in refused([])
    assert "its ending says no format" in refused([write("a.dat", "x")])
    assert "the formats are parquet, csv" in refused(["requests.csv"], format="excel")
    assert "format of stdin" in refused(["-"])
    assert "save it to a file first" in refused(["-"], format="parquet")
    assert "named twice" in refused(["-", "-"], format="csv")
    assert "unpack it first" in refused([write("a.parquet.gz", "x")])
    assert "at least 1" in refused(["requests.csv"], batch_rows=0)


def test_an_explicit_format_wins():
    assert read_all([write("a.dat", "x\n1\n")], format="csv").rows.tolist() == [[1]]


def test_columns_asked_for(refused):
    name = write("a.csv", "latency,bytes,Region\n1,2,3\n")
    sentence = refused([name], columns=["latencey"])
    assert "a.csv has no column 'latencey'; did you mean 'latency'?" in sentence
    assert "'bytes'" in sentence
    assert "did you mean 'Region'" in refused([name], columns=["region"])
    assert "more than once" in refused([name], columns=["bytes", "bytes"])
    assert "no column was asked for" in refused([name], columns=[])
    assert read_all([name], columns=["Region", "latency"]).rows.tolist() == [[3, 1]]
    wide = write("wide.csv", ",".join(f"c{i}" for i in range(500)) + "\n" + ",".join(["1"] * 500))
    assert "and 488 more" in refused([wide], columns=["zzz"])


def test_a_later_file_lacks_a_column_or_holds_text(refused):
    first, second = write("a.csv", "x,y\n1,2\n"), write("b.csv", "x,z\n1,2\n")
    assert "b.csv has no column 'y'" in refused([first, second])
    pq.write_table(pa.table({"x": [1], "y": ["text"]}), "c.parquet")
    assert "c.parquet: column 'y' holds text" in refused([first, "c.parquet"])


def test_files_without_rows(refused):
    header, empty, full = write("a.csv", "x\n"), write("b.csv", ""), write("c.csv", "x\n1\n")
    assert refused([header]) == "a.csv has a header but no rows"
    assert refused([empty]) == "b.csv is empty"
    assert "none of 2 files has rows" in refused([header, empty])
    assert read_all([empty, header, full, header, empty]).rows.tolist() == [[1]]


def test_files_that_changed_since(refused):
    names = [write(f"{letter}.csv", "x\n" + "1\n" * 5) for letter in "abc"]
    positions = [block.position for block in read_all(names, batch_rows=2).blocks]
    middle = next(position for position in positions if position["index"] == 1)
    write("d.csv", "x\n7\n")
    assert len(read_all([*names, "d.csv"], position=middle).rows) == 3 + 5 + 1
    assert "b.csv stood" in refused(["a.csv", "c.csv"], position=middle)
    assert "b.csv is no longer among the files" in refused(["a.csv"], position=middle)
    write("b.csv", "x\n1\n")
    assert "b.csv has changed" in refused(names, position=middle)
    write("b.csv", "x\n" + "1\n" * 5)
    write("a.csv", "x\n" + "1\n" * 6)
    sentence = refused(names, position=middle)
    assert "a.csv has changed: it had 12 bytes and now has 14" in sentence
    assert "start again without the checkpoint" in sentence
    assert "cannot be read" in refused(names, position={})
    write("a.csv", "x\n" + "1\n" * 5)
    assert "other columns" in refused(names, position=middle, columns=["y"])


def test_share_grows_to_one():
    write("a.csv", "x\n" + "1\n" * 1000)
    with open_source(["a.csv"], batch_rows=100) as source:
        shares = [source.share() for _ in source.blocks()]
        assert shares == sorted(shares)
        assert source.share() == 1.0


def test_a_source_is_read_once_and_closes_twice():
    source = open_source([write("a.csv", "x\n1\n")])
    list(source.blocks())
    with pytest.raises(RuntimeError, match="read once"):
        next(source.blocks())
    source.close()
    source.close()


def test_a_block_stays_valid_until_the_next_is_asked_for():
    numbers = np.arange(20_000.0)
    pq.write_table(pa.table({"x": numbers, "n": numbers.astype(np.int64)}), "a.parquet")
    for columns in (["x"], ["x", "n"]):
        seen = 0
        with open_source(["a.parquet"], batch_rows=10, columns=columns) as source:
            for block in source.blocks():
                if seen % 500 == 0:
                    time.sleep(0.01)  # lets the other thread run ahead as far as it can
                assert block.rows[:, -1].tolist() == list(range(seen, seen + 10))
                seen += 10
        assert seen == 20_000


def test_closing_early_stops_the_thread():
    write("a.csv", "x\n" + "1\n" * 10_000)
    source = open_source(["a.csv"], batch_rows=10)
    next(source.blocks())
    source.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "tailproof-blocks"]


def test_what_the_thread_raises_is_raised_where_blocks_are_asked_for():
    def broken():
        yield 1
        raise DataError("the second is bad")

    items = iter(Ahead(broken()))
    assert next(items) == 1
    with pytest.raises(DataError, match="second is bad"):
        next(items)


def test_a_signal_interrupts_the_wait():
    class Rung(Exception):
        pass

    def ring(number, frame):
        raise Rung

    def stuck():
        yield 1
        time.sleep(3)

    before = signal.signal(signal.SIGALRM, ring)
    try:
        items = iter(Ahead(stuck()))
        next(items)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Rung):
            next(items)
    finally:
        signal.signal(signal.SIGALRM, before)


PROGRAM = """
import sys
from tailproof.blocks import open_source
assert "pyarrow" not in sys.modules
with open_source(["-"], format="csv") as source:
    for block in source.blocks():
        print(block.rows.tolist(), source.total_bytes, source.share())
        if len(sys.argv) > 1:
            break
"""


@pytest.mark.parametrize("arguments", [[], ["leave early"]])
def test_the_real_stdin_in_a_fresh_process(arguments):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, input=b"x,y\n1,2\n", capture_output=True, timeout=30)
    assert done.stderr == b""
    assert done.stdout.decode() == "[[1.0, 2.0]] None None\n"


def test_a_named_pipe():
    os.mkfifo("pipe.csv")
    writer = threading.Thread(target=lambda: Path("pipe.csv").write_text("x\n1\n2\n"))
    writer.start()
    assert read_all(["pipe.csv"]).rows.tolist() == [[1], [2]]
    writer.join()


def test_closing_lets_go_whoever_waits():
    def stuck():
        yield 1
        time.sleep(0.3)
        yield 2

    ahead = Ahead(stuck())
    items = iter(ahead)
    next(items)
    closing = threading.Timer(0.05, ahead.close)
    closing.start()
    assert list(items) == []
    closing.join()
