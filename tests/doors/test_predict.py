"""`tailproof predict`: a row out for each row in, whatever the file looks like."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from .conftest import Command

Refused = Callable[..., str]


@pytest.fixture
def model(command: Command, trips: str) -> str:
    """A model of numbers and of a text column."""
    features = ["--features", "distance,hour,city", "--one-hot", "--solver", "sgd"]
    assert command("regress", trips, "--target", "duration", *features, "--save", "model.tps").code == 0
    return "model.tps"


@pytest.fixture
def classes(command: Command, trips: str) -> str:
    features = ["--features", "distance,hour", "--solver", "sgd"]
    assert command("classify", trips, "--target", "late", *features, "--save", "classes.tps").code == 0
    return "classes.tps"


def coefficients(command: Command, model: str) -> dict[str, float]:
    terms = json.loads(command("inspect", model, "--json").out)["terms"]
    return {term["name"]: term["coefficient"] for term in terms}


class TestNumbers:
    def test_are_what_the_coefficients_say(self, command: Command, model: str) -> None:
        found = command("predict", model, "trips.parquet")
        assert (found.code, found.err) == (0, "")
        head, *lines = found.out.splitlines()
        assert head == "prediction"
        told, table = coefficients(command, model), csv.read_csv("trips.csv")
        city = table["city"].to_numpy()
        expected = told["intercept"] + sum(told[name] * table[name].to_numpy() for name in ("distance", "hour"))
        expected = expected + sum(told[f"city={one}"] * (city == one) for one in ("rome", "bergen"))
        np.testing.assert_allclose([float(line) for line in lines], expected, rtol=1e-12)

    @pytest.mark.parametrize("path", ["out.parquet", "out.csv", "out.jsonl"])
    def test_are_the_same_in_every_format(self, command: Command, model: str, path: str) -> None:
        assert command("predict", model, "trips.csv", "-o", path) == (0, "", "")
        lines = command("predict", model, "trips.parquet").out.splitlines()[1:]
        if path.endswith("parquet"):
            found = parquet.read_table(path)["prediction"].to_pylist()
        elif path.endswith("csv"):
            found = [float(line) for line in Path(path).read_text().splitlines()[1:]]
        else:
            found = [json.loads(line)["prediction"] for line in Path(path).read_text().splitlines()]
        assert found == [float(line) for line in lines]
        assert not list(Path().glob(".*.part"))

    def test_columns_are_found_by_name(self, command: Command, model: str) -> None:
        expected = command("predict", model, "trips.csv").out
        table = csv.read_csv("trips.csv")
        csv.write_csv(table.select(["kind", "city", "hour", "distance", "late"]), "other.csv")
        assert command("predict", model, "other.csv").out == expected

    def test_missing_values_have_no_prediction(self, command: Command, model: str) -> None:
        Path("x.csv").write_text("city,hour,distance\noslo,1,2\noslo,,2\n,1,2\nparis,x,2\nrome,1,2\nrome,1\n")
        found = command("predict", model, "x.csv")
        assert found.code == 0
        lines = found.out.splitlines()[1:]
        assert [bool(line) for line in lines] == [True, False, False, False, True, False]
        assert found.err == "4 rows have no prediction; the first: x.csv: row 2: column 'hour': missing\n"
        assert command("predict", model, "x.csv", "--quiet").err == ""
        assert command("predict", model, "x.csv", "-o", "out.parquet").code == 0
        assert parquet.read_table("out.parquet")["prediction"].null_count == 4
        Path("y.csv").write_text("city,hour,distance\noslo,1,?\n")
        assert command("predict", model, "y.csv", "--na", "?").err == (
            "1 row has no prediction; the first: y.csv: row 1: column 'distance': missing\n"
        )

    def test_a_text_never_seen_is_one_of_the_others(self, command: Command, model: str) -> None:
        Path("x.csv").write_text("city,hour,distance\nparis,1,2\noslo,1,2\n")
        other, base = (float(line) for line in command("predict", model, "x.csv").out.splitlines()[1:])
        assert other == pytest.approx(base + coefficients(command, model)["city=(other)"])

    def test_many_rows_in_several_files(self, command: Command, model: str) -> None:
        table = csv.read_csv("trips.csv")
        parquet.write_table(pa.concat_tables([table] * 300), "many.parquet")
        assert command("predict", model, "trips.csv", "many.parquet", "-o", "out.parquet").code == 0
        found = parquet.read_table("out.parquet")["prediction"].to_numpy()
        assert len(found) == 300 + 90_000
        assert np.array_equal(found.reshape(-1, 300), np.tile(found[:300], (301, 1)))
        assert parquet.ParquetFile("out.parquet").metadata.num_row_groups <= 2


class TestClasses:
    def test_a_label_and_a_probability_a_class(self, command: Command, classes: str) -> None:
        assert command("predict", classes, "trips.csv", "-o", "out.parquet").code == 0
        table = parquet.read_table("out.parquet")
        assert table.column_names == ["prediction", "p(no)", "p(yes)"]
        no, yes = (table[name].to_numpy() for name in table.column_names[1:])
        np.testing.assert_allclose(no + yes, 1.0)
        assert table["prediction"].to_pylist() == ["yes" if p > 0.5 else "no" for p in yes]
        told, trips = coefficients(command, classes), csv.read_csv("trips.csv")
        score = told["intercept"] + sum(told[name] * trips[name].to_numpy() for name in ("distance", "hour"))
        np.testing.assert_allclose(yes, 1.0 / (1.0 + np.exp(-score)), rtol=1e-12)

    def test_three_classes(self, command: Command, trips: str) -> None:
        arguments = ["classify", trips, "--target", "kind", "--features", "distance,hour", "--solver", "sgd"]
        command(*arguments, "--save", "kinds.tps")
        Path("x.csv").write_text("hour,distance\n3,1\n,1\n23,0\n")
        found = command("predict", "kinds.tps", "x.csv", "-o", "out.jsonl")
        assert found.err == "1 row has no prediction; the first: x.csv: row 2: column 'hour': missing\n"
        first, second, _ = (json.loads(line) for line in Path("out.jsonl").read_text().splitlines())
        assert list(first) == ["prediction", "p(bus)", "p(car)", "p(foot)"]
        probabilities = {name[2:-1]: p for name, p in first.items() if name != "prediction"}
        assert sum(probabilities.values()) == pytest.approx(1.0)
        assert first["prediction"] == max(probabilities, key=lambda name: probabilities[name])
        assert set(second.values()) == {None}

    @pytest.mark.parametrize(
        ("words", "labels"), [("false,true", [False, True]), ("3,5", [3, 5]), ("1,2.5", [1.0, 2.5])]
    )
    def test_labels_keep_their_kind(self, command: Command, words: str, labels: list[object]) -> None:
        one, other = words.split(",")
        rows = "".join(f"{j},{one if j * 37 % 100 < 50 else other}\n" for j in range(100))
        Path("x.csv").write_text("x,y\n" + rows)
        command("classify", "x.csv", "--target", "y", "--save", "model.tps", "--solver", "sgd")
        assert command("predict", "model.tps", "x.csv", "-o", "out.parquet").code == 0
        assert set(parquet.read_table("out.parquet")["prediction"].to_pylist()) <= set(labels)


class TestRefuses:
    def test_files_without_the_columns(self, model: str, refused: Refused) -> None:
        Path("x.csv").write_text("city,hours,distance\noslo,1,2\n")
        sentence = refused("predict", model, "x.csv")
        assert sentence.startswith("x.csv has no column 'hour'; did you mean 'hours'?")
        Path("y.csv").write_text("a,b\n1,2\n")
        sentence = refused("predict", model, "y.csv")
        assert all(repr(name) in sentence for name in ("distance", "hour", "city"))

    def test_text_where_numbers_were(self, model: str, refused: Refused) -> None:
        Path("x.csv").write_text("city,hour,distance\noslo,noon,2\nrome,night,3\n")
        assert "column 'hour' holds text, not numbers" in refused("predict", model, "x.csv")

    def test_what_is_no_model(self, command: Command, trips: str, refused: Refused) -> None:
        command("mean", trips, "--save", "mean.tps")
        assert refused("predict", "mean.tps", trips) == (
            "mean.tps holds means; name a model that 'tailproof regress' or 'classify' wrote with --save"
        )
        assert "is not a tailproof checkpoint" in refused("predict", "trips.csv", trips)
        assert "does not exist" in refused("predict", "none.tps", trips)

    def test_to_overwrite(self, model: str, refused: Refused) -> None:
        before = Path("trips.csv").read_bytes()
        for output in ("trips.csv", "./trips.csv"):
            assert "would overwrite the input" in refused("predict", model, "trips.csv", "-o", output, code=2)
        Path("link.csv").symlink_to(model)
        assert "would overwrite the input" in refused("predict", model, "trips.csv", "-o", "link.csv", code=2)
        assert Path("trips.csv").read_bytes() == before

    def test_outputs_that_cannot_be(self, model: str, refused: Refused) -> None:
        assert "its ending says no format" in refused("predict", model, "trips.csv", "-o", "out.xlsx", code=2)
        assert "there is no folder" in refused("predict", model, "trips.csv", "-o", "nowhere/out.csv")
        Path("old.csv").write_text("old")
        Path("cut.csv").write_text('city,hour,distance\n"oslo,1,2\n' + "rome,1,2\n" * 50)
        assert "never closed" in refused("predict", model, "cut.csv", "-o", "old.csv")
        assert Path("old.csv").read_text() == "old"
        assert not list(Path().glob(".*.part"))

    def test_empty_files(self, model: str, refused: Refused) -> None:
        Path("x.csv").touch()
        assert refused("predict", model, "x.csv") == "x.csv is empty"


class TestProcess:
    def test_from_a_pipe_to_a_pipe(self, model: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "tailproof", "predict", model, "-", "--format", "csv"],
            input=b"hour,city,distance\n1,oslo,2\n",
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.startswith(b"prediction\n")

    @pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.jsonl"])
    def test_a_disk_that_is_full_leaves_what_was_there(self, model: str, output: str) -> None:
        Path(output).write_text("before")
        done = subprocess.run(
            [sys.executable, "-m", "tailproof", "predict", model, "trips.csv", "-o", output],
            capture_output=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        )
        assert done.returncode == 1
        assert done.stderr.decode().startswith(f"tailproof: {output} cannot be written: File too large; make room")
        assert Path(output).read_text() == "before"
        assert not list(Path().glob(".*.part"))

    @pytest.mark.skipif(os.name != "posix", reason="needs signals")
    def test_a_signal_leaves_nothing_behind(self, model: str) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "tailproof", "predict", model, "-", "--format", "csv", "-o", "out.csv"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(b"hour,city,distance\n")
        while not list(Path().glob(".out.csv.*.part")):
            process.stdin.write(b"1,oslo,2\n" * 100_000)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 3
        assert err == b"tailproof: stopped by a signal; out.csv was not written\n"
        assert not list(Path().glob("*out.csv*"))
