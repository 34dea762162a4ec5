"""The runner: no row lost, none doubled, whatever stops it."""

import csv
import errno
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailproof import checkpoint, runner
from tailproof.checkpoint import load
from tailproof.clipped import ClippedSGD
from tailproof.errors import CheckpointError, DataError, TailproofError
from tailproof.extremes import Extremes
from tailproof.runner import Job, Outcome, Stopped, run

FILES, ROWS = 12, 30
RULES = [Extremes(), Extremes(groups=16), ClippedSGD(bars=True)]


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A dozen small files, as each of them is a block of its own; every fifth row is bad."""
    monkeypatch.chdir(tmp_path)
    return [write(f"day-{number:02d}.csv", number) for number in range(FILES)]


def write(name: str, seed: int) -> str:
    values = np.random.default_rng(seed).standard_t(2, (ROWS, 2))
    with open(name, "w") as file:
        file.write("a,b\n")
        file.writelines(f"{a!r},{b!r}\n" if i % 5 else f"{a!r},oops\n" for i, (a, b) in enumerate(values.tolist()))
    return name


class After:
    """A watcher that does something when so many blocks are done."""

    def __init__(self, blocks: int, action: Callable[[], None]) -> None:
        self.left, self.action, self.closed = blocks, action, 0

    def update(self, rows: int, share: float | None, running: Callable[[], float]) -> None:
        self.left -= 1
        if self.left == 0:
            self.action()

    def close(self) -> None:
        self.closed += 1


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


def outcome_of(paths: list[str], **options: Any) -> Outcome:
    return run(Job(**{"rule": Extremes(), "paths": paths, **options}))


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_after_every_block_and_gone_on_with(paths: list[str], rule: Any, number: signal.Signals) -> None:
    whole = outcome_of(paths, rule=rule, quarantine="whole.csv")
    job = Job(rule, paths, checkpoint="run.tps", quarantine="bad.csv")
    for done in range(1, FILES):
        watcher = After(1, lambda: signal.raise_signal(number))
        with pytest.raises(Stopped):
            run(job, watcher)
        assert watcher.closed == 1
        assert load("run.tps").position["file"] == paths[done - 1]
    last = run(job)
    assert last.state.same_bits(whole.state)
    assert last.state.same_bits(load("run.tps").state)
    assert last.first_refused == whole.first_refused == "day-00.csv: row 1: column 'b': 'oops' is not a number"
    assert last.quarantined == whole.quarantined == FILES * ROWS // 5
    assert Path("bad.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_a_run_that_is_done_is_done(paths: list[str]) -> None:
    first = outcome_of(paths, checkpoint="run.tps")
    again = outcome_of(paths, checkpoint="run.tps")
    assert again.state.same_bits(first.state)
    assert again.resumed_at == int(first.state.counts[0])
    assert first.resumed_at == 0


def test_files_that_came_since_are_taken_in(paths: list[str]) -> None:
    outcome_of(paths[:5], checkpoint="run.tps")
    grown = outcome_of(paths, checkpoint="run.tps")
    assert grown.state.same_bits(outcome_of(paths).state)


class TestSaving:
    @pytest.fixture
    def saves(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """The position of every checkpoint that is written."""
        seen: list[Any] = []
        real = checkpoint.save

        def save(path: Any, saved: Any) -> None:
            seen.append(saved.position["file"])
            real(path, saved)

        monkeypatch.setattr(checkpoint, "save", save)
        return seen

    def test_after_each_block(self, paths: list[str], saves: list[Any]) -> None:
        outcome_of(paths, checkpoint="run.tps", every=0.0)
        assert saves == [*paths, paths[-1]]

    def test_once_at_the_end_of_a_short_run(self, paths: list[str], saves: list[Any]) -> None:
        outcome_of(paths, checkpoint="run.tps", every=3600.0)
        assert saves == [paths[-1]]

    def test_never_more_often_than_it_costs(
        self, paths: list[str], saves: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """By a clock that shows one second more whenever it is looked at, a save takes one second."""
        ticks = iter(range(10**6))
        monkeypatch.setattr(runner.time, "monotonic", lambda: float(next(ticks)))
        outcome_of(paths, checkpoint="run.tps", every=2.0)
        assert saves == [paths[2], paths[-1]]

    def test_not_at_all_without_a_path(self, paths: list[str], saves: list[Any]) -> None:
        outcome_of(paths)
        assert saves == []


def test_after_a_full_disk_it_goes_on(paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    outcome_of(paths[:3], checkpoint="run.tps")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left")))
        with pytest.raises(CheckpointError, match=r"No space left.*untouched"):
            outcome_of(paths, checkpoint="run.tps", every=0.0)
    assert outcome_of(paths, checkpoint="run.tps").state.same_bits(outcome_of(paths).state)


class TestDamage:
    def test_what_was_read_before_is_kept(self, paths: list[str]) -> None:
        whole = outcome_of(paths)
        good = Path(paths[7]).read_bytes()
        Path(paths[7]).write_bytes(good + b'"never closed\n')
        with pytest.raises(DataError, match="quote"):
            outcome_of(paths, checkpoint="run.tps", every=3600.0)
        assert load("run.tps").position["file"] == paths[6]
        Path(paths[7]).write_bytes(good)
        assert outcome_of(paths, checkpoint="run.tps").state.same_bits(whole.state)

    def test_a_stop_at_the_first_bad_row_loses_and_doubles_nothing(self, paths: list[str]) -> None:
        whole = outcome_of(paths, quarantine="whole.csv")
        with pytest.raises(DataError, match=r"day-00.csv: row 1: column 'b': 'oops' is not a number; fix the row"):
            outcome_of(paths, missing="raise", checkpoint="run.tps", every=0.0)
        assert not os.path.exists("run.tps")
        last = outcome_of(paths, checkpoint="run.tps", quarantine="bad.csv")
        assert last.state.same_bits(whole.state)
        assert Path("bad.csv").read_bytes() == Path("whole.csv").read_bytes()

    def test_the_first_bad_row_after_going_on(self, paths: list[str]) -> None:
        outcome_of(paths[:4], checkpoint="run.tps")
        with pytest.raises(DataError, match=r"day-04.csv: row 1: column 'b'"):
            outcome_of(paths, missing="raise", checkpoint="run.tps", every=0.0)
        assert outcome_of(paths, checkpoint="run.tps").state.same_bits(outcome_of(paths).state)


class TestQuarantine:
    def test_names_file_row_column_and_reason(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("x.csv").write_text("a,b\n1,2\n,2\n3,inf\n4\n5,6,7\n8,x y\n9,10\n")
        found = outcome_of(["x.csv"], quarantine="bad.csv")
        with open("bad.csv", newline="") as file:
            assert list(csv.reader(file)) == [
                ["file", "row", "column", "reason"],
                ["x.csv", "2", "a", "missing"],
                ["x.csv", "3", "b", "infinite"],
                ["x.csv", "4", "", "has 1 field, the header has 2"],
                ["x.csv", "5", "", "has 3 fields, the header has 2"],
                ["x.csv", "6", "b", "'x y' is not a number"],
            ]
        assert found.quarantined == int(found.state.counts[1]) == 5

    def test_rows_written_after_the_last_checkpoint_are_taken_back(self, paths: list[str]) -> None:
        whole = outcome_of(paths, quarantine="whole.csv")
        self._stopped(paths)
        with open("bad.csv", "a") as file:
            file.write("day-05.csv,1,b,half a li")
        assert run(self._job(paths)).state.same_bits(whole.state)
        assert Path("bad.csv").read_bytes() == Path("whole.csv").read_bytes()

    def test_it_must_be_as_it_was_left(self, paths: list[str]) -> None:
        self._stopped(paths)
        with pytest.raises(DataError, match="begun with a --quarantine file: name it again"):
            outcome_of(paths, checkpoint="run.tps")
        os.rename("bad.csv", "kept.csv")
        with pytest.raises(DataError, match=r"bad.csv is not what the stopped run left there: .* bring it back"):
            run(self._job(paths))
        Path("bad.csv").write_text("file,row\n")
        with pytest.raises(DataError, match="bring it back"):
            run(self._job(paths))
        assert Path("bad.csv").read_text() == "file,row\n"

    def test_one_begun_later_holds_the_later_rows(self, paths: list[str]) -> None:
        outcome_of(paths[:3], checkpoint="run.tps")
        found = outcome_of(paths, checkpoint="run.tps", quarantine="bad.csv")
        assert found.quarantined == int(found.state.counts[1]) - 3 * ROWS // 5

    def test_a_place_that_cannot_be_written(self, paths: list[str]) -> None:
        for place in ("nowhere/bad.csv", "."):
            with pytest.raises(DataError, match="cannot be written: "):
                outcome_of(paths, quarantine=place)

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
    def test_a_full_disk(self, paths: list[str]) -> None:
        for every in (0.0, 3600.0):
            with pytest.raises(DataError, match="/dev/full cannot be written: "):
                outcome_of(paths, quarantine="/dev/full", checkpoint="run.tps", every=every)

    @staticmethod
    def _job(paths: list[str]) -> Job:
        return Job(Extremes(), paths, checkpoint="run.tps", quarantine="bad.csv")

    def _stopped(self, paths: list[str]) -> None:
        with pytest.raises(Stopped):
            run(self._job(paths), After(4, terminate))


class TestSignals:
    def test_handlers_are_put_back(self, paths: list[str]) -> None:
        before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
        outcome_of(paths)
        with pytest.raises(Stopped):
            run(Job(Extremes(), paths), After(2, terminate))
        assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before

    def test_a_signal_while_the_source_is_opened(self, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        watcher = After(1, terminate)
        monkeypatch.setattr(runner, "open_source", lambda *_, **__: terminate())
        with pytest.raises(Stopped):
            run(Job(Extremes(), paths, checkpoint="run.tps"), watcher)
        assert watcher.closed == 1
        assert not os.path.exists("run.tps")

    def test_a_signal_while_saving_waits_until_it_is_saved(
        self, paths: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = os.replace

        def replace(*arguments: Any) -> None:
            terminate()
            real(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", replace)
            with pytest.raises(Stopped):
                outcome_of(paths, checkpoint="run.tps", every=0.0)
        assert load("run.tps").position["file"] == paths[0]
        assert outcome_of(paths, checkpoint="run.tps").state.same_bits(outcome_of(paths).state)

    def test_two_signals_are_as_one(self, paths: list[str]) -> None:
        with pytest.raises(Stopped):
            run(Job(Extremes(), paths, checkpoint="run.tps"), After(3, lambda: (terminate(), terminate())[0]))
        assert load("run.tps").position["file"] == paths[2]

    def test_other_threads_may_run_too(self, paths: list[str]) -> None:
        found: list[Outcome] = []
        thread = threading.Thread(target=lambda: found.append(outcome_of(paths)))
        thread.start()
        thread.join()
        assert found[0].state.same_bits(outcome_of(paths).state)


class TestRefusing:
    def test_another_rule(self, paths: list[str]) -> None:
        outcome_of(paths, checkpoint="run.tps")
        with pytest.raises(CheckpointError, match=r"was written by .*extremes=24.* asks for .*extremes=16.*settings"):
            outcome_of(paths, checkpoint="run.tps", rule=Extremes(16))

    def test_other_columns(self, paths: list[str]) -> None:
        outcome_of(paths, checkpoint="run.tps")
        with pytest.raises(CheckpointError, match="is about the columns a, b, and this run asks for b"):
            outcome_of(paths, checkpoint="run.tps", columns=["b"])

    def test_another_file(self, paths: list[str]) -> None:
        outcome_of(paths[:2], checkpoint="run.tps")
        with pytest.raises(DataError, match=r"day-03.csv stands where day-00.csv stood"):
            outcome_of(paths[3:], checkpoint="run.tps")

    def test_a_file_that_changed(self, paths: list[str]) -> None:
        outcome_of(paths[:2], checkpoint="run.tps")
        write(paths[0], 99)
        with open(paths[0], "a") as file:
            file.write("1,2\n")
        with pytest.raises(DataError, match=r"day-00.csv has changed"):
            outcome_of(paths, checkpoint="run.tps")

    def test_a_mean_without_a_place(self, paths: list[str]) -> None:
        rule = Extremes()
        checkpoint.save("run.tps", checkpoint.Saved(rule, rule.init(2), ["a", "b"]))
        with pytest.raises(CheckpointError, match="knows no place in a source to go on from"):
            outcome_of(paths, checkpoint="run.tps")

    def test_a_folder_that_is_not_there(self, paths: list[str]) -> None:
        with pytest.raises(CheckpointError, match="there is no folder"):
            outcome_of(paths, checkpoint="nowhere/run.tps")

    @pytest.mark.parametrize("key", ["files", "index", "row", "byte", "skip", "names", "kinds", "skipped"])
    @pytest.mark.parametrize("value", [None, -1, 2**70, "x", [], {}, [[1]], 1.5], ids=repr)
    def test_a_forged_position(self, paths: list[str], key: str, value: Any) -> None:
        with pytest.raises(Stopped):
            run(Job(Extremes(), paths, checkpoint="run.tps"), After(2, terminate))
        saved = load("run.tps")
        assert saved.position is not None
        checkpoint.save("run.tps", saved._replace(position={**saved.position, key: value}))
        try:
            outcome_of(paths, checkpoint="run.tps")
        except TailproofError as error:
            said = str(error)
            assert "\n" not in said


def test_going_on_with_other_words_for_missing_is_refused(tmp_path) -> None:
    from tailproof.errors import CheckpointError
    from tailproof.extremes import Extremes
    from tailproof.runner import Job, run

    (tmp_path / "a.csv").write_text("x\n1\nNA\n2\n")
    job = Job(Extremes(), [str(tmp_path / "a.csv")], na=["NA"], checkpoint=str(tmp_path / "run.tps"))
    assert int(run(job).state.counts[1]) == 1
    assert int(run(job).state.counts[1]) == 1
    with pytest.raises(CheckpointError, match="--na"):
        run(job._replace(na=["none"]))
