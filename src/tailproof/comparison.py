"""Comparisons: what ours and its rivals make of the same rows, as an immutable record for people."""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .estimator import Estimate, plain
from .regression import INTERCEPT

Numbers = NDArray[np.float64]

# The shares of rows that the quantiles of the errors are of.
SHARES = (0.5, 0.95, 0.99, 0.999)
# Errors closer than this are as good as each other: the quantiles are known within .8 %.
AS_GOOD = 1.02
# Up to so many standard errors and so many times the errors, clipping helps a little only.
LITTLE_AWAY, LITTLE_LARGER = 1.0, 1.1
# Coefficients closer than this, in standard errors, are the same; from the second on they aim at something else.
SAME, ELSEWHERE = 0.5, 3.0
# What differs by less than this share of itself differs by rounding.
DIGITS = 1e-9
# Errors this many times ours show that a descent has left all bounds.
BEYOND = 1e6
# With fewer rows scored nothing is said; Hill's index needs more, and is light from this on.
FEW, FOR_INDEX = 100, 1000

SPOKEN = {
    "ours": "ours",
    "least_squares": "least squares",
    "huber": "Huber",
    "clipped_sgd": "clipped SGD",
    "sgd": "SGD",
    "sgd_as_written": "SGD, raw columns",
}


class Method(NamedTuple):
    """One method's errors on rows it had not seen, and where it stands."""

    name: str
    loss: dict[float, float]  # quantiles of the absolute error
    theta: Numbers  # coefficients, the intercept last
    shift: float  # its mean prediction less ours; NaN where the sums for it are not kept
    lost: int  # the row at which it diverged, or met a value too large to square; 0: it did not
    chosen: dict[str, float]


