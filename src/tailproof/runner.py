"""The runner: a source, a rule and a checkpoint, until the stream ends or a signal comes.

State and position are saved together in one file, so that a killed run goes on with no row lost and none doubled.
"""

import contextlib
import csv
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType, MappingProxyType
from typing import Any, NamedTuple, Protocol, TextIO, TypeVar

import numpy as np

from . import checkpoint, compiled
from .blocks import Block, Refusal, Source, open_source
from .blocks.columns import cut, cut_list
from .blocks.files import STDIN
from .blocks.position import is_sound
from .categories import FEWEST_CLASSES, Label, Levels, class_count, feature_columns
from .errors import CheckpointError, DataError
from .one_thread import one_thread
from .parts import Taken, in_order, take
from .places import Place, Places
from .state import State

# A checkpoint is due after this long, and never more often than it takes to write twenty of them (0: after each block).
EVERY = 2.0
PATIENCE = 20.0


Item = TypeVar("Item")


class Stopped(Exception):
    """A signal asked the run to stop."""


class Watcher(Protocol):
    """Who is told how the run goes on."""

    def update(self, rows: int, share: float | None, running: Callable[[], float]) -> None: ...
    def close(self) -> None: ...


class Job(NamedTuple):
    """What to run: everything a user may ask for."""

    rule: Any  # or a function that makes it for a number of features, which is known once the files are open
    paths: Sequence[str]
    columns: Sequence[str] | None = None
    format: str | None = None
    na: Sequence[str] | None = None
    checkpoint: str | None = None
    every: float = EVERY
    quarantine: str | None = None
    missing: str = "refuse"
    settings: Mapping[str, Any] = MappingProxyType({})
    target: str | None = None
    target_kind: str = "number"
    labels: Sequence[Label] | None = None  # None: those of the first rows
    one_hot: bool = False
    features: Sequence[str] | None = None
    levels: Mapping[str, Sequence[str]] | None = None
    judge: Callable[[Sequence[Label]], None] = lambda labels: None  # may refuse the labels of the first rows
    jobs: int | None = (
        None  # None: one pass; else parts, summed by so many threads, with the same answer for any number
    )

    @property
    def asked(self) -> list[str] | None:
        """The columns asked for; those that explain a target are called its features."""
        asked = self.columns if self.features is None else self.features
        return None if asked is None else feature_columns(asked, self.levels or {})


class Outcome(NamedTuple):
    """What came out: the state and what people should hear about the rows that were not used."""

    state: State
    names: list[str]
    skipped: list[tuple[str, str]]
    first_refused: str
    quarantined: int
    resumed_at: int
    rule: Any  # the job's, with as many classes as there are labels
    target: str | None
    labels: list[Label] | None
    levels: Levels
    places: Mapping[int, Place] = MappingProxyType({})  # where the rows are that the rule may name

    @property
    def learned(self) -> dict[str, Any]:
        """What a model must know of its columns beside their names."""
        return _learned(self.target, self.labels, self.levels)


def _learned(target: str | None, labels: list[Label] | None, levels: Levels) -> dict[str, Any]:
    learned = {"target": target, "labels": labels, "one_hot": levels or None}
    return {name: value for name, value in learned.items() if value is not None}


def run(job: Job, watcher: Watcher | None = None) -> Outcome:
    """Take the whole stream in. Raises `Stopped` after a signal, once the checkpoint is written."""
    try:
        with signals() as stop:
            saved = _resume(job)
            # Opening a pipe waits for its first rows: a signal may end that too.
            with stop.heeded():
                _refuse_stream(job)
                source = _open(job, saved)
            with source:
                job.judge(source.labels or [])
                return _Run(job, source, saved, watcher, stop).take()
    finally:
        if watcher is not None:
            watcher.close()


