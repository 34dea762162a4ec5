"""The command line: what is promised of each verb, its output and its exit codes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import tailproof
from tailproof.checkpoint import Saved, load, save
from tailproof.clipped import ClippedSGD
from tailproof.doors.mean_table import mean_table
from tailproof.doors.table import number, printable
from tailproof.extremes import Extremes
from tailproof.gram import Gram

from .conftest import Command

KEYS = ["rows", "refused", "rule", "confidence", "columns"]
COLUMN_KEYS = [
    *("name", "mean", "low", "high", "plain_mean"),
    *("share_clipped", "tail_index", "verdict", "set_aside"),
]
BYTES = np.random.default_rng(5).normal(1000.0, 10.0, 60)


@pytest.fixture
def requests(folder: Path) -> str:
    """Sixty rows of two columns of numbers and one of text."""
    table = {"latency_ms": np.arange(60) % 7 + 0.5, "bytes": BYTES, "city": ["x"] * 60}
    parquet.write_table(pa.table(table), "requests.parquet")
    return "requests.parquet"


def tailproof_process(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    options = {"stdin": subprocess.DEVNULL, **options} if "input" not in options else options
    return subprocess.run([sys.executable, "-m", "tailproof", *arguments], **{"capture_output": True, **options})


class TestMean:
    def test_every_column_of_numbers(self, command: Command, requests: str) -> None:
        said = command("mean", requests)
        assert said.code == 0
        head, first, second = said.out.splitlines()
        assert " ".join(head.split()) == "column mean 95 % interval plain mean rows used refused verdict"
        assert first.startswith("latency_ms  ")
        assert second.startswith("bytes  ")
        assert said.err == "not numbers, left out: city (text)\n"

    def test_chosen_columns_in_the_order_asked_for(self, command: Command, requests: str) -> None:
        said = command("mean", requests, "--columns", "bytes, latency_ms", "--json")
        assert [column["name"] for column in json.loads(said.out)["columns"]] == ["bytes", "latency_ms"]
        assert said.err == ""

    def test_a_name_with_a_comma_stands_in_quotes(self, command: Command) -> None:
        Path("x.csv").write_text('"a,b",c\n1,2\n3,4\n')
        said = command("mean", "x.csv", "--columns", '"a,b",c', "--json")
        assert [column["name"] for column in json.loads(said.out)["columns"]] == ["a,b", "c"]

    def test_json_says_what_python_says(self, command: Command, requests: str) -> None:
        said = json.loads(command("mean", requests, "--json").out)
        assert list(said) == KEYS
        assert [list(column) for column in said["columns"]] == [COLUMN_KEYS] * 2
        model = tailproof.Mean().fit(np.column_stack([np.arange(60) % 7 + 0.5, BYTES]))
        assert said["rows"] == 60
        assert said["refused"] == 0
        assert said["rule"] == repr(Extremes())
        for column, mean, low, high in zip(said["columns"], model.mean_, *model.interval(), strict=True):
            assert (column["mean"], column["low"], column["high"]) == (mean, low, high)

    def test_json_has_no_word_that_json_does_not_know(self, command: Command) -> None:
        Path("one.csv").write_text("a\n1\n")
        said = command("mean", "one.csv", "--json").out
        assert json.loads(said, parse_constant=pytest.fail)["columns"][0]["low"] is None

    def test_confidence(self, command: Command, requests: str) -> None:
        narrow, wide = (
            json.loads(command("mean", requests, "--json", *options).out) for options in ([], ["--confidence", "0.999"])
        )
        assert wide["confidence"] == 0.999
        assert wide["columns"][0]["low"] < narrow["columns"][0]["low"]
        assert "99.9 % interval" in command("mean", requests, "--confidence", "0.999").out

    def test_radius(self, command: Command) -> None:
        Path("x.csv").write_text("a,b\n" + "".join(f"{row % 7},{row % 5}\n" for row in range(200)))
        assert "the whole vector of means is within " in command("mean", "x.csv", "--radius").out
        assert json.loads(command("mean", "x.csv", "--radius", "--json").out)["radius"] > 0.0
        Path("one.csv").write_text("a\n1\n")
        assert "too few rows to say how far the whole vector" in command("mean", "one.csv", "--radius").out
        assert json.loads(command("mean", "one.csv", "--radius", "--json").out)["radius"] is None

    def test_gross_values_are_named(self, command: Command) -> None:
        values = [*(row % 7 for row in range(400)), *[1e12] * 12]
        Path("x.csv").write_text("a\n" + "".join(f"{value!r}\n" for value in values))
        said = command("mean", "x.csv")
        assert "12 of 412 rows set aside as gross (1e+12, 1e+12, 1e+12, ...)" in said.out
        assert json.loads(command("mean", "x.csv", "--json").out)["columns"][0]["set_aside"] == [1e12] * 12
        kept = json.loads(command("mean", "x.csv", "--json", "--gross", "keep").out)
        assert kept["columns"][0]["set_aside"] == []

    def test_clipped_sgd(self, command: Command, requests: str) -> None:
        said = json.loads(command("mean", requests, "--method", "clipped-sgd", "--json").out)
        assert said["rule"] == repr(ClippedSGD(bars=True))

    def test_quiet(self, command: Command, requests: str) -> None:
        assert command("mean", requests, "--quiet").err == ""

    def test_words_for_missing(self, command: Command) -> None:
        Path("x.csv").write_text("a,b\n1,-\n2,3\n4,?\n")
        said = json.loads(command("mean", "x.csv", "--na", "?,-", "--json").out)
        assert (said["rows"], said["refused"]) == (1, 2)

    def test_refused_rows_are_counted_and_written_down(self, command: Command) -> None:
        Path("x.csv").write_text("a,b\n1,2\n,3\n4,5\n6,x\n")
        said = command("mean", "x.csv", "--quarantine", "bad.csv")
        assert "2 rows refused; the first: x.csv: row 2: column 'a': missing; all of them in bad.csv" in said.err
        assert Path("bad.csv").read_text().splitlines() == [
            "file,row,column,reason",
            "x.csv,2,a,missing",
            "x.csv,4,b,'x' is not a number",
        ]

    def test_one_refused_row_is_one_row(self, command: Command) -> None:
        Path("x.csv").write_text("a\n1\nx\n2\n")
        assert (
            command("mean", "x.csv").err == "1 row refused; the first: x.csv: row 2: column 'a': 'x' is not a number\n"
        )

    def test_the_whole_answer_is_shown_where_it_cannot_be_saved(
        self, command: Command, requests: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
        said = command("mean", requests, "--save", "mean.tps", "--quiet")
        assert said.code == 1
        assert "latency_ms" in said.out
        assert "mean.tps cannot be written: No space left" in said.err


class TestGoingOn:
    def test_a_finished_run_says_the_same_again(self, command: Command, requests: str) -> None:
        first = command("mean", requests, "--checkpoint", "run.tps")
        again = command("mean", requests, "--checkpoint", "run.tps")
        assert again.out == first.out
        assert again.err == "went on from run.tps after 60 rows\n" + first.err

    def test_new_files_of_a_pattern_are_taken_in(self, command: Command) -> None:
        for day in range(3):
            Path(f"2026-11-{day}.csv").write_text(f"a\n{day}\n{day + 10}\n")
            said = command("mean", "2026-11-*.csv", "--checkpoint", "run.tps", "--json")
            assert json.loads(said.out)["rows"] == 2 * (day + 1)
        assert said.out == command("mean", "2026-11-*.csv", "--json").out

    def test_intervals_may_be_asked_for_anew(self, command: Command, requests: str) -> None:
        command("mean", requests, "--checkpoint", "run.tps")
        said = command("mean", requests, "--checkpoint", "run.tps", "--confidence", "0.5", "--json")
        assert json.loads(said.out)["confidence"] == 0.5
        assert json.loads(command("inspect", "run.tps", "--json").out)["confidence"] == 0.5

    def test_rows_refused_before_are_not_in_a_later_quarantine(self, command: Command) -> None:
        Path("1.csv").write_text("a\nx\n1\n")
        command("mean", "1.csv", "--checkpoint", "run.tps")
        Path("2.csv").write_text("a\n2\ny\n")
        said = command("mean", "1.csv", "2.csv", "--checkpoint", "run.tps", "--quarantine", "bad.csv")
        assert "2 rows refused; the first: 1.csv: row 1" in said.err
        assert said.err.endswith("; 1 of them in bad.csv\n")


class TestInspect:
    def test_a_run(self, command: Command, requests: str) -> None:
        table = command("mean", requests, "--checkpoint", "run.tps").out
        rule, memory, place, *rest = command("inspect", "run.tps").out.splitlines()
        assert rule == f"rule       {Extremes()!r}"
        assert memory == f"memory     {load('run.tps').state.nbytes:,} bytes"
        assert place == "next row   row 61 of requests.parquet"
        assert rest == table.splitlines()

    def test_json_is_that_of_the_run(self, command: Command, requests: str) -> None:
        said = command("mean", requests, "--checkpoint", "run.tps", "--confidence", "0.9", "--json").out
        assert command("inspect", "run.tps", "--json").out == said
        assert json.loads(command("inspect", "run.tps", "--json", "--confidence", "0.5").out)["confidence"] == 0.5

    def test_a_saved_mean(self, command: Command, requests: str) -> None:
        command("mean", requests, "--save", "mean.tps")
        assert "next row   no source to go on reading" in command("inspect", "mean.tps").out

    def test_a_model_without_names(self, command: Command) -> None:
        tailproof.Mean().fit(np.ones((3, 2))).save("model.tps")
        assert [line.split()[0] for line in command("inspect", "model.tps").out.splitlines()[-2:]] == ["x0", "x1"]

    def test_a_state_of_no_rows(self, command: Command) -> None:
        save("none.tps", Saved(Extremes(), Extremes().init(1), ["a"]))
        assert "no rows" in command("inspect", "none.tps").out
        assert json.loads(command("inspect", "none.tps", "--json").out)["columns"][0]["mean"] is None

    def test_a_descent(self, command: Command) -> None:
        rule = ClippedSGD()
        save("descent.tps", Saved(rule, rule.step(rule.init(2), np.ones((9, 2)))))
        assert "theta [1. 1.] after 9 rows" in command("inspect", "descent.tps").out
        said = json.loads(command("inspect", "descent.tps", "--json").out)
        assert (said["rows"], said["theta"]) == (9, [1.0, 1.0])

    def test_settings_that_make_no_sense(self, command: Command, refused: Callable[..., str]) -> None:
        save("wild.tps", Saved(Extremes(), Extremes().init(1), ["a"], settings={"confidence": 7.0}))
        assert "a confidence lies between 0 and 1" in refused("inspect", "wild.tps", "--json")


class TestMerge:
    @pytest.fixture
    def parts(self, command: Command) -> list[str]:
        for part in "ab":
            rows = "".join(f"{ord(part) + row},{row * row}\n" for row in range(70))
            Path(f"{part}.csv").write_text("x,y\n" + rows)
            command("mean", f"{part}.csv", "--checkpoint", f"{part}.tps", "--confidence", "0.9")
        return ["a.tps", "b.tps"]

    def test_is_the_answer_of_one_pass(self, command: Command, parts: list[str]) -> None:
        merged = json.loads(command("merge", *parts, "-o", "all.tps", "--json").out)
        whole = json.loads(command("mean", "a.csv", "b.csv", "--confidence", "0.9", "--json").out)
        assert (merged["rows"], merged["confidence"]) == (140, 0.9)
        for one, other in zip(merged["columns"], whole["columns"], strict=True):
            assert one["name"] == other["name"]
            assert one["mean"] == pytest.approx(other["mean"], rel=1e-12)
        assert json.loads(command("inspect", "all.tps", "--json").out) == merged

    def test_cannot_be_gone_on_with(self, command: Command, parts: list[str], refused: Callable[..., str]) -> None:
        command("merge", *parts, "-o", "all.tps")
        assert "knows no place in a source to go on from" in refused("mean", "a.csv", "--checkpoint", "all.tps")

    def test_counts_nothing_twice(self, parts: list[str], refused: Callable[..., str]) -> None:
        assert "a.tps is named twice" in refused("merge", "a.tps", "b.tps", "./a.tps", "-o", "all.tps", code=2)
        assert "a.tps is one of the parts" in refused("merge", *parts, "-o", "a.tps", code=2)

    def test_refuses_what_does_not_fit(self, command: Command, parts: list[str], refused: Callable[..., str]) -> None:
        command("mean", "b.csv", "--extremes", "16", "--save", "c.tps")
        assert "only equal rules can be merged" in refused("merge", "a.tps", "c.tps", "-o", "all.tps")
        command("mean", "b.csv", "--columns", "x", "--save", "d.tps")
        assert "only equal columns can be merged" in refused("merge", "a.tps", "d.tps", "-o", "all.tps")
        assert "is not a tailproof checkpoint" in refused("merge", "a.tps", "a.csv", "-o", "all.tps")
        assert "does not exist" in refused("merge", "a.tps", "e.tps", "-o", "all.tps")
        assert "there is no folder" in refused("merge", *parts, "-o", "nowhere/all.tps")
        assert not os.path.exists("all.tps")

    def test_models_without_names(self, command: Command, refused: Callable[..., str]) -> None:
        for name, columns in {"a": 1, "b": 1, "c": 2}.items():
            tailproof.Mean().fit(np.ones((60, columns))).save(f"{name}.tps")
        assert command("merge", "a.tps", "b.tps", "-o", "all.tps").code == 0
        assert "cannot be merged" in refused("merge", "a.tps", "c.tps", "-o", "more.tps")

    def test_descents(self, command: Command) -> None:
        rule = ClippedSGD()
        for name in "ab":
            save(f"{name}.tps", Saved(rule, rule.step(rule.init(2), np.ones((9, 2)))))
        said = command("merge", "a.tps", "b.tps", "-o", "all.tps")
        assert "an average of 2 separate descents" in said.out
        assert json.loads(command("merge", "a.tps", "b.tps", "-o", "all.tps", "--json").out)["rows"] == 18


class TestWrongUsage:
    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ([], "required: COMMAND"),
            (["median", "x.csv"], "invalid choice: 'median'"),
            (["mean"], "required: FILE"),
            (["mean", "x.csv", "--nonsense"], "unrecognized arguments: --nonsense"),
            (["mean", "x.csv", "--format", "xml"], "invalid choice: 'xml'"),
            (["mean", "x.csv", "--confidence", "95"], "a confidence lies between 0 and 1, for example 0.95; not 95"),
            (["mean", "x.csv", "--confidence", "nan"], "a confidence lies between 0 and 1"),
            (["mean", "x.csv", "--confidence", "x"], "invalid confidence value"),
            (["mean", "x.csv", "--every", "-1"], "seconds are 0 or more, not -1"),
            (["mean", "x.csv", "--every", "nan"], "seconds are 0 or more, not nan"),
            (["mean", "x.csv", "--extremes", "3"], "extremes must be a whole number from 8 to 4096, not 3"),
            (["mean", "x.csv", "--h", "0.5"], "h must be at least 1, not 0.5"),
            (["mean", "x.csv", "--method", "clipped-sgd", "--radius"], "--radius needs --method sketch"),
            (["inspect"], "required: RUN.tps"),
            (["inspect", "x.tps", "--confidence", "0"], "a confidence lies between 0 and 1"),
            (["merge", "a.tps"], "required: -o/--output"),
        ],
        ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
    )
    def test_exit_code_2(self, command: Command, arguments: list[str], sentence: str) -> None:
        said = command(*arguments)
        assert said.code == 2
        assert sentence in said.err
        assert said.out == ""

    @pytest.mark.parametrize("option", ["--checkpoint", "--quarantine", "--save"])
    def test_no_input_is_overwritten(self, refused: Callable[..., str], option: str) -> None:
        Path("x.csv").write_text("a\n1\n")
        Path("link.csv").symlink_to("x.csv")
        for paths, output in ((["x.csv"], "./x.csv"), (["*.csv"], "x.csv"), (["x.csv"], "link.csv")):
            sentence = refused("mean", *paths, option, output, code=2)
            assert f"{option} {output} would overwrite the input" in sentence
        assert Path("x.csv").read_text() == "a\n1\n"

    def test_no_two_outputs_share_a_file(self, refused: Callable[..., str]) -> None:
        Path("x.csv").write_text("a\n1\n")
        sentence = refused("mean", "x.csv", "--checkpoint", "run.tps", "--save", "run.tps", code=2)
        assert sentence == "--save run.tps would overwrite what --checkpoint writes; name another file"


class TestProcess:
    """The few things that only a process of its own can show."""

    def test_exit_codes_and_streams(self, folder: Path) -> None:
        Path("x.csv").write_text("a,b\n1,2\n,3\n")
        done = tailproof_process("mean", "x.csv")
        assert done.returncode == 0
        assert b"one row: nothing to judge by" in done.stdout
        assert done.stderr == b"1 row refused; the first: x.csv: row 2: column 'a': missing\n"  # no progress in pipes
        assert tailproof_process("mean", "none.csv").returncode == 1
        assert tailproof_process("mean").returncode == 2

    def test_a_pipe(self, folder: Path) -> None:
        done = tailproof_process("mean", "-", "--format", "csv", "--json", input=b"a,b\n1,2\n3,4\n")
        assert json.loads(done.stdout)["rows"] == 2
        assert done.stderr == b""
        done = tailproof_process("mean", "-", input=b"a,b\n1,2\n3,4\n")
        assert done.returncode == 1
        assert b"the format of stdin is not known" in done.stderr

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
    def test_an_answer_that_cannot_be_written(self, folder: Path) -> None:
        Path("x.csv").write_text("a\n1\n2\n")
        with open("/dev/full", "w") as full:
            done = tailproof_process("mean", "x.csv", stdout=full, stderr=subprocess.PIPE, capture_output=False)
        assert done.returncode == 1
        assert done.stderr == b"tailproof: the answer cannot be written: No space left on device\n"

    def test_a_reader_that_has_gone(self, folder: Path) -> None:
        Path("x.csv").write_text("a\n1\n2\n")
        reading, writing = os.pipe()
        os.close(reading)
        done = tailproof_process("mean", "x.csv", stdout=writing, stderr=subprocess.PIPE, capture_output=False)
        os.close(writing)
        assert done.returncode == 0
        assert done.stderr == b""

    def test_names_that_the_output_has_no_letters_for(self, folder: Path) -> None:
        Path("x.csv").write_text("é日\n1\n2\n")
        done = tailproof_process("mean", "x.csv", env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert done.returncode == 0
        assert b"\\xe9\\u65e5" in done.stdout


def test_memory_that_is_not_there(command: Command, requests: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(Extremes, "init", fail)
    said = command("mean", requests)
    assert said.code == 1
    assert said.err == "tailproof: there is not enough memory for this many columns; name fewer with --columns\n"


def test_memory_that_gram_does_not_find(command: Command, trips: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(Gram, "init", fail)
    assert command("regress", trips, "--target", "duration").err.endswith(
        "name fewer with --features, or take --solver sgd\n"
    )


def test_interrupted_outside_of_the_run(command: Command, requests: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("tailproof.doors.streaming.notes", interrupt)
    assert command("mean", requests).code == 3


class TestTable:
    @pytest.fixture
    def estimate(self) -> Any:
        rows = np.column_stack([np.arange(60.0), np.arange(60.0) % 3, np.full(60, -1e-300)])
        names = ["a rather long name of a column which nobody should have chosen", "日本語", "c\n\x1b[31m"]
        return tailproof.Mean().fit(rows).estimate().replace(names=names)

    @pytest.mark.parametrize("width", [60, 80, 100, 160, 300])
    def test_lines_are_no_wider_than_the_screen(self, estimate: Any, width: int) -> None:
        lines = mean_table(estimate, width).splitlines()
        assert max(len(line) for line in lines) <= width
        assert all(line.isprintable() for line in lines)

    def test_wide_screens_show_a_line_a_column(self, estimate: Any) -> None:
        assert len(mean_table(estimate, 300).splitlines()) == 4

    def test_narrow_screens_show_the_rows_above_and_the_verdicts_below(self, estimate: Any) -> None:
        lines = mean_table(estimate, 80).splitlines()
        assert lines[0] == "60 rows used, 0 refused"
        assert lines[1].split()[:2] == ["column", "mean"]
        assert sum(line.startswith("    ") for line in lines) >= 3

    def test_columns_line_up(self, estimate: Any) -> None:
        head, first, second, _ = mean_table(estimate, 300).splitlines()
        end = head.index("mean") + len("mean")
        assert first[end] == " "
        assert first[end - 1] != " "
        assert second[end - 3] == " "  # three signs of two places each
        assert second[end - 4] != " "

    def test_numbers(self) -> None:
        assert [number(value) for value in (1.0, 1 / 3, 1e308, -5e-324, float("inf"))] == [
            *("1", "0.333333", "1e+308", "-4.94066e-324", "inf"),
        ]
        assert printable("a\x1b[0m\n") == "a\\x1b[0m\\n"
