"""Differences of two means that are looked at again and again, beside Welch's t and winsorising.

False alarms: both groups are of one law, and 30 looks are taken; a stream counts if any look shows a difference. Each
law is tried with looks at equal steps and at growing ones, with two groups of a size and with one of a tenth of the
rows. Power: one group is the law times a lift. In the tail: only what is beyond the law's 99 % quantile grows, which
winsorising there cannot see.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import exp
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import trials as trial
from laws import Cells
from sections import Row, Section, Task
from tailproof.grouped import GroupedMeans
from tailproof.intervals import difference
from tailproof.state import State, aligned

RULE = GroupedMeans()
NORMAL = NormalDist().inv_cdf
PER_GROUP, LOOKS = 20_000, 30
EVEN_STEPS = tuple(PER_GROUP * (k + 1) // LOOKS for k in range(LOOKS))
GROWING = tuple(sorted({round(100 * 200 ** (k / (LOOKS - 1))) for k in range(LOOKS)}))
LIFTS = (1.05, 1.1, 1.2)
# By how much the values beyond the 99 % quantile grow, where only they do.
TAIL_LIFT = 1.5
TOP = 0.99
NOMINAL = 0.05


class Law(NamedTuple):
    """A metric of people: never below 0, far from even."""

    draw: Callable[[Generator, tuple[int, int]], Cells]
    mean: float
    quantile: Callable[[float], float]
    beyond: Callable[[float], float]  # the part of the mean that comes from above a quantile


def lognormal(sigma: float) -> Law:
    mean = exp(sigma**2 / 2.0)
    return Law(
        lambda random, shape: np.exp(sigma * random.standard_normal(shape)),
        mean,
        lambda share: exp(sigma * NORMAL(share)),
        lambda share: mean * NormalDist().cdf(sigma - NORMAL(share)),
    )


def pareto(index: float) -> Law:
    mean = index / (index - 1.0)
    return Law(
        lambda random, shape: np.exp(random.standard_exponential(shape) / index),
        mean,
        lambda share: (1.0 - share) ** (-1.0 / index),
        lambda share: mean * (1.0 - share) ** (1.0 - 1.0 / index),
    )


def mostly_nothing(share: float, law: Law) -> Law:
    """Most rows are 0; only what lies within the rest can be beyond a quantile."""

    def draw(random: Generator, shape: tuple[int, int]) -> Cells:
        return np.where(random.random(shape) < share, law.draw(random, shape), 0.0)

    def inner(top: float) -> float:
        return 1.0 - (1.0 - top) / share

    return Law(draw, share * law.mean, lambda top: law.quantile(inner(top)), lambda top: share * law.beyond(inner(top)))


LAWS = {
    "lognormal 1": lognormal(1.0),
    "lognormal 1.5": lognormal(1.5),
    "lognormal 2": lognormal(2.0),
    "Pareto 2.5": pareto(2.5),
}
# Not asked for: revenue, of which most rows have none.
SPARSE = {"5% Pareto 2.5": mostly_nothing(0.05, pareto(2.5)), "5% lognormal 1.5": mostly_nothing(0.05, lognormal(1.5))}
EVERY = {**LAWS, **SPARSE}


def tasks() -> Iterator[Task]:
    for name in EVERY:
        for split in ("halves", "a tenth"):
            for steps in ("equal steps", "growing steps"):
                title = f"{name}, {split}, {steps}"
                yield Task("experiment", title, partial(alarm_rows, title, name, split == "halves", steps))
    for name in EVERY:
        yield Task("experiment", f"{name}, power", partial(power_rows, name))


# --------------------------------------------------------------------------------------------------- false alarms


class Arm:
    """One group of many streams: what ours remembers, and the sums that Welch's t needs."""

    def __init__(self, streams: int) -> None:
        self.state: State = RULE.of.init(streams)
        self.rows, self.sum, self.squares = 0, np.zeros(streams), np.zeros(streams)

    def take(self, law: Law, until: int, random: Generator) -> None:
        while self.rows < until:
            cells = aligned((min(until - self.rows, 2000), len(self.sum)))
            cells[...] = law.draw(random, cells.shape)
            self.state = RULE.of.step(self.state, cells)
            self.sum += cells.sum(axis=0)
            self.squares += (cells**2).sum(axis=0)
            self.rows += len(cells)

    def plain(self, lift: float = 1.0) -> tuple[Any, Any]:
        """The plain mean and its squared standard error."""
        mean = self.sum / self.rows
        return lift * mean, lift**2 * (self.squares / self.rows - mean**2) / (self.rows - 1)


