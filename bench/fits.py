"""Many fits of the regressions: what each rule and each peer loses on the same samples."""

from collections.abc import Callable, Iterator
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import peers
from laws import Cells
from streams import Sample, Stream
from tailproof.gram import Gram
from tailproof.losses import Logistic
from tailproof.state import State
from tailproof.tuned import TunedSGD

Slopes = Callable[[Sample], Cells]
Found = dict[str, NDArray[np.float64]]

GRAM, GRAM_CENTRED = Gram(intercept=False, bars=False), Gram(bars=False)
SGD, SGD_CENTRED = TunedSGD(intercept=False, bars="none"), TunedSGD(bars="none")
GRAM_CHANCES = Gram(loss=Logistic(), intercept=False)
SGD_CHANCES = TunedSGD(loss=Logistic(), intercept=False, bars="none")


def taken(rule: Any, X: Cells, y: Cells) -> State:
    """A fresh state that has seen these rows."""
    return rule.step(rule.init(X.shape[1]), X, y)


def fitted(rule: Any, sample: Sample) -> Any:
    return rule.read(taken(rule, sample.X, sample.y))


def by(rule: Any) -> Slopes:
    return lambda sample: fitted(rule, sample).coef


def peer(estimate: Callable[[Cells, Cells], Cells], intercept: bool = False) -> Slopes:
    """A peer without intercept, or on centred rows, which is the same as with one."""
    if intercept:
        return lambda sample: estimate(*peers.centred(sample.X, sample.y))
    return lambda sample: estimate(sample.X, sample.y)


def losses(stream: Stream, rows: int, width: int, trials: int, random: Generator, fits: dict[str, Slopes]) -> Found:
    """The loss of every fit in each trial, and of every fit before the damage where there is any."""
    found: dict[str, list[float]] = {}
    for sample in drawn(stream, rows, width, trials, random):
        for name, fit in fits.items():
            found.setdefault(name, []).append(sample.loss(fit(sample)))
            if sample.before is not None:
                found.setdefault(before(name), []).append(sample.before.loss(fit(sample.before)))
    return {name: np.array(values) for name, values in found.items()}


def drawn(stream: Stream, rows: int, width: int, trials: int, random: Generator) -> Iterator[Sample]:
    for _ in range(trials):
        yield stream(random, rows, width)


def before(name: str) -> str:
    return f"{name}, before"


def apart(a: Cells, b: Cells) -> float:
    return float(np.linalg.norm(a - b))


def holds(ends: tuple[Cells, Cells], truth: Cells) -> NDArray[np.bool_]:
    """Whether each interval holds its coefficient."""
    return (ends[0] <= truth) & (truth <= ends[1])


def bare(spread: Any, confidence: float) -> tuple[Cells, Cells]:
    """The interval of the standard error alone, without what the tail adds."""
    half = NormalDist().inv_cdf(0.5 + confidence / 2.0) * spread.error
    return spread.centre - half, spread.centre + half


def share_error(shares: Cells) -> float:
    """The standard error of a share over trials, whose coefficients may go together."""
    return float(shares.std(ddof=1)) / sqrt(len(shares))
