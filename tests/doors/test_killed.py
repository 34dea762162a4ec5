"""Runs that are stopped and killed: no row lost, none doubled, and in the end the same bits."""

import contextlib
import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tailproof.checkpoint import load
from tailproof.doors.cli import main

FILES, ROWS, TIMES = 60, 8, 20
COMMAND = [sys.executable, "-m", "tailproof"]
# What a condition is waited for at most before the test gives up; no result depends on it.
LONG = 60.0


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many small files, as each of them is a block of its own and so a moment to be killed at; some rows are bad."""
    folder = tmp_path_factory.mktemp("logs")
    draw = np.random.default_rng(11)
    for number in range(FILES):
        rows = draw.standard_t(2, (ROWS, 2)).tolist()
        lines = [f"{a!r},{b!r},{'xyz'[row % 3]}" for row, (a, b) in enumerate(rows)]
        lines[number % ROWS] = "1.0,oops,x"
        (folder / f"{number:03d}.csv").write_text("\n".join(["a,b,c", *lines, ""]))
    return folder


@pytest.fixture(scope="module")
def uninterrupted(logs: Path) -> Path:
    """The folder of a run that nobody disturbed."""
    for method in VERBS:
        with contextlib.chdir(logs), open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            assert main([*arguments_of(f"{method}.tps", f"{method}.bad", method), "--every", "60"]) == 0
    return logs


VERBS = {
    "sketch": ["mean", "*.csv", "--method", "sketch"],
    "clipped-sgd": ["mean", "*.csv", "--method", "clipped-sgd"],
    "gram": ["regress", "*.csv", "--target", "a", "--solver", "gram"],
    "sgd": ["regress", "*.csv", "--target", "a", "--solver", "sgd"],
    "classes": ["classify", "*.csv", "--target", "c", "--features", "a,b"],
}


def arguments_of(checkpoint: str, quarantine: str, method: str) -> list[str]:
    return [*VERBS[method], "--checkpoint", checkpoint, "--quarantine", quarantine, "--every", "0", "--quiet"]


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("SIGKILL", "sketch"),
        ("SIGKILL", "clipped-sgd"),
        ("SIGKILL", "gram"),
        pytest.param("SIGKILL", "sgd", marks=SLOW),
        pytest.param("SIGKILL", "classes", marks=SLOW),
        pytest.param("SIGTERM", "gram", marks=SLOW),
        pytest.param("SIGTERM", "sketch", marks=SLOW),
        pytest.param("SIGINT", "sketch", marks=SLOW),
        pytest.param("SIGTERM", "clipped-sgd", marks=SLOW),
        pytest.param("SIGINT", "clipped-sgd", marks=SLOW),
    ],
)
def test_ended_at_twenty_random_moments(uninterrupted: Path, name: str, method: str, tmp_path: Path) -> None:
    arguments = arguments_of(str(tmp_path / "run.tps"), str(tmp_path / "run.bad"), method)
    helper = str(Path(__file__).with_name("killing.py"))
    seed = str(sum(map(ord, name + method)))
    done = subprocess.run(
        [sys.executable, helper, name, str(TIMES), seed, *arguments],
        cwd=uninterrupted,
        capture_output=True,
        text=True,
        timeout=5 * LONG,
    )
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout)
    by_itself = -signal.Signals[name]  # before it had said what to do at that signal
    assert set(ended) <= ({by_itself} if name == "SIGKILL" else {by_itself, 3})
    assert len(ended) == TIMES
    assert sorted({path.suffix for path in tmp_path.iterdir()}) == [".bad", ".tps"]  # and no draft is left
    whole = load(uninterrupted / f"{method}.tps")
    for path in tmp_path.glob("*.tps"):
        saved = load(path)
        assert saved.state.same_bits(whole.state)
        assert saved.position == whole.position
        assert (int(saved.state.counts[0]), int(saved.state.counts[1])) == (FILES * (ROWS - 1), FILES)
        assert path.with_suffix(".bad").read_bytes() == (uninterrupted / f"{method}.bad").read_bytes()


class Feeding:
    """A run that reads an Arrow stream from a pipe, and is given a batch at a time."""

    SCHEMA = pa.schema([("latency_ms", pa.float64()), ("bytes", pa.float64())])

    def __init__(self, *arguments: str, **options: Any) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "mean", "-", "--format", "arrow", *arguments],
            **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )
        self.stream = pa.ipc.new_stream(self.process.stdin, self.SCHEMA)

    def give(self, first: int, count: int = 10) -> None:
        rows = np.arange(first, first + count, dtype=np.float64)
        self.stream.write_batch(pa.record_batch([rows % 7, rows * rows], schema=self.SCHEMA))
        assert self.process.stdin is not None
        self.process.stdin.flush()

    def ends(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=LONG)
        return self.process.returncode, (out or b"").decode(), (err or b"").decode()


def wait_until(holds: Callable[[], bool]) -> None:
    begin = time.monotonic()
    while not holds():
        assert time.monotonic() - begin < LONG
        time.sleep(0.01)


def rows_in(path: Path) -> int:
    return int(load(path).state.counts[0]) if path.exists() else 0


class TestPipe:
    def test_a_signal_while_it_waits(self, tmp_path: Path) -> None:
        """Both signals at once, in two runs, as a reader that is stuck in a pipe is waited for a while."""
        names = {number: tmp_path / f"{number.name}.tps" for number in (signal.SIGINT, signal.SIGTERM)}
        runs = {number: Feeding("--checkpoint", str(path), "--every", "0", "--json") for number, path in names.items()}
        for run in runs.values():
            run.give(0)
            run.give(10)
        for number, run in runs.items():
            wait_until(lambda path=names[number]: rows_in(path) == 20)
            run.process.send_signal(number)
        for number, run in runs.items():
            code, out, err = run.ends()
            path = names[number]
            assert (code, out) == (3, "")
            assert err == f"tailproof: stopped by a signal; start the same command again to go on from {path}\n"
            assert rows_in(path) == 20
        self._goes_on(tmp_path / "SIGINT.tps", tmp_path)

    @staticmethod
    def _goes_on(path: Path, folder: Path) -> None:
        """The same stream, given again from its beginning, is gone on with where it was."""
        answers = []
        for checkpoint in (path, folder / "whole.tps"):
            run = Feeding("--checkpoint", str(checkpoint), "--json")
            for first in (0, 10, 20):
                run.give(first)
            run.stream.close()
            code, out, err = run.ends()
            answers.append(out)
            assert code == 0, err
        assert answers[0] == answers[1]
        assert load(path).state.same_bits(load(folder / "whole.tps").state)

    def test_a_signal_before_the_first_row(self, tmp_path: Path) -> None:
        path = tmp_path / "run.tps"
        run = Feeding("--checkpoint", str(path))
        wait_until(lambda: catches(run.process.pid, signal.SIGTERM))
        run.process.send_signal(signal.SIGTERM)
        code, _, err = run.ends()
        assert code == 3
        assert err == "tailproof: stopped by a signal; no row had been taken in yet: start the same command again\n"
        assert not path.exists()

    def test_without_a_checkpoint_it_says_so(self) -> None:
        run = Feeding()
        wait_until(lambda: catches(run.process.pid, signal.SIGINT))
        run.process.send_signal(signal.SIGINT)
        code, _, err = run.ends()
        assert code == 3
        assert err == "tailproof: stopped by a signal; nothing was saved, since no --checkpoint was given\n"


def catches(process: int, number: signal.Signals) -> bool:
    """Whether the process has said by now what to do at that signal. Python itself does so for SIGINT early."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("this system does not say which signals a process catches")
    with open(f"/proc/{process}/status") as file:
        caught = next(int(line.split()[1], 16) for line in file if line.startswith("SigCgt"))
    return all(caught >> (which - 1) & 1 for which in (number, signal.SIGTERM))


