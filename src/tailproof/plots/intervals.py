"""Intervals of the robust and of the plain estimate, one above the other, each column in its own units."""

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any, Self

from .bars import Bar
from .canvas import FAINT, PLAIN, ROBUST, brief, title
from .display import StreamDisplay

# How far beyond the robust interval a panel reaches for the plain estimate, in lengths of it, and how much farther for
# its interval. What lies farther out gets an arrow.
REACH, ROOM = 8.0, 1.5
ABOVE, BELOW = 1.0, 0.0


class IntervalDisplay(StreamDisplay):
    """Each mean or coefficient with its interval, above the plain one with the textbook's.

    >>> import tailproof
    >>> model = tailproof.Mean().fit([[1.0], [2.0], [3.0], [400.0]])
    >>> tailproof.IntervalDisplay.from_estimator(model).names
    ['x0']
    """

    size = (4.7, 0.98)
    most = 60

    def __init__(self, bars: Sequence[Bar], rival: str, confidence: float = 0.95, zero: bool = False) -> None:
        """rival: what the plain method is called. zero: whether 0 has a meaning, and gets a line."""
        self.bars, self.rival, self.confidence, self.zero = list(bars), rival, confidence, zero

    @classmethod
    def from_estimate(cls, estimate: Any) -> Self:
        """A display of an estimate of means, of a regression or of a classification."""
        return cls(estimate.bars(), estimate.rival, estimate.confidence, zero=not hasattr(estimate, "columns"))

    @property
    def names(self) -> list[str]:
        """What there is to draw."""
        return [bar.name for bar in self.bars]

    def draw(self, axes: Any, number: int) -> None:
        """Draw one bar above the other."""
        bar = self.bars[number]
        low, high = self._view(bar)
        axes.set_xlim(low, high)
        if self.zero and low < 0.0 < high:
            axes.axvline(0.0, color=FAINT, linewidth=0.8, linestyle=(0, (1, 1.5)))
        _line(axes, ABOVE, bar.centre, bar.low, bar.high, {"color": ROBUST, "linewidth": 2.4, "marker": "o"})
        look = {"color": PLAIN, "linewidth": 1.3, "linestyle": (0, (4, 1.5)), "marker": "D", "markerfacecolor": "w"}
        _line(axes, BELOW, bar.plain, *bar.plain_ends(self.confidence), look)
        axes.set_ylim(-0.7, 1.7)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.grid(visible=True, axis="x")
        axes.tick_params(axis="x", labelsize=7.5, length=2.5, pad=1.5)
        axes.locator_params(axis="x", nbins=6)
        axes.ticklabel_format(axis="x", useOffset=False, scilimits=(-3, 5), useMathText=True)
        axes.xaxis.get_offset_text().set_fontsize(7.0)
        title(axes, bar.name, self._numbers(bar), self.size[0])

    def _numbers(self, bar: Bar) -> str:
        apart = bar.high - bar.low
        plain = f"   {self.rival} {brief(bar.plain, apart)}" if isfinite(bar.plain) else ""
        return f"{brief(bar.centre, apart)} in {brief(bar.low, apart)} .. {brief(bar.high, apart)}{plain}"

    def _view(self, bar: Bar) -> tuple[float, float]:
        """What the panel shows: the robust interval, and the plain one as far as there is room for it."""
        ends = [x for x in (bar.centre, bar.low, bar.high) if isfinite(x)]
        plain = [x for x in (bar.plain, *bar.plain_ends(self.confidence)) if isfinite(x)]
        ends = ends or plain or [0.0]
        length = max(ends) - min(ends) or inf
        if min(ends) - REACH * length <= bar.plain <= max(ends) + REACH * length:
            ends.append(bar.plain)
        low = max(min([*ends, *plain]), min(ends) - ROOM * length)
        high = min(max([*ends, *plain]), max(ends) + ROOM * length)
        margin = 0.06 * (high - low) or 0.05 * abs(low) or 1.0
        return low - margin, high + margin

    def legend(self) -> list[Any]:
        """What the legend shows."""
        from matplotlib.lines import Line2D

        percent = f"{100 * self.confidence:g} % interval"
        return [
            Line2D([], [], color=ROBUST, linewidth=2.4, marker="o", label=f"tailproof, {percent}"),
            Line2D(
                [], [], color=PLAIN, linewidth=1.3, linestyle=(0, (4, 1.5)), marker="D", markerfacecolor="w",
                label=f"{self.rival}, textbook's",
            ),
        ]  # fmt: skip


def _line(axes: Any, height: float, centre: float, low: float, high: float, look: dict[str, Any]) -> None:
    """An estimate and its interval; an arrow where either leaves the panel."""
    begin, end = axes.get_xlim()
    marker = {name: look[name] for name in ("marker", "color", "markerfacecolor") if name in look}
    bar = {name: value for name, value in look.items() if name not in ("marker", "markerfacecolor")}
    left, right = max(low, begin), min(high, end)
    if left < right:
        axes.plot([left, right], [height, height], solid_capstyle="butt", **bar)
        for place, inside in ((left, low >= begin), (right, high <= end)):
            if inside:
                axes.plot([place, place], [height - 0.22, height + 0.22], **{**bar, "linestyle": "solid"})
    for beyond, place, arrow in ((min(low, centre) < begin, begin, "<"), (max(high, centre) > end, end, ">")):
        if beyond:
            axes.plot([place], [height], marker=arrow, color=look["color"], markersize=6.0, clip_on=False)
    if begin <= centre <= end:
        axes.plot([centre], [height], markersize=5.5, linestyle="none", **marker)
