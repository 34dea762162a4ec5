"""`tailproof compare`: the table, the JSON, where rows stand, and what cannot be compared."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from tailproof.compare import Compare
from tailproof.compare_means import CompareMeans

from .conftest import Command

METHODS = ["ours", "least_squares", "huber", "clipped_sgd", "sgd", "sgd_as_written"]
SPOKEN = ["ours", "least squares", "Huber", "clipped SGD", "SGD", "SGD, raw columns"]


def rows(count: int, seed: int = 1) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    a, b = random.standard_normal((2, count))
    return {"a": a, "b": b, "y": a - 2.0 * b + random.standard_normal(count)}


def write(name: str, table: dict[str, Any]) -> str:
    parquet.write_table(pa.table(table), name, row_group_size=500)
    return name


@pytest.fixture
def wild(folder: Path) -> list[str]:
    """Two files with a row missing in the first and a wild row in each: 800 and 1,234, counted from 1."""
    first, second = rows(2000), rows(2000, seed=2)
    first["a"][17] = np.nan
    first["y"][799] += 400.0
    second["y"][1233] -= 900.0
    return [write("day-1.parquet", first), write("day-2.parquet", second)]


def narrow(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))


def _late(table: dict[str, Any]) -> dict[str, Any]:
    """Forty rows are missing, and the fiftieth after these cannot be squared."""
    return {**table, "y": np.where(np.arange(len(table["y"])) == 89, 1e300, table["y"])}


class TestRegressions:
    def test_the_table(self, command: Command, wild: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        narrow(monkeypatch, 80)
        said = command("compare", *wild, "--target", "y")
        assert said.code == 0
        lines = said.out.splitlines()
        told = "y: 3,999 rows used, 1 refused; 3,899 of them predicted before they were learnt from"
        assert " ".join(" ".join(lines[:2]).split()) == told
        assert lines[3].split() == ["method", "error", ".5", ".95", ".99", ".999", "s.e.", "away", "farthest"]
        for line, name in zip(lines[4:], SPOKEN, strict=False):
            assert line.startswith(name + " ")
        assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
        assert said.err == "1 row refused; the first: day-1.parquet: row 18: column 'a': missing\n"

    @pytest.mark.parametrize("width", [80, 120])
    def test_it_fits_on_the_screen(self, command: Command, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
        narrow(monkeypatch, width)
        table = rows(3000)
        table["a"] = 1e5 * (1.0 + table["a"])
        path = write("x.parquet", {"a name that is long and takes a lot of room to be told": table.pop("a"), **table})
        said = command("compare", path, "--target", "y")
        assert next(line for line in said.out.splitlines() if "raw columns  " in line).split()[3] == "diverged"
        assert all(len(line) <= width for line in (said.out + command("compare", path).out).splitlines())

    def test_rows_that_stand_out_are_named_by_file_and_row(self, command: Command, wild: list[str]) -> None:
        lines = command("compare", *wild, "--target", "y").out.splitlines()
        at = lines.index("rows that would have moved plain SGD most:")
        assert lines[at + 1].startswith("  day-2.parquet: row 1,234, ")
        assert lines[at + 2].startswith("  day-1.parquet: row 800, ")
        said = json.loads(command("compare", *wild, "--target", "y", "--json").out)
        assert [(row["file"], row["row"]) for row in said["rows_that_move"][:2]] == [
            ("day-2.parquet", 1234),
            ("day-1.parquet", 800),
        ]

    def test_json_says_what_python_says(self, command: Command, wild: list[str]) -> None:
        said = json.loads(command("compare", *wild, "--target", "y", "--json").out, parse_constant=pytest.fail)
        table = [rows(2000), rows(2000, seed=2)]
        table[0]["a"][17] = np.nan
        table[0]["y"][799] += 400.0
        table[1]["y"][1233] -= 900.0
        X = np.concatenate([np.column_stack([part["a"], part["b"]]) for part in table])
        rule = Compare()
        exact = rule.read(rule.step(rule.init(2), X, np.concatenate([part["y"] for part in table])))
        assert list(said["methods"]) == METHODS
        assert said["verdict"] == exact.replace(names=["a", "b"]).verdict
        assert said["target"] == "y"
        for method in exact.methods:
            told = said["methods"][method.name]
            assert list(told["coefficients"].values()) == method.theta.tolist()
            assert list(told["loss"].values()) == list(method.loss.values())
        assert [term["name"] for term in said["ours"]["terms"]] == ["a", "b", "intercept"]
        assert said["verdict"].startswith("clipping matters here: least squares is ")

    def test_stdin(self, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        table = rows(500)
        table["y"][321] = 1e6
        lines = np.column_stack(list(table.values())).tolist()
        text = "a,b,y\n" + "\n".join(",".join(map(repr, line)) for line in lines)
        Path("x.csv").write_text(text)
        with open("x.csv") as file:
            monkeypatch.setattr(sys, "stdin", file)
            said = command("compare", "-", "--format", "csv", "--target", "y")
        assert "  stdin: row 322, " in said.out

    def test_many_small_files_of_which_the_first_are_held_back(self, command: Command) -> None:
        for number in range(12):
            table = rows(30, seed=number)
            if number == 2:
                table["y"][4] = 1e4
            write(f"{number:02d}.parquet", table)
        said = command("compare", "*.parquet", "--target", "y")
        assert "  02.parquet: row 5, " in said.out

    def test_columns_are_the_features(self, command: Command, wild: list[str]) -> None:
        for option in ("--features", "--columns"):
            said = json.loads(command("compare", *wild, "--target", "y", option, "b", "--json").out)
            assert list(said["methods"]["ours"]["coefficients"]) == ["b", "intercept"]

    def test_text_is_taken_in_as_columns_of_0_and_1(self, command: Command) -> None:
        table = rows(600)
        city = np.where(np.arange(600) % 3 == 0, "x", "z")
        path = write("x.parquet", {**table, "city": city})
        said = command("compare", path, "--target", "y")
        assert said.err == "not numbers, left out: city (text); --one-hot takes text in\n"
        assert "city=x" in command("compare", path, "--target", "y", "--one-hot").out

    def test_too_few_rows(self, command: Command) -> None:
        said = command("compare", write("x.parquet", rows(60)), "--target", "y")
        assert said.code == 0
        assert said.out.startswith("y: 60 rows used, 0 refused\nverdict: too few rows to compare: ")

    def test_a_single_row(self, command: Command) -> None:
        path = write("x.parquet", rows(1))
        assert command("compare", path, "--target", "y").out.startswith("y: 1 row used, 0 refused\n")
        assert command("compare", path).out.startswith("1 row used, 0 refused\n")

    def test_a_row_beyond_all_measure_is_told_in_a_line(self, command: Command) -> None:
        table = rows(600)
        table["y"][300] = 1e300
        lines = command("compare", write("x.parquet", table), "--target", "y").out.splitlines()
        assert "  x.parquet: row 301, over 1,000,000 times as far as a middling row" in lines
        assert not any("1 times" in line for line in lines)

    def test_where_it_diverged_is_told_by_file_and_row(self, command: Command) -> None:
        first, second = rows(300), rows(300, seed=2)
        first["a"][:40] = np.nan
        second["y"][49] = 1e300
        paths = [write("x.parquet", first), write("z.parquet", second)]
        said = command("compare", *paths, "--target", "y").out
        assert "least squares met a value too large to square (z.parquet: row 50)" in said
        assert "SGD diverged at z.parquet: row 50" in said
        assert any(line.split() == ["least", "squares", "diverged", "row", "50"] for line in said.splitlines())
        assert "diverged at row 90\n" in command("compare", write("y.parquet", _late(first)), "--target", "y").out

    def test_a_constant_target(self, command: Command) -> None:
        said = command("compare", write("x.parquet", {**rows(600), "y": np.full(600, 7.0)}), "--target", "y")
        assert "verdict: you do not need this: least squares is as good here" in said.out
        assert "nan" not in said.out

    def test_many_columns_are_compared_without_least_squares(self, command: Command) -> None:
        random = np.random.default_rng(1)
        X = random.standard_normal((300, 1001))
        write("x.parquet", {**{f"x{j}": X[:, j] for j in range(1001)}, "y": X[:, 0]})
        said = command("compare", "x.parquet", "--target", "y")
        assert "verdict: least squares and Huber were left out: 1,001 features are too many for them" in said.out
        assert "... and 982 more: --json has them all" in said.out

    def test_quarantine(self, command: Command, wild: list[str]) -> None:
        command("compare", *wild, "--target", "y", "--quarantine", "bad.csv")
        assert Path("bad.csv").read_text() == "file,row,column,reason\nday-1.parquet,18,a,missing\n"


class TestMeans:
    def test_the_table(self, command: Command, wild: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        narrow(monkeypatch, 80)
        said = command("compare", *wild)
        lines = said.out.splitlines()
        assert lines[0] == "3,999 rows used, 1 refused"
        assert lines[-1] == "2 of 3 columns do not need this"
        at = next(k for k, line in enumerate(lines) if line.startswith("y: tail index "))
        assert [line.split("  ")[0] for line in lines[at + 1 : at + 6]] == [
            *("method", "ours", "plain mean", "Huber", "clipped SGD")
        ]
        at = lines.index("rows that moved the plain mean most:", at)
        assert lines[at + 1].startswith("  day-2.parquet: row 1,234, ")
        assert any(line.startswith("verdict: heavy tail: 2 of 3,999 rows carry 98 % of the variance") for line in lines)
        assert all(len(line) <= 80 for line in lines)

    def test_json_says_what_python_says(self, command: Command, wild: list[str]) -> None:
        said = json.loads(command("compare", wild[1], "--json").out, parse_constant=pytest.fail)
        table = rows(2000, seed=2)
        table["y"][1233] -= 900.0
        rule = CompareMeans()
        exact = rule.read(rule.step(rule.init(3), np.column_stack(list(table.values()))))
        assert [column["name"] for column in said["columns"]] == ["a", "b", "y"]
        for column, one in zip(said["columns"], exact.columns, strict=True):
            assert column["verdict"] == one.verdict
            assert list(column["methods"]) == METHODS[:4]
            for method in one.methods:
                assert column["methods"][method.name]["coefficients"] == {"mean": method.theta[0]}
        assert said["columns"][2]["rows_that_move"][0]["row"] == 1234

    def test_chosen_columns_and_the_confidence(self, command: Command, wild: list[str]) -> None:
        said = command("compare", *wild, "--columns", "b,a", "--confidence", "0.5")
        assert [line.split(":")[0] for line in said.out.splitlines() if ": tail index" in line] == ["b", "a"]
        assert "ours with 50 % confidence: " in said.out

    def test_too_few_rows(self, command: Command) -> None:
        said = command("compare", write("x.parquet", rows(60)))
        assert said.code == 0
        assert said.out.endswith("too few rows to compare\n")


class TestRefused:
    def test_text_cannot_be_a_target(self, refused: Callable[..., str]) -> None:
        path = write("x.parquet", {**rows(200), "city": ["x", "z"] * 100})
        assert "the target 'city' holds text" in refused("compare", path, "--target", "city")

    def test_a_target_that_is_not_there(self, refused: Callable[..., str], wild: list[str]) -> None:
        assert "has no column 'z'" in refused("compare", *wild, "--target", "z")

    def test_a_target_that_is_a_feature(self, refused: Callable[..., str], wild: list[str]) -> None:
        assert "'y'" in refused("compare", *wild, "--target", "y", "--columns", "a,y")

    def test_a_target_alone(self, refused: Callable[..., str]) -> None:
        assert refused("compare", write("x.parquet", {"y": np.arange(200.0)}), "--target", "y")

    def test_options_that_make_no_sense_together(self, refused: Callable[..., str], wild: list[str]) -> None:
        assert "--target" in refused("compare", *wild, "--features", "a", code=2)
        assert "--target" in refused("compare", *wild, "--one-hot", code=2)
        assert "one of them" in refused("compare", *wild, "--target", "y", "--features", "a", "--columns", "b", code=2)
        assert "would overwrite" in refused("compare", *wild, "--quarantine", wild[0], code=2)

    def test_no_row_can_be_used(self, refused: Callable[..., str]) -> None:
        path = write("x.parquet", {**rows(5), "b": [None, None, None, None, float("nan")]})
        assert "no row could be used: all 5 were refused" in refused("compare", path, "--target", "y")
