"""The tails of columns, as far as a sketch remembers them."""

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..answers import hill
from ..errors import RuleError
from .canvas import PLAIN, ROBUST, brief, title
from .display import StreamDisplay

Numbers = NDArray[np.float64]

# An index needs so many rows in all and so many of them kept; it is that of the farthest ones.
ROWS, FEWEST, FARTHEST = 1000, 8, 17
# Farther than this from the mean no axis can show.
EDGE = 1e150
# An index beyond this is no heavy tail.
LIGHT = 10.0


class Side(NamedTuple):
    """One side of a column: the farthest rows, the farthest first, and how many of them are set aside."""

    distances: Numbers
    ranks: Numbers  # how many rows are at least as far out
    cut: int
    slope: float  # Hill's index of the rows not set aside; inf where they show no tail, NaN where they are too few


class Tail(NamedTuple):
    """One column: what is remembered of its smallest and of its largest values."""

    name: str
    centre: float
    low: Numbers  # the smallest values, the smallest first
    high: Numbers  # the largest values, the largest first
    cut_low: int  # how many of them are set aside
    cut_high: int
    rows: int

    @property
    def below(self) -> Side:
        """The side of the small values."""
        return self._side(self.low, self.cut_low, -1.0)

    @property
    def above(self) -> Side:
        """The side of the large values."""
        return self._side(self.high, self.cut_high, 1.0)

    def _side(self, values: Numbers, cut: int, sign: float) -> Side:
        half = sign * (values * 0.5 - self.centre * 0.5)
        distances = np.minimum(half, EDGE / 2.0) * 2.0
        kept = distances[cut : cut + FARTHEST]
        told = self.rows >= ROWS and len(kept) >= FEWEST
        index = hill(kept, 0.0, 1.0) if told else float("nan")
        return Side(distances, np.arange(1.0, len(values) + 1.0), cut, index)


class TailDisplay(StreamDisplay):
    """How many rows lie at least so far from the mean, on logarithmic axes: a heavy tail is a straight line.

    Above and below the mean apart; rows set aside as gross are crossed; the dashed lines have the slope of Hill's
    index. A variance is finite where the line is steeper than 2.
    """

    size = (3.9, 3.0)
    most = 40

    def __init__(self, tails: Sequence[Tail]) -> None:
        self.tails = list(tails)

    @classmethod
    def from_estimate(cls, estimate: Any) -> Self:
        """A display of an estimate of means that remembers extremes."""
        if getattr(estimate, "extremes", None) is None:
            raise RuleError(
                'a tail plot needs the extremes that Mean(method="sketch") remembers, of fewer than 4,096 columns'
            )
        return cls(estimate.tails())

    @property
    def names(self) -> list[str]:
        """What there is to draw."""
        return [tail.name for tail in self.tails]

    def draw(self, axes: Any, number: int) -> None:
        """Draw both sides of a column."""
        tail = self.tails[number]
        axes.set_xscale("log")
        axes.set_yscale("log")
        _side(axes, tail.above, ROBUST, "o", ROBUST)
        _side(axes, tail.below, PLAIN, "v", "white")
        axes.margins(0.08)
        _ticks(axes)
        axes.set_xlabel("distance from the mean", fontsize=8.0)
        axes.set_ylabel(f"rows as far out, of {tail.rows:,}", fontsize=8.0)
        if not axes.lines:
            axes.text(0.5, 0.5, "every row is the same", transform=axes.transAxes, ha="center", fontsize=8.0)
        title(axes, tail.name, _indices(tail) if axes.lines else "", self.size[0])

    def legend(self) -> list[Any]:
        """What the legend shows."""
        from matplotlib.lines import Line2D

        sides = [side for tail in self.tails for side in (tail.above, tail.below)]
        cut = Line2D([], [], color="black", marker="x", ls="none", label="set aside")
        fitted = Line2D([], [], color="black", ls=(0, (4, 2)), lw=1.0, label="fitted tail")
        return [
            Line2D([], [], color=ROBUST, marker="o", ls="none", label="above the mean"),
            Line2D([], [], color=PLAIN, marker="v", mfc="white", ls="none", label="below"),
            *([cut] if any(side.cut for side in sides) else []),
            *([fitted] if any(isfinite(side.slope) for side in sides) else []),
        ]


def _side(axes: Any, side: Side, color: str, marker: str, face: str) -> None:
    seen = side.distances > 0.0
    far, ranks = side.distances[seen], side.ranks[seen]
    if not len(far):
        return
    axes.plot(far, ranks, ls="none", marker=marker, ms=4.5, color=color, markerfacecolor=face)
    if side.cut:
        axes.plot(far[: side.cut], ranks[: side.cut], ls="none", marker="x", ms=8.5, mew=1.2, color="black")
    if isfinite(side.slope):
        _fitted(axes, side, color)


def _fitted(axes: Any, side: Side, color: str) -> None:
    """The line of the index through the nearest of the rows that it was taken from, out to where one row is left."""
    last = min(side.cut + FARTHEST, len(side.distances)) - 1
    begin, rank = side.distances[last], side.ranks[last]
    end = begin * rank ** (1.0 / side.slope)
    if end < EDGE:
        axes.plot([begin, end], [rank, 1.0], color=color, ls=(0, (4, 2)), lw=1.0, zorder=1)


def _ticks(axes: Any) -> None:
    """Few and round, written as numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

    begin, end = axes.get_xlim()
    steps = (1.0,) if end > 100.0 * begin else (1.0, 2.0, 5.0)
    axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=7) if end > 5.0 * begin else MaxNLocator(5))
    axes.yaxis.set_major_locator(FixedLocator([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 4000]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: brief(value)))
    axes.tick_params(labelsize=7.5)


def _indices(tail: Tail) -> str:
    told = [
        f"{word} {brief(side.slope) if side.slope < LIGHT else 'light'}"
        for word, side in (("above", tail.above), ("below", tail.below))
        if not isnan(side.slope)
    ]
    return f"tail index {', '.join(told)}" if told else ""
