"""A contender: one way to do a job, and whether it did it.

Each is prepared, run once and checked before any clock starts: it must have taken every row, and what it found must be
near the truth. One that cannot be imported, fails, or did not do the work is left out with the reason.
"""

import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np

from laws import Cells

OURS = "tailproof"
# A job is repeated within a turn for about this long, and the median taken: one that takes milliseconds would
# otherwise be measured by what else the machine did just then.
TURN = 0.05
# One that takes long has fewer turns, so that all are done within this, and one at least.
LONGEST = 15.0


class Learned(NamedTuple):
    rows: int  # as the contender itself counts them, where it does
    found: Cells


class Contender(NamedTuple):
    name: str
    package: str  # as pip calls it
    rows: int  # that it takes in one run, the first of the data
    prepare: Callable[[], Callable[[], Learned]]
    note: str = ""


class Ready(NamedTuple):
    contender: Contender
    run: Callable[[], Learned]
    error: float  # its distance from the truth after one run
    seconds: float  # that the run took


class Result(NamedTuple):
    """What is kept of a contender: `ratios` are its seconds a row over those of the first contender, turn by turn."""

    name: str
    package: str
    rows: int
    nanoseconds: float
    ratios: list[float]
    error: float
    note: str


class LeftOut(NamedTuple):
    name: str
    why: str


class Table(NamedTuple):
    """A comparison. The first result is what the others are measured against."""

    title: str
    results: list[Result]
    left_out: list[LeftOut]

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "results": [result._asdict() for result in self.results],
            "left_out": [left._asdict() for left in self.left_out],
        }


def compete(title: str, contenders: list[Contender], truth: Cells, allowed: float, turns: int) -> Table:
    """All contenders against the first, each beside a run of the first in every turn."""
    left_out: list[LeftOut] = []
    ready = list(prepared(contenders, truth, allowed, left_out))
    if not ready or ready[0].contender is not contenders[0]:
        return Table(title, [], left_out)
    base, base_run = ready[0].contender, ready[0].run
    results = []
    for contender, run, error, taken in ready:
        here, there = [], []
        for _ in range(max(1, min(turns, int(LONGEST / taken)))):
            there.append(seconds(base_run) / base.rows)
            here.append(there[-1] if contender is base else seconds(run) / contender.rows)
        ratios = [mine / first for mine, first in zip(here, there, strict=True)]
        own = float(np.median(here)) * 1e9
        results.append(Result(contender.name, contender.package, contender.rows, own, ratios, error, contender.note))
        say(results[-1])
    return Table(title, results, left_out)


def prepared(contenders: list[Contender], truth: Cells, allowed: float, left_out: list[LeftOut]) -> Iterator[Ready]:
    """Those that can run and have done the work. The first run also compiles what is to be compiled."""
    for contender in contenders:
        try:
            run = contender.prepare()
            begin = time.perf_counter()
            error = checked(run(), contender.rows, truth, allowed)
            yield Ready(contender, run, error, time.perf_counter() - begin)
        except Exception as failure:  # whatever a peer may throw, the others go on
            left_out.append(LeftOut(contender.name, reason(failure)))
            print(f"  left out: {contender.name}: {left_out[-1].why}", flush=True)


def checked(learned: Learned, rows: int, truth: Cells, allowed: float) -> float:
    if learned.rows != rows:
        raise ValueError(f"took {learned.rows:,} rows of {rows:,}")
    error = float(np.linalg.norm(np.asarray(learned.found, float).ravel() - truth.ravel()))
    if not error <= allowed:
        raise ValueError(f"ended {error:.3g} from the truth, where {allowed:.3g} is allowed")
    return error


def reason(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return "not in this version" if (error.name or "").startswith(OURS) else "not installed here"
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def seconds(run: Callable[[], Any]) -> float:
    taken: list[float] = []
    while not taken or sum(taken) < TURN:
        begin = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begin)
    return float(np.median(taken))


def say(result: Result) -> None:
    ratio = float(np.median(result.ratios))
    print(f"  {result.name:62} {result.nanoseconds:12,.1f} ns a row {ratio:12,.2f}x", flush=True)


def installed(package: str) -> str:
    """The version of a package, or nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
