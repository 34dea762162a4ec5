"""`tailproof regress` and `classify`: tables, JSON, solvers, going on, inspecting and merging."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tailproof.checkpoint import load
from tailproof.doors.regression_table import classes_table, regression_table
from tailproof.doors.show import said_by
from tailproof.gram import Gram
from tailproof.losses import Logistic
from tailproof.one_vs_rest import OneVsRest
from tailproof.tuned import TunedSGD

from .conftest import Command

Refused = Callable[..., str]
KEYS = [
    *("rows", "refused", "rule", "solver", "confidence", "target", "set_aside", "share_clipped"),
    *("settled", "verdict", "warnings", "terms"),
]
TERM_KEYS = ["name", "coefficient", "low", "high", "least_squares", "away", "certificate"]
REGRESS = ["regress", "trips.parquet", "--target", "duration"]
CLASSIFY = ["classify", "trips.parquet", "--target", "late", "--features", "distance,hour"]


def said_in_json(command: Command, *arguments: str) -> dict[str, Any]:
    said = command(*arguments, "--json")
    assert said.code == 0, said
    found: dict[str, Any] = json.loads(said.out, parse_constant=pytest.fail)
    return found


def coefficients(said: dict[str, Any]) -> dict[str, float]:
    return {term["name"]: term["coefficient"] for term in said["terms"]}


@pytest.mark.usefixtures("trips")
class TestRegress:
    def test_the_table(self, command: Command) -> None:
        said = command(*REGRESS)
        assert said.code == 0
        counted, head, *terms, verdict = said.out.splitlines()
        assert counted == "duration: 300 rows used, 0 refused; solver: gram"
        assert " ".join(head.split()) == "term coefficient 95 % interval least squares s.e. away"
        assert [line.split()[0] for line in terms] == ["distance", "hour", "intercept"]
        assert "least squares" in verdict
        assert said.err == "not numbers, left out: city (text), late (text), kind (text); --one-hot takes text in\n"

    @pytest.mark.parametrize("solver", ["gram", "sgd"])
    def test_the_truth_is_found(self, command: Command, solver: str) -> None:
        found = coefficients(
            said_in_json(command, *REGRESS, "--solver", solver, "--one-hot", "--features", "distance,hour,city")
        )
        truth = {"distance": 2.0, "hour": -0.1, "city=rome": 1.0, "city=bergen": 0.0, "city=(other)": 0.0}
        assert found == pytest.approx({**truth, "intercept": 3.0}, abs=0.15)

    def test_json(self, command: Command) -> None:
        said = said_in_json(command, *REGRESS)
        assert list(said) == KEYS
        assert {tuple(term) for term in said["terms"]} == {tuple(TERM_KEYS)}
        assert (said["solver"], said["target"], said["rule"]) == ("gram", "duration", repr(Gram()))

    def test_the_rule_asked_for(self, command: Command) -> None:
        options = ["--outliers", "keep", "--no-intercept", "--radius", "1"]
        said = said_in_json(command, *REGRESS, *options)
        assert "intercept=False, outliers='keep', domain=Ball(radius=1.0)" in said["rule"]
        assert [term["name"] for term in said["terms"]] == ["distance", "hour"]
        assert np.linalg.norm(list(coefficients(said).values())) <= 1.0 + 1e-9
        said = said_in_json(command, *REGRESS, "--solver", "sgd")
        assert (said["rule"], said["solver"]) == (repr(TunedSGD()), "sgd")
        assert said["terms"][0]["least_squares"] is None

    def test_many_features_are_left_to_sgd(self, command: Command) -> None:
        rows = np.random.default_rng(3).normal(size=(12, 1002))
        for columns, solver in ((1001, "gram"), (1002, "sgd")):
            table = {f"x{j}": rows[:, j] for j in range(columns)}
            parquet.write_table(pa.table(table), "wide.parquet")
            assert said_in_json(command, "regress", "wide.parquet", "--target", "x0")["solver"] == solver

    def test_confidence_and_anytime(self, command: Command) -> None:
        plain, wide, always = (
            said_in_json(command, *REGRESS, *options) for options in ([], ["--confidence", "0.999"], ["--anytime"])
        )
        assert wide["confidence"] == 0.999
        for other in (wide, always):
            assert other["terms"][0]["low"] < plain["terms"][0]["low"]

    def test_redundant_columns_are_named(self, command: Command) -> None:
        rows = "".join(f"{j % 7},{2 * (j % 7)},4,{j % 5 + j % 7}\n" for j in range(100))
        Path("x.csv").write_text("a,twice,still,y\n" + rows)
        said = command("regress", "x.csv", "--target", "y")
        warned = said.out.splitlines()[-1]
        assert warned.startswith("warning: ")
        assert "twice" in warned
        assert "still" in warned

    def test_a_pipe_and_a_pattern_say_the_same(self, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = said_in_json(command, "regress", "trips.csv", "--target", "duration")
        head, *rows = Path("trips.csv").read_text().splitlines(keepends=True)
        for k in range(3):
            Path(f"part-{k}.csv").write_text(head + "".join(rows[100 * k : 100 * k + 100]))
        assert said_in_json(command, "regress", "part-*.csv", "--target", "duration") == whole
        with open("trips.csv") as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            assert said_in_json(command, "regress", "-", "--format", "csv", "--target", "duration") == whole


@pytest.mark.usefixtures("trips")
class TestClassify:
    def test_two_labels_have_one_table(self, command: Command) -> None:
        said = command(*CLASSIFY)
        counted, title, head, *terms, _ = said.out.splitlines()
        assert counted == "late: 300 rows used, 0 refused; solver: gram"
        assert title == "log-odds of yes against no"
        assert " ".join(head.split()) == "term coefficient 95 % interval max. likelihood s.e. away"
        assert [line.split()[0] for line in terms] == ["distance", "hour", "intercept"]

    @pytest.mark.parametrize("solver", ["gram", "sgd"])
    def test_json(self, command: Command, solver: str) -> None:
        said = said_in_json(command, *CLASSIFY, "--solver", solver)
        assert set(KEYS) < set(said)
        assert said["solver"] == solver
        assert [one["label"] for one in said["classes"]] == ["no", "yes"]
        assert sum(one["rows"] for one in said["classes"]) == 300
        keys = {"class", "against", "maximum_likelihood", *TERM_KEYS} - {"least_squares"}
        assert [set(term) for term in said["terms"]] == [keys] * 3
        assert {(term["class"], term["against"]) for term in said["terms"]} == {("yes", "no")}
        assert coefficients(said)["distance"] > 0.5

    def test_labels_set_the_order(self, command: Command) -> None:
        one, other = (said_in_json(command, *CLASSIFY, "--labels", labels) for labels in ("no,yes", "yes,no"))
        assert coefficients(one) == pytest.approx({k: -v for k, v in coefficients(other).items()}, rel=1e-6)

    def test_three_labels_have_a_table_each(self, command: Command) -> None:
        arguments = ["classify", "trips.parquet", "--target", "kind", "--features", "distance,hour"]
        said = command(*arguments)
        titles = [line for line in said.out.splitlines() if line.startswith("log-odds of ")]
        assert titles == [f"log-odds of {kind} against all others" for kind in ("bus", "car", "foot")]
        told = said_in_json(command, *arguments)
        assert [term["class"] for term in told["terms"]] == [kind for kind in ("bus", "car", "foot") for _ in range(3)]
        assert told["rule"] == repr(OneVsRest(of=Gram(loss=Logistic()), classes=3))

    def test_truths_and_numbers_are_labels(self, command: Command) -> None:
        rows = [(j * 37 % 101, j * 37 % 101 + j % 60 > 70) for j in range(200)]
        for words, labels in ((["false", "true"], [False, True]), (["3", "5"], [3, 5])):
            Path("x.csv").write_text("x,y\n" + "".join(f"{x},{words[y]}\n" for x, y in rows))
            said = said_in_json(command, "classify", "x.csv", "--target", "y", "--labels", ",".join(words))
            assert [one["label"] for one in said["classes"]] == labels
            assert coefficients(said)["x"] > 0.0

    def test_one_label_so_far(self, command: Command) -> None:
        Path("x.csv").write_text("x,y\n" + "".join(f"{j % 7},no\n" for j in range(30)))
        said = command("classify", "x.csv", "--target", "y", "--save", "model.tps")
        assert said.code == 0
        assert "only the label no has been seen so far" in said.out
        assert command("predict", "model.tps", "x.csv").out.startswith("prediction,p(no)\n")


@pytest.mark.usefixtures("trips")
@pytest.mark.parametrize("solver", ["gram", "sgd"])
@pytest.mark.parametrize("verb", [REGRESS, [*CLASSIFY[:-2], "--one-hot"]], ids=["regress", "classify"])
class TestSaved:
    def test_a_run_is_gone_on_with(self, command: Command, verb: list[str], solver: str) -> None:
        head, *rows = Path("trips.csv").read_text().splitlines(keepends=True)
        Path("1.csv").write_text(head + "".join(rows[:200]))
        Path("2.csv").write_text(head + "".join(rows[200:]))
        rest = [*verb[2:], "--solver", solver]
        command("regress" if verb is REGRESS else "classify", "1.csv", *rest, "--checkpoint", "run.tps", "--quiet")
        said = command(verb[0], "1.csv", "2.csv", *rest, "--checkpoint", "run.tps")
        assert said.err.startswith("went on from run.tps after 200 rows\n")
        assert said.out == command(verb[0], "1.csv", "2.csv", *rest, "--checkpoint", "whole.tps").out
        assert load("run.tps").state.same_bits(load("whole.tps").state)

    def test_inspect_says_what_the_run_said(self, command: Command, verb: list[str], solver: str) -> None:
        run = [*verb, "--solver", solver, "--checkpoint", "run.tps", "--save", "model.tps", "--confidence", "0.9"]
        table, told = command(*run).out, command(*run, "--json").out
        for name in ("run.tps", "model.tps"):
            rule, _, place, *rest = command("inspect", name).out.splitlines()
            assert rule == f"rule       {load(name).rule!r}"
            assert rest == table.splitlines()
            assert command("inspect", name, "--json").out == told
        assert place == "next row   no source to go on reading"

    def test_merge(self, command: Command, verb: list[str], solver: str) -> None:
        for name in "ab":
            command(*verb, "--solver", solver, "--save", f"{name}.tps")
        said = said_in_json(command, "merge", "a.tps", "b.tps", "-o", "all.tps")
        assert said["rows"] == 600
        assert said["target"] == verb[3]
        assert said_in_json(command, "inspect", "all.tps") == said
        assert command("predict", "all.tps", "trips.parquet").code == 0


@pytest.mark.usefixtures("trips")
class TestMergeRefuses:
    def make(self, command: Command, name: str, *arguments: str) -> None:
        assert command(*arguments, "--save", name, "--quiet").code == 0

    def test_what_does_not_fit(self, command: Command, refused: Refused) -> None:
        self.make(command, "a.tps", *REGRESS)
        self.make(command, "b.tps", *REGRESS, "--features", "hour,distance")
        self.make(command, "c.tps", "regress", "trips.parquet", "--target", "distance", "--features", "duration,hour")
        self.make(command, "d.tps", *REGRESS, "--no-intercept")
        for other, what in {"b": "columns", "c": "targets", "d": "rules"}.items():
            assert f"only equal {what} can be merged" in refused("merge", "a.tps", f"{other}.tps", "-o", "all.tps")

    def test_labels_and_texts_that_are_not_the_same(self, command: Command, refused: Refused) -> None:
        self.make(command, "a.tps", *CLASSIFY)
        self.make(command, "b.tps", *CLASSIFY, "--labels", "yes,no")
        sentence = refused("merge", "a.tps", "b.tps", "-o", "all.tps")
        assert sentence == (
            "b.tps is about the labels yes, no, a.tps about the labels no, yes: only equal labels can be merged; "
            "name them all with --labels when the parts are made"
        )
        head, *rows = Path("trips.csv").read_text().splitlines(keepends=True)
        Path("x.csv").write_text(head + "".join(row for row in rows if ",oslo," not in row and '"oslo"' not in row))
        for name, path in {"c": "trips.csv", "d": "x.csv"}.items():
            features = ["--target", "duration", "--one-hot", "--features", "city"]
            self.make(command, f"{name}.tps", "regress", path, *features)
        assert "only equal texts can be merged" in refused("merge", "c.tps", "d.tps", "-o", "all.tps")


class TestTable:
    NAMES = ("a rather long name of a column which nobody should have chosen", "日本語", "c\n\x1b[31m")

    def estimate(self, labels: list[str] | None, solver: Any) -> Any:
        draw = np.random.default_rng(2)
        rows = draw.normal(size=(200, 3)) * [1e-9, 1.0, 1e9]
        rule = OneVsRest(of=solver(loss=Logistic()), classes=len(labels)) if labels else solver()
        targets = np.arange(200) % len(labels) if labels else rows @ [1e9, 1.0, 1e-9] + draw.normal(size=200)
        state = rule.step(rule.init(3), rows, targets.astype(float))
        settings = {"target": "a\x1b target", "labels": labels} if labels else {"target": "a\x1b target"}
        return said_by(rule, state, list(self.NAMES), settings)

    @pytest.mark.parametrize("width", [60, 80, 100, 160, 300])
    @pytest.mark.parametrize("solver", [Gram, TunedSGD])
    def test_lines_are_no_wider_than_the_screen(self, width: int, solver: Any) -> None:
        table = regression_table(self.estimate(None, solver), "gram", width)
        more = classes_table(self.estimate(["a\x1b", "b", "c" * 30], solver), "gram", width)
        for line in [*table.splitlines(), *more.splitlines()]:
            assert len(line) <= width
            assert line.isprintable()

    def test_narrow_screens_show_the_rival_below(self) -> None:
        lines = regression_table(self.estimate(None, Gram), "gram", 60).splitlines()
        assert sum(line.startswith("    least squares ") for line in lines) == 4

    def test_what_nobody_knows_is_not_shown_as_a_number(self) -> None:
        rule = Gram(bars=False)
        said = rule.read(rule.step(rule.init(1), np.arange(9.0).reshape(-1, 1), np.arange(9.0) ** 2))
        assert "nan" not in regression_table(said, "gram", 200)

    def test_long_words_are_wrapped(self) -> None:
        said = self.estimate(None, Gram).replace(redundant=(0,))
        warned = [line for line in regression_table(said, "gram", 60).splitlines() if "warning" in line]
        assert warned
        assert all(len(line) <= 60 for line in textwrap.wrap(" ".join(warned), 60))
