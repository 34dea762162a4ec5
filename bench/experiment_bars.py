"""Ways to make an any-time interval of a difference from two sketches, side by side: how often each shows a difference
where there is none in up to 30 growing looks, and how wide it is at the end over the plain 95 % bar of one look."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from experiment import EVERY, GROWING, NORMAL, RULE, Arm
from sections import Row, Section, Task
from tailproof.intervals import Spread, boundary, difference, tail_extended

Ends = tuple[Any, Any]


def tasks() -> Iterator[Task]:
    for name in EVERY:
        for halves in (True, False):
            split = "halves" if halves else "a tenth"
            yield Task("experiment-bars", f"{name}, {split}", partial(bar_rows, f"{name}, {split}", name, halves))


def bar_rows(title: str, name: str, halves: bool, random: Generator, count: int) -> list[Row]:
    one, other = Arm(count), Arm(count)
    alarms, widths = {key: np.zeros(count, bool) for key in WAYS}, dict.fromkeys(WAYS, 0.0)
    for look in GROWING:
        if not halves and look < 500:
            continue
        one.take(EVERY[name], look if halves else 2 * look - look // 5, random)
        other.take(EVERY[name], look if halves else look // 5, random)
        a, b = RULE.of.read(one.state).spread, RULE.of.read(other.state).spread
        bar = NORMAL(0.975) * np.sqrt(one.plain()[1] + other.plain()[1])
        for key, way in WAYS.items():
            low, high = way(a, one.rows, b, other.rows)
            alarms[key] |= (low > 0.0) | (high < 0.0)
            widths[key] = float((high - low).mean() / (2.0 * bar).mean())
    return [Row(f"{title}: {key}", count, (float(alarms[key].mean()), widths[key])) for key in WAYS]


def ours(a: Spread, rows: int, b: Spread, others: int) -> Ends:
    return difference(a, rows, b, others, 0.95, True)


def added(a: Spread, rows: int, b: Spread, others: int) -> Ends:
    """Tail terms added up, and what was removed counted of each group by itself; all rows count as one stream."""
    width, share = boundary(0.05, rows + others, True)
    error, apart = width * np.hypot(a.error, b.error), b.centre - a.centre
    low = apart - error - share * (b.below / others + a.above / rows)
    high = apart + error + share * (b.above / others + a.below / rows)
    gained, lost = np.maximum(b.removed, 0.0), np.minimum(b.removed, 0.0)
    return low + lost - np.maximum(a.removed, 0.0), high + gained - np.minimum(a.removed, 0.0)


def arm_by_arm(a: Spread, rows: int, b: Spread, others: int) -> Ends:
    """Each group's own any-time bar, in quadrature."""
    (low, high), (lower, higher) = tail_extended(a, rows, 0.95, True), tail_extended(b, others, 0.95, True)
    apart = b.centre - a.centre
    return (
        apart - np.hypot(b.centre - lower, high - a.centre),
        apart + np.hypot(higher - b.centre, a.centre - low),
    )


def both(a: Spread, rows: int, b: Spread, others: int) -> Ends:
    """Each group's own any-time interval at half the risk: what a union bound gives."""
    (low, high), (lower, higher) = tail_extended(a, rows, 0.975, True), tail_extended(b, others, 0.975, True)
    return lower - high, higher - low


def no_tails(a: Spread, rows: int, b: Spread, others: int) -> Ends:
    """Ours without the farthest rows."""
    nothing = np.zeros_like(a.above)
    bare = [one._replace(above=nothing, below=nothing) for one in (a, b)]
    return difference(bare[0], rows, bare[1], others, 0.95, True)


WAYS = {
    "ours": ours,
    "tail terms added, all rows one stream": added,
    "each group's bar, in quadrature": arm_by_arm,
    "both at half the risk": both,
    "ours without tail terms": no_tails,
}
SECTIONS: dict[str, Section] = {
    "experiment-bars": ("Intervals of a difference: false alarms, and width over the plain bar of one look", tasks)
}
