"""What units, origins, order and chunks do to the regressions, and what odd rows and columns do.

The required figures are what we set out to reach.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

import fits
import peers
import streams
from laws import Cells
from sections import Row, Section, Task, at_most
from streams import Sample

WIDTH, ROWS = 10, 5000
HEAVY = ("paper", "skewed uneven noise", "t 2.5, t 2.1 noise")
RULES = {"gram": fits.GRAM, "gram with intercept": fits.GRAM_CENTRED}
SGD_RULES = {"sgd": fits.SGD, "sgd with intercept": fits.SGD_CENTRED}
TRIALS = 1.0 / 100.0


def equivariance_tasks() -> Iterator[Task]:
    section = "regression-equivariance"
    yield Task(section, "affine", affine_rows)
    yield Task(section, "origin", origin_rows)
    yield Task(section, "chunks", chunk_rows)
    for name in HEAVY:
        yield Task(section, f"order, {name}", partial(order_rows, name))


def farthest(trials: int, random: Generator, move: Callable[[Sample], float]) -> float:
    return max(move(streams.PAPER(random, ROWS, WIDTH)) for _ in range(trials))


def affine_rows(random: Generator, count: int) -> list[Row]:
    """New features that are combinations of the old, and targets in another unit."""
    trials = max(5, int(TRIALS * count))
    mixed = farthest(trials, random, lambda sample: mixing(sample, random))
    scaled = farthest(trials, random, scaling)
    tilted = farthest(trials, random, tilting)
    return [
        at_most("gram, x -> xA, condition up to 1e7: distance over the error", trials, mixed, 1e-8),
        at_most("gram, y in units of 1e-6: relative", trials, scaled, 1e-14),
        at_most("gram, y + 1e6 x: distance over the error", trials, tilted, None),
    ]


def mixing(sample: Sample, random: Generator) -> float:
    """Combinations that are well told from each other once each has its own unit: a Gram matrix squares what is left of
    the condition."""
    mix = np.zeros((WIDTH, WIDTH))
    while not np.linalg.cond(mix) <= 1e7:
        mix = random.standard_normal((WIDTH, WIDTH)) * np.geomspace(1e-3, 1e3, WIDTH)
    plain = slopes(fits.GRAM, sample.X, sample.y)
    return fits.apart(mix @ slopes(fits.GRAM, sample.X @ mix, sample.y), plain) / sample.loss(plain)


def scaling(sample: Sample) -> float:
    """In a unit that is no power of two: what is left is rounding."""
    plain = slopes(fits.GRAM, sample.X, sample.y)
    return float(np.abs(slopes(fits.GRAM, sample.X, 1e6 * sample.y) / 1e6 / plain - 1.0).max())


def tilting(sample: Sample) -> float:
    plain = slopes(fits.GRAM, sample.X, sample.y)
    tilted = slopes(fits.GRAM, sample.X, sample.y + 1e6 * sample.X.sum(axis=1)) - 1e6
    return fits.apart(tilted, plain) / sample.loss(plain)


def origin_rows(random: Generator, count: int) -> list[Row]:
    """Features 1e4 from the origin, targets 3e3: only the intercept may move."""
    trials, out = max(5, int(TRIALS * count)), []
    for label, rule, bound in (("gram", fits.GRAM_CENTRED, 1e-12), ("sgd", fits.SGD_CENTRED, 1e-6)):
        moved = max(
            float(np.abs(fits.fitted(rule, sample).coef - fits.fitted(rule, sample.clean).coef).max())
            for sample in fits.drawn(streams.offset, ROWS, WIDTH, trials, random)
        )
        out.append(at_most(f"{label} with intercept, x + 1e4, y + 3e3: slopes move", trials, moved, bound))
    return out


def chunk_rows(random: Generator, count: int) -> list[Row]:
    """Rows by 1, 37 and 1000 at a time: how many numbers of the state differ in any bit."""
    sample = streams.PAPER(random, ROWS, WIDTH)
    out = []
    for label, rule in {**RULES, **SGD_RULES}.items():
        whole, differ = fits.taken(rule, sample.X, sample.y), 0
        for height in (1, 37, 1000):
            state = rule.init(WIDTH)
            for begin in range(0, ROWS, height):
                state = rule.step(state, sample.X[begin : begin + height], sample.y[begin : begin + height])
            differ += int((rule.read(state).coef != rule.read(whole).coef).sum())
        out.append(at_most(f"{label}, chunks of 1, 37, 1000 rows: slopes that differ in any bit", 3, differ, 0.0))
    return out


def order_rows(name: str, random: Generator, count: int) -> list[Row]:
    """A shuffle, and the rows sorted by their noise and by their length, over the error of the rows as they came."""
    trials, moved, sorted_losses = max(5, int(TRIALS * count)), [], []
    for sample in fits.drawn(streams.named(name), ROWS, WIDTH, trials, random):
        plain = slopes(fits.GRAM, sample.X, sample.y)
        shuffled = in_order(sample, random.permutation(ROWS))
        moved.append(fits.apart(shuffled, plain) / sample.loss(plain))
        by_noise = in_order(sample, np.argsort(np.abs(sample.y - sample.X @ sample.slopes)))
        by_length = in_order(sample, np.argsort((sample.X**2).sum(axis=1)))
        sorted_losses.append([sample.loss(found) / sample.loss(plain) for found in (by_noise, by_length)])
    far = (float(np.mean(moved)), float(np.max(moved)))
    near = tuple(np.mean(sorted_losses, axis=0).tolist())
    return [
        Row(f"gram, {name}: a shuffle moves it, over the error: mean, worst", trials, far, "<=", (0.005, 0.02)),
        Row(f"gram, {name}: loss sorted by noise, by length, over unsorted", trials, near),
    ]


def in_order(sample: Sample, order: np.ndarray) -> Cells:
    return slopes(fits.GRAM, sample.X[order], sample.y[order])


def slopes(rule: Any, X: Cells, y: Cells) -> Cells:
    return rule.read(fits.taken(rule, X, y)).coef


# ------------------------------------------------------------------------------------------------------- stress

STRESS_ROWS, STRESS_WIDTH = 4000, 5
# One odd thing each, done to a clean sample. The slopes that have a meaning afterwards are compared.
Odd = Callable[[Sample], tuple[Cells, Cells]]


def one_row(row: int, factor: float) -> Odd:
    def change(sample: Sample) -> tuple[Cells, Cells]:
        X = sample.X.copy()
        X[row] *= factor
        return X, sample.y

    return change


def one_target(row: int, value: float) -> Odd:
    def change(sample: Sample) -> tuple[Cells, Cells]:
        y = sample.y.copy()
        y[row] = value
        return sample.X, y

    return change


def zero_column(sample: Sample) -> tuple[Cells, Cells]:
    return with_first(sample, np.zeros(len(sample.X)))


def constant_column(sample: Sample) -> tuple[Cells, Cells]:
    return with_first(sample, np.ones(len(sample.X)))


def duplicate_column(sample: Sample) -> tuple[Cells, Cells]:
    return with_first(sample, sample.X[:, 1])


def with_first(sample: Sample, column: Cells) -> tuple[Cells, Cells]:
    """Another first feature, and the target that follows from it."""
    X = sample.X.copy()
    X[:, 0] = column
    return X, sample.y + sample.slopes[0] * (column - sample.X[:, 0])


ODD: dict[str, Odd] = {
    "x times 1e12 in row 3": one_row(3, 1e12),
    "x times 1e12 in row 3000": one_row(3000, 1e12),
    "y 1e12 in row 3": one_target(3, 1e12),
    "y 1e12 in row 3000": one_target(3000, 1e12),
    "zero column": zero_column,
    "constant column": constant_column,
    "duplicate column": duplicate_column,
    "nothing odd": lambda sample: (sample.X, sample.y),
}


def stress_tasks() -> Iterator[Task]:
    for label, rule in {**RULES, **SGD_RULES}.items():
        for kind in ODD:
            yield Task("regression-stress", f"{label}, {kind}", partial(stress_rows, label, rule, kind))
        yield Task("regression-stress", f"{label}, short", partial(short_rows, label, rule))


def stress_rows(label: str, rule: Any, kind: str, random: Generator, count: int) -> list[Row]:
    """The error beside that of the clean rows: 1.3 times with a Gram matrix, 10 times least squares' with vectors.

    Features that are equal share their slope, so the first two are left out of both errors.
    """
    trials, seen = max(5, count // 100), []
    for sample in fits.drawn(streams.PLAIN, STRESS_ROWS, STRESS_WIDTH, trials, random):
        found = slopes(rule, *ODD[kind](sample))
        clean = slopes(rule, sample.X, sample.y) if rule in RULES.values() else least(sample)
        seen.append([float(np.linalg.norm((each - sample.slopes)[2:])) for each in (found, clean)])
    losses = np.array(seen).mean(axis=0)
    name, bound = ("its own on clean rows", 1.3) if rule in RULES.values() else ("clean least squares'", 10.0)
    return [at_most(f"{label}, {kind}: loss over {name}", trials, float(losses[0] / losses[1]), bound)]


def least(sample: Sample) -> Cells:
    return peers.least_squares(sample.X, sample.y)


def short_rows(label: str, rule: Any, random: Generator, count: int) -> list[Row]:
    """Streams of 1 to 20 rows, fewer than there are features among them: how many answers are not finite."""
    broken = 0
    for rows in range(1, 21):
        sample = streams.PLAIN(random, rows, STRESS_WIDTH)
        broken += not np.isfinite(slopes(rule, sample.X, sample.y)).all()
    return [at_most(f"{label}, 1 to 20 rows: answers that are not finite", 20, float(broken), 0.0)]


SECTIONS: dict[str, Section] = {
    "regression-equivariance": ("Regression in other units, places, orders and chunks", equivariance_tasks),
    "regression-stress": ("Regression with odd rows and columns", stress_tasks),
}
