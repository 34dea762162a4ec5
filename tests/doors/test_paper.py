"""`tailproof paper`: the list, runs that go on where they were, pages, and what cannot be done."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tailproof.paper import running
from tailproof.paper.settings import EXPERIMENTS

from .conftest import Command

SMALL = """\
title = "small rows"
rows = 60
columns = 3
methods = ["clipped-sgd", "sgd"]
trials = 40
[candidates]
levels = [0.1, 0.5]
[[panel]]
vary = "columns"
values = [2, 4]
"""


@pytest.fixture
def small(folder: Path) -> str:
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    return "small.toml"


def printed(out: str) -> dict[str, Any]:
    (line,) = out.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


class TestList:
    def test_names_everything_with_its_time(self, command: Command) -> None:
        said = command("paper", "list", "--threads", "2")
        assert said.code == 0
        for name, experiment in EXPERIMENTS.items():
            assert f"{name}: {experiment.title}" in said.out
        assert "table1: " in said.out
        assert "50,000 trials, as in the paper: " in said.out
        assert said.out.splitlines()[-1].startswith("all: ")

    def test_fits_a_narrow_terminal(self, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "60")
        assert max(map(len, command("paper", "list").out.splitlines())) <= 60

    def test_for_machines(self, command: Command) -> None:
        found = printed(command("paper", "list", "--json").out)
        assert [experiment["name"] for experiment in found["experiments"]] == list(EXPERIMENTS)


class TestTable1:
    def test_formulas(self, command: Command) -> None:
        assert "clipped-SGD" in command("paper", "table1").out

    def test_numbers(self, command: Command) -> None:
        stated = ["--tau-l", "1", "--tau-u", "10", "--sigma2", "1", "--eps", ".1", "--delta", ".01", "--r0", "5"]
        said = command("paper", "table1", *stated)
        assert said.code == 0
        assert "Here tau_l = 1, tau_u = 10" in " ".join(said.out.split())

    def test_half_of_the_numbers(self, refused: Callable[..., str]) -> None:
        told = refused("paper", "table1", "--eps", ".1", code=2)
        assert told == "numbers for Table 1 need --tau-l, --tau-u, --sigma2, --delta, --r0 as well"

    def test_numbers_out_of_range(self, refused: Callable[..., str]) -> None:
        stated = ["--tau-l", "1", "--tau-u", "10", "--sigma2", "1", "--eps", ".1", "--delta", "3", "--r0", "5"]
        assert refused("paper", "table1", *stated, code=2) == "delta must be between 0 and 1, not 3.0"


class TestRun:
    def test_numbers_verdicts_and_pictures(self, command: Command, folder: Path) -> None:
        said = command("paper", "run", "intro", "--trials", "1000", "--out", "there")
        assert said.code == 0
        # The first run on a machine says that it compiles.
        assert [line for line in said.err.splitlines() if "compiling" not in line] == []
        lines = said.out.splitlines()
        assert lines[0] == "intro: Figure 1: tails of SGD and clipped-SGD, p=10, N=100"
        head = next(line for line in lines if line.startswith("method"))
        assert head.split() == ["method", "chosen", "mean", "Q.05", "Q.01", "Q.001", "trials"]
        assert any(line.startswith("HELD ") for line in lines)
        for kind in ("png", "svg"):
            assert f"picture: there/intro/intro.{kind}" in lines
            assert (folder / "there" / "intro" / f"intro.{kind}").stat().st_size > 1000

    def test_as_json(self, command: Command, small: str) -> None:
        found = printed(command("paper", "run", small, "--json", "--no-pictures").out)
        assert (found["experiment"], found["trials"], found["seed"], found["pictures"]) == (
            "small",
            40,
            running.SEED,
            [],
        )
        assert [panel["setting"]["name"] for panel in found["panels"]] == ["columns=2", "columns=4"]
        stored = json.loads(Path("results/small/results.json").read_text(encoding="utf-8"))
        assert stored["methods"] == found["methods"]

    def test_the_same_seed_gives_the_same_numbers(self, command: Command, small: str) -> None:
        runs = [
            printed(command("paper", "run", small, "--json", "--no-pictures", "--out", out, *more).out)["methods"]
            for out, more in (("a", ()), ("b", ("--threads", "1")), ("c", ("--seed", "2")))
        ]
        assert runs[0] == runs[1]
        assert runs[0] != runs[2]

    def test_fits_a_terminal(self, command: Command, small: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        lines = command("paper", "run", "mean-p20-n100", small, "--trials", "20", "--no-pictures").out.splitlines()
        assert max(map(len, lines)) <= 80
        assert "  validated " in "\n".join(lines)

    def test_several_at_once(self, command: Command, small: str) -> None:
        said = command("paper", "run", "intro", small, "--trials", "30", "--json", "--no-pictures")
        assert [json.loads(line)["experiment"] for line in said.out.splitlines()] == ["intro", "small"]

    def test_the_terminal_is_told(self, command: Command, small: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        said = command("paper", "run", small, "--no-pictures")
        assert "small: " in said.err
        assert "left" in said.err
        assert command("paper", "run", small, "--no-pictures", "--quiet", "--out", "other").err == ""

    def test_a_law_without_variance_is_said(self, command: Command, folder: Path) -> None:
        (folder / "wild.toml").write_text('law = "pareto 1.8"\n' + SMALL, encoding="utf-8")
        said = command("paper", "run", "wild.toml", "--no-pictures")
        assert said.code == 0
        assert "note: Pareto 1.8 has no finite variance" in said.out

    def test_stopped_it_says_how_to_go_on(
        self, refused: Callable[..., str], small: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stop(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(running, "run", stop)
        told = refused("paper", "run", small, "--no-pictures", code=3)
        assert told == "stopped by a signal; start the same command again to go on from what is kept in results"


class TestReport:
    def test_a_page_and_a_document(self, command: Command, small: str, folder: Path) -> None:
        command("paper", "run", "intro", small, "--trials", "30", "--no-pictures", "--out", "there")
        said = command("paper", "report", "there", "--no-pictures")
        assert (said.code, said.out) == (0, "there/report.html\n")
        assert "missing: mean-main has not been run: tailproof paper run mean-main --out there" in said.err.splitlines()
        assert "small rows" not in said.out
        both = command("paper", "report", "there", "-o", "r.html", "--markdown", "r.md", "--quiet", "--no-pictures")
        assert (both.out, both.err) == ("r.html\nr.md\n", "")
        assert (folder / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert "## small: " in (folder / "r.md").read_text(encoding="utf-8")

    def test_nothing_there(self, refused: Callable[..., str], folder: Path) -> None:
        assert refused("paper", "report", "nowhere") == "nowhere is not a folder"
        assert refused("paper", "report", ".").startswith("there are no results in .; make some with: ")

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ('{"version": 0, "experiment": "intro", "methods": {}}', "was written by another version (0, this is "),
            ('{"version": 1, "exper', "is damaged"),
            ("[1, 2]", "does not hold results"),
        ],
    )
    def test_results_that_are_not_ours(
        self, refused: Callable[..., str], folder: Path, text: str, complaint: str
    ) -> None:
        (folder / "there" / "intro").mkdir(parents=True)
        (folder / "there" / "intro" / "results.json").write_text(text, encoding="utf-8")
        assert refused("paper", "report", "there").startswith(f"there/intro/results.json {complaint}")


class TestBadInput:
    def test_unknown_experiment(self, refused: Callable[..., str]) -> None:
        told = refused("paper", "run", "mean-mian", code=2)
        assert told == "there is no experiment 'mean-mian'; did you mean mean-main?"

    def test_twice(self, refused: Callable[..., str]) -> None:
        assert refused("paper", "run", "all", "intro", code=2) == "an experiment is named twice"

    @pytest.mark.parametrize("option", ["--trials", "--threads"])
    def test_none_at_all(self, command: Command, option: str) -> None:
        said = command("paper", "run", "intro", option, "0")
        assert said.code == 2
        assert f"argument {option}: must be a whole number of at least 1, not '0'" in said.err

    def test_an_unknown_key(self, refused: Callable[..., str], folder: Path) -> None:
        (folder / "my.toml").write_text("rows = 60\ncolums = 3\n", encoding="utf-8")
        assert refused("paper", "run", "my.toml") == "my.toml, line 2: unknown key 'colums'; did you mean columns?"

    def test_trials_of_another_seed(self, command: Command, refused: Callable[..., str], small: str) -> None:
        command("paper", "run", small, "--no-pictures")
        told = refused("paper", "run", small, "--no-pictures", "--seed", "5")
        assert f"holds trials of seed {running.SEED}, not 5; choose another --out" in told

    def test_no_matplotlib(self, refused: Callable[..., str], small: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        told = refused("paper", "run", small)
        assert told.startswith("pictures need matplotlib, which is not installed: pip install 'tailproof[plot]'")
        assert not Path("results").exists()