class TestProgress:
    def test_is_shown_on_a_terminal(self, tmp_path: Path) -> None:
        screen, terminal = pty.openpty()
        termios.tcsetwinsize(terminal, (24, 80))
        run = Feeding("--columns", "latency_ms", stderr=terminal)
        os.close(terminal)
        run.give(0, 50)
        seen = read_until(screen, b"latency_ms ")
        assert b"50.0 rows, " in seen
        run.stream.close()
        code, out, _ = run.ends()
        assert code == 0
        assert "latency_ms" in out
        os.close(screen)

    def test_an_error_stands_on_a_line_of_its_own(self, tmp_path: Path) -> None:
        screen, terminal = pty.openpty()
        done = subprocess.run([*COMMAND, "mean", str(tmp_path / "none.csv")], stderr=terminal, stdin=subprocess.DEVNULL)
        os.close(terminal)
        assert done.returncode == 1
        assert read_until(screen, b"\n").startswith(b"tailproof: ")
        os.close(screen)

    def test_is_not_shown_in_a_pipe(self, tmp_path: Path) -> None:
        run = Feeding("--checkpoint", str(tmp_path / "run.tps"), "--every", "0")
        run.give(0, 50)
        wait_until(lambda: rows_in(tmp_path / "run.tps") == 50)
        run.stream.close()
        code, _, err = run.ends()
        assert (code, err) == (0, "")


def read_until(screen: int, sign: bytes) -> bytes:
    seen = b""
    while sign not in seen:
        ready, _, _ = select.select([screen], [], [], LONG)
        assert ready, seen
        seen += os.read(screen, 4096)
    return seen


def test_a_disk_that_is_full_leaves_the_old_checkpoint(logs: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: what was saved before is gone on from."""
    path = tmp_path / "run.tps"
    first = [*COMMAND, "mean", "000.csv", "--checkpoint", str(path)]
    assert subprocess.run(first, cwd=logs, capture_output=True).returncode == 0
    before = path.read_bytes()
    more = [*COMMAND, "mean", "000.csv", "001.csv", "--checkpoint", str(path), "--json"]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    done = subprocess.run(more, cwd=logs, capture_output=True, text=True, preexec_fn=limited)
    assert done.returncode == 1
    assert "run.tps cannot be written: File too large" in done.stderr
    assert done.stderr.rstrip().endswith("the one that was there is untouched")
    assert len(done.stderr.splitlines()) == 1
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.tps"]
    done = subprocess.run(more, cwd=logs, capture_output=True, text=True)
    assert json.loads(done.stdout)["rows"] == 2 * (ROWS - 1)
