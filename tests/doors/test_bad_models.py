"""Bad input of `regress` and `classify`: one clear sentence, no traceback, nothing silently wrong."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Command

Refused = Callable[..., str]
SOLVERS = pytest.mark.parametrize("solver", ["gram", "sgd"])


def write(name: str, lines: Iterable[str]) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines))
    return name


def found(command: Command, *arguments: str) -> dict[str, Any]:
    said = command(*arguments, "--json")
    assert said.code == 0, said
    told: dict[str, Any] = json.loads(said.out, parse_constant=pytest.fail)
    return told


class TestTargets:
    def test_missing_in_some_rows(self, command: Command) -> None:
        write("x.csv", ["x,y", *(f"{j},{'' if j % 5 == 0 else 3 * j}" for j in range(50)), "1,inf"])
        said = command("regress", "x.csv", "--target", "y", "--json", "--quarantine", "bad.csv")
        told = json.loads(said.out)
        assert (told["rows"], told["refused"]) == (40, 11)
        assert told["terms"][0]["coefficient"] == pytest.approx(3.0)
        assert said.err == "11 rows refused; the first: x.csv: row 1: column 'y': missing; all of them in bad.csv\n"
        lines = Path("bad.csv").read_text().splitlines()
        assert (lines[1], lines[-1]) == ("x.csv,1,y,missing", "x.csv,51,y,infinite")

    def test_missing_in_all_rows(self, refused: Refused) -> None:
        write("x.csv", ["x,y", "1,", "2,NA"])
        assert refused("regress", "x.csv", "--target", "y") == (
            "no row could be used: all 2 were refused, the first: x.csv: row 1: column 'y': missing; "
            "mend the rows, or choose other columns with --features"
        )
        assert "holds no label in its first rows" in refused("classify", "x.csv", "--target", "y")

    def test_missing_ends_it_when_asked_to(self, refused: Refused) -> None:
        write("x.csv", ["x,y", "1,2", "2,"])
        for verb in ("regress", "classify"):
            sentence = refused(verb, "x.csv", "--target", "y", "--missing", "raise")
            assert sentence.startswith("x.csv: row 2: column 'y': missing; fix the row")

    @SOLVERS
    def test_constant(self, command: Command, solver: str) -> None:
        write("x.csv", ["x,y", *(f"{j * j % 11},5" for j in range(60))])
        told = found(command, "regress", "x.csv", "--target", "y", "--solver", solver)
        assert [term["coefficient"] for term in told["terms"]] == pytest.approx([0.0, 5.0], abs=1e-9)

    def test_that_are_not_there(self, refused: Refused) -> None:
        write("x.csv", ["distance,duration", "1,2"])
        for verb in ("regress", "classify"):
            assert refused(verb, "x.csv", "--target", "durations").startswith(
                "x.csv has no column 'durations'; did you mean 'duration'?"
            )

    def test_that_are_also_features(self, refused: Refused) -> None:
        write("x.csv", ["x,y", "1,2"])
        sentence = refused("regress", "x.csv", "--target", "y", "--features", "x,y")
        assert sentence == "the target 'y' is also among the features; take it out of them"

    def test_text_is_for_classify(self, refused: Refused) -> None:
        write("x.csv", ["x,y", "1,yes", "2,no"])
        sentence = refused("regress", "x.csv", "--target", "y")
        assert sentence == "x.csv: the target 'y' holds text, not numbers; if these are labels, use classify"

    def test_many_fractions_are_for_regress(self, command: Command, refused: Refused) -> None:
        for rows in (100, 3000):
            write("x.csv", ["x,y", *(f"{j},{j / 7}" for j in range(rows))])
            assert "use regress" in refused("classify", "x.csv", "--target", "y")
        write("x.csv", ["x,y", *(f"{j},{j % 3 / 2}" for j in range(100))])
        assert len(found(command, "classify", "x.csv", "--target", "y")["classes"]) == 3

    def test_with_nothing_beside(self, refused: Refused) -> None:
        write("x.csv", ["y", "1", "2"])
        assert "has no column of numbers besides the target 'y'" in refused("regress", "x.csv", "--target", "y")


class TestLabels:
    def test_of_three_kinds_where_two_are_named(self, command: Command) -> None:
        write("x.csv", ["x,y", *(f"{j * j % 13},{'abc'[j % 3]}" for j in range(90))])
        said = command("classify", "x.csv", "--target", "y", "--labels", "a,b", "--json")
        told = json.loads(said.out)
        assert (told["rows"], told["refused"]) == (60, 30)
        assert [one["label"] for one in told["classes"]] == ["a", "b"]
        assert said.err.startswith("30 rows refused; the first: x.csv: row 3: column 'y': label 'c' is none of a, b")

    def test_that_come_late(self, command: Command) -> None:
        write("1.csv", ["x,y", *(f"{j},{'ab'[j % 2]}" for j in range(70_000))])
        write("2.csv", ["x,y", "1,c", "2,a"])
        said = command("classify", "1.csv", "2.csv", "--target", "y", "--solver", "sgd")
        assert "1 row refused; the first: 2.csv: row 1: column 'y': label 'c' is none of a, b" in said.err
        assert "--labels a,b,c" in said.err

    def test_that_cannot_be(self, refused: Refused) -> None:
        write("x.csv", ["x,y", "1,a", "2,b"])
        assert "at least two" in refused("classify", "x.csv", "--target", "y", "--labels", "a")
        assert "not all different" in refused("classify", "x.csv", "--target", "y", "--labels", "a,a")

    @SOLVERS
    def test_that_a_line_parts(self, command: Command, solver: str) -> None:
        write("x.csv", ["x,y", *(f"{j},{'no' if j < 100 else 'yes'}" for j in range(200))])
        told = found(command, "classify", "x.csv", "--target", "y", "--solver", solver)
        assert all(abs(term["coefficient"]) < 1e6 for term in told["terms"])
        assert told["terms"][0]["coefficient"] > 0.0


class TestFeatures:
    @SOLVERS
    def test_fewer_rows_than_columns(self, command: Command, solver: str) -> None:
        names = "abcdefgh"
        rows = [",".join(str(j * k % 7) for k in range(9)) for j in range(1, 5)]
        write("x.csv", [",".join(names) + ",y", *rows])
        told = found(command, "regress", "x.csv", "--target", "y", "--solver", solver)
        assert told["verdict"].startswith("too few rows to judge (4 for 9 coefficients)")
        assert told["warnings"]

    @SOLVERS
    @pytest.mark.parametrize("verb", ["regress", "classify"])
    def test_one_row(self, command: Command, verb: str, solver: str) -> None:
        write("x.csv", ["x,y", "1,2"])
        assert found(command, verb, "x.csv", "--target", "y", "--solver", solver)["rows"] == 1
        said = command(verb, "x.csv", "--target", "y", "--solver", solver)
        assert said.code == 0
        assert said.out.startswith("y: 1 row used, 0 refused")
        assert "nan" not in said.out

    def test_text_is_named_with_the_remedy(self, command: Command, refused: Refused) -> None:
        write("x.csv", ["x,city,y", "1,rome,2", "2,oslo,3"])
        said = command("regress", "x.csv", "--target", "y")
        assert said.err == "not numbers, left out: city (text); --one-hot takes text in\n"
        sentence = refused("regress", "x.csv", "--target", "y", "--features", "x,city")
        assert sentence.startswith("x.csv: column 'city' holds text, not numbers; ")
        assert "--one-hot" in sentence
        assert "no column of numbers" in refused("regress", write("y.csv", ["t,y", "a,1"]), "--target", "y")

    def test_too_many_texts(self, refused: Refused) -> None:
        write("x.csv", ["x,id,y", *(f"{j},row {j},{j}" for j in range(200))])
        assert "200 different texts" in refused("regress", "x.csv", "--target", "y", "--one-hot")

    def test_all_missing(self, refused: Refused) -> None:
        write("x.csv", ["x,empty,y", "1,,2", "2,,3"])
        assert "column 'empty': missing" in refused("regress", "x.csv", "--target", "y")

    def test_names_a_terminal_would_obey(self, command: Command) -> None:
        write("x.csv", ["a\x1b[2J,y\x1b[2J", *(f"{j},{j}" for j in range(30))])
        said = command("regress", "x.csv", "--target", "y\x1b[2J")
        assert said.code == 0
        assert "\x1b" not in said.out + said.err

    @SOLVERS
    def test_the_largest_numbers(self, command: Command, solver: str) -> None:
        write("x.csv", ["x,y", "1e308,1", "-1e308,1e308", *(f"{j},{j}" for j in range(60))])
        told = found(command, "regress", "x.csv", "--target", "y", "--solver", solver)
        assert told["rows"] == 62
        assert all(term["coefficient"] is not None for term in told["terms"])


class TestFiles:
    @pytest.mark.parametrize("verb", ["regress", "classify"])
    def test_without_rows(self, refused: Refused, verb: str) -> None:
        Path("x.csv").touch()
        assert refused(verb, "x.csv", "--target", "y") == "x.csv is empty"
        write("x.csv", ["x,y"])
        assert refused(verb, "x.csv", "--target", "y") == "x.csv has a header but no rows"

    def test_that_are_to_be_overwritten(self, refused: Refused) -> None:
        write("x.csv", ["x,y", "1,2"])
        for option in ("--save", "--checkpoint", "--quarantine"):
            sentence = refused("regress", "x.csv", "--target", "y", option, "x.csv", code=2)
            assert "would overwrite the input x.csv" in sentence


class TestCheckpoints:
    @pytest.fixture(autouse=True)
    def begun(self, command: Command) -> None:
        write("x.csv", ["a,b,c", *(f"{j},{j % 3},{j % 2}" for j in range(40))])
        assert command("regress", "x.csv", "--target", "c", "--checkpoint", "run.tps").code == 0

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["mean", "x.csv"], "this run asks for Extremes("),
            (["classify", "x.csv", "--target", "c"], "this run asks for OneVsRest("),
            (["regress", "x.csv", "--target", "c", "--solver", "sgd"], "this run asks for TunedSGD("),
            (["regress", "x.csv", "--target", "c", "--no-intercept"], "intercept=False"),
            (["regress", "x.csv", "--target", "b"], "was made for the target 'c'"),
            (["regress", "x.csv", "--target", "c", "--features", "b,a"], "ask"),
            (["regress", "x.csv", "--target", "c", "--one-hot"], "without --one-hot"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    def test_of_another_run(self, refused: Refused, arguments: list[str], sentence: str) -> None:
        before = Path("run.tps").read_bytes()
        assert sentence in refused(*arguments, "--checkpoint", "run.tps")
        assert Path("run.tps").read_bytes() == before

    def test_of_a_mean(self, command: Command, refused: Refused) -> None:
        command("mean", "x.csv", "--checkpoint", "mean.tps")
        assert "was written by Extremes(" in refused("regress", "x.csv", "--target", "c", "--checkpoint", "mean.tps")
