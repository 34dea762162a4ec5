"""Estimates: what a rule says now, as immutable records for people."""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .estimator import Estimate, Record, plain
from .intervals import Spread, tail_extended
from .plots import Bar, IntervalDisplay, Tail, TailDisplay

Numbers = NDArray[np.float64]

# A row counts as carrying the mean when it alone moves it by this many standard errors.
CARRIES = 1.0
# The plain mean counts as away from the robust one from this many standard errors on.
AWAY = 0.5
# Fewer rows show nothing of a tail; an index of it needs more.
FEW = 20
FOR_INDEX = 1000


class Signs(NamedTuple):
    """What the verdicts rest on, a value a column."""

    clipped: Numbers
    cut_low: Numbers  # how many of the smallest and of the largest values are set aside
    cut_high: Numbers
    leaders: Numbers  # rows that each move the plain mean by half a standard error or more
    leading: Numbers  # their share of the sum of squares
    farthest: Numbers  # how far the farthest row alone moves the plain mean, in standard errors
    tail: Numbers  # Hill's index of the heavier tail, inf where no tail shows
    rare: NDArray[np.bool_]  # fewer than 5 rows differ from the rest


class Column(NamedTuple):
    """One column's line in the table."""

    name: str
    mean: float
    low: float
    high: float
    plain_mean: float
    share_clipped: float
    tail_index: float | None
    verdict: str
    set_aside: list[float]