def _open(job: Job, saved: checkpoint.Saved | None) -> Source:
    options: dict[str, Any] = {} if job.na is None else {"na": job.na}
    return open_source(
        job.paths,
        columns=job.columns,
        features=job.features,
        format=job.format,
        position=saved.position if saved else None,
        target=job.target,
        target_kind=job.target_kind,
        labels=job.labels,
        one_hot=job.one_hot,
        levels=job.levels,
        **options,
    )


def _resume(job: Job) -> checkpoint.Saved | None:
    """The checkpoint to go on from, if there is one and it belongs to this job."""
    path = job.checkpoint
    if path is None:
        return None
    checkpoint.ready(path)
    if not os.path.exists(path):
        return None
    saved = checkpoint.load(path)
    rule = _made(job.rule, saved.rule.columns(saved.state), getattr(saved.rule, "classes", 0))
    if saved.rule != rule:
        raise CheckpointError(
            f"{path} was written by {saved.rule!r}, and this run asks for {rule!r}: "
            "give the settings of the first run, or another checkpoint file"
        )
    if saved.position is None:
        raise CheckpointError(
            f"{path} knows no place in a source to go on from (it was merged or saved): give another checkpoint file"
        )
    if not (is_sound(saved.position, saved.names) and _fits(saved.rule, saved.position)):
        raise CheckpointError(f"{path} holds no place that can be gone on from; restore it from a copy, or start again")
    columns = [name for name in saved.position["names"] if name != saved.position.get("target")]
    if job.asked is not None and columns != job.asked:
        raise CheckpointError(
            f"{path} is about the columns {', '.join(columns)}, and this run asks for "
            f"{', '.join(job.asked)}: ask for the same columns, or give another checkpoint file"
        )
    if saved.settings.get("na", "") != _words(job):
        raise CheckpointError(
            f"{path} was written by a run that took other words for missing values: give the same --na, "
            "or another checkpoint file"
        )
    if saved.settings.get("in_parts", False) != (job.jobs is not None):
        made, remedy = ("without", "leave it out") if job.jobs is not None else ("with", "give it")
        raise CheckpointError(
            f"{path} was written by a run {made} --jobs: {remedy} again, or give another checkpoint file"
        )
    return saved


def _made(rule: Any, features: int, classes: int) -> Any:
    """The job's rule for as many features and classes; 0 classes stand for a target that has none."""
    found = rule(features) if callable(rule) else rule
    return found.with_classes(classes) if classes and hasattr(found, "with_classes") else found


def _told_apart(rule: Any) -> int:
    """How many classes a rule tells apart; one that does not say tells one from the other."""
    return int(getattr(rule, "classes", FEWEST_CLASSES))


def _fits(rule: Any, position: Mapping[str, Any]) -> bool:
    """Whether the rule is one for the labels of the position."""
    return "labels" not in position or _told_apart(rule) == class_count(position["labels"])


def _rule_for(rule: Any, source: Source) -> Any:
    """The job's rule, for as many features and classes as the source has."""
    found = _made(rule, len(source.names), source.classes)
    if source.classes and source.classes != _told_apart(found):
        labels = cut_list([cut(str(label)) for label in source.labels or []])
        raise DataError(
            f"the target {source.target!r} has the labels {labels}, which are {source.classes} classes, and "
            f"{_told_apart(found)} are told apart; name the classes with --labels, or leave out the rows of the others"
        )
    return found


def _refuse_stream(job: Job) -> None:
    """Before it is waited for."""
    if job.jobs is not None and STDIN in job.paths:
        raise DataError(
            "stdin is a stream, which cannot be cut into parts for --jobs: leave that out, or save it to a file"
        )


def _refuse_uncut(rule: Any, source: Source) -> None:
    """What cannot be summed in parts, or would not give the same answer for any number of threads."""
    if not getattr(rule, "adds_up", False):
        name = type(getattr(rule, "of", rule)).__name__
        raise DataError(
            f"--jobs sums parts up, and what {name} learns depends on the order of the rows: leave --jobs out, or take "
            "a method that adds up (sketch for means, gram for coefficients)"
        )
    if source.total_bytes is None:
        raise DataError(
            "--jobs cuts files into parts, and a pipe cannot be cut: leave --jobs out, or save it to a file"
        )
    if source.labels is not None and len(source.labels) < source.classes:
        raise DataError(
            "--jobs must know all labels beforehand, and the first rows hold only one: name them with --labels"
        )


