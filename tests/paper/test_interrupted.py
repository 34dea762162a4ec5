"""Runs that are killed, and runs that get in each other's way: in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tailproof.paper import results

# Many small pieces of work: none of a setting's is finished at once.
RECIPE = """
name = "short"
rows = 400
columns = 10
methods = ["clipped-sgd", "sgd", "tailproof"]
trials = 20_000
ours = 0.001
[[panel]]
vary = "start"
values = [1.0]
share = 0.5
"""
COMMAND = (sys.executable, "-c", "from tailproof.doors.cli import main; import sys; sys.exit(main())")


def begin(folder: Path, out: str) -> subprocess.Popen:
    (folder / "short.toml").write_text(RECIPE, encoding="utf-8")
    arguments = (*COMMAND, "paper", "run", "short.toml", "--no-pictures", "--quiet", "--threads", "1", "--out", out)
    return subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL)


def written(folder: Path, out: str) -> dict:
    """results.json without what the clock says."""
    found = json.loads((folder / out / "short" / results.FILE).read_text(encoding="utf-8"))
    for record in (found, *found["panels"]):
        del record["seconds"]
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What a run gives that nobody disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    assert begin(folder, "out").wait() == 0
    return written(folder, "out")


def test_a_killed_run_goes_on_and_gives_the_same_numbers(tmp_path: Path, whole: dict) -> None:
    trials = tmp_path / "out" / "short" / "trials"
    child = begin(tmp_path, "out")
    while child.poll() is None and (not trials.exists() or len(list(trials.glob("*.safetensors"))) < 3):
        time.sleep(0.001)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    assert not (tmp_path / "out" / "short" / results.FILE).exists()
    before = {path.name: path.stat().st_mtime_ns for path in trials.glob("*.safetensors")}
    assert begin(tmp_path, "out").wait() == 0
    assert before.items() <= {path.name: path.stat().st_mtime_ns for path in trials.glob("*.safetensors")}.items()
    assert written(tmp_path, "out") == whole


@pytest.mark.slow
def test_two_runs_at_once_into_one_folder_do_each_other_no_harm(tmp_path: Path, whole: dict) -> None:
    children = [begin(tmp_path, "out") for _ in range(2)]
    assert [child.wait() for child in children] == [0, 0]
    assert written(tmp_path, "out") == whole
    assert not list((tmp_path / "out").rglob("*.new"))