def welch(one: Arm, other: Arm, lift: float = 1.0) -> tuple[Any, Any]:
    """The plain difference and its 95 % bar; with so many rows Student's quantile is the normal one."""
    (a, v), (b, w) = one.plain(), other.plain(lift)
    return b - a, NORMAL(0.975) * np.sqrt(v + w)


def scaled(spread: Any, lift: float) -> Any:
    """What would have been said of rows `lift` times as large: the rule is equivariant."""
    return type(spread)(*(lift * part for part in spread))


def alarm_rows(title: str, name: str, halves: bool, steps: str, random: Generator, count: int) -> list[Row]:
    """Streams that show a difference at any look, where there is none; and that miss the truth, where there is one."""
    law, one, other = EVERY[name], Arm(count), Arm(count)
    found = {key: np.zeros(count, bool) for key in ("ours", "missed", "welch")}
    looks = [look for look in (EVEN_STEPS if steps == "equal steps" else GROWING) if halves or look >= 500]
    for look in looks:
        one.take(law, look if halves else 2 * look - look // 5, random)
        other.take(law, look if halves else look // 5, random)
        a, b = RULE.of.read(one.state).spread, RULE.of.read(other.state).spread
        low, high = difference(a, one.rows, b, other.rows, 0.95, True)
        found["ours"] |= (low > 0.0) | (high < 0.0)
        low, high = difference(a, one.rows, scaled(b, 1.2), other.rows, 0.95, True)
        found["missed"] |= (low > 0.2 * law.mean) | (high < 0.2 * law.mean)
        apart, bar = welch(one, other)
        found["welch"] |= np.abs(apart) > bar
    rates = {key: float(seen.mean()) for key, seen in found.items()}
    told = (
        f"{title}, {len(looks)} looks from {looks[0]:,} rows a group on: "
        if halves
        else f"{title}, {len(looks)} looks: "
    )
    needed = () if name in SPARSE else ("<=", (NOMINAL,))
    return [
        Row(f"{told}false alarms", count, (rates["ours"],), *needed),
        Row("  the truth missed at any look, lift 20 %", count, (rates["missed"],), *needed),
        Row("  Welch's t at 5 %, looked at as often: false alarms", count, (rates["welch"],)),
    ]


# --------------------------------------------------------------------------------------------------------- power


def power_rows(name: str, random: Generator, count: int) -> list[Row]:
    """The share of streams that show a lift by the end, of ours and of others."""
    found = [power_batch(EVERY[name], size, random) for size in trial.batches(4 * PER_GROUP, 1, count // 2)]
    weights = [batch[0] for batch in found]
    means = {key: float(np.average([batch[1][key] for batch in found], weights=weights)) for key in found[0][1]}
    streams, methods = sum(weights), ("any look", "one look", "welch", "winsorised")
    at = f"{name}, {PER_GROUP:,} rows a group, power at +5/+10/+20 %"
    told = (
        "ours, looked at 30 times",
        "ours, one look",
        "Welch's t, one look",
        "winsorised at 99 %, Welch's t, one look",
    )
    out = [
        Row(f"{at}: {words}", streams, tuple(means[f"{method} {lift}"] for lift in LIFTS))
        for method, words in zip(methods, told, strict=True)
    ]
    shares = ("winsorised", "ours", "plain")
    return [
        *out,
        Row(f"{name}, +20 %, share of the lift that is found: winsorised, ours, plain mean", streams,
            tuple(means[f"{key} found"] for key in shares)),
        Row(f"{name}, 1.5 times what is beyond the 99 % quantile, share found: winsorised, ours, plain mean", streams,
            tuple(means[f"{key} found in the tail"] for key in shares)),
        Row("  the true difference lies in the 95 % interval: winsorised, ours any-time, Welch's t", streams,
            tuple(means[f"{key} covers the tail"] for key in ("winsorised", "ours", "welch"))),
    ]  # fmt: skip


def power_batch(law: Law, count: int, random: Generator) -> tuple[int, dict[str, float]]:
    """One batch of streams, all of whose rows are held for the sake of winsorising."""
    cells = [aligned((PER_GROUP, count)) for _ in range(2)]
    for group in cells:
        group[...] = law.draw(random, group.shape)
    out: dict[str, float] = {}
    shown = {lift: np.zeros(count, bool) for lift in LIFTS}
    states = [RULE.of.init(count) for _ in cells]
    for begin, look in zip((0, *EVEN_STEPS), EVEN_STEPS, strict=False):
        states = [RULE.of.step(state, group[begin:look]) for state, group in zip(states, cells, strict=True)]
        a, b = (RULE.of.read(state).spread for state in states)
        for lift in LIFTS:
            shown[lift] |= difference(a, look, scaled(b, lift), look, 0.95, True)[0] > 0.0
    for lift in LIFTS:
        low, _ = difference(a, PER_GROUP, scaled(b, lift), PER_GROUP, 0.95, False)
        lifted = lift * cells[1]
        out[f"any look {lift}"], out[f"one look {lift}"] = float(shown[lift].mean()), float((low > 0.0).mean())
        for key, (apart, bar) in (("welch", t(cells[0], lifted)), ("winsorised", winsorised(cells[0], lifted))):
            out[f"{key} {lift}"] = float((apart > bar).mean())
    truth = 0.2 * law.mean
    out["winsorised found"] = float(winsorised(cells[0], 1.2 * cells[1])[0].mean() / truth)
    out["ours found"] = float((1.2 * b.centre - a.centre).mean() / truth)
    out["plain found"] = float(t(cells[0], 1.2 * cells[1])[0].mean() / truth)
    return count, out | in_the_tail(law, cells, states[0])


def in_the_tail(law: Law, cells: list[Cells], state: State) -> dict[str, float]:
    """What is found of a lift of the largest values alone."""
    lifted = aligned(cells[1].shape)
    lifted[...] = np.where(cells[1] > law.quantile(TOP), TAIL_LIFT * cells[1], cells[1])
    truth = (TAIL_LIFT - 1.0) * law.beyond(TOP)
    a, b = RULE.of.read(state).spread, RULE.of.read(RULE.of.step(RULE.of.init(lifted.shape[1]), lifted)).spread
    low, high = difference(a, PER_GROUP, b, PER_GROUP, 0.95, True)
    (apart, bar), (plainly, other) = winsorised(cells[0], lifted), t(cells[0], lifted)
    return {
        "winsorised found in the tail": float(apart.mean() / truth),
        "ours found in the tail": float((b.centre - a.centre).mean() / truth),
        "plain found in the tail": float(plainly.mean() / truth),
        "winsorised covers the tail": float((np.abs(apart - truth) <= bar).mean()),
        "ours covers the tail": float(((low <= truth) & (truth <= high)).mean()),
        "welch covers the tail": float((np.abs(plainly - truth) <= other).mean()),
    }


def t(a: Cells, b: Cells) -> tuple[Any, Any]:
    """The difference of plain means, and its 95 % bar."""
    variance = a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b)
    return b.mean(axis=0) - a.mean(axis=0), NORMAL(0.975) * np.sqrt(variance)


def winsorised(a: Cells, b: Cells) -> tuple[Any, Any]:
    """The same after all values beyond the 99 % quantile of both groups together are brought in to it."""
    both = np.concatenate([a, b])
    place = int(TOP * len(both))
    top = np.partition(both, place, axis=0)[place]
    return t(np.minimum(a, top), np.minimum(b, top))


SECTIONS: dict[str, Section] = {
    "experiment": ("Differences of two means: peeking, power, and Welch's t and winsorising beside them", tasks)
}