def _words(job: Job) -> str:
    """What stands for a missing value, as one text; it must be the same before and after."""
    return "" if job.na is None else "\n".join(job.na)


class _Run:
    """One pass over a source."""

    def __init__(
        self,
        job: Job,
        source: Source,
        saved: checkpoint.Saved | None,
        watcher: Watcher | None,
        stop: "Signals",
    ) -> None:
        self.job, self.source, self.watcher, self.stop = job, source, watcher, stop
        self.rule = saved.rule if saved else _rule_for(job.rule, source)
        self.state = saved.state if saved else self.rule.init(len(source.names))
        self.position = saved.position if saved else None
        self.resumed_at = self._rows() if saved else 0
        earlier = saved.settings if saved else {}
        self.first_refused = earlier.get("first_refused", "")
        known = earlier.get("quarantine_bytes", 0)
        self.quarantine = Quarantine(job.quarantine, known, earlier.get("quarantined", 0))
        self.places = Places()
        self.last, self.cost = time.monotonic(), 0.0

    def take(self) -> Outcome:
        """All blocks, until the stream ends or a signal comes."""
        try:
            if self.job.jobs is None:
                self._blocks()
            else:
                self._parts(self.job.jobs)
            self._save()
        finally:
            self.quarantine.close()
        return Outcome(
            self.state,
            self.source.names,
            self.source.skipped,
            self.first_refused,
            self.quarantine.rows,
            self.resumed_at,
            self.rule,
            self.source.target,
            self.source.labels,
            self.source.levels,
            self.places.known,
        )

    def _blocks(self) -> None:
        blocks = self.source.blocks()
        while (block := self._next(blocks)) is not None:
            self._block(block)
            if self._due():
                self._save()

    def _parts(self, jobs: int) -> None:
        _refuse_uncut(self.rule, self.source)
        # All threads are to find machine code at hand, and products of matrices that take no threads of their own.
        compiled.eager()
        compiled.kernel("turn")
        most = None if self.quarantine.file is not None else 1
        with one_thread():
            taken = in_order(
                self.source.parts(), lambda part, stopped: take(self.rule, self.source, part, most, stopped), jobs
            )
            with contextlib.closing(taken):
                while (one := self._next(taken)) is not None:
                    self._part(one)
                    if self._due():
                        self._save()

    def _part(self, taken: Taken) -> None:
        """Add a part to those before it. Only now it is known which rows of their file its rows are."""
        before = {self.position["index"]: self.position["row"]} if self.position else {}
        for index, refusal in taken.refusals:
            self._hear(refusal._replace(row=refusal.row + before.get(index, 0)))
        self.state = self.rule.merge(self.state, taken.state)
        last = taken.part.raws[-1][0]
        self.position = self.source.position_after(taken.part, before.get(last, 0) + taken.rows.get(last, 0))
        self._tell()

    def _next(self, blocks: Iterator[Item]) -> Item | None:
        """The next block or part. What is done so far is kept when a signal comes or the data are damaged."""
        try:
            # A signal may break into the waiting, never into the work: state and position must stay together.
            with self.stop.heeded():
                return next(blocks, None)
        except (Stopped, DataError):
            self._save()
            raise

    def _block(self, block: Block) -> None:
        used, before = self._rows(), int(self.state.counts[1])
        self.state = self.rule.step(self.state, *block.taken)
        if int(self.state.counts[1]) > before:
            self._refused(block)
        if hasattr(self.rule, "noted"):
            self.places.learn(block, used, self.rule.noted(self.state))
        self.position = block.position
        self._tell()

    def _tell(self) -> None:
        if self.watcher is not None:
            self.watcher.update(self._rows(), self.source.share(), self._running)

    def _refused(self, block: Block) -> None:
        """Say which rows of the block were refused and why."""
        if self.first_refused and self.quarantine.file is None and self.job.missing != "raise":
            return
        for refusal in self.source.refusals(block):
            self._hear(refusal)

    def _hear(self, refusal: Refusal) -> None:
        if self.job.missing == "raise":
            raise DataError(f"{refusal}; fix the row, or let such rows be refused with --missing refuse")
        self.first_refused = self.first_refused or str(refusal)
        self.quarantine.write(refusal)

    def _rows(self) -> int:
        return int(self.state.counts[0])

    def _running(self) -> float:
        """The first mean, or the first coefficient, so far."""
        said = self.rule.read(self.state)
        return float(np.ravel(said.coef if hasattr(said, "coef") else said.mean)[0])

    def _due(self) -> bool:
        if self.job.checkpoint is None or self.job.every == 0:
            return self.job.checkpoint is not None
        return time.monotonic() - self.last > max(self.job.every, PATIENCE * self.cost)

    def _save(self) -> None:
        if self.job.checkpoint is None or self.position is None:
            return
        begin = time.monotonic()
        settings = {
            **self.job.settings,
            **_learned(self.source.target, self.source.labels, self.source.levels),
            "na": _words(self.job),
            "first_refused": self.first_refused,
            "quarantine_bytes": self.quarantine.settle(),
            "quarantined": self.quarantine.rows,
            **({} if self.job.jobs is None else {"in_parts": True}),
        }
        saved = checkpoint.Saved(self.rule, self.state, self.source.names, self.position, settings)
        checkpoint.save(self.job.checkpoint, saved)
        self.last = time.monotonic()
        self.cost = self.last - begin


