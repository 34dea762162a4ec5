"""What users see, letter by letter, and what an earlier version saved. `remake.py` says how to make them anew."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailproof
from tailproof.checkpoint import load
from tailproof.doors.cli import main

from .remake import COMMANDS, HERE, said, width_of

# Python words the same help differently from version to version.
HELP_OF = (3, 11)


def golden(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name.endswith(".txt")])
def test_text(name: str) -> None:
    if name.startswith("help") and sys.version_info[:2] != HELP_OF:
        pytest.skip("the help of another version of Python")
    assert said(COMMANDS[name], width_of(name)) == golden(name)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name.startswith("help")])
def test_help_fits_a_terminal(name: str) -> None:
    assert max(map(len, golden(name).splitlines())) <= 80


@pytest.mark.parametrize("name", [name for name in COMMANDS if name.endswith(".json")])
def test_json(name: str) -> None:
    """Words and counts are the same; numbers may differ in the last digits from machine to machine."""
    found, expected = (list(leaves(json.loads(text))) for text in (said(COMMANDS[name], "80"), golden(name)))
    assert [path for path, _ in found] == [path for path, _ in expected]
    for (path, value), (_, wanted) in zip(found, expected, strict=True):
        assert value == (pytest.approx(wanted, rel=1e-9) if isinstance(wanted, float) else wanted), path


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, f"{path}/{name}")
    else:
        yield path, value


class TestCheckpoint:
    """A checkpoint of format 1, as it was written once."""

    def test_is_read(self) -> None:
        saved = load(HERE / "format-1.tps")
        assert saved.rule == tailproof.Extremes()
        assert saved.names == ["latency_ms", "bytes"]
        assert saved.position is not None
        assert (saved.position["file"], saved.position["row"]) == ("requests.csv", 120)
        assert tailproof.load(HERE / "format-1.tps").n_samples_seen_ == int(saved.state.counts[0]) == 118

    def test_holds_what_is_written_today(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        shutil.copy(HERE / "requests.csv", tmp_path)
        monkeypatch.chdir(tmp_path)
        assert main(["mean", "requests.csv", "--checkpoint", "run.tps", "--quiet"]) == 0
        today, then = load("run.tps"), load(HERE / "format-1.tps")
        assert today._replace(state=None) == then._replace(state=None)
        assert today.state.layout == then.state.layout
        for name, array in then.state.items():
            np.testing.assert_allclose(today.state[name], array, rtol=1e-12, err_msg=name)

    def test_is_gone_on_with(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("requests.csv", "format-1.tps"):
            shutil.copy(HERE / name, tmp_path)
        monkeypatch.chdir(tmp_path)
        with open("requests.csv", "a") as file:
            file.write("250.5,900\n")
        assert main(["mean", "requests.csv", "--checkpoint", "format-1.tps", "--quiet"]) == 0
        assert main(["mean", "requests.csv", "--checkpoint", "whole.tps", "--quiet"]) == 0
        assert load("format-1.tps").state.same_bits(load("whole.tps").state)
