"""Running an experiment: pieces of work on all cores, kept as they come, put together in order."""

import dataclasses
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from . import results
from .pieces import Arrays, Piece, Shelf, pieces_of
from .settings import Experiment, SettingError, find

# Of the default run; the paper is arXiv 2108.11483.
SEED = 2108


class Progress(NamedTuple):
    """How far a run is, in seconds of one core as they were estimated, and what is left of the clock."""

    experiment: str
    setting: str
    done: float
    of: float
    left: float | None


Tell = Callable[[Progress], None]
Made = tuple[Arrays, float]


def run(
    experiment: Experiment | str,
    trials: int | None = None,
    seed: int = SEED,
    out: str | Path | None = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> dict[str, Any]:
    """Run an experiment, or what is left of it, and return its results; with `out`, write them to out/<name>/."""
    chosen = find(experiment) if isinstance(experiment, str) else experiment
    asked = chosen.trials if trials is None else trials
    if isinstance(asked, bool) or not isinstance(asked, int) or not 1 <= asked <= 100_000_000:
        raise SettingError(f"trials must be a whole number from 1 to a hundred million, not {asked!r}")
    folder = None if out is None else Path(out) / chosen.name
    shelf = None if folder is None else Shelf(folder, chosen.name, seed)
    pieces = {setting.name: list(pieces_of(setting, asked)) for setting in chosen.settings}
    made = _made(chosen, [piece for some in pieces.values() for piece in some], shelf, seed, threads, tell)
    parts = [(setting, [(piece, *made[piece]) for piece in pieces[setting.name]]) for setting in chosen.settings]
    result = results.result_of(chosen.name, parts, asked, seed)
    if folder is not None:
        results.write(folder / results.FILE, result)
    return result


def _made(
    experiment: Experiment, pieces: list[Piece], shelf: Shelf | None, seed: int, threads: int | None, tell: Tell | None
) -> dict[Piece, Made]:
    """Every piece: found on the shelf, or made now."""
    made: dict[Piece, Made] = {}
    for piece in pieces:
        found = shelf.find(piece) if shelf else None
        if found:
            made[piece] = found
    wanted = [piece for piece in pieces if piece not in made]
    if wanted:
        _wake(experiment, any(piece.ours for piece in wanted))
    clock = _Clock(experiment.name, pieces, wanted, tell)
    with _one_core_each(), ThreadPoolExecutor(threads or cores()) as pool:
        running: dict[Future[Made], Piece] = {
            pool.submit(_make, experiment.name, piece, shelf, seed): piece for piece in wanted
        }
        try:
            for future in as_completed(running):
                made[running[future]] = future.result()
                clock.finished(running[future])
        except BaseException:
            # What runs is finished and kept; the rest is for the next run.
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return made


def _wake(experiment: Experiment, ours: bool) -> None:
    """Have the machine code at hand before the clock starts."""
    from .arena import run_trials, seed_of
    from .ours import run_ours

    for setting in {setting.task: setting for setting in experiment.settings}.values():
        run_trials(setting, seed_of(SEED, experiment.name), 0, 0)
        if ours:
            run_ours(dataclasses.replace(setting, rows=2 * setting.buckets), seed_of(SEED, experiment.name), 0, 1)


def _make(experiment: str, piece: Piece, shelf: Shelf | None, seed: int) -> Made:
    """Called by many threads at once; what it runs holds no lock."""
    from .arena import run_trials, seed_of
    from .ours import run_ours

    begun = time.thread_time()
    work = (run_ours if piece.ours else run_trials)(piece.setting, seed_of(seed, experiment), piece.first, piece.trials)
    seconds = time.thread_time() - begun
    arrays: Arrays = dict(work._asdict())
    if shelf:
        shelf.keep(piece, arrays, seconds)
    return arrays, seconds


@contextmanager
def _one_core_each() -> Iterator[None]:
    """Threads of ours each have a core; linear algebra must not start its own besides."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        yield


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Clock:
    """Tells how far a run is and what is left, by the pace so far."""

    def __init__(self, experiment: str, pieces: list[Piece], wanted: list[Piece], tell: Tell | None) -> None:
        self.experiment, self.tell = experiment, tell
        self.of = sum(piece.seconds for piece in pieces)
        self.done = self.found = self.of - sum(piece.seconds for piece in wanted)
        self.begun = time.monotonic()

    def finished(self, piece: Piece) -> None:
        self.done += piece.seconds
        passed, fresh = time.monotonic() - self.begun, self.done - self.found
        left = passed / fresh * (self.of - self.done) if fresh > 0.0 else None
        if self.tell:
            self.tell(Progress(self.experiment, piece.setting.name, self.done, self.of, left))
