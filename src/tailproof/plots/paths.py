"""How estimates came to rest along a stream."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import RuleError
from .bars import Bar
from .canvas import PLAIN, ROBUST, brief, title
from .display import StreamDisplay

Numbers = NDArray[np.float64]

# The axis holds the intervals of the later half of the readings, and this share of their height beside.
MARGIN = 0.15


class Reading(NamedTuple):
    """What was said after so many rows."""

    rows: int
    bars: list[Bar]


class PathDisplay(StreamDisplay):
    """Estimate, interval and plain estimate of each column at growing numbers of rows, on a logarithmic axis."""

    size = (3.9, 2.6)
    most = 40

    def __init__(self, readings: Sequence[Reading], rival: str, confidence: float = 0.95) -> None:
        """readings: in the order of their rows. rival: what the plain method is called."""
        self.readings, self.rival, self.confidence = list(readings), rival, confidence

    @classmethod
    def from_estimates(cls, estimates: Sequence[Any], confidence: float | None = None) -> Self:
        """A display of what was said at growing numbers of rows."""
        told = [said for said in estimates if said.rows]
        if not told:
            raise RuleError("there is nothing to draw: no row could be used so far")
        level = told[-1].confidence if confidence is None else confidence
        names = told[-1].names
        readings = [Reading(said.rows, said.replace(confidence=level, names=names).bars()) for said in told]
        return cls([one for one in readings if len(one.bars) == len(readings[-1].bars)], told[-1].rival, level)

    @classmethod
    def from_estimate(cls, estimate: Any) -> Self:
        """A display of one reading, which is a path of one point."""
        return cls.from_estimates([estimate])

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """A display of a model that kept its path."""
        return cls.from_estimates([*estimator.path_.readings, estimator.estimate()])

    @property
    def names(self) -> list[str]:
        """What there is to draw."""
        return [bar.name for bar in self.readings[-1].bars]

    def draw(self, axes: Any, number: int) -> None:
        """Draw the path of one column."""
        rows = [reading.rows for reading in self.readings]
        bars = [reading.bars[number] for reading in self.readings]
        low, high = self._view(bars)
        axes.set_xscale("log")
        if low < high:
            axes.set_ylim(low, high)
        ends = np.clip(np.nan_to_num([[bar.low, bar.high] for bar in bars]), low - 1.0, high + 1.0)
        axes.fill_between(rows, ends[:, 0], ends[:, 1], color=ROBUST, alpha=0.16, linewidth=0.0)
        axes.plot(rows, [bar.plain for bar in bars], color=PLAIN, ls=(0, (4, 1.5)), lw=1.3, marker="D", mfc="w", ms=3.5)
        axes.plot(rows, [bar.centre for bar in bars], color=ROBUST, lw=2.0, marker="o", ms=3.5)
        axes.tick_params(labelsize=7.5)
        axes.ticklabel_format(axis="y", useOffset=False, scilimits=(-3, 5), useMathText=True)
        axes.set_xlabel("rows", fontsize=8.0)
        last = bars[-1]
        centre, begin, end = (brief(x, last.high - last.low) for x in (last.centre, last.low, last.high))
        title(axes, last.name, f"{centre} in {begin} .. {end}", self.size[0])

    @staticmethod
    def _view(bars: list[Bar]) -> tuple[float, float]:
        """The first intervals are far too wide to see anything beside them: they run out of the picture."""
        later = bars[len(bars) // 2 :]
        values = [x for bar in later for x in (bar.low, bar.high, bar.centre, bar.plain)]
        values += [bar.centre for bar in bars]
        held = [x for x in values if np.isfinite(x)] or [0.0]
        margin = MARGIN * (max(held) - min(held)) or 0.05 * abs(held[0]) or 1.0
        return min(held) - margin, max(held) + margin

    def legend(self) -> list[Any]:
        """What the legend shows."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        return [
            Line2D([], [], color=ROBUST, lw=2.0, marker="o", ms=3.5, label="tailproof"),
            Patch(color=ROBUST, alpha=0.16, linewidth=0.0, label=f"its {100 * self.confidence:g} % interval"),
            Line2D([], [], color=PLAIN, ls=(0, (4, 1.5)), lw=1.3, marker="D", mfc="w", ms=3.5, label=self.rival),
        ]