class Quarantine:
    """The file that refused rows are written to, cut back on resuming to what the checkpoint knows of."""

    def __init__(self, path: str | None, known: int, rows: int) -> None:
        self.path, self.rows = path, rows
        self.file: TextIO | None = None
        if path is None and known:
            raise DataError("this run was begun with a --quarantine file: name it again to go on")
        if path is not None:
            with _written(path):
                self.file = self._opened(path, known)
                self.writer = csv.writer(self.file)
                if not known:
                    self.writer.writerow(["file", "row", "column", "reason"])

    @staticmethod
    def _opened(path: str, known: int) -> TextIO:
        if known and not (os.path.isfile(path) and os.path.getsize(path) >= known):
            raise DataError(
                f"{path} is not what the stopped run left there: its first {known:,} bytes are missing; "
                "bring it back, or start again with another checkpoint"
            )
        file = open(path, "r+" if known else "w", newline="", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
        file.truncate(known)
        file.seek(known)
        return file

    def write(self, refusal: Refusal) -> None:
        if self.file is not None:
            with _written(self.path):
                self.writer.writerow(refusal)
            self.rows += 1

    def settle(self) -> int:
        """Force what was written to disk; its length goes into the checkpoint."""
        if self.file is None:
            return 0
        with _written(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())
            return self.file.tell()

    def close(self) -> None:
        if self.file is not None:
            with _written(self.path):
                self.file.close()


@contextlib.contextmanager
def _written(path: str | None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from error


class Signals:
    """Whether someone asked to stop."""

    def __init__(self) -> None:
        self.asked = False
        self._waiting = False

    def ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if self._waiting:
            self._waiting = False
            raise Stopped

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """While waiting for data a signal stops the run at once."""
        self._waiting = True
        try:
            if self.asked:
                raise Stopped
            yield
        finally:
            self._waiting = False


@contextlib.contextmanager
def signals() -> Iterator[Signals]:
    """Watch SIGINT and SIGTERM; other threads than the main one cannot, and do not."""
    stop = Signals()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, stop.ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            # None: it was not set from Python, and cannot be put back from here.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
