"""Many trials at once: columns are strangers to each other in the sketch, so one state holds a whole batch of trials.

A batch of T trials of p columns is one state of T p columns. What comes back is a value a column or a value a trial.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from laws import Law
from tailproof import Extremes
from tailproof.estimate import MeanEstimate
from tailproof.state import State, aligned

Numbers = NDArray[np.float64]

# Bytes of cells that are held at once.
BATCH = 32 << 20
RULE = Extremes()


class Losses(NamedTuple):
    """Distances to the truth, a value a trial, and what was seen beside them."""

    robust: Numbers
    plain: Numbers
    cut: float  # share of columns with values set aside
    covered: float  # share of columns whose 95 % interval holds the truth
    trusted: float  # the same of the bar for contaminated rows

    def ratio(self, measure: Callable[[Numbers], float]) -> float:
        return measure(self.robust) / measure(self.plain)


def average(losses: Numbers) -> float:
    return float(losses.mean())


def worst(share: float) -> Callable[[Numbers], float]:
    """The loss that a share of the trials exceeds."""
    return lambda losses: float(np.quantile(losses, 1.0 - share))


def batches(rows: int, width: int, trials: int) -> Iterator[int]:
    """Trials in each batch, so that a batch fits."""
    most = max(1, BATCH // (8 * rows * width))
    while trials > 0:
        yield min(most, trials)
        trials -= min(most, trials)


def taken(cells: Numbers) -> State:
    """A fresh state that has seen these rows."""
    return step(RULE.init(cells.shape[1]), cells)


def step(state: State, cells: Numbers) -> State:
    """Take rows in from memory that needs no further copy."""
    rows = aligned(cells.shape)
    rows[...] = cells
    return RULE.step(state, rows)


def losses(law: Law, rows: int, width: int, trials: int, random: Generator) -> Losses:
    """Trials of `width` columns of a law whose mean is 0."""
    seen = [one_batch(law(random, rows, count * width), width) for count in batches(rows, width, trials)]
    weights = [len(batch.robust) for batch in seen]
    shares = [float(np.average([batch[field] for batch in seen], weights=weights)) for field in (2, 3, 4)]
    robust, plain = (np.concatenate([batch[field] for batch in seen]) for field in (0, 1))
    return Losses(robust, plain, *shares)


def one_batch(cells: Numbers, width: int) -> Losses:
    said = RULE.read(taken(cells))
    return Losses(
        robust=lengths(said.mean, width),
        plain=lengths(cells.mean(axis=0), width),
        cut=float((said.set_aside > 0).mean()),
        covered=float(holds(said).mean()),
        trusted=float(holds(said, contaminated=True).mean()),
    )


def lengths(errors: Numbers, width: int) -> Numbers:
    return np.linalg.norm(errors.reshape(-1, width), axis=1)


def holds(
    said: MeanEstimate, confidence: float = 0.95, anytime: bool = False, contaminated: bool = False
) -> NDArray[np.bool_]:
    """Whether each column's interval holds 0."""
    low, high = said.interval(confidence, anytime, contaminated)
    return (low <= 0.0) & (high >= 0.0)


def halfway(said: MeanEstimate, confidence: float = 0.95, anytime: bool = False) -> float:
    """The mean half-width of the intervals."""
    low, high = said.interval(confidence, anytime)
    return float((high - low).mean()) / 2.0


def path(law: Law, paths: int, looks: Iterable[int], random: Generator) -> Iterator[tuple[int, MeanEstimate]]:
    """Streams of one column each, all read at every look."""
    state, rows = RULE.init(paths), 0
    for look in sorted(looks):
        while rows < look:
            height = min(look - rows, max(1, BATCH // (8 * paths)))
            state = step(state, law(random, height, paths))
            rows += height
        yield look, RULE.read(state)
