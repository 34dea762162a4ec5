"""Comparisons of means: what ours and its rivals make of each column, as immutable records for people."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .comparison import ELSEWHERE, SAME, Comparison, spoken
from .estimate import CARRIES, MeanEstimate
from .estimator import Estimate

SPOKEN_OF_MEANS = {"ours": "ours", "least_squares": "plain mean", "huber": "Huber", "clipped_sgd": "clipped SGD"}
# Why a method is away from the mean.
WHY = {
    "huber": "of a skewed column it does not tell the mean",
    "clipped_sgd": "it follows the order of the rows, or the column is skewed",
}


class ColumnComparison(Comparison):
    """One column's means side by side: the target is the column itself, and the mean the only coefficient."""

    column: int

    RIVAL = "the plain mean"

    @property
    def terms(self) -> list[str]:
        return ["mean"]

    @cached_property
    def tail_index(self) -> float | None:
        """Hill's index of the column's heavier tail; its moments from it on are infinite."""
        found = float(self.ours.tail_index[self.column])
        return found if found == found else None

    @cached_property
    def verdict(self) -> str:
        """Whether the user needs this, in words."""
        said = self.ours.verdict(self.column)
        if self.plain_is_as_good:
            said = "you do not need this: the plain mean is as good here" + self._yet()
        return "; ".join([said, *(self._elsewhere(name) for name in WHY if self._is_off(name))])

    def _yet(self) -> str:
        """A tail without variance has not shown its largest rows."""
        index = self.tail_index
        infinite = index is not None and index < 2.0
        return f", so far: the tail is heavy (index {index:.1f}), its variance may be infinite" if infinite else ""

    def to_dict(self) -> dict[str, Any]:
        """What is said of this column alone."""
        said = super().to_dict()
        own = ("scored", "methods", "tail_index", "rows_that_move", "verdict")
        return {"name": self.target, **{name: said[name] for name in own}}

    @cached_property
    def plain_is_as_good(self) -> bool:
        plain = self.method("least_squares")
        if plain is None or plain.lost or self.farthest(plain)[1] > SAME or self.ours.set_aside[self.column]:
            return False
        return not self.ours.signs.farthest[self.column] > CARRIES

    def _is_off(self, name: str) -> bool:
        method = self.method(name)
        return method is not None and not method.lost and self.farthest(method)[1] > ELSEWHERE

    def _elsewhere(self, name: str) -> str:
        method = self.method(name)
        away = self.farthest(method)[1] if method is not None else 0.0
        return f"{SPOKEN_OF_MEANS[name]} is {spoken(away)} standard errors away: {WHY[name]}"


class MeansComparison(Estimate):
    """Ours and its rivals side by side, each column for itself."""

    rule: str
    rows: int
    refused: int
    ours: MeanEstimate
    columns: list[ColumnComparison]
    places: Mapping[int, tuple[str, int]] | None = None  # where the rows that stand out are: file and row
    names: list[str] | None = None

    @property
    def mean(self) -> Any:
        return self.ours.mean

    @cached_property
    def parts(self) -> list[ColumnComparison]:
        """The columns by their names."""
        names = self.names or [f"x{j}" for j in range(len(self.columns))]
        told = {"places": self.places, "ours": self.ours}
        return [one.replace(target=name, **told) for name, one in zip(names, self.columns, strict=True)]

    @property
    def verdict(self) -> str:
        """How many columns need more than the plain mean."""
        if not all(one.methods for one in self.columns):
            return "too few rows to compare"
        good = sum(one.plain_is_as_good for one in self.columns)
        return f"{good:,} of {len(self.columns):,} columns do not need this"

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values; what is not a number is None."""
        return {
            "rows": self.rows,
            "refused": self.refused,
            "rule": self.rule,
            "ours": self.ours.to_dict(),
            "verdict": self.verdict,
            "columns": [one.to_dict() for one in self.parts],
        }

    def __repr__(self) -> str:
        said = [f"{one.target}: {one.verdict}" for one in self.parts[:20]]
        return "\n".join([f"{self.rows:,} rows, {self.refused:,} refused", *said])
