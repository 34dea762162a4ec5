"""Fixtures of the tests of the command line: a folder to work in, and the command called in process."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from tailproof.doors.cli import main


class Said(NamedTuple):
    """What a command left: its exit code and what it said."""

    code: int
    out: str
    err: str


Command = Callable[..., Said]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder the test works in; the width of the terminal is that of a pipe."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.fixture
def command(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process."""

    def call(*arguments: str) -> Said:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exit:
            code = int(exit.code or 0)
        return Said(code, *capsys.readouterr())

    return call


@pytest.fixture
def refused(command: Command) -> Callable[..., str]:
    """The one line with which a command refuses its data; it ends with exit code 1 and says nothing else."""

    def refuse(*arguments: str, code: int = 1) -> str:
        said = command(*arguments)
        assert said.code == code, said
        assert said.out == ""
        lines = said.err.splitlines()
        assert len(lines) == 1, said.err
        assert lines[0].startswith("tailproof: ")
        assert "Traceback" not in said.err
        return lines[0].removeprefix("tailproof: ")

    return refuse


@pytest.fixture
def trips(folder: Path) -> str:
    """Three hundred rows: a target that distance and hour explain, with text, two labels and three beside."""
    draw = np.random.default_rng(7)
    distance, hour = draw.pareto(4.1, 300), draw.integers(0, 24, 300)
    city = np.array(["oslo", "rome", "oslo", "bergen"])[draw.integers(0, 4, 300)]
    late = draw.random(300) < 1.0 / (1.0 + np.exp(1.0 - 2.0 * distance))
    columns = {
        "distance": distance,
        "hour": hour,
        "city": city,
        "duration": 3.0 + 2.0 * distance - 0.1 * hour + (city == "rome") + 0.1 * draw.standard_t(3, 300),
        "late": np.where(late, "yes", "no"),
        "kind": np.array(["bus", "car", "foot"])[draw.integers(0, 3, 300)],
    }
    parquet.write_table(pa.table(columns), "trips.parquet")
    csv.write_csv(pa.table(columns), "trips.csv")
    return "trips.parquet"