class MeanEstimate(Estimate):
    """Robust means with their intervals, beside the plain means, and a verdict for each column."""

    rule: str
    rows: int
    refused: int
    spread: Spread
    plain_mean: Numbers
    signs: Signs
    plain_error: Numbers | None = None  # the textbook's standard error of the plain mean; None: not known to this rule
    extremes: Callable[[int], tuple[Numbers, Numbers]] | None = None  # of a column, where the rule keeps them
    names: list[str] | None = None
    confidence: float = 0.95
    anytime: bool = False
    contaminated: bool = False
    note: str = ""
    rival = "plain mean"

    @property
    def mean(self) -> Numbers:
        """The robust mean of each column."""
        return self.spread.centre

    @cached_property
    def _ends(self) -> tuple[Numbers, Numbers]:
        return self.interval(self.confidence, self.anytime, self.contaminated)

    @property
    def low(self) -> Numbers:
        """The low end of each column's interval."""
        return self._ends[0]

    @property
    def high(self) -> Numbers:
        """The high end of each column's interval."""
        return self._ends[1]

    def interval(
        self, confidence: float | None = None, anytime: bool = False, contaminated: bool = False
    ) -> tuple[Numbers, Numbers]:
        """The low and high end for each column."""
        level = self.confidence if confidence is None else confidence
        return tail_extended(self.spread, self.rows, level, anytime, contaminated)

    @property
    def share_clipped(self) -> Numbers:
        """Share of rows clipped or set aside."""
        lost = self.signs.clipped + self.signs.cut_low + self.signs.cut_high
        return lost / max(self.rows, 1)

    @property
    def set_aside(self) -> NDArray[np.int64]:
        """How many rows each column leaves out as gross."""
        return np.nan_to_num(self.signs.cut_low + self.signs.cut_high).astype(np.int64)

    @property
    def tail_index(self) -> Numbers:
        """Hill's index of the heavier tail; NaN where there are too few rows, or no tail."""
        return np.where(np.isfinite(self.signs.tail), self.signs.tail, np.nan)

    def name(self, j: int) -> str:
        """What column j is called."""
        return self.names[j] if self.names else f"x{j}"

    @cached_property
    def columns(self) -> list[Column]:
        """A record for each column."""
        return [self._column(j) for j in range(len(self.mean))]

    def _column(self, j: int) -> Column:
        tail = float(self.tail_index[j])
        return Column(
            name=self.name(j),
            mean=float(self.mean[j]),
            low=float(self.low[j]),
            high=float(self.high[j]),
            plain_mean=float(self.plain_mean[j]),
            share_clipped=float(self.share_clipped[j]),
            tail_index=None if math.isnan(tail) else tail,
            verdict=self.verdict(j),
            set_aside=self._values(j),
        )

    def _values(self, j: int) -> list[float]:
        if self.extremes is None or not self.set_aside[j]:
            return []
        low, high = self.extremes(j)
        return [*low[: int(self.signs.cut_low[j])].tolist(), *high[: int(self.signs.cut_high[j])].tolist()]

    def light(self) -> Self:
        """The same without what only names single rows, to be kept by the dozen."""
        return self.replace(extremes=None)

    def bars(self) -> list[Bar]:
        """What a picture shows of each mean."""
        errors = np.full(len(self.mean), np.nan) if self.plain_error is None else self.plain_error
        numbers = zip(self.mean, self.low, self.high, self.plain_mean, errors, strict=True)
        return [Bar(self.name(j), *map(float, row)) for j, row in enumerate(numbers)]

    def tails(self) -> list[Tail]:
        """What a picture shows of the tails of each column; nothing where the rule keeps no extremes."""
        if self.extremes is None:
            return []
        cuts = np.nan_to_num([self.signs.cut_low, self.signs.cut_high]).astype(int).T
        return [
            Tail(self.name(j), float(self.mean[j]), *self.extremes(j), int(low), int(high), self.rows)
            for j, (low, high) in enumerate(cuts)
        ]

    def plot(self, ax: Any = None, columns: Any = None) -> IntervalDisplay:
        """Draw the intervals beside those of the plain means, on `ax` or a new figure; needs the extra 'plot'."""
        return IntervalDisplay.from_estimate(self).plot(ax, columns)

    def plot_tails(self, ax: Any = None, columns: Any = None) -> TailDisplay:
        """Draw the extremes of each column on logarithmic axes, rows set aside marked; needs the extra 'plot'."""
        return TailDisplay.from_estimate(self).plot(ax, columns)

    def verdict(self, j: int) -> str:
        """What to think of the plain mean of column j, in words."""
        if self.rows == 0:
            return "no rows"
        error = float(self.spread.error[j])
        away = abs(float(self.spread.removed[j])) / error if error > 0.0 else 0.0
        if self.set_aside[j]:
            return self._gross(j, away)
        if error == 0.0 and self.spread.above[j] == 0.0 and self.spread.below[j] == 0.0:
            return "constant: every row is the same" if self.rows > 1 else "one row: nothing to judge by"
        if self.rows < FEW:
            return f"too few rows to judge the tail ({self.rows})"
        if self.signs.rare[j]:
            return "fewer than 5 rows differ from the rest: this is the plain mean"
        if self.signs.farthest[j] > CARRIES or away > AWAY:
            return self._heavy(j, away)
        if self.signs.farthest[j] > AWAY:
            return f"uneven: one row alone moves the plain mean by {self.signs.farthest[j]:.1f} standard errors"
        return "light tail: the plain mean is as good"

    def _gross(self, j: int, away: float) -> str:
        values = self._values(j)
        shown = ", ".join(f"{value:.6g}" for value in values[:3]) + (", ..." if len(values) > 3 else "")
        named = f" ({shown})" if shown else ""
        return (
            f"{_rows(int(self.set_aside[j]), self.rows)} set aside as gross{named}; "
            f"the plain mean is {_errors(away)} away"
        )

    def _heavy(self, j: int, away: float) -> str:
        infinite = "; the variance may be infinite" if self.signs.tail[j] < 2.0 else ""
        distance = f"the plain mean is {_errors(away)} away"
        if not self.signs.leaders[j] > 0:
            return f"heavy tail: {distance}{infinite}"
        # What is remembered of either tail may lack a few of the rows that carry the mean: never say more than all.
        share = min(100.0, 100.0 * float(self.signs.leading[j]))
        rows = _rows(int(self.signs.leaders[j]), self.rows)
        verb = "carries" if self.signs.leaders[j] == 1 else "carry"
        return f"heavy tail: {rows} {verb} {share:.0f} % of the variance; {distance}{infinite}"

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values; what is not a number is None."""
        return {
            "rows": self.rows,
            "refused": self.refused,
            "rule": self.rule,
            "confidence": self.confidence,
            "columns": [{name: plain(value) for name, value in column._asdict().items()} for column in self.columns],
        }

    def __repr__(self) -> str:
        lines = [f"{self.rows:,} rows, {self.refused:,} refused, {100 * self.confidence:g} % intervals"]
        for column in self.columns[:20]:
            lines.append(
                f"{column.name}: {column.mean:.6g} in [{column.low:.6g}, {column.high:.6g}], "
                f"plain mean {column.plain_mean:.6g}; {column.verdict}"
            )
        if len(self.mean) > 20:
            lines.append(f"... and {len(self.mean) - 20:,} more columns")
        return "\n".join(lines)


class DescentEstimate(Record):
    """Where a clipped descent stands."""

    rule: str
    rows: int
    refused: int
    theta: Numbers
    share_clipped: float
    level: float  # the clipping level for the next row
    certificate: float  # how far at most one more row can move theta
    note: str = ""

    def __repr__(self) -> str:
        shown = np.array2string(self.theta, precision=6, threshold=10)
        return (
            f"theta {shown} after {self.rows:,} rows, {self.refused:,} refused, "
            f"{100 * self.share_clipped:.3g} % clipped; one more row moves it by at most {self.certificate:.3g}"
            + (f"; {self.note}" if self.note else "")
        )


def _rows(count: int, rows: int) -> str:
    return f"{count:,} of {rows:,} rows"


def _errors(away: float) -> str:
    if away >= 1000.0:
        return "over 1,000 standard errors"
    return f"{away:.1f} standard errors"
