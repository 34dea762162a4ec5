"""`tailproof diff`: tables, JSON, groups of every kind, going on, inspecting and merging."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import tailproof
from tailproof.checkpoint import load

from .conftest import Command

Refused = Callable[..., str]
DIFF = ["diff", "visits.parquet", "--group", "variant", "--metric", "revenue"]


@pytest.fixture
def visits(folder: Path) -> pa.Table:
    """Two thousand rows of two variants, of which b earns half as much again, and three arms alike."""
    draw = np.random.default_rng(5)
    variant = np.array(["a", "b"])[draw.integers(0, 2, 2000)]
    table = pa.table(
        {
            "variant": variant,
            "revenue": np.exp(draw.standard_normal(2000)) * np.where(variant == "b", 1.5, 1.0),
            "visits": draw.poisson(3, 2000),
            "arm": draw.integers(0, 3, 2000),
            "flag": variant == "b",
            "user": np.arange(2000),
        }
    )
    parquet.write_table(table, "visits.parquet")
    csv.write_csv(table, "visits.csv")
    return table


def said_in_json(command: Command, *arguments: str) -> dict[str, Any]:
    said = command(*arguments, "--json")
    assert said.code == 0, said
    found: dict[str, Any] = json.loads(said.out, parse_constant=pytest.fail)
    return found


@pytest.mark.usefixtures("visits")
class TestAnswers:
    def test_the_table(self, command: Command) -> None:
        said = command(*DIFF)
        counted, head, line = said.out.splitlines()
        assert (said.code, said.err) == (0, "")
        assert counted == "variant: 1,018 of a, 982 of b rows used; 0 refused"
        assert " ".join(head.split()) == (
            "metric mean of a mean of b difference 95 % any-time interval lift plain difference set aside verdict"
        )
        assert line.startswith("revenue ")
        assert line.endswith("variant b is higher than variant a")

    def test_a_narrow_table(self, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        lines = command(*DIFF, "--baseline", "b").out.splitlines()
        assert max(map(len, lines)) <= 80
        assert "variant a is lower than variant b (lift -" in " ".join(" ".join(lines).split())

    def test_json(self, command: Command) -> None:
        said = said_in_json(command, *DIFF[:-2], "--metric", "revenue,visits")
        assert [one["metric"] for one in said["comparisons"]] == ["revenue", "visits"]
        assert said["groups"] == [{"group": "a", "rows": 1018}, {"group": "b", "rows": 982}]
        assert (said["baseline"], said["anytime"], said["group"]) == ("a", True, "variant")
        first = said["comparisons"][0]
        assert first["low"] < first["difference"] < first["high"]
        one_look = said_in_json(command, *DIFF, "--one-look")["comparisons"][0]
        assert first["low"] < one_look["low"] < one_look["high"] < first["high"]

    def test_it_says_what_python_says(self, command: Command, visits: pa.Table) -> None:
        said = said_in_json(command, *DIFF, "--confidence", "0.9")["comparisons"][0]
        test = tailproof.experiment.MeanDifference(confidence=0.9)
        test.partial_fit(visits["revenue"].to_numpy(), visits["variant"].to_pylist())
        assert (said["difference"], said["low"]) == (test.difference_[0], test.interval()[0][0])

    def test_every_other_number_without_metric(self, command: Command) -> None:
        said = command(*DIFF[:-2], "--quiet")
        assert [line.split()[0] for line in said.out.splitlines()[2:]] == ["revenue", "visits", "arm", "flag", "user"]

    @pytest.mark.parametrize(("group", "baseline"), [("flag", "true"), ("arm", "2"), ("variant", "b")])
    def test_groups_of_any_kind(self, command: Command, group: str, baseline: str) -> None:
        for file in ("visits.parquet", "visits.csv"):
            said = said_in_json(command, "diff", file, "--group", group, "--metric", "visits", "--baseline", baseline)
            assert str(said["baseline"]).lower() == baseline
            assert len(said["comparisons"]) == len(said["groups"]) - 1


@pytest.mark.usefixtures("visits")
class TestRefusals:
    def test_more_than_two_groups_without_a_baseline(self, refused: Refused) -> None:
        said = refused("diff", "visits.parquet", "--group", "arm", "--metric", "revenue")
        assert said == (
            "arm: there are 3 groups, 0, 1, 2: say which one the others are compared with, for example --baseline 0"
        )

    def test_a_baseline_that_is_none(self, refused: Refused) -> None:
        assert refused(*DIFF, "--baseline", "c") == "the baseline 'c' is none of the groups, which are 'a', 'b'"

    @pytest.mark.parametrize("group", ["user", "revenue"])
    def test_a_column_of_many_values(self, refused: Refused, group: str) -> None:
        said = refused("diff", "visits.parquet", "--group", group, "--metric", "visits")
        assert f"the column {group!r} holds more than 100 different values" in said
        assert "too many for groups" in said

    def test_columns_that_are_not_there_or_named_twice(self, refused: Refused) -> None:
        assert "did you mean 'variant'" in refused("diff", "visits.parquet", "--group", "varient")
        assert "leave it out" in refused("diff", "visits.parquet", "--group", "arm", "--metric", "variant")
        said = refused(*DIFF[:-2], "--metric", "revenue,variant", code=2)
        assert said == "--group variant is also among --metric; a column is one or the other"

    def test_one_group_is_said_to_be_alone(self, command: Command) -> None:
        Path("one.csv").write_text("g,x\n" + "a,1\n" * 200)
        said = command("diff", "one.csv", "--group", "g")
        assert "one group only: no other has been seen yet" in said.out

    def test_a_group_seen_once(self, command: Command) -> None:
        Path("once.csv").write_text("g,x\n" + "a,1\na,2\n" * 100 + "b,7\n")
        said = command("diff", "once.csv", "--group", "g")
        assert "too few rows: g b has 1, and each group needs 100" in said.out

    def test_rows_without_a_group_or_a_metric(self, command: Command, refused: Refused) -> None:
        Path("holes.csv").write_text("g,x\n" + "a,1\nb,2\n,3\nb,\n" * 150)
        arguments = ["diff", "holes.csv", "--group", "g"]
        said = command(*arguments, "--quarantine", "bad.csv")
        assert said.out.startswith("g: 150 of a, 150 of b rows used; 300 refused\n")
        assert "holes.csv: row 3: column 'g': missing; all of them in bad.csv" in said.err
        assert Path("bad.csv").read_text().splitlines()[1:3] == ["holes.csv,3,g,missing", "holes.csv,4,x,missing"]
        assert "row 3" in refused(*arguments, "--missing", "raise")

    def test_only_the_groups_asked_for(self, command: Command) -> None:
        said = command("diff", "visits.parquet", "--group", "arm", "--metric", "visits", "--labels", "2,0")
        assert said.out.splitlines()[1].split()[1:7] == ["mean", "of", "2", "mean", "of", "0"]
        assert "label 1 is none of 2, 0" in said.err


@pytest.mark.usefixtures("visits")
class TestGoingOn:
    def test_with_tomorrows_file(self, command: Command, visits: pa.Table) -> None:
        Path("days").mkdir()
        days = ["diff", "days/*.parquet", "--group", "variant", "--metric", "revenue,visits"]
        for day in range(4):
            parquet.write_table(visits.slice(500 * day, 500), f"days/{day}.parquet")
            assert command(*days, "--checkpoint", "run.tps").code == 0
        whole = command(*days, "--save", "whole.tps", "--quiet")
        assert command(*days, "--checkpoint", "run.tps", "--quiet").out == whole.out
        assert load("run.tps").state.same_bits(load("whole.tps").state)

    def test_saved_inspected_merged_and_loaded(self, command: Command, visits: pa.Table) -> None:
        for part in (0, 1):
            parquet.write_table(visits.slice(1000 * part, 1000), f"{part}.parquet")
            chosen = ["--group", "variant", "--metric", "revenue", "--baseline", "b", "--save", f"{part}.tps"]
            assert command("diff", f"{part}.parquet", *chosen).code == 0
        merged = command("merge", "0.tps", "1.tps", "-o", "all.tps")
        assert merged.out == command(*DIFF, "--baseline", "b").out
        assert merged.out in command("inspect", "all.tps").out
        assert tailproof.load("all.tps").estimate().comparisons[0].baseline == "b"
        assert "means" in command("predict", "all.tps", "0.parquet").err

    def test_other_groups_or_columns_are_not_gone_on_with(self, command: Command, refused: Refused) -> None:
        command(*DIFF, "--checkpoint", "run.tps")
        assert "is about the columns revenue" in refused(*DIFF[:-1], "visits", "--checkpoint", "run.tps")
        other = [*DIFF[:3], "flag", *DIFF[4:], "--checkpoint", "run.tps"]
        assert "was made for the target 'variant'" in refused(*other)
