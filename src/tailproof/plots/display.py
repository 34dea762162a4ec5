"""What all displays share: how they are made, and where they are drawn."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from .canvas import chosen, panels, ready_to_save, save, styled


class StreamDisplay(ABC):
    """A picture of what a stream has shown, a panel a column. `figure_` and `axes_` are what was drawn on last."""

    figure_: Any
    axes_: list[Any]
    size: ClassVar[tuple[float, float]]  # of a panel, in inches
    most: ClassVar[int]  # panels that a picture can hold

    @classmethod
    @abstractmethod
    def from_estimate(cls, estimate: Any) -> Self:
        """A display of what `model.estimate()` or `rule.read(state)` returned."""

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """A display of a model that has seen rows."""
        return cls.from_estimate(estimator.estimate())

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """What there is to draw."""

    @abstractmethod
    def draw(self, axes: Any, number: int) -> None:
        """Draw column `number` on axes of its own."""

    @abstractmethod
    def legend(self) -> list[Any]:
        """What the legend shows."""

    def plot(self, ax: Any = None, columns: Sequence[str | int] | None = None) -> Self:
        """Draw the columns, by name or number (default: all, as far as there is room), on `ax` or a new figure."""
        if ax is not None:
            return self._drawn(ax, ax.figure, columns)
        with styled():
            from matplotlib import pyplot

            return self._drawn(None, pyplot.figure(layout="constrained"), columns)

    def save(self, path: str | os.PathLike[str], columns: Sequence[str | int] | None = None) -> None:
        """Write the picture to a .png, .svg or .pdf file."""
        ready_to_save(path)
        with styled():
            from matplotlib.figure import Figure

            self._drawn(None, Figure(layout="constrained"), columns)
            save(self.figure_, path)

    def _drawn(self, ax: Any, figure: Any, columns: Sequence[str | int] | None) -> Self:
        shown = chosen(self.names, columns, self.most)
        places = panels(ax, figure, max(1, len(shown)), self.size)
        for axes, number in zip(places, shown, strict=False):
            self.draw(axes, number)
        for axes in places[len(shown) :]:
            axes.set_axis_off()
        self._below(ax, figure, shown if columns is None else [])
        self.figure_, self.axes_ = figure, places[: len(shown)]
        return self

    @staticmethod
    def _across(figure: Any, handles: list[Any]) -> int:
        """As many entries of the legend as fit side by side."""
        longest = max(len(handle.get_label()) for handle in handles)
        return max(1, min(len(handles), int(figure.get_figwidth() * 72.0 / (5.0 * longest + 40.0))))

    def _below(self, ax: Any, figure: Any, shown: list[int]) -> None:
        """The legend, and how many columns there are beside those shown."""
        from matplotlib.lines import Line2D

        handles = self.legend()
        if 0 < len(shown) < len(self.names):
            handles.append(Line2D([], [], ls="none", label=f"{len(shown)} of {len(self.names):,} shown"))
        look: dict[str, Any] = {
            "frameon": False,
            "fontsize": 8.0,
            "ncols": self._across(figure, handles),
            "handlelength": 2.6,
        }
        if ax is None:
            figure.legend(handles=handles, loc="outside lower center", **look)
        elif len(shown) == 1:
            ax.legend(handles=handles, loc="best", frameon=False, fontsize=8.0)
        else:
            ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=2.5, **look)
