"""Bad input: one clear sentence, no traceback, nothing lost."""

import datetime
import decimal
import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from .conftest import Command

Refused = Callable[..., str]


def write(name: str, lines: Iterable[str]) -> str:
    with open(name, "w") as file:
        file.writelines(f"{line}\n" for line in lines)
    return name


def columns_of(command: Command, *arguments: str) -> dict[str, Any]:
    """The columns of the JSON by name, and the counts of rows."""
    said = command("mean", *arguments, "--json")
    assert said.code == 0, said
    found = json.loads(said.out)
    return {"rows": found["rows"], "refused": found["refused"]} | {c["name"]: c for c in found["columns"]}


class TestFiles:
    def test_empty(self, refused: Refused) -> None:
        for name in ("x.csv", "x.jsonl"):
            Path(name).touch()
            assert refused("mean", name) == f"{name} is empty"
        for name in ("x.parquet", "x.arrow"):
            Path(name).touch()
            assert f"{name} is empty" in refused("mean", name)
        with gzip.open("x.csv.gz", "wb"):
            pass
        assert refused("mean", "x.csv.gz") == "x.csv.gz is empty"

    def test_header_only(self, refused: Refused) -> None:
        assert refused("mean", write("x.csv", ["a,b"])) == "x.csv has a header but no rows"
        parquet.write_table(pa.table({"a": pa.array([], pa.float64())}), "x.parquet")
        assert refused("mean", "x.parquet") == "there is no row to learn from"

    def test_header_only_leaves_no_checkpoint(self, refused: Refused, folder: Path) -> None:
        refused("mean", write("x.csv", ["a,b"]), "--checkpoint", "run.tps", "--quarantine", "bad.csv")
        assert [path.name for path in folder.iterdir()] == ["x.csv"]

    def test_one_row(self, command: Command) -> None:
        found = columns_of(command, write("x.csv", ["a,b", "1,-2.5"]))
        assert found["rows"] == 1
        assert (found["a"]["mean"], found["b"]["mean"]) == (1.0, -2.5)
        assert found["a"]["low"] is found["a"]["high"] is None
        assert found["a"]["verdict"] == "one row: nothing to judge by"

    def test_a_folder(self, refused: Refused, folder: Path) -> None:
        (folder / "logs").mkdir()
        assert refused("mean", "logs") == "logs is a folder; name its files, such as 'logs/*.parquet'"

    def test_a_missing_file(self, refused: Refused) -> None:
        write("requests.csv", ["a", "1"])
        assert refused("mean", "request.csv") == "request.csv: there is no such file; did you mean 'requests.csv'?"
        assert "no file matches 'logs/*.csv'" in refused("mean", "logs/*.csv")
        assert "'nowhere' cannot be read" in refused("mean", "nowhere/x.csv")

    def test_parquet_cut_in_half(self, refused: Refused) -> None:
        parquet.write_table(pa.table({"a": np.arange(5000.0)}), "x.parquet")
        whole = Path("x.parquet").read_bytes()
        for length in (1, 4, len(whole) // 2, len(whole) - 1):
            Path("x.parquet").write_bytes(whole[:length])
            sentence = refused("mean", "x.parquet")
            assert sentence.startswith("x.parquet is ")
            assert "damaged or cut short" in sentence or "is not a Parquet file" in sentence

    def test_a_packed_file_cut_in_half(self, refused: Refused) -> None:
        packed = gzip.compress(b"a\n" + b"".join(b"%d\n" % row for row in range(5000)))
        Path("x.csv.gz").write_bytes(packed[: len(packed) // 2])
        assert "x.csv.gz is damaged or cut short" in refused("mean", "x.csv.gz")

    def test_a_file_of_no_known_format(self, refused: Refused) -> None:
        assert "its ending says no format" in refused("mean", write("x.dat", ["a", "1"]))
        assert "PDF" not in refused("mean", write("x.parquet", ["%PDF-1.7"]))


class TestColumns:
    def test_text(self, command: Command, refused: Refused) -> None:
        write("x.csv", ["a,city", "1,Rome", "2,Oslo"])
        assert command("mean", "x.csv").err == "not numbers, left out: city (text)\n"
        sentence = refused("mean", "x.csv", "--columns", "city")
        assert sentence == "x.csv: column 'city' holds text, not numbers; leave it out or turn it into numbers first"
        assert "has no column of numbers" in refused("mean", write("y.csv", ["city", "Rome"]))

    def test_all_missing(self, command: Command, refused: Refused) -> None:
        write("x.csv", ["a,b", "1,", "2,NA", "3,"])
        assert refused("mean", "x.csv") == (
            "no row could be used: all 3 were refused, the first: x.csv: row 1: column 'b': missing; "
            "mend the rows, or choose other columns with --columns"
        )
        assert columns_of(command, "x.csv", "--columns", "a")["rows"] == 3

    def test_one_that_is_not_there(self, refused: Refused) -> None:
        write("x.csv", ["latency_ms,bytes", "1,2"])
        sentence = refused("mean", "x.csv", "--columns", "latencyms")
        assert sentence.startswith("x.csv has no column 'latencyms'; did you mean 'latency_ms'?")
        assert "did you mean 'bytes'" in refused("mean", "x.csv", "--columns", "Bytes")
        assert "no column was asked for" in refused("mean", "x.csv", "--columns", "")

    def test_one_that_a_later_file_lacks(self, refused: Refused, command: Command) -> None:
        write("1.csv", ["a,b", "1,2"])
        write("2.csv", ["a,c", "1,2"])
        assert refused("mean", "1.csv", "2.csv", "--checkpoint", "run.tps").startswith("2.csv has no column 'b'")
        write("2.csv", ["a,b", "3,4"])
        found = columns_of(command, "1.csv", "2.csv", "--checkpoint", "run.tps", "--quiet")
        assert (found["rows"], found["b"]["plain_mean"]) == (2, 3.0)

    def test_twice_the_same(self, command: Command, refused: Refused) -> None:
        write("x.csv", ["a,a,b", "1,2,3"])
        assert refused("mean", "x.csv") == ("x.csv: column 'a' occurs more than once; give each column its own name")
        assert "'a' occurs more than once" in refused("mean", "x.csv", "--columns", "a")
        assert "'b' occurs more than once" in refused("mean", "x.csv", "--columns", "b,b")
        assert columns_of(command, "x.csv", "--columns", "b")["b"]["mean"] == 3.0

    def test_timestamps_are_refused_by_name(self, command: Command, refused: Refused) -> None:
        when = [datetime.datetime(2026, 11, 18)]
        parquet.write_table(pa.table({"at": when, "day": [when[0].date()], "a": [1.0]}), "x.parquet")
        err = command("mean", "x.parquet").err
        assert "at (timestamp[us])" in err
        assert "day (date32[day])" in err
        assert "column 'at' holds timestamp[us], not numbers" in refused("mean", "x.parquet", "--columns", "at")

    def test_names_a_terminal_would_obey(self, command: Command) -> None:
        parquet.write_table(pa.table({"a\x1b[2J\n": [1.0], "t\x1b[2J": ["x"]}), "x.parquet")
        said = command("mean", "x.parquet")
        assert "a\\x1b[2J\\n" in said.out
        assert "\x1b" not in said.out + said.err


class TestRows:
    def test_ragged(self, command: Command) -> None:
        write("x.csv", ["a,b", "1,2", "1,2,3", "4", "5,6"])
        found = columns_of(command, "x.csv", "--quarantine", "bad.csv")
        assert (found["rows"], found["refused"]) == (2, 2)
        assert Path("bad.csv").read_text().splitlines()[1:] == [
            'x.csv,2,,"has 3 fields, the header has 2"',
            'x.csv,3,,"has 1 field, the header has 2"',
        ]

    def test_the_first_bad_row_ends_it_when_asked_to(self, refused: Refused) -> None:
        write("x.csv", ["a,b", "1,2", "3,", "5,x"])
        assert refused("mean", "x.csv", "--missing", "raise") == (
            "x.csv: row 2: column 'b': missing; fix the row, or let such rows be refused with --missing refuse"
        )
        parquet.write_table(pa.table({"a": [1.0, 2.0, float("inf")]}), "x.parquet")
        assert "x.parquet: row 3: column 'a': infinite" in refused("mean", "x.parquet", "--missing", "raise")

    @pytest.mark.parametrize("rows", [9_000, pytest.param(3_000_000, marks=pytest.mark.slow)], ids="row {:,}".format)
    def test_a_wrong_type_late(self, command: Command, refused: Refused, rows: int) -> None:
        write("x.csv", ["a,b", *("1,2" for _ in range(rows - 1)), "1,oops", "1,2"])
        found = columns_of(command, "x.csv", "--quarantine", "bad.csv")
        assert (found["rows"], found["refused"]) == (rows, 1)
        assert Path("bad.csv").read_text().splitlines()[1:] == [f"x.csv,{rows},b,'oops' is not a number"]
        assert f"row {rows:,}: column 'b': 'oops' is not a number" in refused("mean", "x.csv", "--missing", "raise")

    def test_a_quote_that_is_never_closed(self, refused: Refused) -> None:
        write("x.csv", ["a,b", "1,2", '3,"4', *("5,6" for _ in range(50))])
        assert "never closed" in refused("mean", "x.csv")


class TestNumbers:
    def test_the_largest(self, command: Command) -> None:
        write("x.csv", ["a", "1e308", "-1e308", "1.7976931348623157e308", "1", "2"])
        found = columns_of(command, "x.csv")
        assert found["refused"] == 0
        assert np.isfinite(found["a"]["mean"])
        assert np.isfinite(found["a"]["plain_mean"])

    def test_beyond_the_largest(self, command: Command) -> None:
        write("x.csv", ["a", "1", "1e309", "-1e999", "3"])
        found = columns_of(command, "x.csv", "--quarantine", "bad.csv")
        assert (found["rows"], found["refused"]) == (2, 2)
        assert all(line.endswith(",infinite") for line in Path("bad.csv").read_text().splitlines()[1:])

    def test_the_smallest(self, command: Command) -> None:
        found = columns_of(command, write("x.csv", ["a", "5e-324", "1e-320", "0", "-4e-324"]))
        assert (found["rows"], found["refused"]) == (4, 0)
        assert abs(found["a"]["mean"]) < 1e-319

    def test_integers_that_no_float_holds(self, command: Command) -> None:
        """They are rounded to the nearest float, as everybody's mean does."""
        values = [2**53 + 1, 2**53 + 3, 2**62 + 1]
        parquet.write_table(pa.table({"a": values}), "x.parquet")
        write("x.csv", ["a", *map(str, values)])
        wide = pa.table({"a": pa.array([2**64 - 1, 2**63, 5], pa.uint64())})
        parquet.write_table(wide, "wide.parquet")
        expected = float(np.mean([float(value) for value in values]))
        for name in ("x.parquet", "x.csv"):
            assert columns_of(command, name)["a"]["plain_mean"] == pytest.approx(expected, rel=1e-15)
        assert columns_of(command, "wide.parquet")["a"]["plain_mean"] == pytest.approx(2**63, rel=1e-15)

    def test_decimals_and_booleans(self, command: Command) -> None:
        table = {"d": [decimal.Decimal("1.25"), decimal.Decimal("2.75")], "b": [True, False]}
        parquet.write_table(pa.table(table), "x.parquet")
        found = columns_of(command, "x.parquet")
        assert (found["d"]["mean"], found["b"]["mean"]) == (2.0, 0.5)
        found = columns_of(command, write("x.csv", ["b", "true", "false"]))
        assert found["b"]["mean"] == 0.5


class TestCheckpoints:
    @pytest.fixture(autouse=True)
    def begun(self, command: Command) -> None:
        write("x.csv", ["a", "1", "2"])
        write("y.csv", ["a", "3", "4"])
        assert command("mean", "x.csv", "--checkpoint", "run.tps").code == 0

    def test_of_another_file(self, refused: Refused) -> None:
        before = Path("run.tps").read_bytes()
        assert "y.csv stands where x.csv stood" in refused("mean", "y.csv", "--checkpoint", "run.tps")
        assert Path("run.tps").read_bytes() == before

    def test_of_a_file_that_changed(self, refused: Refused) -> None:
        write("x.csv", ["a", "1"])
        assert "x.csv has changed" in refused("mean", "x.csv", "--checkpoint", "run.tps")

    def test_of_a_file_that_is_gone(self, refused: Refused) -> None:
        Path("x.csv").unlink()
        assert "x.csv: there is no such file" in refused("mean", "x.csv", "--checkpoint", "run.tps")

    def test_of_another_rule(self, refused: Refused) -> None:
        sentence = refused("mean", "x.csv", "--checkpoint", "run.tps", "--h", "9")
        assert "h=4.0" in sentence
        assert "h=9.0" in sentence
        assert sentence.endswith("give the settings of the first run, or another checkpoint file")

    def test_cut_short(self, refused: Refused) -> None:
        whole = Path("run.tps").read_bytes()
        Path("run.tps").write_bytes(whole[: len(whole) // 2])
        for verb in (["mean", "x.csv", "--checkpoint", "run.tps"], ["inspect", "run.tps"]):
            assert "is not a tailproof checkpoint, or it is cut short; restore it from a copy" in refused(*verb)

    def test_that_is_no_checkpoint(self, refused: Refused) -> None:
        assert "y.csv is not a tailproof checkpoint" in refused("mean", "x.csv", "--checkpoint", "y.csv")
        assert Path("y.csv").read_text() == "a\n3\n4\n"

    def test_in_a_folder_that_is_not_there(self, refused: Refused) -> None:
        for option in ("--checkpoint", "--save"):
            assert "there is no folder" in refused("mean", "x.csv", option, "nowhere/run.tps")
            assert "is a folder; name a file in it" in refused("mean", "x.csv", option, ".")
        assert "nowhere/bad.csv cannot be written" in refused("mean", "x.csv", "--quarantine", "nowhere/bad.csv")
