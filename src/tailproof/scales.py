"""Scales: where each column lies and how wide it is, from the sketch that the mean is read from."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import RuleError
from .estimate import MeanEstimate, Numbers
from .extremes import Extremes
from .piece import piece
from .state import Layout, State


class ScaleEstimate(MeanEstimate):
    """Robust means with their intervals, and beside them the width of each column."""

    @property
    def location(self) -> Numbers:
        """The robust mean of each column."""
        return self.mean

    @property
    def scale(self) -> Numbers:
        """The standard deviation of each column's rows that are not set aside as gross, the farthest held back at the
        level at which the mean clips; 0 where all rows are the same."""
        kept = np.maximum(self.rows - self.signs.cut_low - self.signs.cut_high, 1.0)
        with np.errstate(over="ignore"):
            found: Numbers = np.minimum(self.spread.error * np.sqrt(np.maximum(kept - 1.0, 1.0)), np.finfo(float).max)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values; what is not a number is None."""
        said = super().to_dict()
        for column, scale in zip(said["columns"], self.scale.tolist(), strict=True):
            column["scale"] = scale if np.isfinite(scale) else None
        return said

    @property
    def scales_told(self) -> str:
        """The scales in a line, for people."""
        shown = [f"{column.name} {scale:.6g}" for column, scale in zip(self.columns[:20], self.scale, strict=False)]
        more = f" and {len(self.mean) - 20:,} more" if len(self.mean) > 20 else ""
        return f"scales: {', '.join(shown)}{more}"

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.scales_told}"


@piece
class Scales:
    """The robust mean and the robust standard deviation of each column: order-free, exactly mergeable.

    of: Extremes, the sketch that both are read from.
    """

    of: Any = Extremes()

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if not isinstance(self.of, Extremes):
            raise RuleError(f"Scales holds Extremes, not {self.of!r}")

    def init(self, columns: int) -> State:
        """A state of no rows."""
        state: State = self.of.init(columns)
        return state

    def layout(self, columns: int) -> Layout:
        """What a state holds: what the sketch does."""
        found: Layout = self.of.layout(columns)
        return found

    def columns(self, state: State) -> int:
        """How many columns the state has."""
        found: int = self.of.columns(state)
        return found

    def step(self, state: State, X: ArrayLike, y: ArrayLike | None = None) -> State:
        """Take rows in, in order. Rows with NaN or inf are refused whole and counted."""
        taken: State = self.of.step(state, X, y)
        return taken

    def merge(self, a: State, b: State) -> State:
        """All rows of both, as if one state had seen them: equal to the single pass to rounding."""
        merged: State = self.of.merge(a, b)
        return merged

    def read(self, state: State) -> ScaleEstimate:
        """What the rows say now."""
        fields = vars(self.of.read(state))
        return ScaleEstimate(**{**fields, "rule": repr(self)})

    def certificate(self, state: State) -> Any:
        """How far at most one more row can move each column's location; inf where one row can move it without bound."""
        return self.of.certificate(state)