class Comparison(Estimate):
    """Ours and its rivals side by side on one stream, and a verdict in words."""

    rule: str
    rows: int
    refused: int
    scored: int  # rows that were predicted before they were learnt from
    ours: Any  # the estimate of the rule that stands for ours
    theta: Numbers  # our coefficients, the intercept last
    error: Numbers  # their standard errors
    error_of_mean: float  # the standard error of a mean of the errors
    size: float  # how large targets are about their middle
    methods: list[Method]
    tails: Numbers  # our largest errors below and above
    longest: list[tuple[int, float]]  # the rows used that pull plain SGD hardest: number and length of the step
    places: Mapping[int, tuple[str, int]] | None = None  # where such rows stand: file and row
    names: list[str] | None = None
    target: str | None = None

    # What clipping is to improve on, in words.
    RIVAL = "least squares"

    @property
    def coef(self) -> Numbers:
        return self.theta[:-1]

    @property
    def terms(self) -> list[str]:
        return [*(self.names or [f"x{j}" for j in range(len(self.theta) - 1)]), INTERCEPT]

    def method(self, name: str) -> Method | None:
        return next((method for method in self.methods if method.name == name), None)

    def diverged(self, method: Method) -> bool:
        ours = self.methods[0].loss.get(0.5, 0.0)
        return method.lost > 0 or method.loss.get(0.5, 0.0) > BEYOND * ours > 0.0

    def away(self, method: Method) -> Numbers:
        """How far each coefficient is from ours, in our standard errors.

        Intercepts are compared by what the methods predict on average: at nought, where there may be no row, they say
        little.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            apart = np.abs(method.theta - self.theta)[: len(self.error)]
            away = np.where(apart > DIGITS * np.abs(self.theta[: len(self.error)]), apart / self.error, 0.0)
        if len(away) == len(self.theta) and not math.isnan(method.shift):
            error, shift = min(float(self.error[-1]), self.error_of_mean), abs(method.shift)
            away[-1] = shift / error if shift > DIGITS * self.size and error > 0.0 else 0.0
        return np.nan_to_num(away, nan=0.0, posinf=np.inf)

    def farthest(self, method: Method) -> tuple[str, float]:
        """The term that is farthest from ours, and how far."""
        away = self.away(method)
        worst = int(np.argmax(away))
        return self.terms[worst], float(away[worst])

    def times(self, length: float) -> float:
        """How many times as far as a middling row a step of this length goes."""
        middling = self.methods[0].loss.get(0.5, 0.0) * len(self.theta) ** 0.5 if self.methods else 0.0
        return length / middling if middling > 0.0 else math.inf

    @cached_property
    def tail_index(self) -> float | None:
        """Hill's index of the heavier side of our errors; the errors' moments from it on are infinite."""
        if self.scored < FOR_INDEX:
            return None
        sides = [_hill(side) for side in self.tails if side[-1] > 0.0]
        return min(sides) if sides and math.isfinite(min(sides)) else None

    @cached_property
    def verdict(self) -> str:
        """Whether the user needs this, in words."""
        if self.scored < FEW or not self.methods:
            seen = f"{self.scored:,} of {self.rows:,} were predicted before they were learnt from"
            return f"too few rows to compare: {seen}, and {FEW} are needed"
        return "; ".join([self._of_rival(), *self._of_ours(), *self._of_huber(), *self._of_descents()])

    def _of_rival(self) -> str:
        squares = self.method("least_squares")
        if squares is None:
            return f"least squares and Huber were left out: {len(self.theta) - 1:,} features are too many for them"
        if self._is_as_good(squares):
            return f"you do not need this: {self.RIVAL} is as good here"
        worst = self._worst_ratio(squares)
        little = self.farthest(squares)[1] <= LITTLE_AWAY and worst <= LITTLE_LARGER and not squares.lost
        return f"clipping {'helps a little' if little else 'matters'} here: {self._against(squares, worst)}"

    def _worst_ratio(self, method: Method) -> float:
        """The largest ratio of its quantiles to ours."""
        ours = self.methods[0].loss
        ratios = [loss / ours[share] if ours[share] > 0.0 else math.inf for share, loss in method.loss.items() if loss]
        return max(ratios, default=1.0)

    def _is_as_good(self, method: Method) -> bool:
        if self.diverged(method) or self.farthest(method)[1] > SAME:
            return False
        return self._worst_ratio(method) <= AS_GOOD

    def _against(self, squares: Method, worst: float) -> str:
        if squares.lost:
            return f"{self.RIVAL} met a value too large to square ({self.at(squares.lost)})"
        said = f"{self.RIVAL} is {self._distance(squares)}"
        if worst <= AS_GOOD:
            return said
        return f"{said} and its errors on rows it had not seen are up to {_percent(worst)} larger"

    def _distance(self, method: Method) -> str:
        name, away = self.farthest(method)
        return f"{spoken(away)} standard errors away ({name})"

    def _of_ours(self) -> list[str]:
        said = [f"{self.ours.set_aside:,} rows were set aside as gross"] if self.ours.set_aside else []
        return said if self.ours.settled else [*said, "ours is not settled: more rows are needed"]

    def _of_huber(self) -> list[str]:
        """Where Huber predicts better, it is said; and whether it aims at the same."""
        huber = self.method("huber")
        if huber is None or huber.lost:
            return []
        ours, elsewhere = self.methods[0].loss[0.5], self.farthest(huber)[1] > ELSEWHERE
        aims = f"it is {self._distance(huber)}: with skewed errors it does not estimate the mean"
        if not AS_GOOD * huber.loss[0.5] < ours:
            return [f"Huber predicts no better, and {aims}"] if elsewhere else self._of_huber_beside_ours()
        better = _smaller(huber.loss[0.5] / ours)
        if elsewhere:
            return [f"Huber's median error is {better} smaller, but {aims}"]
        return [f"Huber is better here: its median error is {better} smaller; use it if the errors are symmetric"]

    def _of_huber_beside_ours(self) -> list[str]:
        """Better coefficients hardly show in errors that noise makes large: what theory knows is said."""
        squares = self.method("least_squares")
        if squares is None or self._is_as_good(squares):
            return []
        return [
            "Huber agrees with ours: if the errors are symmetric and do not depend on the columns, it is more precise"
        ]

    def _of_descents(self) -> list[str]:
        said, ours = [], self.methods[0].loss
        far = max((share for share in ours if share <= 0.99), default=0.5)
        for name in ("clipped_sgd", "sgd", "sgd_as_written"):
            method = self.method(name)
            if method is None:
                continue
            if self.diverged(method):
                said.append(f"{SPOKEN[name]} diverged" + (f" at {self.at(method.lost)}" if method.lost else ""))
            elif ours[far] > 0.0 and method.loss[far] > 1.1 * ours[far]:
                larger = _percent(method.loss[far] / ours[far])
                said.append(f"{SPOKEN[name]}: {larger} larger errors at the {far} quantile")
        return said

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values; what is not a number is None."""
        return {
            "rows": self.rows,
            "refused": self.refused,
            "rule": self.rule,
            "target": self.target,
            "scored": self.scored,
            "ours": self.ours.to_dict(),
            "methods": {method.name: self._plain_method(method) for method in self.methods},
            "tail_index": self.tail_index,
            "rows_that_move": [self._plain_row(row, length) for row, length in self.longest],
            "verdict": self.verdict,
        }

    def _plain_method(self, method: Method) -> dict[str, Any]:
        if self.diverged(method):
            loss, theta, (name, away) = {}, np.full(len(self.theta), np.nan), ("", math.nan)
        else:
            loss, theta, (name, away) = method.loss, method.theta, self.farthest(method)
        return {
            "loss": {str(share): plain(loss.get(share, math.nan)) for share in SHARES},
            "coefficients": {term: plain(value) for term, value in zip(self.terms, theta, strict=True)},
            "away": plain(away),
            "farthest": name or None,
            "diverged": self.diverged(method),
            "chosen": {name: plain(value) for name, value in method.chosen.items()},
        }

    def _plain_row(self, row: int, length: float) -> dict[str, Any]:
        file, there = self.place(row)
        return {"file": file, "row": there, "times": plain(self.times(length))}

    def place(self, row: int) -> tuple[str | None, int]:
        """Where a row used stands: file and row, or only which of the rows used it is."""
        return (self.places or {}).get(row, (None, row))

    def at(self, row: int) -> str:
        """Where a row used stands, in words; the file only where it could be another."""
        file, there = self.place(row)
        several = len({name for name, _ in (self.places or {}).values()}) > 1
        return f"{file}: row {there:,}" if several and file is not None else f"row {there:,}"

    def __repr__(self) -> str:
        return f"{self.rows:,} rows, {self.refused:,} refused; {self.verdict}"


def _hill(largest: Numbers) -> float:
    """Hill's index from the largest values, the largest first."""
    mean = float(np.log(largest[:-1] / largest[-1]).mean())
    return 1.0 / mean if mean > 0.0 else math.inf


def spoken(away: float) -> str:
    return "over 1,000" if away >= 1000.0 else f"{away:.1f}"


def _percent(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio > 3.0 else f"{100.0 * (ratio - 1.0):.0f} %"


def _smaller(ratio: float) -> str:
    return f"{100.0 * (1.0 - ratio):.0f} %"
